package deploy

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/compose-spec/compose-go/v2/cli"
	apps "k8s.io/api/apps/v1"
)

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
