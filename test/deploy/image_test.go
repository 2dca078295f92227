package deploy

import (
	"bytes"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/moby/buildkit/frontend/dockerfile/instructions"
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
