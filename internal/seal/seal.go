// Package seal encrypts and authenticates values that others carry for the server, so
// that it stores nothing. Servers with the same secret open each other's values.
//
// A sealed value is URL-safe base64 without padding of a random nonce (12 bytes), the
// ciphertext, and its tag (16): AES-256-GCM, with a key for each purpose that HKDF-SHA256
// (RFC 5869) derives from the secret. Random nonces are safe for 2³² values per key (NIST
// SP 800-38D, section 8.3).
package seal

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/sha256"
	"encoding/base64"
	"errors"
)

// MaxLength limits the sealed values that are opened, in bytes.
const MaxLength = 8 << 10

// ErrInvalid means that a value was not sealed with one of the keys for this purpose and
// with the same context.
var ErrInvalid = errors.New("not a value that this server sealed for this purpose")

// A Box seals and opens the values of one purpose. It is safe for concurrent use.
type Box struct{ keys []cipher.AEAD } // the first one seals

// New returns a box that seals with a key derived from secret, and opens what was sealed
// with it or with one of the previous secrets, of which "" are ignored. What is sealed
// for one purpose cannot be opened for another.
func New(purpose, secret string, previous ...string) *Box {
	b := &Box{keys: []cipher.AEAD{derive(purpose, secret)}}
	for _, old := range previous {
		if old != "" {
			b.keys = append(b.keys, derive(purpose, old))
		}
	}
	return b
}

func derive(purpose, secret string) cipher.AEAD {
	derived, err := hkdf.Key(sha256.New, []byte(secret), nil, "outline-mcp "+purpose+" 1", 32)
	if err != nil {
		panic(err) // the length is allowed
	}
	block, err := aes.NewCipher(derived)
	if err != nil {
		panic(err)
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		panic(err)
	}
	return aead
}

// Seal returns the sealed value, which only opens with the same context.
func (b *Box) Seal(value, context []byte) string {
	return base64.RawURLEncoding.EncodeToString(b.keys[0].Seal(nil, nil, value, context))
}

// Open returns what was sealed, or ErrInvalid.
func (b *Box) Open(sealed string, context []byte) ([]byte, error) {
	if len(sealed) > MaxLength {
		return nil, ErrInvalid
	}
	// Strict, and without the line breaks that the decoder ignores, so that no two texts
	// stand for the same value.
	raw, err := base64.RawURLEncoding.Strict().DecodeString(sealed)
	if err != nil || base64.RawURLEncoding.EncodedLen(len(raw)) != len(sealed) {
		return nil, ErrInvalid
	}
	for _, key := range b.keys {
		if value, err := key.Open(nil, nil, raw, context); err == nil {
			return value, nil
		}
	}
	return nil, ErrInvalid
}
