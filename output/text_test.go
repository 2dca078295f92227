package output_test

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"outline-mcp/output"
)

func TestControlCharactersAreReplacedInLabelsAndEscapedOnTerminals(t *testing.T) {
	for _, test := range []struct{ name, text, label, visible string }{
		{"plain text stays", "Päge 1 🍲 👩‍🍳  שלום\u200f!", "Päge 1 🍲 👩‍🍳  שלום\u200f!", "Päge 1 🍲 👩‍🍳  שלום\u200f!"},
		{"white space of lines", "a\tb\nc\u2028d", "a b c d", "a\tb\nc\u2028d"},
		{"a carriage return overwrites a line", "safe\rdone", "safe done", `safe\u000ddone`},
		{"an escape sequence", "\x1b[31mred\x1b[0m", "\uFFFD[31mred\uFFFD[0m", `\u001b[31mred\u001b[0m`},
		{"a sequence of one character", "\u009b2J", "\uFFFD2J", `\u009b2J`},
		{"bell, NUL and delete", "\a\x00\x7f", "\uFFFD\uFFFD\uFFFD", `\u0007\u0000\u007f`},
		{"overrides of direction", "\u202egpj.exe\u202c \u2066x\u2069", "\uFFFDgpj.exe\uFFFD \uFFFDx\uFFFD", `\u202egpj.exe\u202c \u2066x\u2069`},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := output.Label(test.text); got != test.label {
				t.Errorf("label %q, want %q", got, test.label)
			}
			if got := output.Visible(test.text); got != test.visible {
				t.Errorf("visible %q, want %q", got, test.visible)
			}
		})
	}
}

// OneLine returns what needs no change as it is.
func FuzzOneLineIsTheLabelWithSingleSpaces(f *testing.F) {
	for _, s := range []string{"", " ", "a", "a b", "a  b", " a", "a ", "a\tb", "a\u00a0b", "a\u2028b", "\xff", "\uFFFD", "\u202ex", "é\u0085", "🍲 soup"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if got, want := output.OneLine(s), strings.Join(strings.Fields(output.Label(s)), " "); got != want {
			t.Errorf("%q: %q, want %q", s, got, want)
		}
	})
}

// noon is the time from which the durations of these tests count back.
var noon = time.Date(2026, 3, 31, 12, 0, 0, 0, time.UTC)

func TestDatesAreReadInTheFormsThatPeopleGiveThem(t *testing.T) {
	for given, want := range map[string]string{
		"2026-05-31":                "2026-05-31T00:00:00Z",
		" 2026-05-31 ":              "2026-05-31T00:00:00Z",
		"2024-02-29":                "2024-02-29T00:00:00Z",
		"2026-05-31T09:00Z":         "2026-05-31T09:00:00Z",
		"2026-05-31t09:00z":         "2026-05-31T09:00:00Z",
		"2026-05-31T09:00":          "2026-05-31T09:00:00Z",
		"2026-05-31 09:00":          "2026-05-31T09:00:00Z",
		"2026-05-31 09:00:30":       "2026-05-31T09:00:30Z",
		"2026-05-31T09:00:00+02:00": "2026-05-31T07:00:00Z",
		"2026-05-31T23:30-02:00":    "2026-06-01T01:30:00Z",
		"2026-05-31T09:00:00.250Z":  "2026-05-31T09:00:00.25Z",
		"2026-05":                   "2026-05-01T00:00:00Z",
		"today":                     "2026-03-31T00:00:00Z",
		"Yesterday":                 "2026-03-30T00:00:00Z",
		"this week":                 "2026-03-30T00:00:00Z",
		"last  week":                "2026-03-23T00:00:00Z",
		"this month":                "2026-03-01T00:00:00Z",
		"last month":                "2026-02-01T00:00:00Z",
		"this year":                 "2026-01-01T00:00:00Z",
		"last year":                 "2025-01-01T00:00:00Z",
		"12h":                       "2026-03-31T00:00:00Z",
		"7d":                        "2026-03-24T12:00:00Z",
		"7 days":                    "2026-03-24T12:00:00Z",
		"7 days ago":                "2026-03-24T12:00:00Z",
		"2w":                        "2026-03-17T12:00:00Z",
		"1m":                        "2026-02-28T12:00:00Z",
		"3M":                        "2025-12-31T12:00:00Z",
		"25 months":                 "2024-02-29T12:00:00Z",
		"1y":                        "2025-03-31T12:00:00Z",
		"0d":                        "2026-03-31T12:00:00Z",
		"99999y":                    "1970-01-01T00:00:00Z",
		"0001-01-01":                "1970-01-01T00:00:00Z",
		"0000-01-01":                "1970-01-01T00:00:00Z",
		"9999-12-31T23:59:59-23:59": "9999-12-31T23:59:59Z",
	} {
		got, err := output.ParseDate(given, noon)
		if err != nil || got.Format(time.RFC3339Nano) != want {
			t.Errorf("%q is read as %s, %v; want %s", given, got.Format(time.RFC3339Nano), err, want)
		}
	}
}

