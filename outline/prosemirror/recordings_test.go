package prosemirror

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"outline-mcp/test/fixtures"
)

// The recordings in testdata were made with a real Outline (1.9.1+390): what it
// stored for a text, and what it made of patches and other writes.

type state struct {
	Text string
	Data *Node
}

type roundtrip struct {
	Name, Markdown, Text, Raw, Export string
	Data                              *Node
	Stable                            bool
}

type write struct {
	Name    string
	Before  state
	After   *state
	Status  int
	Path    string
	Request struct {
		EditMode, FindText string
		Text               *string
		Append             bool // the older form of the append mode
	}
}

func records[T any](t testing.TB, file string) []T { return fixtures.Recorded[T](t, file) }

func inRecordedYear(t *testing.T, test func(t *testing.T)) { fixtures.InYear(t, test) }

// check counts how many records the model matches. The names in except are
// those it is known not to match, with the reason.
func check[T any](t *testing.T, list []T, name func(T) string, except map[string]string, mismatch func(T) string) {
	known := 0
	for _, r := range list {
		problem := mismatch(r)
		if _, ok := except[name(r)]; ok {
			known++
			if problem == "" {
				t.Errorf("%s is listed as an exception but matches", name(r))
			}
		} else if problem != "" {
			t.Errorf("%s: %s", name(r), problem)
		}
	}
	if known != len(except) {
		t.Errorf("%d of the exceptions are in the recordings, %d are listed", known, len(except))
	}
	t.Logf("%d of %d match (%.2f%%)", len(list)-known, len(list), 100*float64(len(list)-known)/float64(len(list)))
}

func TestParsedTreesAreThoseThatOutlineStores(t *testing.T) {
	except := map[string]string{
		"l/youtube":     "documents.create turns the URL of an embed into a link before it parses the text",
		"l/vimeo":       "the same",
		"l/gist":        "the same",
		"i/data":        "documents.create stores the data of an image as an attachment",
		"mention/short": "the id of the mention is random",
	}
	list := records[roundtrip](t, "roundtrip")
	check(t, list, func(r roundtrip) string { return r.Name }, except, func(r roundtrip) string {
		if got := Parse(r.Markdown); !Equal(got, r.Data) {
			return describe(r.Markdown, got, r.Data)
		}
		return ""
	})
}

func TestSectionsBeginWithTheHeadingsThatOutlineStores(t *testing.T) {
	list := records[roundtrip](t, "roundtrip")
	check(t, list, func(r roundtrip) string { return r.Name }, nil, func(r roundtrip) string {
		if diff := cmp.Diff(headingsIn(r.Data), headingsOf(Sections(r.Markdown))); diff != "" {
			return quote(r.Markdown) + " (-stored +read):\n" + diff
		}
		return ""
	})
}

func TestStoredTextsHaveTheContentThatWasSent(t *testing.T) {
	except := map[string]string{
		"i/data":        "the data of the image are stored as an attachment",
		"mention/short": "the id of the mention is random",
	}
	inRecordedYear(t, func(t *testing.T) {
		list := records[roundtrip](t, "roundtrip")
		check(t, list, func(r roundtrip) string { return r.Name }, except, func(r roundtrip) string {
			if !SameContent(r.Markdown, r.Text) {
				return quote(r.Text) + " is not the content of " + quote(r.Markdown)
			}
			return ""
		})
	})
}

// headingsIn returns the headings of a tree, except for those in tables, as "## text".
func headingsIn(doc *Node) []string {
	var headings []string
	Walk(doc, func(n *Node) bool {
		if n.Type == Heading {
			text := strings.Join(strings.Fields(PlainText(n)), " ")
			headings = append(headings, strings.Repeat("#", int(n.Attrs.Number("level")))+" "+text)
		}
		return n.Type != Table
	})
	return headings
}

// headingsOf returns the headings of sections in the same form.
func headingsOf(sections []Section) []string {
	var headings []string
	for _, s := range sections {
		headings = append(headings, strings.Repeat("#", s.Level)+" "+s.Heading)
	}
	return headings
}

