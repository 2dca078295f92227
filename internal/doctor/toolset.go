package doctor

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"outline-mcp/internal/app"
	"outline-mcp/internal/app/mcptool"
	"outline-mcp/internal/auth"
	"outline-mcp/tools"
)

// checkTools reports which tools will work, which will not, and why.
func checkTools(ctx context.Context, e *examination) {
	offered, err := app.AccessOf(e.settings).Choose(tools.All())
	if err != nil || e.Settings.Unusable("OUTLINE_TOOLS", "OUTLINE_EXCLUDE_TOOLS") {
		e.skip("until the settings offer any tools", "tools")
		return
	}
	if e.valid {
		e.checkCalls(ctx, offered)
	} else {
		why := e.noKey
		if !e.reached {
			why = e.lacks(outlineAPI)
		}
		e.add(Skipped, "tools", why, "", map[string]any{"offered": names(offered)})
	}
	e.addLeftOut(names(offered))
}

// addLeftOut reports which tools the operator's settings leave out.
func (e *examination) addLeftOut(kept []string) {
	chosen := app.AccessOf(e.settings)
	switches := map[string]mcptool.Access{
		"OUTLINE_READ_ONLY":        {ReadOnly: chosen.ReadOnly},
		"OUTLINE_DISABLE_DELETE":   {NoDelete: chosen.NoDelete},
		"OUTLINE_DISABLE_AI_TOOLS": {NoAI: chosen.NoAI},
		"OUTLINE_TOOLS":            {Only: e.settings.Tools},
		"OUTLINE_EXCLUDE_TOOLS":    {Except: chosen.Except},
	}
	leftOut := func(name, why, advice string, by mcptool.Access) {
		left, _ := by.Choose(tools.All()) // an error means that it leaves none
		out := slices.DeleteFunc(names(tools.All()), func(tool string) bool {
			return slices.Contains(kept, tool) || slices.Contains(names(left), tool)
		})
		if len(out) > 0 {
			e.add(OK, "tools", why+": "+strings.Join(out, ", "), advice, map[string]any{"setting": name, "tools": out})
		}
	}
	leftOut("collections", "hidden because the settings limit the server to some collections", "", mcptool.Access{Withheld: chosen.Withheld})
	for _, name := range slices.Sorted(maps.Keys(switches)) {
		leftOut(name, "hidden by "+name, "", switches[name])
	}
	if len(e.settings.Tools) == 0 {
		leftOut("OUTLINE_TOOLS", "not offered by default", "set OUTLINE_TOOLS=all to offer them, or name some, as in OUTLINE_TOOLS=default,NAME", mcptool.Access{Only: []string{mcptool.DefaultTools}})
	}
}

// A verdict names a tool, and the endpoint that keeps it from working, or "".
type verdict struct{ tool, endpoint string }

// A reason is why tools do not work, or why it is unknown whether they do.
type reason struct {
	what, advice string
	open         bool // it is unknown
}

// checkCalls reports which of the offered tools the key can use.
func (e *examination) checkCalls(ctx context.Context, offered []mcptool.Tool) {
	may := e.access(ctx, offered)
	verdicts := map[reason][]verdict{}
	works, open := []string{}, []string{}
	for _, tool := range offered {
		info := tool.Info()
		why, endpoint := e.whyNotCall(info, may)
		if info.Group == tools.AI {
			if ai := e.withoutAI(e.answers[asksAI()]); why.what == "" || ai.what != "" && !ai.open {
				why, endpoint = ai, ""
			}
		}
		switch {
		case why.what == "":
			works = append(works, info.Name)
			continue
		case why.open:
			open = append(open, info.Name)
		}
		verdicts[why] = append(verdicts[why], verdict{info.Name, endpoint})
	}
	e.addWorking(names(offered), works, open)
	for _, why := range slices.SortedFunc(maps.Keys(verdicts), reason.compare) {
		status := Warning
		if why.advice == "" {
			status = Skipped // there is no way to find out
		}
		var tools []string
		for _, v := range verdicts[why] {
			tools = append(tools, v.tool)
		}
		e.add(status, "tools", why.what+": "+byEndpoint(verdicts[why]), why.advice, map[string]any{"reason": why.what, "tools": tools})
	}
}

// compare orders reasons: those that are known first.
func (r reason) compare(other reason) int {
	switch {
	case r.open == other.open:
		return strings.Compare(r.what, other.what)
	case other.open:
		return -1
	}
	return 1
}

