package doctor

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"outline-mcp/internal/app"
	"outline-mcp/internal/auth"
	"outline-mcp/internal/mcptool"
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
	fail := map[reason][]string{}
	works := []string{}
	refused := func(endpoint string) bool { return e.whyRefused(endpoint) != reason{} }
	for _, tool := range offered {
		info := tool.Info()
		if auth.AllowsTool(info.Endpoints, info.AnyEndpoint, func(endpoint string) bool { return !refused(endpoint) }) {
			works = append(works, info.Name)
			continue
		}
		why := e.whyRefused(info.Endpoints[slices.IndexFunc(info.Endpoints, refused)])
		fail[why] = append(fail[why], info.Name)
	}
	e.addWorking(names(offered), works)
	for _, why := range slices.SortedFunc(maps.Keys(fail), func(a, b reason) int { return strings.Compare(a.what, b.what) }) {
		status := Warning
		if why.normal {
			status = Absent
		}
		e.add(status, "tools", why.what+": "+strings.Join(fail[why], ", "), why.advice, map[string]any{"reason": why.what, "tools": fail[why]})
	}
}

// addWorking reports how many of the offered tools work, or may work if the role or the
// scopes are not known.
func (e *examination) addWorking(offered, works []string) {
	number := fmt.Sprintf("%d of %d", len(works), len(offered))
	if len(works) == len(offered) {
		number = fmt.Sprintf("all %d", len(offered))
	}
	unknown := "its scopes are"
	if e.owner.scopesKnown {
		unknown = "the role of its owner is"
	}
	status, finding, advice := OK, number+" will work with this key's role and scopes", ""
	details := map[string]any{"offered": offered, "work": works}
	switch {
	case len(works) == 0:
		status, advice = Failure, "use a key with more rights"
	case !e.owner.scopesKnown || e.owner.role == "":
		status, finding = Warning, number+" may work with this key, but "+unknown+" not known, so a call can still be refused"
		details = map[string]any{"offered": offered, "unknown": works}
		if e.isRefused("auth.info") || e.isRefused("apiKeys.list") {
			advice = "to have this checked, create a key that also has the scopes auth.info and apiKeys.list"
		}
	}
	e.add(status, "tools", finding, advice, details)
}

// A reason is why tools do not work, and what to do about it. It is normal for what
// many users or editions do not have.
type reason struct {
	what, advice string
	normal       bool
}

// whyRefused returns why Outline refuses the key a call of an endpoint, the zero reason
// if it is not known to.
func (e *examination) whyRefused(endpoint string) reason {
	key, ai := e.owner.permissions(), e.answers["ai_answers"]
	whom, hide := "anyone", "; otherwise set OUTLINE_DYNAMIC_TOOL_LIST=true to hide them"
	if key.Role == "guest" && key.Commenting != "none" {
		whom = "a guest"
	}
	if e.settings.DynamicToolList || key.Role == "member" {
		hide = ""
	}
	switch {
	case endpoint == "documents.answerQuestion" && ai.fromOutline() && ai.status == http.StatusNotFound:
		return reason{what: "this Outline has no AI answers", advice: "set OUTLINE_DISABLE_AI_TOOLS=true to hide the tool", normal: true}
	case key.TeamForbids(endpoint):
		return reason{what: "the settings of this workspace do not let " + whom + " use", advice: "to use them, have an admin change who may comment, in Outline under Settings → Security" + hide}
	case !auth.Permissions{Role: key.Role}.Allows(endpoint):
		return reason{what: "a " + key.Role + " may not use", advice: "to use them, use the key of a user with more rights" + hide, normal: true}
	case !key.Allows(endpoint), e.isRefused(endpoint):
		if !e.owner.scopesKnown {
			hide = "" // the server does not know the scopes either
		}
		if e.owner.readOnly {
			return reason{what: "the login is for reading only, which does not allow", advice: "to use them, run outline-mcp login without --read-only", normal: true}
		}
		return reason{what: "the scopes of the key do not allow", advice: "to use them, create a key with more scopes" + hide}
	}
	return reason{}
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
