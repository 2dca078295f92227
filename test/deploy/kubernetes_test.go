package deploy

import (
	"bytes"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	apps "k8s.io/api/apps/v1"
	autoscaling "k8s.io/api/autoscaling/v2"
	core "k8s.io/api/core/v1"
	networking "k8s.io/api/networking/v1"
	policy "k8s.io/api/policy/v1"
	"sigs.k8s.io/json"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"
	"sigs.k8s.io/yaml"
)

// components are those that kustomization.yaml offers, each on a line that begins
// with a comment mark.
var components = []string{"ingress", "login", "redis", "audit"}

// manifests are the objects that kustomize makes, as YAML, by kind and name.
type manifests map[string][]byte

// build runs kustomize on deploy/kubernetes, with components switched on as an
// operator does it: by removing the comment mark.
func build(t *testing.T, with ...string) manifests {
	t.Helper()
	files := filesys.MakeFsInMemory()
	if err := fs.WalkDir(os.DirFS(root+"/deploy/kubernetes"), ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content := read(t, "deploy/kubernetes/"+path)
		if path == "kustomization.yaml" {
			for _, component := range with {
				if !bytes.Contains(content, []byte("\n  # - "+component+"\n")) {
					t.Fatalf("kustomization.yaml does not offer %s", component)
				}
				content = bytes.Replace(content, []byte("# - "+component), []byte("- "+component), 1)
			}
		}
		return files.WriteFile("/kubernetes/"+path, content)
	}); err != nil {
		t.Fatal(err)
	}
	built, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(files, "/kubernetes")
	if err != nil {
		t.Fatal(err)
	}
	made := manifests{}
	for _, one := range built.Resources() {
		content, err := one.AsYAML()
		if err != nil {
			t.Fatal(err)
		}
		made[one.GetKind()+" "+one.GetName()] = content
	}
	return made
}

