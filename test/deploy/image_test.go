package deploy

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/moby/buildkit/frontend/dockerfile/instructions"
	"github.com/moby/buildkit/frontend/dockerfile/linter"
	"github.com/moby/buildkit/frontend/dockerfile/parser"
	"github.com/moby/patternmatcher"
	"github.com/moby/patternmatcher/ignorefile"
)

// buildContext copies what .dockerignore does not exclude.
func buildContext(t *testing.T, to string) {
	t.Helper()
	patterns, err := ignorefile.ReadAll(bytes.NewReader(read(t, ".dockerignore")))
	if err != nil {
		t.Fatal(err)
	}
	matcher, err := patternmatcher.New(patterns)
	if err != nil {
		t.Fatal(err)
	}
	err = filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(root, path)
		if err != nil || name == "." {
			return err
		}
		// Nothing in an excluded folder is included again.
		switch ignored, err := matcher.MatchesOrParentMatches(name); {
		case err != nil:
			return err
		case ignored && entry.IsDir():
			return fs.SkipDir
		case ignored || entry.IsDir():
			return nil
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		write(t, filepath.Join(to, name), content, 0o644)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func write(t *testing.T, path string, content []byte, mode os.FileMode) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, content, mode); err != nil {
		t.Fatal(err)
	}
}

// runBuildStage carries out the RUN lines of the build stage in a folder and
// returns it. The image's /out is out in it, its working directory src.
func runBuildStage(t *testing.T, version string) string {
	t.Helper()
	build, _ := dockerfile(t)
	stage := t.TempDir()
	buildContext(t, filepath.Join(stage, "src"))
	ran := 0
	for _, command := range build.Commands {
		run, ok := command.(*instructions.RunCommand)
		if !ok {
			continue
		}
		line := strings.ReplaceAll(strings.Join(run.CmdLine, " "), " /out/", " "+stage+"/out/")
		cmd := exec.CommandContext(t.Context(), "/bin/sh", "-c", line)
		cmd.Dir = filepath.Join(stage, "src")
		cmd.Env = append(os.Environ(), "VERSION="+version, "TARGETOS=linux", "TARGETARCH="+runtime.GOARCH, "GOFLAGS=", "GOWORK=off")
		if output, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("RUN %s: %s\n%s", line, err, output)
		}
		ran++
	}
	if ran == 0 {
		t.Fatal("the build stage runs nothing")
	}
	return stage
}

// container is the file system of the image and how to run programs in it.
type container struct {
	image
	root string
}

// newContainer lays out the final stage in a folder: nothing else is in it.
func newContainer(t *testing.T, version string) container {
	t.Helper()
	c := container{finalImage(t), t.TempDir()}
	stage := runBuildStage(t, version)
	for destination, source := range c.copied {
		from, mode := source, os.FileMode(0o644)
		if strings.HasPrefix(source, "/out/") {
			from, mode = filepath.Join(stage, source), 0o755
		}
		content, err := os.ReadFile(from)
		if err != nil {
			t.Fatalf("COPY %s: %s", source, err)
		}
		write(t, filepath.Join(c.root, destination), content, mode)
	}
	return c
}

// enter makes the folder $1 a file system that nobody can write, changes into
// it as the user $2 (or as nobody else, if that is empty) and runs the rest.
const enter = `set -e
root=$1 user=$2; shift 2
mount --bind "$root" "$root"
mount -o remount,bind,ro "$root"
if touch "$root/probe" 2>/dev/null; then echo "the file system can be written" >&2; exit 99; fi
exec chroot ${user:+--userspec="$user"} "$root" "$@"`

// command prepares a program of the container, with nothing but what is told
// in its environment. Real containers are made of the same namespaces.
func (c container) command(ctx context.Context, t *testing.T, environment []string, args ...string) *exec.Cmd {
	t.Helper()
	isolate, user := []string{"--mount"}, c.user
	if os.Geteuid() != 0 {
		isolate, user = []string{"--user", "--map-root-user", "--mount"}, ""
	}
	if exec.CommandContext(ctx, "unshare", append(isolate, "true")...).Run() != nil {
		t.Skip("this system allows no namespaces")
	}
	cmd := exec.CommandContext(ctx, "unshare", append(append(isolate, "sh", "-c", enter, "sh", c.root, user), args...)...)
	cmd.Env = append([]string{"PATH=" + os.Getenv("PATH")}, environment...)
	return cmd
}

func (c container) run(ctx context.Context, t *testing.T, environment []string, args ...string) *exec.Cmd {
	t.Helper()
	return c.command(ctx, t, environment, append(c.entrypoint, args...)...)
}

func (c container) healthy(ctx context.Context, t *testing.T, environment ...string) error {
	t.Helper()
	output, err := c.command(ctx, t, environment, c.healthcheck[1:]...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("%w: %s", err, output)
	}
	return nil
}

