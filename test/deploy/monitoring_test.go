package deploy

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

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
