package doctor

import (
	"context"

	"outline-mcp/internal/mcptool"
)

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
