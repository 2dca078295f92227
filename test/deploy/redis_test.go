package deploy

import (
	"slices"
	"strings"
	"testing"

	"github.com/compose-spec/compose-go/v2/cli"
	apps "k8s.io/api/apps/v1"
	core "k8s.io/api/core/v1"
	networking "k8s.io/api/networking/v1"
)

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
