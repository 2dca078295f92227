package deploy

import (
	"maps"
	"path/filepath"
	"slices"
	"testing"

	apps "k8s.io/api/apps/v1"
	autoscaling "k8s.io/api/autoscaling/v2"
	core "k8s.io/api/core/v1"
	networking "k8s.io/api/networking/v1"
	policy "k8s.io/api/policy/v1"
	"sigs.k8s.io/json"
	"sigs.k8s.io/yaml"
)

// kustomization is what is used of kustomize's own file.
type kustomization struct {
	APIVersion string   `json:"apiVersion"`
	Kind       string   `json:"kind"`
	Resources  []string `json:"resources"`
	Patches    []struct {
		Path string `json:"path"`
	} `json:"patches"`
}

// object reads a file into the type that Kubernetes itself decodes it to, and
// refuses fields that the type does not have.
func object[T any](t *testing.T, file, apiVersion, kind string) T {
	t.Helper()
	content := read(t, "deploy/kubernetes/"+file)
	var header struct {
		APIVersion string `json:"apiVersion"`
		Kind       string `json:"kind"`
	}
	if err := yaml.Unmarshal(content, &header); err != nil {
		t.Fatalf("%s: %s", file, err)
	}
	if header.APIVersion != apiVersion || header.Kind != kind {
		t.Fatalf("%s is %s %s", file, header.APIVersion, header.Kind)
	}
	return decode[T](t, file, content)
}

// decode reads YAML as the API server does, strictly: names are case-sensitive,
// and unknown and repeated ones are errors.
func decode[T any](t *testing.T, name string, content []byte) T {
	t.Helper()
	raw, err := yaml.YAMLToJSONStrict(content)
	if err != nil {
		t.Fatalf("%s: %s", name, err)
	}
	var decoded T
	wrong, err := json.UnmarshalStrict(raw, &decoded)
	if err != nil || len(wrong) > 0 {
		t.Fatalf("%s: %v %v", name, err, wrong)
	}
	return decoded
}

func deployment(t *testing.T) (apps.Deployment, core.PodSpec, core.Container) {
	t.Helper()
	d := object[apps.Deployment](t, "deployment.yaml", "apps/v1", "Deployment")
	if len(d.Spec.Template.Spec.Containers) != 1 {
		t.Fatalf("%d containers", len(d.Spec.Template.Spec.Containers))
	}
	return d, d.Spec.Template.Spec, d.Spec.Template.Spec.Containers[0]
}

func TestEveryManifestIsInTheKustomization(t *testing.T) {
	k := object[kustomization](t, "kustomization.yaml", "kustomize.config.k8s.io/v1beta1", "Kustomization")
	files, err := filepath.Glob(root + "/deploy/kubernetes/*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for _, file := range files {
		if name := filepath.Base(file); name != "kustomization.yaml" {
			want = append(want, name)
		}
	}
	if got := slices.Sorted(slices.Values(k.Resources)); !slices.Equal(got, want) {
		t.Errorf("resources %v, files %v", got, want)
	}
}

func TestThePodsAreLockedIn(t *testing.T) {
	_, pod, container := deployment(t)
	if s := pod.SecurityContext; !*s.RunAsNonRoot || *s.RunAsUser == 0 || s.SeccompProfile.Type != core.SeccompProfileTypeRuntimeDefault {
		t.Errorf("%+v", s)
	}
	if s := container.SecurityContext; *s.AllowPrivilegeEscalation || !*s.ReadOnlyRootFilesystem || !slices.Equal(s.Capabilities.Drop, []core.Capability{"ALL"}) {
		t.Errorf("%+v", s)
	}
	if *pod.AutomountServiceAccountToken {
		t.Error("the pods can talk to the cluster")
	}
	if container.Resources.Limits.Memory().IsZero() || container.Resources.Requests.Cpu().IsZero() || container.Resources.Requests.Memory().IsZero() {
		t.Errorf("%+v", container.Resources)
	}
}

func TestThePodsAreToldOnlyKnownSettings(t *testing.T) {
	_, _, container := deployment(t)
	told := map[string]string{}
	for _, variable := range container.Env {
		told[variable.Name] = variable.Value
		if secret := variable.Name == "MCP_AUTH_TOKENS" || variable.Name == "MCP_STATE_SECRET"; secret != (variable.ValueFrom != nil && variable.ValueFrom.SecretKeyRef != nil) {
			t.Errorf("%s: only secrets come from a Secret, and all of them do", variable.Name)
		}
	}
	environment(t, told)
}

