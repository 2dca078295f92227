package auth

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
)

// APIKey is an API key of Outline. Printing it shows nothing of it.
type APIKey string

// Credential implements [Source].
func (k APIKey) Credential(context.Context) (string, error) { return string(k), nil }

// Format implements fmt.Formatter, for all verbs.
func (APIKey) Format(state fmt.State, _ rune) { fmt.Fprint(state, "****") }

// MarshalText implements encoding.TextMarshaler.
func (APIKey) MarshalText() ([]byte, error) { return []byte("****"), nil }

// subject returns the SHA-256 of the key in hexadecimal, or "" if there is no
// key. Keys are random and long, so the hash does not help to guess one.
func (k APIKey) subject() string {
	if k == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(k))
	return hex.EncodeToString(sum[:])
}

// ListedKey is an API key as Outline lists it to its owner, without the key
// itself.
type ListedKey struct {
	UserID string   // of its owner; "" if unknown
	Last4  string   // its last four characters
	Scopes []string // nil if the key is not limited
}

// Scopes finds the key among those that Outline lists and returns its scopes,
// nil if it is not limited, and the number of listed keys that it may be. Only
// the last four characters tell keys apart: if several match, the scopes are
// those of all of them, or nil if one of them is not limited. The owner is the
// UUID of the key's owner, or "" if unknown.
func (k APIKey) Scopes(owner string, listed []ListedKey) (scopes []string, matches int) {
	unlimited := false
	for _, one := range listed {
		if len(k) < 4 || one.Last4 == "" || !strings.HasSuffix(string(k), one.Last4) || owner != "" && one.UserID != "" && one.UserID != owner {
			continue
		}
		matches++
		unlimited = unlimited || one.Scopes == nil
		scopes = append(scopes, one.Scopes...)
	}
	switch {
	case unlimited:
		return nil, matches
	case matches > 0 && scopes == nil:
		return []string{}, matches // limited to nothing
	}
	return scopes, matches
}
