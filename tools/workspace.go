package tools

import (
	"context"
	"strings"
	"sync"

	"outline-mcp/internal/mcptool"
	"outline-mcp/outline"
	"outline-mcp/output"
)

func getWorkspace() mcptool.Tool {
	return mcptool.Spec[struct{}, workspaceInfo]{
		Name:        "get_workspace",
		Title:       "Get workspace",
		Description: "Tells who you are in Outline, with your role, which workspace this is, and what this version of Outline and this server can do.",
		Endpoints:   []string{"auth.info"},
		Effect:      mcptool.Reads,
		Optional:    true,
		Run: func(ctx context.Context, env mcptool.Env, _ struct{}) (workspaceInfo, error) {
			asked := askFeatures(outline.WithCallOptions(ctx, outline.NoRetries()), env)
			who, err := env.Outline.AuthInfo(ctx)
			w := asked()
			w.UserID, w.Name, w.Email, w.Role = who.User.ID, output.Label(who.User.Name), output.OneLine(who.User.Email), who.User.Role
			w.Workspace, w.URL = output.Label(who.Team.Name), who.Team.URL
			for _, tool := range All() {
				if name := tool.Info().Name; env.Offers != nil && !env.Offers(name) {
					w.ToolsNotOffered = append(w.ToolsNotOffered, name)
				}
			}
			return w, err
		},
	}
}

// askFeatures starts to ask the server what it can do, of what versions of Outline
// differ in, and returns a function that waits for the answers. What cannot be found
// out is left out.
func askFeatures(ctx context.Context, env mcptool.Env) func() workspaceInfo {
	var w workspaceInfo
	asked := []struct {
		name  string
		knows func(context.Context) (bool, error)
	}{
		{"exact edits", env.Outline.KnowsEditModes},
		{"guarded updates", env.Outline.KnowsRevisions},
		{"comments on passages", env.Outline.KnowsAnchors},
		{"filters", env.Outline.KnowsFilters},
		{"templates", env.Outline.KnowsTemplates},
	}
	knows, failed := make([]bool, len(asked)), make([]error, len(asked))
	var wait sync.WaitGroup
	for i, f := range asked {
		wait.Go(func() { knows[i], failed[i] = f.knows(ctx) })
	}
	wait.Go(func() { w.Version, _ = env.Outline.Version(ctx) })
	return func() workspaceInfo {
		wait.Wait()
		w.Supports, w.Lacks, w.ToolsNotOffered = []string{}, []string{}, []string{}
		for i, f := range asked {
			switch {
			case failed[i] != nil:
			case knows[i]:
				w.Supports = append(w.Supports, f.name)
			default:
				w.Lacks = append(w.Lacks, f.name)
			}
		}
		w.Version = output.OneLine(w.Version)
		return w
	}
}

type workspaceInfo struct {
	UserID          string   `json:"user_id" format:"uuid"`
	Name            string   `json:"name"`
	Email           string   `json:"email,omitempty"`
	Role            string   `json:"role"`
	Workspace       string   `json:"workspace"`
	URL             string   `json:"url"`
	Version         string   `json:"version,omitempty"`
	Supports        []string `json:"supports"`
	Lacks           []string `json:"lacks" jsonschema:"Or the key may not use it"`
	ToolsNotOffered []string `json:"tools_not_offered"`
}

func (w workspaceInfo) WriteText(t *output.Text) {
	t.Printf("You are %s %s, %s", titleOf(w.Name), w.UserID, output.OneLine(w.Role))
	t.If(w.Email != "").Printf(", %s", w.Email)
	t.Blank()
	t.Printf("Workspace: %s, %s", titleOf(w.Workspace), output.OneLine(w.URL))
	t.If(w.Version != "").Printf(", Outline %s", w.Version)
	t.Blank()
	t.If(len(w.Supports) > 0).Line("Outline supports: %s", strings.Join(w.Supports, ", "))
	t.If(len(w.Lacks) > 0).Line("Not supported, or not for this key: %s", strings.Join(w.Lacks, ", "))
	t.If(len(w.ToolsNotOffered) > 0).Line("Tools that are not offered here: %s", strings.Join(w.ToolsNotOffered, ", "))
}
