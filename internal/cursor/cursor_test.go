package cursor_test

import (
	"errors"
	"strings"
	"testing"

	"outline-mcp/internal/cursor"
)

type position struct {
	At   int64
	ID   [16]byte
	Line uint32
}

type arguments struct{ Query, Collection string }

var (
	here  = position{At: -5, ID: [16]byte{1, 2, 3}, Line: 7}
	asked = arguments{"foghorn", "operations"}
)

func TestACursorLeadsBackToItsPosition(t *testing.T) {
	made := cursor.Encode("find", 1, asked, here)
	var got position
	if err := cursor.Decode(made, "find", 1, asked, &got); err != nil || got != here {
		t.Errorf("%+v, %v", got, err)
	}
	if len(made) > 64 || strings.Trim(made, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_") != "" {
		t.Errorf("%q is not easy to copy", made)
	}
}

func TestACursorIsRefusedWhereItDoesNotBelong(t *testing.T) {
	made := cursor.Encode("find", 1, asked, here)
	for _, test := range []struct {
		name, cursor, kind string
		version            byte
		arguments          arguments
		want               error
	}{
		{"another tool", made, "read", 1, asked, cursor.ErrArguments},
		{"other arguments", made, "find", 1, arguments{"foghorn", "handbook"}, cursor.ErrArguments},
		{"another version", made, "find", 2, asked, cursor.ErrVersion},
		{"empty", "", "find", 1, asked, cursor.ErrDamaged},
		{"cut", made[:len(made)-4], "find", 1, asked, cursor.ErrDamaged},
		{"a changed character", made[:10] + "x" + made[11:], "find", 1, asked, cursor.ErrDamaged},
		{"other characters", made + "!", "find", 1, asked, cursor.ErrDamaged},
		{"far too long", strings.Repeat("A", 1<<20), "find", 1, asked, cursor.ErrDamaged},
		{"a position of another size", cursor.Encode("find", 1, asked, int64(1)), "find", 1, asked, cursor.ErrDamaged},
		{"more than a position", cursor.Encode("find", 1, asked, struct {
			position
			More byte
		}{here, 1}), "find", 1, asked, cursor.ErrDamaged},
	} {
		var got position
		if err := cursor.Decode(test.cursor, test.kind, test.version, test.arguments, &got); !errors.Is(err, test.want) {
			t.Errorf("%s: %v, want %v", test.name, err, test.want)
		}
	}
}

func FuzzNothingButACursorIsRead(f *testing.F) {
	f.Add(cursor.Encode("find", 1, asked, here))
	f.Add(cursor.Encode("find", 2, asked, here))
	f.Add("")
	f.Add("AAAA")
	f.Fuzz(func(t *testing.T, given string) {
		var got position
		err := cursor.Decode(given, "find", 1, asked, &got)
		switch {
		case err == nil:
			if again := cursor.Encode("find", 1, asked, got); again != strings.NewReplacer("\r", "", "\n", "").Replace(given) {
				t.Errorf("%q is read as a position whose cursor is %q", given, again)
			}
		case !errors.Is(err, cursor.ErrDamaged) && !errors.Is(err, cursor.ErrVersion) && !errors.Is(err, cursor.ErrArguments):
			t.Error(err)
		}
	})
}
