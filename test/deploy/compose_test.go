package deploy

import (
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/compose-spec/compose-go/v2/cli"
	"github.com/compose-spec/compose-go/v2/types"
	apps "k8s.io/api/apps/v1"
	core "k8s.io/api/core/v1"
	networking "k8s.io/api/networking/v1"
	"sigs.k8s.io/yaml"
)

// load reads compose.yaml as compose does, with what deploy/env.example sets.
func load(t *testing.T, env ...string) (*types.Project, error) {
	t.Helper()
	options, err := cli.NewProjectOptions([]string{root + "/deploy/compose.yaml"}, cli.WithEnv(env), cli.WithResolvedPaths(true))
	if err != nil {
		t.Fatal(err)
	}
	return options.LoadProject(t.Context())
}

// serviceOf returns the server of a project, and its environment, which it checks.
func serviceOf(t *testing.T, project *types.Project) (types.ServiceConfig, map[string]string) {
	t.Helper()
	service, err := project.GetService("outline-mcp")
	if err != nil {
		t.Fatal(err)
	}
	told := map[string]string{}
	for name, value := range service.Environment {
		told[name] = *value
	}
	environment(t, told)
	return service, told
}

func TestTheComposeFileIsValidAndLocksTheServerIn(t *testing.T) {
	project, err := load(t, "MCP_ALLOWED_HOSTS=outline-mcp.example.com", "VERSION=1.2.3", "MCP_AUTH_TOKENS=one,two")
	if err != nil {
		t.Fatal(err)
	}
	service, told := serviceOf(t, project)
	if told["MCP_AUTH_TOKENS"] != "one,two" || service.Image != "outline-mcp:1.2.3" || *service.Build.Args["VERSION"] != "1.2.3" {
		t.Errorf("%v %s %v", told, service.Image, service.Build.Args)
	}
	if !service.ReadOnly || len(service.CapDrop) != 1 || service.CapDrop[0] != "ALL" || len(service.SecurityOpt) != 1 || service.MemLimit == 0 || service.PidsLimit == 0 {
		t.Error("the container is not locked in")
	}
	if grace := time.Duration(*service.StopGracePeriod); grace <= 55*time.Second {
		t.Errorf("stop_grace_period is %s", grace)
	}
	for _, port := range service.Ports {
		if port.HostIP != "127.0.0.1" {
			t.Errorf("port %d is open to the world, without TLS", port.Target)
		}
	}
	if len(service.Ports) != 1 || service.Ports[0].Target != 3000 {
		t.Errorf("ports %v", service.Ports)
	}
}

func TestTheComposeFileAsksForTheNameOfTheServer(t *testing.T) {
	if _, err := load(t); err == nil {
		t.Error("no complaint")
	}
}

// The settings that a server needs so that people can log in with Outline.
var loginSettings = []string{"MCP_OAUTH_CLIENT_ID", "MCP_OAUTH_CLIENT_SECRET_FILE", "MCP_OAUTH_SECRET_FILE", "MCP_PUBLIC_URL"}