func TestPodsFinishTheirCallsBeforeTheyAreKilled(t *testing.T) {
	_, pod, container := deployment(t)
	const shutdownGrace = 55 // seconds, the default of MCP_SHUTDOWN_GRACE
	if pause := container.Lifecycle.PreStop.Sleep.Seconds; *pod.TerminationGracePeriodSeconds <= pause+shutdownGrace {
		t.Errorf("%d s to end, of which preStop takes %d s", *pod.TerminationGracePeriodSeconds, pause)
	}
}

func TestProbesAndPortsNameWhatThePodsHave(t *testing.T) {
	_, _, container := deployment(t)
	ports := map[string]int32{}
	for _, port := range container.Ports {
		ports[port.Name] = port.ContainerPort
	}
	if !maps.Equal(ports, map[string]int32{"http": 3000, "metrics": 9090}) {
		t.Errorf("%v", ports)
	}
	for path, probes := range map[string][]*core.Probe{"/health": {container.StartupProbe, container.LivenessProbe}, "/ready": {container.ReadinessProbe}} {
		for _, probe := range probes {
			if probe.HTTPGet.Path != path || probe.HTTPGet.Port.String() != "http" {
				t.Errorf("%+v", probe.HTTPGet)
			}
		}
	}
	service := object[core.Service](t, "service.yaml", "v1", "Service")
	if len(service.Spec.Ports) != 1 || service.Spec.Ports[0].TargetPort.String() != "http" {
		t.Errorf("%+v: the metrics are not for everybody", service.Spec.Ports)
	}
	rules := object[networking.NetworkPolicy](t, "networkpolicy.yaml", "networking.k8s.io/v1", "NetworkPolicy")
	for _, rule := range rules.Spec.Ingress {
		if len(rule.From) == 0 {
			t.Error("a port is open to everybody")
		}
		for _, port := range rule.Ports {
			if _, ok := ports[port.Port.String()]; !ok {
				t.Errorf("no port %s", port.Port)
			}
		}
	}
}

func TestEverythingSelectsThePodsOfTheDeployment(t *testing.T) {
	d, _, _ := deployment(t)
	labels := d.Spec.Template.Labels
	budget := object[policy.PodDisruptionBudget](t, "poddisruptionbudget.yaml", "policy/v1", "PodDisruptionBudget")
	rules := object[networking.NetworkPolicy](t, "networkpolicy.yaml", "networking.k8s.io/v1", "NetworkPolicy")
	for name, selector := range map[string]map[string]string{
		"deployment.yaml":          d.Spec.Selector.MatchLabels,
		"service.yaml":             object[core.Service](t, "service.yaml", "v1", "Service").Spec.Selector,
		"poddisruptionbudget.yaml": budget.Spec.Selector.MatchLabels,
		"networkpolicy.yaml":       rules.Spec.PodSelector.MatchLabels,
		"topologySpread":           d.Spec.Template.Spec.TopologySpreadConstraints[0].LabelSelector.MatchLabels,
	} {
		if !maps.Equal(selector, labels) {
			t.Errorf("%s selects %v, the pods are %v", name, selector, labels)
		}
	}
	scaler := object[autoscaling.HorizontalPodAutoscaler](t, "horizontalpodautoscaler.yaml", "autoscaling/v2", "HorizontalPodAutoscaler")
	if target := scaler.Spec.ScaleTargetRef; target.Name != d.Name || target.Kind != d.Kind || target.APIVersion != d.APIVersion {
		t.Errorf("%+v", target)
	}
	if *d.Spec.Replicas != 2 || *scaler.Spec.MinReplicas != 2 || budget.Spec.MinAvailable.IntValue() != 1 {
		t.Error("there are not two replicas of which one always runs")
	}
}

func TestTheIngressInTheDocumentationLeadsToTheService(t *testing.T) {
	ingress := decode[networking.Ingress](t, "the Ingress", []byte(sample(t, "yaml")))
	service := object[core.Service](t, "service.yaml", "v1", "Service")
	for _, rule := range ingress.Spec.Rules {
		for _, path := range rule.HTTP.Paths {
			if to := path.Backend.Service; path.Path != "/mcp" || to.Name != service.Name || to.Port.Name != service.Spec.Ports[0].Name {
				t.Errorf("%+v", path)
			}
		}
	}
}