func TestSerializedTreesAreTheTextThatOutlineStores(t *testing.T) {
	inRecordedYear(t, func(t *testing.T) {
		list := records[roundtrip](t, "roundtrip")
		check(t, list, func(r roundtrip) string { return r.Name }, nil, func(r roundtrip) string {
			raw := r.Raw
			if raw == "" {
				raw = r.Text
			}
			if got := Main.Serialize(r.Data); got != raw {
				return "raw form " + quote(got) + ", want " + quote(raw)
			}
			if got := ToText(r.Data); got != r.Text {
				return "text " + quote(got) + ", want " + quote(r.Text)
			}
			return ""
		})
	})
}

func TestExportedTreesAreTheMarkdownThatOutlineExports(t *testing.T) {
	inRecordedYear(t, func(t *testing.T) {
		list := records[roundtrip](t, "roundtrip")
		check(t, list, func(r roundtrip) string { return r.Name }, nil, func(r roundtrip) string {
			if got := "# Doc\n\n" + ToCommonMark(r.Data); got != r.Export {
				return "exported " + quote(got) + ", want " + quote(r.Export)
			}
			return ""
		})
	})
}

func TestTextIsAFixedPointWhereItIsInOutline(t *testing.T) {
	inRecordedYear(t, func(t *testing.T) {
		fixed := 0
		defer func() {
			if fixed != 697 {
				t.Errorf("%d texts are fixed points, in Outline 697 are", fixed)
			}
		}()
		list := records[roundtrip](t, "roundtrip")
		check(t, list, func(r roundtrip) string { return r.Name }, nil, func(r roundtrip) string {
			again := Parse(r.Text)
			stable := Equal(again, r.Data) && ToText(again) == r.Text
			if stable {
				fixed++
			}
			if stable != r.Stable {
				return "fixed point " + quote(r.Text) + ", got " + string(again.AppendJSON(nil))
			}
			return ""
		})
	})
}

func TestPatchesDoWhatOutlineDoes(t *testing.T) {
	except := map[string]string{
		"at-unicode/atom-part#narrow": "half a surrogate pair: no Go string holds it",
		"at-unicode/atom-part#next":   "the same",
		"ix/no-text/undefined":        "the request has no text at all, which the API refuses before the edit",
	}
	checkWrites(t, "patches", except)
}

func TestPatchesOfWhatTheEditorMakesDoWhatOutlineDoes(t *testing.T) {
	checkWrites(t, "gaps", nil)
}

func TestAppendsPrependsAndReplacementsDoWhatOutlineDoes(t *testing.T) {
	checkWrites(t, "writes", nil)
}

func checkWrites(t *testing.T, file string, except map[string]string) {
	inRecordedYear(t, func(t *testing.T) {
		list := records[write](t, file)
		list = slices.DeleteFunc(list, func(r write) bool { return r.Status == 409 }) // a stale revision is no matter of the model
		check(t, list, func(r write) string { return r.Name }, except, func(r write) string {
			got, err := apply(r)
			if r.After == nil {
				want := map[int]error{400: ErrEmptyText, 404: ErrNotFound, 500: ErrServer}[r.Status]
				if !errors.Is(err, want) {
					return "error " + quote(errorText(err)) + ", want " + quote(errorText(want))
				}
				return ""
			}
			if err != nil {
				return err.Error()
			}
			if !Equal(got, r.After.Data) {
				return describe(r.Before.Text, got, r.After.Data)
			}
			if text := ToText(got); text != r.After.Text {
				return "text " + quote(text) + ", want " + quote(r.After.Text)
			}
			return ""
		})
	})
}

func apply(r write) (*Node, error) {
	text := ""
	if r.Request.Text != nil {
		text = *r.Request.Text
	}
	mode := r.Request.EditMode
	if r.Request.Append {
		mode = "append"
	}
	md := Main.ToMarkdown(r.Before.Data)
	return md.Update(r.Before.Data, mode, r.Request.FindText, text)
}

func describe(source string, got, want *Node) string {
	return quote(source) + "\n got " + string(got.AppendJSON(nil)) + "\nwant " + string(want.AppendJSON(nil))
}

func quote(s string) string {
	b, _ := json.Marshal(s)
	return string(b)
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
