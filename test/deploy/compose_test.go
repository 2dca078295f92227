package deploy

import (
	"testing"
	"time"

	"github.com/compose-spec/compose-go/v2/cli"
	"github.com/compose-spec/compose-go/v2/types"
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
