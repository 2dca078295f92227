package confirm

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"sync"
	"sync/atomic"

	"github.com/google/uuid"

	"outline-mcp/internal/auth"
	"outline-mcp/internal/seal"
)

// ErrState means that a client sent a state that this server, or one with the same
// secret, has not sealed for this call of this caller.
var ErrState = errors.New("requestState is not what this server gave for this call: it was changed, belongs to another caller, tool or arguments, or the server was restarted without MCP_STATE_SECRET; call again without it")

// A state is what the client carries from one round of a call to the next.
type state struct {
	ID      string         `json:"i"`           // of the call; random
	Rounds  int            `json:"r"`           // questions up to now
	Asked   string         `json:"a"`           // the question, or chosen
	Choice  string         `json:"c,omitempty"` // the choice, if that was asked
	Choices map[string]int `json:"m,omitempty"` // the choices that were made, by their IDs
	Until   int64          `json:"u"`           // when it expires, in seconds since 1970
}

func newState() state { return state{ID: rand.Text()} }

// choose records a choice.
func (s *state) choose(id string, made int) {
	s.Choices = maps.Clone(s.Choices)
	if s.Choices == nil {
		s.Choices = map[string]int{}
	}
	s.Choices[id] = made
}

// ids returns a function that returns UUIDs which follow from the ID of the call. They
// look like random ones (version 4).
func (s state) ids() func() string {
	var count atomic.Int64
	return func() string {
		sum := sha256.Sum256(fmt.Appendf(nil, "%s %d", s.ID, count.Add(1)))
		id, _ := uuid.FromBytes(sum[:16])
		id[6], id[8] = id[6]&0x0f|0x40, id[8]&0x3f|0x80
		return id.String()
	}
}

// boundTo returns what the states of a call are bound to: who calls, and what.
func boundTo(ctx context.Context, s Subject) []byte {
	principal, _ := auth.FromContext(ctx)
	return []byte(digest(string(principal.Kind), principal.Subject, s.Tool, string(s.Arguments)))
}

// A sealer seals states. Its box is made when it is first needed: random texts and keys
// take time, and a start needs none.
type sealer struct{ box func() *seal.Box }

func newSealer(secret string) sealer {
	return sealer{sync.OnceValue(func() *seal.Box {
		if secret == "" {
			return seal.New("requestState", rand.Text())
		}
		return seal.New("requestState", secret)
	})}
}

func (s sealer) close(what state, boundTo []byte) string {
	plain, err := json.Marshal(what)
	if err != nil {
		panic(err) // texts and numbers
	}
	return s.box().Seal(plain, boundTo)
}

func (s sealer) open(sealed string, boundTo []byte) (state, error) {
	var opened state
	plain, err := s.box().Open(sealed, boundTo)
	if err != nil || json.Unmarshal(plain, &opened) != nil {
		return state{}, ErrState
	}
	return opened, nil
}

// mostUsed is how many calls are remembered. If there are more, further ones are
// refused rather than forgotten.
const mostUsed = 1 << 16