// byEndpoint lists the tools of verdicts, by the endpoint that each is about.
func byEndpoint(all []verdict) string {
	var endpoints, parts []string
	tools := map[string][]string{}
	for _, v := range all {
		if tools[v.endpoint] == nil {
			endpoints = append(endpoints, v.endpoint)
		}
		tools[v.endpoint] = append(tools[v.endpoint], v.tool)
	}
	for _, endpoint := range endpoints {
		part := strings.Join(tools[endpoint], ", ")
		if endpoint != "" {
			part = endpoint + " (" + part + ")"
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, ", ")
}

// addWorking reports how many of the offered tools work.
func (e *examination) addWorking(offered, works, open []string) {
	status, finding, advice := OK, fmt.Sprintf("%d of %d will work with this key's role and scopes", len(works), len(offered)), ""
	if len(works) == len(offered) {
		finding = fmt.Sprintf("all %d will work with this key's role and scopes", len(offered))
	}
	if len(open) > 0 {
		finding += fmt.Sprintf(", and %d may or may not", len(open))
	}
	switch {
	case len(works)+len(open) == 0:
		status, advice = Failure, "use a key with more rights"
	case len(works) == 0:
		status = Warning
	}
	e.add(status, "tools", finding, advice, map[string]any{"offered": offered, "work": works, "unknown": open})
}

// whyNotCall returns why a tool will not work, or why that is unknown, and for
// which endpoint. The reason is empty if the tool will work.
func (e *examination) whyNotCall(tool mcptool.Info, may map[string]access) (why reason, endpoint string) {
	among := func(permits ...permit) func(string) bool {
		return func(endpoint string) bool { return slices.Contains(permits, may[endpoint].is) }
	}
	first := func(is permit) string {
		return tool.Endpoints[slices.IndexFunc(tool.Endpoints, among(is))]
	}
	switch {
	case auth.AllowsTool(tool.Endpoints, tool.AnyEndpoint, among(allowed)):
		return reason{}, ""
	case auth.AllowsTool(tool.Endpoints, tool.AnyEndpoint, among(allowed, unknown)):
		for _, one := range tool.Endpoints {
			if asked := may[one]; asked.is == unknown && asked.why != "" {
				return unanswered(asked.why), ""
			}
		}
		return reason{what: "cannot be checked without writing, because the scopes of the key are not known", open: true}, ""
	}
	endpoint = first(refused)
	if e.owner.permissions().TeamForbids(endpoint) {
		what := "the settings of this workspace do not let anyone call"
		if e.owner.role == "guest" && e.owner.commenting != "none" {
			what = "the settings of this workspace do not let a guest call"
		}
		return reason{what: what, advice: "to use them, have an admin change who may comment, in Outline under Settings → Security" + e.orLeaveOut(true)}, endpoint
	}
	if !(auth.Permissions{Role: e.owner.role}).Allows(endpoint) {
		return reason{what: "a " + e.owner.role + " may not call", advice: "to use them, use the key of a user with more rights" + e.orLeaveOut(true)}, endpoint
	}
	return reason{what: "the scopes of the key do not allow", advice: "to use them, create a key with more scopes" + e.orLeaveOut(e.owner.told)}, endpoint
}

// withoutAI returns why Outline's AI keeps a tool from working. The reason is
// empty if it does not.
func (e *examination) withoutAI(got answer) reason {
	is, why := e.tells(got)
	switch {
	case !is:
		return unanswered(why)
	case got.status == http.StatusNotFound:
		return reason{what: "this Outline has no AI answers", advice: "set OUTLINE_DISABLE_AI_TOOLS=true to hide the tool"}
	}
	return reason{}
}

func unanswered(why string) reason {
	return reason{what: "unknown, because " + why, advice: "run doctor again; if it fails again, check Outline's log", open: true}
}

// orLeaveOut returns the advice to hide tools that fail, if the server can know
// that they do.
func (e *examination) orLeaveOut(known bool) string {
	if !known || e.settings.DynamicToolList {
		return ""
	}
	return "; otherwise set OUTLINE_DYNAMIC_TOOL_LIST=true to hide them"
}

func names(list []mcptool.Tool) []string {
	found := make([]string, len(list))
	for i, tool := range list {
		found[i] = tool.Info().Name
	}
	return found
}

// An access says whether the key may call an endpoint.
type access struct {
	is  permit
	why string // why a question left it unknown; "" if none was asked
}

type permit int

const (
	unknown permit = iota
	allowed
	refused
)

// access returns what the key may call, by endpoint: from its scopes if Outline
// lists them, otherwise by asking each endpoint for which there is a question
// that changes nothing.
func (e *examination) access(ctx context.Context, offered []mcptool.Tool) map[string]access {
	may := map[string]access{}
	key := e.owner.permissions()
	for _, tool := range offered {
		for _, endpoint := range tool.Info().Endpoints {
			switch {
			case !key.Allows(endpoint):
				may[endpoint] = access{is: refused}
			case e.owner.told:
				may[endpoint] = access{is: allowed}
			default:
				may[endpoint] = access{why: e.owner.whyNotTold}
			}
		}
	}
	questions := []question{asksVersion()}
	for _, f := range features() {
		questions = append(questions, f.question)
	}
	var open []question
	for _, q := range safeQuestions() {
		if now, needed := may[q.endpoint]; needed && now.is == unknown {
			open = append(open, q)
		}
	}
	e.askAll(ctx, append(questions, open...)...)
	for _, q := range open {
		got := e.answers[q]
		switch tells, why := e.tells(got); {
		case got.beyondScopes():
			may[q.endpoint] = access{is: refused}
		case tells:
			may[q.endpoint] = access{is: allowed}
		default:
			may[q.endpoint] = access{why: why}
		}
	}
	return may
}
