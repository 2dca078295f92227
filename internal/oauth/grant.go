package oauth

import (
	"context"
	"fmt"
	"time"
)

// A Grant is what a person has given an app: what an access token stands for.
type Grant struct {
	Subject string // the UUID of the person in Outline
	Scope   Scope
	Token   Token // for requests to Outline
	Expires time.Time
}

// A Token is a token of Outline. Printing it shows nothing of it.
type Token string

// Credential returns the token, so that a Token is a source of credentials.
func (t Token) Credential(context.Context) (string, error) { return string(t), nil }

// Format implements fmt.Formatter, for all verbs.
func (Token) Format(state fmt.State, _ rune) { fmt.Fprint(state, "****") }

// MarshalText implements encoding.TextMarshaler.
func (Token) MarshalText() ([]byte, error) { return []byte("****"), nil }

// Open returns what an access token stands for. It fails with ErrToken or ErrExpired.
// Whether Outline still accepts the token inside is not known before it is used.
func (s *Server) Open(accessToken string) (Grant, error) {
	t, err := s.values.access.open(accessToken)
	if err != nil {
		return Grant{}, err
	}
	return Grant{t.Subject, t.Scope, Token(t.Token), t.until()}, nil
}
