package deploy

import (
	"encoding/json"
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
	"sigs.k8s.io/yaml"
)

// load reads files in deploy as compose does, from a copy of the folder with
// these lines in its .env.
func load(t *testing.T, lines []string, files ...string) (*types.Project, error) {
	t.Helper()
	folder := t.TempDir()
	for i, file := range files {
		files[i] = filepath.Join(folder, file)
		if err := os.WriteFile(files[i], read(t, "deploy/"+file), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(folder, ".env"), []byte(strings.Join(lines, "\n")), 0o600); err != nil {
		t.Fatal(err)
	}
	options, err := cli.NewProjectOptions(files, cli.WithWorkingDirectory(folder), cli.WithEnvFiles(), cli.WithDotEnv, cli.WithResolvedPaths(true))
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
	delete(told, "VERSION") // of the image, for compose itself
	environment(t, told)
	return service, told
}

func TestTheComposeFileIsValidAndLocksTheServerIn(t *testing.T) {
	project, err := load(t, []string{"MCP_ALLOWED_HOSTS=outline-mcp.example.com", "VERSION=1.2.3", "MCP_AUTH_TOKENS=one,two", "MCP_TRANSPORT=stdio"}, "compose.yaml")
	if err != nil {
		t.Fatal(err)
	}
	service, told := serviceOf(t, project)
	if told["MCP_AUTH_TOKENS"] != "one,two" || told["MCP_TRANSPORT"] != "http" || service.Image != "outline-mcp:1.2.3" || *service.Build.Args["VERSION"] != "1.2.3" {
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
	if _, err := load(t, nil, "compose.yaml"); err == nil {
		t.Error("no complaint")
	}
}

func TestTheComposeFileForTheAuditTrailKeepsItInAFolder(t *testing.T) {
	project, err := load(t, []string{"MCP_ALLOWED_HOSTS=mcp.example.com"}, "compose.yaml", "compose.audit.yaml")
	if err != nil {
		t.Fatal(err)
	}
	service, told := serviceOf(t, project)
	if len(service.Volumes) != 1 || filepath.Dir(told["MCP_AUDIT_LOG"]) != service.Volumes[0].Target || !strings.HasSuffix(service.Volumes[0].Source, "/audit") {
		t.Errorf("%s in %+v", told["MCP_AUDIT_LOG"], service.Volumes)
	}
}

// The settings that a server needs so that people can log in with Outline.
var loginSettings = []string{"MCP_OAUTH_CLIENT_ID", "MCP_OAUTH_CLIENT_SECRET_FILE", "MCP_OAUTH_SECRET_FILE", "MCP_PUBLIC_URL"}

func TestTheComposeFileForTheLoginAddsItsSettings(t *testing.T) {
	project, err := load(t, []string{"MCP_ALLOWED_HOSTS=mcp.example.com", "MCP_PUBLIC_URL=https://mcp.example.com", "MCP_OAUTH_CLIENT_ID=abc"}, "compose.yaml", "compose.login.yaml")
	if err != nil {
		t.Fatal(err)
	}
	service, told := serviceOf(t, project)
	mounted := map[string]bool{}
	for _, one := range service.Secrets {
		mounted["/run/secrets/"+one.Source] = true
		if !strings.Contains(project.Secrets[one.Source].File, "/outline-mcp-oauth-") {
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
	documentation := string(read(t, "docs/team/operation.md"))
	for _, file := range []string{"deploy/grafana/outline-mcp.json", "deploy/prometheus/alerts.yaml"} {
		names := regexp.MustCompile(`outline_mcp_[a-z_]+`).FindAllString(string(read(t, file)), -1)
		if len(names) < 5 {
			t.Errorf("%s uses %d metrics", file, len(names))
		}
		for _, name := range names {
			if name = strings.TrimSuffix(name, "_bucket"); !strings.Contains(documentation, "`"+name+"`") {
				t.Errorf("%s uses %s, which docs/team/operation.md does not know", file, name)
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
	project, err := load(t, []string{"MCP_ALLOWED_HOSTS=mcp.example.com"}, "compose.yaml", "compose.redis.yaml")
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