func TestTheImageWorksFromScratchReadOnlyAndAsNobody(t *testing.T) {
	c := newContainer(t, "9.8.7")

	t.Run("it runs as a user with a number that is not root's", func(t *testing.T) {
		if c.user != "65532:65532" {
			t.Errorf("USER %s", c.user)
		}
	})

	t.Run("its version is built in", func(t *testing.T) {
		output, err := c.run(t.Context(), t, nil, "version").CombinedOutput()
		if err != nil || !strings.Contains(string(output), "outline-mcp 9.8.7 linux/") {
			t.Errorf("%v: %s", err, output)
		}
	})

	t.Run("it has the certificates that the system trusts", func(t *testing.T) {
		if _, ok := c.copied["/etc/ssl/certs/ca-certificates.crt"]; !ok {
			t.Errorf("%v", c.copied)
		}
	})

	t.Run("it serves standard input and output unless told otherwise, and is healthy", func(t *testing.T) {
		serve := c.run(t.Context(), t, []string{"OUTLINE_API_KEY=ol_api_test_x"})
		serve.Stdin = strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}` + "\n")
		output, err := serve.Output()
		if err != nil || !strings.Contains(string(output), `"serverInfo"`) || !strings.Contains(string(output), `"9.8.7"`) {
			t.Errorf("%v: %s", err, output)
		}
		if err := c.healthy(t.Context(), t); err != nil {
			t.Error(err)
		}
	})

	t.Run("it serves a team when told to, is healthy while it does, and ends on SIGTERM", func(t *testing.T) {
		environment := []string{"MCP_TRANSPORT=http", "MCP_HOST=0.0.0.0", "MCP_PORT=" + freePort(t)}
		if err := c.healthy(t.Context(), t, environment...); err == nil {
			t.Error("healthy before it runs")
		}
		serve := c.run(t.Context(), t, environment, "--demo")
		stderr, err := serve.StderrPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := serve.Start(); err != nil {
			t.Fatal(err)
		}
		logged := bufio.NewScanner(stderr)
		for logged.Scan() && !strings.Contains(logged.Text(), "serving MCP over HTTP") {
		}
		if err := c.healthy(t.Context(), t, environment...); err != nil {
			t.Error(err)
		}
		if response, err := http.Get("http://127.0.0.1:" + environment[2][len("MCP_PORT="):] + "/ready"); err != nil || response.StatusCode != http.StatusOK {
			t.Errorf("ready: %v %v", response, err)
		} else {
			response.Body.Close()
		}
		if err := serve.Process.Signal(syscall.SIGTERM); err != nil {
			t.Error(err)
		}
		ended := time.AfterFunc(time.Minute, func() { serve.Process.Kill() })
		defer ended.Stop()
		for logged.Scan() {
		}
		if err := serve.Wait(); err != nil {
			t.Errorf("ended with %s", err)
		}
	})
}

func freePort(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	_, port, err := net.SplitHostPort(listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	return port
}

// dockerfile parses the Dockerfile with the parser of the program that builds
// images, into its build stage and its final stage.
func dockerfile(t *testing.T) (build, final instructions.Stage) {
	t.Helper()
	parsed, err := parser.Parse(bytes.NewReader(read(t, "Dockerfile")))
	if err != nil {
		t.Fatal(err)
	}
	for _, warning := range parsed.Warnings {
		t.Errorf("%s %v", warning.Short, warning.Detail)
	}
	lint := linter.New(&linter.Config{Warn: func(rule, _, _, message string, _ []parser.Range) { t.Errorf("%s: %s", rule, message) }})
	stages, _, err := instructions.Parse(parsed.AST, lint)
	if err != nil {
		t.Fatal(err)
	}
	if len(stages) != 2 || stages[0].Name != "build" {
		t.Fatalf("%d stages", len(stages))
	}
	return stages[0], stages[1]
}

// image is what the final stage says of the container.
type image struct {
	entrypoint, healthcheck []string
	user                    string
	copied                  map[string]string // destination to source in the build stage
}

func finalImage(t *testing.T) image {
	t.Helper()
	_, final := dockerfile(t)
	if final.BaseName != "scratch" {
		t.Errorf("the image is made from %s", final.BaseName)
	}
	i := image{copied: map[string]string{}}
	for _, command := range final.Commands {
		switch c := command.(type) {
		case *instructions.CopyCommand:
			if c.From != "build" || len(c.SourcePaths) != 1 {
				t.Errorf("%s", c)
			}
			i.copied[c.DestPath] = c.SourcePaths[0]
		case *instructions.UserCommand:
			i.user = c.User
		case *instructions.EntrypointCommand:
			i.entrypoint = c.CmdLine
		case *instructions.HealthCheckCommand:
			i.healthcheck = c.Health.Test
		case *instructions.ArgCommand, *instructions.LabelCommand, *instructions.ExposeCommand:
		default:
			t.Errorf("%s is not looked at here", command.Name())
		}
	}
	if len(i.healthcheck) < 2 || i.healthcheck[0] != "CMD" {
		t.Fatalf("HEALTHCHECK %v needs a shell", i.healthcheck)
	}
	return i
}
