package workspace

import (
	"math/rand/v2"

	"github.com/google/uuid"
)

// Identifiers makes the IDs of new objects: random ones, but the same in the
// same order for every workspace, so that what a program does to a new
// workspace has the same result each time.
type identifiers struct{ random *rand.Rand }

func newIdentifiers() *identifiers {
	return &identifiers{rand.New(rand.NewPCG(0x6f75746c696e65, 0x77696b69))}
}

// uuid returns a UUID of version 4 that no object has.
func (s *store) uuid() string {
	for {
		var id uuid.UUID
		for i := range id {
			id[i] = byte(s.ids.random.Uint32())
		}
		id[6] = id[6]&0x0f | 0x40 // version 4 (RFC 9562, section 5.4)
		id[8] = id[8]&0x3f | 0x80
		if text := id.String(); !s.taken(text) {
			return text
		}
	}
}

// taken reports whether an object has a UUID.
func (s *store) taken(id string) bool {
	return s.documents[id] != nil || s.collections[id] != nil || s.comments[id] != nil || s.exports[id] != nil || s.formerComments[id]
}

// urlID returns a urlId that no object has.
func (s *store) urlID() string {
	const characters = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	for {
		id := make([]byte, 10)
		for i := range id {
			id[i] = characters[s.ids.random.IntN(len(characters))]
		}
		if s.byURLID[string(id)] == "" {
			return string(id)
		}
	}
}
