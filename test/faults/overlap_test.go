package faults

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"outline-mcp/internal/cli"
)

// overlapped are the changes that another user's update overlaps. Each adds the word
// "ours".
var overlapped = []write{
	{tool: "edit_document", arguments: map[string]any{"document_id": alpha, "edits": []any{map[string]any{"old_text": "the one to change", "new_text": "the one to change, ours"}}}},
	{tool: "update_document", arguments: map[string]any{"document_id": alpha, "text": "ours", "append": true}},
	{tool: "update_document", arguments: map[string]any{"document_id": alpha, "text": "A text of ours.", "allow_shrink": true}},
}

// An overlap is when another user, whose client sends no revisions, updates the document
// of a change.
type overlap struct {
	version version
	write   write
	starts  time.Duration // after the change is sent
	times   int           // of the requests of the change that they overlap
}

// TestNoChangeIsLostUntoldToAClientWithoutRevisions lets a user who is at work on a
// document read it before or after a change of ours is sent, and save it before ours is
// saved or up to a second after.
func TestNoChangeIsLostUntoldToAClientWithoutRevisions(t *testing.T) {
	const each = 334
	for _, v := range []version{of(""), of("1.9.2")} {
		v.busy = true
		for _, w := range overlapped {
			name := fmt.Sprint(v.name(), " ", w.tool, " ", w.arguments["text"])
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					b := newBench(t)
					counts := map[string]int{}
					for n := range uint64(each) {
						random := rand.New(rand.NewPCG(n, 0x6f766572))
						o := overlap{v, w, moment(random, 3*updateTime) - 3*updateTime/2, 1 + random.IntN(3)}
						o.version.lag = moment(random, []time.Duration{updateTime, updateTime, 900 * time.Millisecond}[n%3])
						counts[o.try(t, b)]++
					}
					t.Log(counts)
					if counts["lost without a word"] > 0 || counts["kept"] == 0 {
						t.Errorf("%v", counts)
					}
				})
			})
		}
	}
}

// try makes a change and returns what has become of it.
func (o overlap) try(t *testing.T, b *bench) string {
	time.Sleep(b.rest)
	space := newWorkspace(o.version)
	b.wire.reset(space)
	b.wire.human = func(mark string) error {
		return direct(space, humanKey, "documents.update", map[string]any{"id": alpha, "text": "\n\n" + mark, "editMode": "append"}, nil)
	}
	met := 0
	b.wire.plan = func(x *exchange) *fault {
		if !x.writes || met == o.times {
			return nil
		}
		met++
		return &fault{breaks: func(p *passage) (*http.Response, error) {
			p.wire.late.Go(func() {
				time.Sleep(max(o.starts, 0))
				p.wire.anotherUser()
			})
			time.Sleep(max(-o.starts, 0))
			return p.pass()
		}}
	}
	answer, err := cli.Call(t.Context(), b.client, o.write.tool, o.write.arguments)
	if err != nil {
		t.Fatal(err)
	}
	time.Sleep(b.rest)
	b.wire.late.Wait()
	there := strings.Contains(strings.Join(look(space).blocks[alpha], "\n"), "ours")
	var claims struct{ Guarded bool }
	_ = json.Unmarshal(answer.Structured, &claims) // a failure claims nothing
	switch {
	case answer.Code == "" && claims.Guarded != o.version.guards():
		t.Errorf("the answer says that guarded is %t", claims.Guarded)
		fallthrough
	case answer.Code == "" && there:
		return "kept"
	case answer.Code == "outcome_unknown":
		return "unknown, and told so"
	case answer.Code != "" && !there:
		return "gone, and told so"
	case answer.Code != "":
		return "kept, and told otherwise"
	}
	t.Errorf("%s of the %s overlapped from %s on, and saved %s later: lost without a word", o.write.tool, o.version.name(), o.starts, o.version.lag)
	return "lost without a word"
}