func TestWhatIsNoDateIsRefusedWithTheFormsThatAre(t *testing.T) {
	for given, says := range map[string]string{
		"2026-02-30":                      `is not a calendar date: give a date (2026-05-31, 2026-05`,
		"2026-13-01T09:00Z":               `is not a calendar date`,
		"2026-05-31T25:00Z":               `is not a date: give`,
		"31.05.2026":                      "is not a date: give",
		"last winter":                     "is not a date: give",
		"-7d":                             "is not a date: give",
		"7":                               "is not a date: give",
		"7d7d":                            "is not a date: give",
		"123456d":                         "is not a date: give",
		"1.5y":                            "is not a date: give",
		"d":                               "is not a date: give",
		"２０２６-05-31":                      "is not a date: give",
		strings.Repeat("9", 10_000) + "d": "is not a date: give",
	} {
		if got, err := output.ParseDate(given, noon); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%.40q is read as %s, %v", given, got, err)
		}
	}
}

func FuzzADateIsWithinTheCalendar(f *testing.F) {
	for _, given := range []string{"2026-05-31", "2026-05-31T09:00:00+02:00", "7d", "3 months ago", "99999y", "0001-01-01", "9999-12-31T23:59:59-23:59"} {
		f.Add(given)
	}
	f.Fuzz(func(t *testing.T, given string) {
		date, err := output.ParseDate(given, noon)
		if err != nil {
			if !date.IsZero() {
				t.Errorf("%q: %s, %q", given, date, err)
			}
			return
		}
		if date.Unix() < 0 || date.Year() > 9999 || date.Location() != time.UTC {
			t.Errorf("%q is read as %s", given, date)
		}
		if !strings.Contains(given, "-") && date.After(noon) {
			t.Errorf("%q, a duration back, is read as %s", given, date)
		}
	})
}

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
	made := output.EncodeCursor("find", 1, asked, here)
	var got position
	if err := output.DecodeCursor(made, "find", 1, asked, &got); err != nil || got != here {
		t.Errorf("%+v, %v", got, err)
	}
	if len(made) > 64 || strings.Trim(made, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_") != "" {
		t.Errorf("%q is not easy to copy", made)
	}
}

func TestACursorIsRefusedWhereItDoesNotBelong(t *testing.T) {
	made := output.EncodeCursor("find", 1, asked, here)
	for _, test := range []struct {
		name, cursor, kind string
		version            byte
		arguments          arguments
		want               error
	}{
		{"another tool", made, "read", 1, asked, output.ErrArguments},
		{"other arguments", made, "find", 1, arguments{"foghorn", "handbook"}, output.ErrArguments},
		{"another version", made, "find", 2, asked, output.ErrVersion},
		{"empty", "", "find", 1, asked, output.ErrDamaged},
		{"cut", made[:len(made)-4], "find", 1, asked, output.ErrDamaged},
		{"a changed character", made[:10] + "x" + made[11:], "find", 1, asked, output.ErrDamaged},
		{"other characters", made + "!", "find", 1, asked, output.ErrDamaged},
		{"far too long", strings.Repeat("A", 1<<20), "find", 1, asked, output.ErrDamaged},
		{"a position of another size", output.EncodeCursor("find", 1, asked, int64(1)), "find", 1, asked, output.ErrDamaged},
		{"more than a position", output.EncodeCursor("find", 1, asked, struct {
			position
			More byte
		}{here, 1}), "find", 1, asked, output.ErrDamaged},
	} {
		var got position
		if err := output.DecodeCursor(test.cursor, test.kind, test.version, test.arguments, &got); !errors.Is(err, test.want) {
			t.Errorf("%s: %v, want %v", test.name, err, test.want)
		}
	}
}

