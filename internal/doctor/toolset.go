package doctor

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"outline-mcp/internal/app"
	"outline-mcp/internal/app/mcptool"
	"outline-mcp/internal/auth"
	"outline-mcp/tools"
)

// checkTools reports which tools will work, which will not, and why.
func checkTools(_ context.Context, e *examination) {
	offered, err := app.AccessOf(e.settings).Choose(tools.All())
	if err != nil || e.Settings.Unusable("OUTLINE_TOOLS", "OUTLINE_EXCLUDE_TOOLS") {
		e.skip("until the settings offer any tools", "tools")
		return
	}
	if e.valid {
		e.checkCalls(offered)
	} else {
		e.add(Skipped, "tools", cmp.Or(e.lacks(outlineAPI), e.noKey), "", map[string]any{"offered": names(offered)})
	}
	e.addLeftOut(names(offered))
}

// checkCalls reports which of the offered tools the key can use.
func (e *examination) checkCalls(offered []mcptool.Tool) {
	key := e.owner.permissions()
	fail := map[reason][]string{}
	works := []string{}
	for _, tool := range offered {
		info := tool.Info()
		if auth.AllowsTool(info.Endpoints, info.AnyEndpoint, key.Allows) {
			works = append(works, info.Name)
			continue
		}
		forbidden := slices.IndexFunc(info.Endpoints, func(endpoint string) bool { return !key.Allows(endpoint) })
		why := e.whyForbidden(key, info.Endpoints[forbidden])
		fail[why] = append(fail[why], info.Name)
	}
	status, number, with, advice := OK, fmt.Sprintf("%d of %d", len(works), len(offered)), "this key's role and scopes", ""
	switch len(works) {
	case len(offered):
		number = fmt.Sprintf("all %d", len(offered))
	case 0:
		status, advice = Failure, "use a key with more rights"
	}
	if !e.owner.told {
		with = "the role of the key's owner, if the key has the scopes, which are not known"
	}
	e.add(status, "tools", number+" will work with "+with, advice, map[string]any{"offered": names(offered), "work": works})
	for _, why := range slices.SortedFunc(maps.Keys(fail), func(a, b reason) int { return strings.Compare(a.what, b.what) }) {
		advice := "to use them, " + why.remedy
		if !e.settings.DynamicToolList {
			advice += "; otherwise set OUTLINE_DYNAMIC_TOOL_LIST=true to hide them"
		}
		e.add(Warning, "tools", why.what+": "+strings.Join(fail[why], ", "), advice, map[string]any{"reason": why.what, "tools": fail[why]})
	}
}

// A reason is why tools do not work, and what makes them work.
type reason struct{ what, remedy string }

// whyForbidden returns why the key may not call an endpoint.
func (e *examination) whyForbidden(key auth.Permissions, endpoint string) reason {
	whom := "anyone"
	if key.Role == "guest" && key.Commenting != "none" {
		whom = "a guest"
	}
	switch {
	case key.TeamForbids(endpoint):
		return reason{"the settings of this workspace do not let " + whom + " use", "have an admin change who may comment, in Outline under Settings → Security"}
	case !auth.Permissions{Role: key.Role}.Allows(endpoint):
		return reason{"a " + key.Role + " may not use", "use the key of a user with more rights"}
	}
	return reason{"the scopes of the key do not allow", "create a key with more scopes"}
}

// addLeftOut reports which tools the operator's settings leave out.
func (e *examination) addLeftOut(kept []string) {
	chosen := app.AccessOf(e.settings)
	byTools, advice := "hidden by OUTLINE_TOOLS", ""
	if len(e.settings.Tools) == 0 {
		byTools, advice = "not offered by default", "set OUTLINE_TOOLS=all to offer them, or name some, as in OUTLINE_TOOLS=default,NAME"
	}
	for _, one := range []struct {
		setting, why, advice string
		by                   mcptool.Access
	}{
		{"collections", "hidden because the settings limit the server to some collections", "", mcptool.Access{Withheld: chosen.Withheld}},
		{"OUTLINE_DISABLE_AI_TOOLS", "hidden by OUTLINE_DISABLE_AI_TOOLS", "", mcptool.Access{NoAI: chosen.NoAI}},
		{"OUTLINE_DISABLE_DELETE", "hidden by OUTLINE_DISABLE_DELETE", "", mcptool.Access{NoDelete: chosen.NoDelete}},
		{"OUTLINE_EXCLUDE_TOOLS", "hidden by OUTLINE_EXCLUDE_TOOLS", "", mcptool.Access{Except: chosen.Except}},
		{"OUTLINE_READ_ONLY", "hidden by OUTLINE_READ_ONLY", "", mcptool.Access{ReadOnly: chosen.ReadOnly}},
		{"OUTLINE_TOOLS", byTools, advice, mcptool.Access{Only: chosen.Only}},
	} {
		left, _ := one.by.Choose(tools.All()) // an error means that it leaves none
		out := slices.DeleteFunc(names(tools.All()), func(tool string) bool {
			return slices.Contains(kept, tool) || slices.Contains(names(left), tool)
		})
		if len(out) > 0 {
			e.add(OK, "tools", one.why+": "+strings.Join(out, ", "), one.advice, map[string]any{"setting": one.setting, "tools": out})
		}
	}
}

func names(list []mcptool.Tool) []string {
	found := make([]string, len(list))
	for i, tool := range list {
		found[i] = tool.Info().Name
	}
	return found
}
