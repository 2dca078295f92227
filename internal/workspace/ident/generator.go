package ident

import (
	"math/rand/v2"

	"github.com/google/uuid"
)

// A Generator generates the identifiers of new objects. The sequence looks
// random but is the same for every generator, so that a program that writes to
// a new workspace gets the same identifiers in each run. A Generator must not be
// used concurrently.
type Generator struct{ random *rand.Rand }

// NewGenerator returns a generator at the start of the sequence.
func NewGenerator() *Generator {
	return &Generator{rand.New(rand.NewPCG(0x6f75746c696e65, 0x77696b69))}
}

// UUID returns the next UUID, of version 4.
func (g *Generator) UUID() string {
	var id uuid.UUID
	for i := range id {
		id[i] = byte(g.random.Uint32())
	}
	id[6] = id[6]&0x0f | 0x40 // version 4 (RFC 9562, section 5.4)
	id[8] = id[8]&0x3f | 0x80
	return id.String()
}

// URLID returns the next URL ID, ten letters and digits.
func (g *Generator) URLID() string {
	const characters = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	id := make([]byte, 10)
	for i := range id {
		id[i] = characters[g.random.IntN(len(characters))]
	}
	return string(id)
}