func FuzzNothingButACursorIsRead(f *testing.F) {
	f.Add(output.EncodeCursor("find", 1, asked, here))
	f.Add(output.EncodeCursor("find", 2, asked, here))
	f.Add("")
	f.Add("AAAA")
	f.Fuzz(func(t *testing.T, given string) {
		var got position
		err := output.DecodeCursor(given, "find", 1, asked, &got)
		switch {
		case err == nil:
			if again := output.EncodeCursor("find", 1, asked, got); again != strings.NewReplacer("\r", "", "\n", "").Replace(given) {
				t.Errorf("%q is read as a position whose cursor is %q", given, again)
			}
		case !errors.Is(err, output.ErrDamaged) && !errors.Is(err, output.ErrVersion) && !errors.Is(err, output.ErrArguments):
			t.Error(err)
		}
	})
}

type found struct {
	DocumentID string `json:"document_id" format:"uuid"`
	Title      string `json:"title" jsonschema:"As people see it"`
	Kind       string `json:"kind" const:"found"`
	Level      int    `json:"level" minimum:"1" maximum:"6"`
}

type missed struct {
	Title   string   `json:"title"`
	Kind    string   `json:"kind" enum:"missed,lost"`
	Nearest []branch `json:"nearest"`
	At      string   `json:"at,omitempty" format:"date-time"`
}

func TestTheListedSchemaSaysOnceWhatSeveralShapesHave(t *testing.T) {
	contract, err := output.ContractSchema(nil, []reflect.Type{reflect.TypeFor[found](), reflect.TypeFor[missed]()}, nil)
	if err != nil {
		t.Fatal(err)
	}
	before, err := json.Marshal(contract)
	if err != nil {
		t.Fatal(err)
	}
	listed, err := output.ListedSchema(contract)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"type":"object","properties":{"document_id":{"type":"string"},"title":{"type":"string"}},
		"$defs":{"branch":{"type":"object","required":["name","children"],"properties":{
			"name":{"type":"string"},"children":{"type":"array","items":{"$ref":"#/$defs/branch"}}}}},
		"anyOf":[
			{"required":["document_id","title","kind","level"],"properties":{"kind":{"const":"found"},"level":{"type":"integer"}}},
			{"required":["title","kind","nearest"],"properties":{
				"kind":{"enum":["missed","lost"]},"nearest":{"type":"array","items":{"$ref":"#/$defs/branch"}},"at":{"type":"string","format":"date-time"}}},
			{"required":["error","code"],"properties":{"error":{"type":"string"},"code":{"type":"string"},"retry_after_seconds":{"type":"number"}}}]}`
	if diff := cmp.Diff(decoded(t, want), decoded(t, string(listed))); diff != "" {
		t.Errorf("listed schema (-want +got):\n%s", diff)
	}
	if after, err := json.Marshal(contract); err != nil || string(after) != string(before) {
		t.Errorf("the contract has become %s: %v", after, err)
	}
}

func TestListedArgumentsKeepTheBoundsThatAModelWouldNotGuess(t *testing.T) {
	arguments, err := output.SchemaOf(reflect.TypeFor[struct {
		Limit  int `json:"limit,omitempty" minimum:"1" maximum:"100" default:"25" jsonschema:"How many"`
		Offset int `json:"offset,omitempty" minimum:"0"`
		Least  int `json:"least,omitempty" minimum:"10"`
		Items  []struct {
			Line int `json:"line" minimum:"1"`
		} `json:"items" minItems:"1"`
	}]())
	if err != nil {
		t.Fatal(err)
	}
	listed, err := output.ListedArguments(arguments)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"type":"object","required":["items"],"properties":{
		"limit":{"type":"integer","default":25,"maximum":100,"description":"How many"},"offset":{"type":"integer"},"least":{"type":"integer","minimum":10},
		"items":{"type":"array","items":{"type":"object","required":["line"],"properties":{"line":{"type":"integer"}}}}}}`
	if diff := cmp.Diff(decoded(t, want), decoded(t, string(listed))); diff != "" {
		t.Errorf("listed arguments (-want +got):\n%s", diff)
	}
	if arguments.Properties["offset"].Minimum == nil {
		t.Error("the arguments are no longer checked for an offset below 0")
	}
}
