package deploy

import (
	"bytes"
	"testing"

	"github.com/moby/buildkit/frontend/dockerfile/instructions"
	"github.com/moby/buildkit/frontend/dockerfile/linter"
	"github.com/moby/buildkit/frontend/dockerfile/parser"
)

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
