package seal_test

import (
	"bytes"
	"encoding/base64"
	"errors"
	"strings"
	"testing"

	"outline-mcp/internal/seal"
)

func TestASealedValueOpensWhereItWasMadeFor(t *testing.T) {
	box, value := seal.New("code", "secret"), []byte("value")
	sealed := box.Seal(value, []byte("here"))
	if opened, err := seal.New("code", "secret").Open(sealed, []byte("here")); err != nil || !bytes.Equal(opened, value) {
		t.Errorf("%q, %v", opened, err)
	}
	if again := box.Seal(value, []byte("here")); again == sealed {
		t.Error("two seals of a value are the same")
	}
	for name, refused := range map[string]struct {
		box     *seal.Box
		context string
	}{
		"for another purpose":   {seal.New("state", "secret"), "here"},
		"with another secret":   {seal.New("code", "another"), "here"},
		"with another context":  {box, "there"},
		"without a context":     {box, ""},
		"with an older secret":  {seal.New("code", "another", "older"), "here"},
		"with an empty earlier": {seal.New("code", "another", ""), "here"},
	} {
		if opened, err := refused.box.Open(sealed, []byte(refused.context)); !errors.Is(err, seal.ErrInvalid) || opened != nil {
			t.Errorf("%s: %q, %v", name, opened, err)
		}
	}
}

func TestAPreviousSecretOpensButDoesNotSeal(t *testing.T) {
	old, rotated := seal.New("code", "old"), seal.New("code", "new", "old")
	if opened, err := rotated.Open(old.Seal([]byte("value"), nil), nil); err != nil || string(opened) != "value" {
		t.Errorf("%q, %v", opened, err)
	}
	sealed := rotated.Seal([]byte("value"), nil)
	if _, err := old.Open(sealed, nil); err == nil {
		t.Error("the previous secret seals")
	}
	if _, err := seal.New("code", "new").Open(sealed, nil); err != nil {
		t.Error(err)
	}
}

func TestEveryChangeOfASealedValueIsRefused(t *testing.T) {
	box := seal.New("code", "new", "old")
	sealed := box.Seal([]byte(`{"a":"value"}`), nil)
	raw, err := base64.RawURLEncoding.DecodeString(sealed)
	if err != nil {
		t.Fatal(err)
	}
	for bit := range 8 * len(raw) {
		changed := bytes.Clone(raw)
		changed[bit/8] ^= 1 << (bit % 8)
		if _, err := box.Open(base64.RawURLEncoding.EncodeToString(changed), nil); !errors.Is(err, seal.ErrInvalid) {
			t.Errorf("bit %d: %v", bit, err)
		}
	}
	for end := range len(sealed) {
		if _, err := box.Open(sealed[:end], nil); !errors.Is(err, seal.ErrInvalid) {
			t.Errorf("the first %d characters: %v", end, err)
		}
	}
	for _, text := range []string{sealed + "=", sealed + "A", " " + sealed, sealed + "\n", sealed[:9] + "\r\n" + sealed[9:], strings.Repeat("A", seal.MaxLength+1)} {
		if _, err := box.Open(text, nil); !errors.Is(err, seal.ErrInvalid) {
			t.Errorf("%.20q…: %v", text, err)
		}
	}
}

// Only what was sealed opens, and in one spelling.
func FuzzOpen(f *testing.F) {
	box := seal.New("code", "new", "old")
	f.Add("", []byte(nil))
	f.Add(box.Seal([]byte("value"), nil), []byte(nil))
	f.Add(seal.New("code", "old").Seal([]byte("value"), []byte("here")), []byte("here"))
	f.Fuzz(func(t *testing.T, sealed string, context []byte) {
		value, err := box.Open(sealed, context)
		if err != nil {
			return
		}
		// A value that the fuzzer has not been given cannot be made without the key.
		if string(value) != "value" {
			t.Errorf("%q opens as %q", sealed, value)
		}
	})
}