func TestTheComposeFileForTheLoginAddsItsSettings(t *testing.T) {
	options, err := cli.NewProjectOptions([]string{root + "/deploy/compose.yaml", root + "/deploy/compose.login.yaml"}, cli.WithResolvedPaths(true), cli.WithEnv([]string{
		"MCP_ALLOWED_HOSTS=mcp.example.com", "MCP_PUBLIC_URL=https://mcp.example.com", "MCP_OAUTH_CLIENT_ID=abc",
	}))
	if err != nil {
		t.Fatal(err)
	}
	project, err := options.LoadProject(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	service, told := serviceOf(t, project)
	mounted := map[string]bool{}
	for _, one := range service.Secrets {
		mounted["/run/secrets/"+one.Source] = true
		if !strings.Contains(project.Secrets[one.Source].File, "/deploy/outline-mcp-oauth-") {
			t.Errorf("%s is %s, not a file that outline-mcp oauth setup writes", one.Source, project.Secrets[one.Source].File)
		}
	}
	for _, name := range loginSettings {
		if told[name] == "" || strings.HasSuffix(name, "_FILE") && !mounted[told[name]] {
			t.Errorf("%s is %q", name, told[name])
		}
	}
	if !service.ReadOnly || len(service.Ports) != 1 {
		t.Error("it replaces what compose.yaml says")
	}
}

func TestThePatchForTheLoginAddsItsSettingsToThePods(t *testing.T) {
	k := object[kustomization](t, "login/kustomization.yaml", "kustomize.config.k8s.io/v1beta1", "Kustomization")
	if !slices.Equal(k.Resources, []string{".."}) || len(k.Patches) != 1 || k.Patches[0].Path != "deployment.yaml" {
		t.Errorf("%+v", k)
	}
	base, _, container := deployment(t)
	patch := object[apps.Deployment](t, "login/deployment.yaml", "apps/v1", "Deployment")
	pod := patch.Spec.Template.Spec
	if patch.Name != base.Name || len(pod.Containers) != 1 || pod.Containers[0].Name != container.Name || len(pod.Containers[0].VolumeMounts) != 1 || len(pod.Volumes) != 1 || pod.Volumes[0].Secret == nil || pod.Volumes[0].Name != pod.Containers[0].VolumeMounts[0].Name {
		t.Fatalf("%+v", patch)
	}
	told := map[string]string{}
	for _, variable := range pod.Containers[0].Env {
		told[variable.Name] = variable.Value
		if strings.HasSuffix(variable.Name, "_FILE") && !strings.HasPrefix(variable.Value, pod.Containers[0].VolumeMounts[0].MountPath+"/") {
			t.Errorf("%s is not in the volume", variable.Name)
		}
	}
	if got := slices.Sorted(maps.Keys(told)); !slices.Equal(got, loginSettings) {
		t.Errorf("settings %v", got)
	}
}

// dashboard is what is used of a dashboard of Grafana.
type dashboard struct {
	Title  string
	Panels []struct {
		ID      int
		Title   string
		GridPos struct{ X, Y, W, H int }
		Targets []struct{ Expr, RefID string }
	}
}

func readDashboard(t *testing.T) dashboard {
	t.Helper()
	var d dashboard
	if err := json.Unmarshal(read(t, "deploy/grafana/outline-mcp.json"), &d); err != nil {
		t.Fatal(err)
	}
	return d
}

func TestEachMetricOfTheDashboardAndTheAlertsIsDocumented(t *testing.T) {
	// A test of the metrics holds the documentation against what the program counts.
	documentation := string(read(t, "docs/deployment.md"))
	for _, file := range []string{"deploy/grafana/outline-mcp.json", "deploy/prometheus/alerts.yaml"} {
		names := regexp.MustCompile(`outline_mcp_[a-z_]+`).FindAllString(string(read(t, file)), -1)
		if len(names) < 5 {
			t.Errorf("%s uses %d metrics", file, len(names))
		}
		for _, name := range names {
			if name = strings.TrimSuffix(name, "_bucket"); !strings.Contains(documentation, "`"+name+"`") {
				t.Errorf("%s uses %s, which docs/deployment.md does not know", file, name)
			}
		}
	}
}

func TestThePanelsOfTheDashboardDoNotOverlap(t *testing.T) {
	d := readDashboard(t)
	places, ids := map[[2]int]string{}, map[int]bool{}
	for _, panel := range d.Panels {
		if ids[panel.ID] || panel.Title == "" || len(panel.Targets) == 0 {
			t.Errorf("%q has an ID of another panel, no title or no data", panel.Title)
		}
		ids[panel.ID] = true
		at := panel.GridPos
		for x := at.X; x < at.X+at.W; x++ {
			for y := at.Y; y < at.Y+at.H; y++ {
				if other := places[[2]int{x, y}]; other != "" || x >= 24 {
					t.Fatalf("%q lies over %q, or beside the grid", panel.Title, other)
				}
				places[[2]int{x, y}] = panel.Title
			}
		}
	}
}

func TestPrometheusAcceptsTheAlertsAndTheDashboard(t *testing.T) {
	if _, err := exec.LookPath("promtool"); err != nil {
		t.Skip("promtool is not installed (Debian: apt-get install prometheus)")
	}
	type rule struct {
		Record string `json:"record"`
		Expr   string `json:"expr"`
	}
	var rules []rule
	for _, panel := range readDashboard(t).Panels {
		for _, target := range panel.Targets {
			expression := strings.ReplaceAll(target.Expr, "$__rate_interval", "5m") // Grafana's
			rules = append(rules, rule{"panel:" + target.RefID + ":" + regexp.MustCompile(`\W`).ReplaceAllString(panel.Title, "_"), expression})
		}
	}
	converted, err := yaml.Marshal(map[string]any{"groups": []any{map[string]any{"name": "dashboard", "rules": rules}}})
	if err != nil {
		t.Fatal(err)
	}
	fromDashboard := filepath.Join(t.TempDir(), "dashboard.yaml")
	if err := os.WriteFile(fromDashboard, converted, 0o600); err != nil {
		t.Fatal(err)
	}
	if said, err := exec.CommandContext(t.Context(), "promtool", "check", "rules", filepath.Join("../..", "deploy/prometheus/alerts.yaml"), fromDashboard).CombinedOutput(); err != nil {
		t.Errorf("%s", said)
	}
}

func TestTheComposeFileForRedisAddsAServerAndASharedRedis(t *testing.T) {
	options, err := cli.NewProjectOptions([]string{root + "/deploy/compose.yaml", root + "/deploy/compose.redis.yaml"}, cli.WithResolvedPaths(true), cli.WithEnv([]string{
		"MCP_ALLOWED_HOSTS=mcp.example.com",
	}))
	if err != nil {
		t.Fatal(err)
	}
	project, err := options.LoadProject(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	server, err := project.GetService("outline-mcp")
	if err != nil {
		t.Fatal(err)
	}
	told := map[string]string{}
	for name, value := range server.Environment {
		told[name] = *value
	}
	environment(t, told)
	if server.Deploy == nil || *server.Deploy.Replicas != 2 || len(server.Ports) != 0 || !server.ReadOnly {
		t.Errorf("%+v, ports %v", server.Deploy, server.Ports)
	}
	redis, err := project.GetService("redis")
	if err != nil {
		t.Fatal(err)
	}
	mounted := map[string]bool{}
	for _, one := range slices.Concat(server.Secrets, redis.Secrets) {
		mounted["/run/secrets/"+one.Source] = project.Secrets[one.Source].File != ""
	}
	for _, file := range []string{told["MCP_REDIS_URL_FILE"], told["MCP_STATE_SECRET_FILE"], "/run/secrets/redis-password"} {
		if !mounted[file] {
			t.Errorf("%q is not mounted", file)
		}
	}
	if command := strings.Join(redis.Command, " "); !strings.Contains(command, "--requirepass") || len(redis.Ports) != 0 || !redis.ReadOnly {
		t.Errorf("Redis is open: %s, ports %v", command, redis.Ports)
	}
}

func TestTheFilesForRedisFitThePods(t *testing.T) {
	k := object[kustomization](t, "redis/kustomization.yaml", "kustomize.config.k8s.io/v1beta1", "Kustomization")
	if !slices.Equal(k.Resources, []string{"..", "redis.yaml", "networkpolicy.yaml"}) || len(k.Patches) != 1 || k.Patches[0].Path != "deployment.yaml" {
		t.Errorf("%+v", k)
	}
	base, _, container := deployment(t)
	patch := object[apps.Deployment](t, "redis/deployment.yaml", "apps/v1", "Deployment")
	pod := patch.Spec.Template.Spec
	if patch.Name != base.Name || len(pod.Containers) != 1 || pod.Containers[0].Name != container.Name || len(pod.Containers[0].Env) != 1 {
		t.Fatalf("%+v", patch)
	}
	variable := pod.Containers[0].Env[0]
	if variable.Name != "MCP_REDIS_URL" {
		t.Errorf("the address of Redis is in %s", variable.Name)
	}

	parts := strings.Split(string(read(t, "deploy/kubernetes/redis/redis.yaml")), "\n---\n")
	redis, service := decode[apps.Deployment](t, "redis.yaml", []byte(parts[0])), decode[core.Service](t, "redis.yaml", []byte(parts[1]))
	labels := redis.Spec.Template.Labels
	server := redis.Spec.Template.Spec.Containers[0]
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
	policies := strings.Split(string(read(t, "deploy/kubernetes/redis/networkpolicy.yaml")), "\n---\n")
	in, out := decode[networking.NetworkPolicy](t, "networkpolicy.yaml", []byte(policies[0])).Spec, decode[networking.NetworkPolicy](t, "networkpolicy.yaml", []byte(policies[1])).Spec
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
