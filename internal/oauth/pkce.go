package oauth

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"regexp"
	"sync"
)

// challengePattern is that of S256 challenges: a SHA-256 in base64 (RFC 7636, section 4.2).
var challengePattern = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9_-]{43}$`) })

// verifierPattern is that of RFC 7636, section 4.1.
var verifierPattern = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9._~-]{43,128}$`) })

// proves reports whether a verifier is the one of an S256 challenge.
func proves(verifier, challenge string) bool {
	sum := sha256.Sum256([]byte(verifier))
	made := base64.RawURLEncoding.EncodeToString(sum[:])
	return verifierPattern().MatchString(verifier) && equal(made, challenge)
}

// equal compares in a time that depends on the lengths only.
func equal(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }

// markOf returns a short text that stands for a client ID, which can be long.
func markOf(clientID string) string {
	sum := sha256.Sum256([]byte(clientID))
	return base64.RawURLEncoding.EncodeToString(sum[:16])
}