// object reads an object into the type that Kubernetes itself decodes it to, and
// refuses fields that the type does not have.
func object[T any](t *testing.T, from manifests, id string) T {
	t.Helper()
	if from[id] == nil {
		t.Fatalf("no %s, only %v", id, slices.Sorted(maps.Keys(from)))
	}
	return decode[T](t, id, from[id])
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

// deployment returns the Deployment of the server, and what its container is told.
func deployment(t *testing.T, from manifests) (apps.Deployment, core.PodSpec, core.Container) {
	t.Helper()
	d := object[apps.Deployment](t, from, "Deployment outline-mcp")
	if len(d.Spec.Template.Spec.Containers) != 1 {
		t.Fatalf("%d containers", len(d.Spec.Template.Spec.Containers))
	}
	return d, d.Spec.Template.Spec, d.Spec.Template.Spec.Containers[0]
}

func TestEveryCombinationOfComponentsBuilds(t *testing.T) {
	adds := map[string]int{"ingress": 1, "redis": 4}
	for chosen := range 1 << len(components) {
		var with []string
		want := 6 // of the base, and the ConfigMap of the settings
		for i, component := range components {
			if chosen&(1<<i) != 0 {
				with = append(with, component)
				want += adds[component]
			}
		}
		made := build(t, with...)
		if len(made) != want {
			t.Errorf("with %v: %d objects, want %d", with, len(made), want)
		}
		_, pod, container := deployment(t, made)
		told := map[string]bool{}
		for _, variable := range container.Env {
			if told[variable.Name] {
				t.Errorf("with %v: %s is set twice", with, variable.Name)
			}
			told[variable.Name] = true
		}
		for component, name := range map[string]string{"login": "MCP_OAUTH_SECRET_FILE", "redis": "MCP_REDIS_URL", "audit": "MCP_AUDIT_LOG"} {
			if told[name] != slices.Contains(with, component) {
				t.Errorf("with %v: %s is set: %v", with, name, told[name])
			}
		}
		if slices.Contains(with, "login") != (len(pod.Volumes) == 1) {
			t.Errorf("with %v: volumes %v", with, pod.Volumes)
		}
	}
}

func TestThePodsAreLockedIn(t *testing.T) {
	_, pod, container := deployment(t, build(t))
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
	made := build(t, components...)
	_, _, container := deployment(t, made)
	from := container.EnvFrom[0].ConfigMapRef.Name
	told := object[core.ConfigMap](t, made, "ConfigMap "+from).Data
	for _, variable := range container.Env {
		told[variable.Name] = variable.Value
		if secret := slices.Contains([]string{"MCP_AUTH_TOKENS", "MCP_STATE_SECRET", "MCP_REDIS_URL"}, variable.Name); secret != (variable.ValueFrom != nil && variable.ValueFrom.SecretKeyRef != nil) {
			t.Errorf("%s: only secrets come from a Secret, and all of them do", variable.Name)
		}
	}
	environment(t, told)
	if told["MCP_ALLOWED_HOSTS"] == "" {
		t.Error("settings.env has no MCP_ALLOWED_HOSTS")
	}
}

func TestPodsFinishTheirCallsBeforeTheyAreKilled(t *testing.T) {
	_, pod, container := deployment(t, build(t))
	const shutdownGrace = 55 // seconds, the default of MCP_SHUTDOWN_GRACE
	if pause := container.Lifecycle.PreStop.Sleep.Seconds; *pod.TerminationGracePeriodSeconds <= pause+shutdownGrace {
		t.Errorf("%d s to end, of which preStop takes %d s", *pod.TerminationGracePeriodSeconds, pause)
	}
}

func TestProbesAndPortsNameWhatThePodsHave(t *testing.T) {
	made := build(t)
	_, _, container := deployment(t, made)
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
	service := object[core.Service](t, made, "Service outline-mcp")
	if len(service.Spec.Ports) != 1 || service.Spec.Ports[0].TargetPort.String() != "http" {
		t.Errorf("%+v: the metrics are not for everybody", service.Spec.Ports)
	}
	rules := object[networking.NetworkPolicy](t, made, "NetworkPolicy outline-mcp")
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
	made := build(t)
	d, _, _ := deployment(t, made)
	labels := d.Spec.Template.Labels
	budget := object[policy.PodDisruptionBudget](t, made, "PodDisruptionBudget outline-mcp")
	rules := object[networking.NetworkPolicy](t, made, "NetworkPolicy outline-mcp")
	for name, selector := range map[string]map[string]string{
		"deployment.yaml":          d.Spec.Selector.MatchLabels,
		"service.yaml":             object[core.Service](t, made, "Service outline-mcp").Spec.Selector,
		"poddisruptionbudget.yaml": budget.Spec.Selector.MatchLabels,
		"networkpolicy.yaml":       rules.Spec.PodSelector.MatchLabels,
		"topologySpread":           d.Spec.Template.Spec.TopologySpreadConstraints[0].LabelSelector.MatchLabels,
	} {
		if !maps.Equal(selector, labels) {
			t.Errorf("%s selects %v, the pods are %v", name, selector, labels)
		}
	}
	scaler := object[autoscaling.HorizontalPodAutoscaler](t, made, "HorizontalPodAutoscaler outline-mcp")
	if target := scaler.Spec.ScaleTargetRef; target.Name != d.Name || target.Kind != d.Kind || target.APIVersion != d.APIVersion {
		t.Errorf("%+v", target)
	}
	if *d.Spec.Replicas != 2 || *scaler.Spec.MinReplicas != 2 || budget.Spec.MinAvailable.IntValue() != 1 {
		t.Error("there are not two replicas of which one always runs")
	}
}

func TestTheIngressLeadsEveryPathOfTheServerToIt(t *testing.T) {
	made := build(t, components...)
	service := object[core.Service](t, made, "Service outline-mcp")
	var paths []string
	for _, rule := range object[networking.Ingress](t, made, "Ingress outline-mcp").Spec.Rules {
		for _, path := range rule.HTTP.Paths {
			paths = append(paths, path.Path)
			if to := path.Backend.Service; to.Name != service.Name || to.Port.Name != service.Spec.Ports[0].Name {
				t.Errorf("%+v", path)
			}
		}
	}
	if want := []string{"/mcp", "/oauth", "/.well-known/oauth-protected-resource", "/.well-known/oauth-authorization-server"}; !slices.Equal(paths, want) {
		t.Errorf("paths %v", paths)
	}
}

func TestThePodsReachWhatThePagesPromise(t *testing.T) {
	open := map[string][]int32{}
	for _, rule := range object[networking.NetworkPolicy](t, build(t), "NetworkPolicy outline-mcp").Spec.Egress {
		to := "everywhere"
		if len(rule.To) > 0 {
			to = rule.To[0].NamespaceSelector.MatchLabels["kubernetes.io/metadata.name"]
		}
		for _, port := range rule.Ports {
			open[to] = append(open[to], port.Port.IntVal)
		}
	}
	want := map[string][]int32{"kube-system": {53, 53}, "everywhere": {443}, "outline": {80, 3000}, "monitoring": {4317, 4318}}
	if !maps.EqualFunc(open, want, slices.Equal) {
		t.Errorf("open: %v", open)
	}
}

func TestTheLoginMountsTheSecretsThatItsSettingsName(t *testing.T) {
	_, pod, container := deployment(t, build(t, "login"))
	mount, told := container.VolumeMounts[0], []string{}
	for _, variable := range container.Env {
		if strings.HasPrefix(variable.Name, "MCP_OAUTH_") {
			told = append(told, variable.Name)
			if !strings.HasPrefix(variable.Value, mount.MountPath+"/") {
				t.Errorf("%s is not in the volume", variable.Name)
			}
		}
	}
	slices.Sort(told)
	if !slices.Equal(told, []string{"MCP_OAUTH_CLIENT_SECRET_FILE", "MCP_OAUTH_SECRET_FILE"}) || pod.Volumes[0].Name != mount.Name || pod.Volumes[0].Secret == nil {
		t.Errorf("%v, %+v", told, pod.Volumes)
	}
	offered := string(read(t, "deploy/kubernetes/settings.env"))
	for _, name := range loginSettings {
		if !slices.Contains(told, name) && !strings.Contains(offered, "# "+name+"=") {
			t.Errorf("settings.env does not offer %s", name)
		}
	}
}

func TestRedisIsReachedByThePodsOnly(t *testing.T) {
	made := build(t, "redis")
	base, _, container := deployment(t, made)
	variable := container.Env[slices.IndexFunc(container.Env, func(v core.EnvVar) bool { return v.Name == "MCP_REDIS_URL" })]
	redis := object[apps.Deployment](t, made, "Deployment outline-mcp-redis")
	service := object[core.Service](t, made, "Service outline-mcp-redis")
	labels, server := redis.Spec.Template.Labels, redis.Spec.Template.Spec.Containers[0]
	secret := variable.ValueFrom.SecretKeyRef.Name
	if server.Env[0].ValueFrom.SecretKeyRef.Name != secret || !slices.Contains(server.Args, "--requirepass") || !slices.Contains(server.Args, "$("+server.Env[0].Name+")") {
		t.Errorf("Redis is open: %v", server.Args)
	}
	if !*server.SecurityContext.ReadOnlyRootFilesystem || !*redis.Spec.Template.Spec.SecurityContext.RunAsNonRoot {
		t.Error("Redis is not locked in")
	}
	const name = "app.kubernetes.io/name"
	if service.Spec.Selector[name] != labels[name] || redis.Spec.Selector.MatchLabels[name] != labels[name] || service.Spec.Ports[0].TargetPort.String() != server.Ports[0].Name {
		t.Errorf("the service leads to %v", service.Spec)
	}
	in := object[networking.NetworkPolicy](t, made, "NetworkPolicy outline-mcp-redis").Spec
	out := object[networking.NetworkPolicy](t, made, "NetworkPolicy outline-mcp-to-redis").Spec
	pods := base.Spec.Template.Labels[name]
	if in.PodSelector.MatchLabels[name] != labels[name] || in.Ingress[0].From[0].PodSelector.MatchLabels[name] != pods || in.Ingress[0].Ports[0].Port.String() != server.Ports[0].Name {
		t.Errorf("Redis lets in %+v", in)
	}
	if out.PodSelector.MatchLabels[name] != pods || out.Egress[0].To[0].PodSelector.MatchLabels[name] != labels[name] || out.Egress[0].Ports[0].Port.IntVal != server.Ports[0].ContainerPort {
		t.Errorf("the pods may reach %+v", out)
	}
	if comment := string(read(t, "deploy/kubernetes/redis/kustomization.yaml")); !strings.Contains(comment, "secret generic "+secret) || !strings.Contains(comment, "@"+service.Name+":6379") {
		t.Error("the comment makes another secret")
	}
}
