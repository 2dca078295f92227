package scripting

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// everywhere runs a test in each language, with --demo and on a workspace that
// the test sees.
func everywhere(t *testing.T, test func(t *testing.T, w wiki, l language)) {
	for kind, newWiki := range map[string]func(t *testing.T) wiki{
		"demo":   demoWiki,
		"shared": func(t *testing.T) wiki { t.Helper(); return sharedWiki(t, nil) },
	} {
		for _, l := range languages() {
			t.Run(kind+"/"+l.name, func(t *testing.T) { test(t, newWiki(t), l) })
		}
	}
}

const missing = "00000000-0000-4000-8000-000000000000"

// Documents and a collection of the embedded workspace.
const (
	soup, soupSlug   = "488d6e14-db91-4e8e-99b4-c468545e6dc7", "friday-soup-1wPyxUCdt9"
	silent, silentID = "c22c45ef-ea9d-4196-aaa5-576f1543d36e", "A5wBbNFfLQ"
	operations       = "8441e5d2-7545-4078-bd93-c21942e16c7f"
)

func TestReadPrintsAWholeDocument(t *testing.T) {
	const long = "nZ6gtUCAIG"
	want := direct(t, `"# \(.title)\n\n\(.text)"`, "read_document", "document_id="+long)
	if len(want) < 20000 {
		t.Fatalf("%d characters are no long document", len(want))
	}
	everywhere(t, func(t *testing.T, w wiki, l language) {
		got := w.run(t, l, nil, "read", long)
		if got.code != 0 || strings.TrimRight(got.stdout, "\n") != strings.TrimRight(want, "\n") {
			t.Errorf("exit code %d, %d characters instead of %d\n%s", got.code, len(got.stdout), len(want), got.stderr)
		}
		got = w.run(t, l, nil, "read", missing)
		if got.code == 0 || got.stdout != "" || !strings.Contains(got.stderr, "there is no document "+missing) {
			t.Errorf("a document that is missing: %s", got)
		}
	})
}

func TestStaleListsAllPages(t *testing.T) {
	const day = "2026-06-01"
	want := direct(t, `.results[] | select(.updated_at < "`+day+`") | "\(.updated_at[:10]) \(.document_id) \(.title)"`,
		"search_documents", "query=buoy", "detail_level=full", "limit=100")
	if strings.Count(want, "\n") < 15 {
		t.Fatalf("that fits a page:\n%s", want)
	}
	everywhere(t, func(t *testing.T, w wiki, l language) {
		if got := w.run(t, l, nil, "stale", "buoy", day); got.code != 0 || got.stdout != want {
			t.Errorf("%s\nwant\n%s", got, want)
		}
	})
}

// archived returns the IDs of all archived documents.
func (w wiki) archived(t *testing.T) []string {
	t.Helper()
	var list struct {
		Documents []struct {
			DocumentID string `json:"document_id"`
		}
	}
	w.ask(t, "list_archived_documents", map[string]any{"limit": 100}, &list)
	var ids []string
	for _, document := range list.Documents {
		ids = append(ids, document.DocumentID)
	}
	return ids
}

func TestArchiveArchivesAList(t *testing.T) {
	everywhere(t, func(t *testing.T, w wiki, l language) {
		got := w.run(t, l, nil, "archive", file(t, "list.txt", soupSlug, "", missing, silentID))
		want := "archived " + soup + " Friday soup 🍲\ngone already " + missing + "\narchived " + silent + " Runbook: buoy silent\n"
		if got.code != 0 || got.stdout != want {
			t.Errorf("%s\nwant\n%s", got, want)
		}
		if archived := w.archived(t); w.sees(l) && (!slices.Contains(archived, soup) || !slices.Contains(archived, silent)) {
			t.Errorf("archived are %q", archived)
		}
	})
}

// windows writes a file as editors on Windows do, and without an end of the
// last line.
func windows(t *testing.T, name string, lines ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte("\ufeff"+strings.Join(lines, "\r\n")), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestTheLastLineNeedsNoEnd(t *testing.T) {
	for _, l := range languages() {
		t.Run(l.name, func(t *testing.T) {
			w := sharedWiki(t, nil)
			got := w.run(t, l, nil, "archive", windows(t, "list.txt", soup, silent))
			if got.code != 0 || strings.Count(got.stdout, "archived ") != 2 || len(w.archived(t)) < 2 {
				t.Errorf("archive: %s", got)
			}
			got = w.run(t, l, nil, "create", windows(t, "set.csv", "title,text", "First,a", "Second,b"), operations)
			if got.code != 0 || strings.Count(got.stdout, "created ") != 2 || w.in(t, "Second") != operations {
				t.Errorf("create: %s", got)
			}
			const two, other = "k7cHQqmWTH", "nZ6gtUCAIG"
			got = w.run(t, l, nil, "watch", windows(t, "list.txt", two, other), operations)
			if got.code != 0 || strings.Count(got.stdout, "moved ") != 2 {
				t.Errorf("watch: %s", got)
			}
		})
	}
}

func TestAScriptWithNothingToReadFailsInASentence(t *testing.T) {
	w := sharedWiki(t, nil)
	for _, l := range languages() {
		for job, more := range map[string][]string{"archive": nil, "create": {operations}, "watch": {operations}} {
			for name, args := range map[string][]string{"no argument": nil, "a missing file": append([]string{filepath.Join(t.TempDir(), "nope")}, more...)} {
				t.Run(l.name+"/"+job+"/"+name, func(t *testing.T) {
					got := w.run(t, l, nil, job, args...)
					if got.code == 0 || got.stdout != "" || got.stderr == "" || strings.Contains(got.stderr, "Traceback") {
						t.Error(got)
					}
				})
			}
			t.Run(l.name+"/"+job+"/another encoding", func(t *testing.T) {
				got := w.run(t, l, nil, job, append([]string{file(t, "f", "title,text", "Caf\xe9,a")}, more...)...)
				if got.code == 0 || strings.Contains(got.stdout, "created") || strings.Contains(got.stderr, "Traceback") {
					t.Error(got)
				}
			})
		}
	}
}

func TestAScriptWithoutArgumentsSaysHowToUseIt(t *testing.T) {
	w := demoWiki(t)
	for _, l := range languages() {
		for _, job := range []string{"read", "stale", "archive", "create", "watch"} {
			t.Run(l.name+"/"+job, func(t *testing.T) {
				got := w.run(t, l, nil, job)
				if got.code == 0 || got.stdout != "" || !strings.Contains(strings.ToLower(got.stderr), "usage: ") {
					t.Error(got)
				}
			})
		}
	}
}

func TestAnEmptyListIsDone(t *testing.T) {
	w := sharedWiki(t, nil)
	for _, l := range languages() {
		for job, more := range map[string][]string{"archive": nil, "watch": {operations}} {
			t.Run(l.name+"/"+job, func(t *testing.T) {
				if got := w.run(t, l, nil, job, append([]string{file(t, "list.txt", "", " ")}, more...)...); got.code != 0 || got.stdout+got.stderr != "" {
					t.Error(got)
				}
			})
		}
	}
}

func TestArchiveTellsWhatItMayNotDo(t *testing.T) {
	w := sharedWiki(t, nil)
	before := w.archived(t)
	for _, l := range languages() {
		t.Run(l.name, func(t *testing.T) {
			got := w.run(t, l, []string{"OUTLINE_API_KEY=ol_api_demo_viewer"}, "archive", file(t, "list.txt", soup, silent))
			if got.code == 0 || !strings.Contains(got.stdout, "FAILED "+soup) || !strings.Contains(got.stdout, "FAILED "+silent) || strings.Count(got.stdout+got.stderr, "forbidden") < 2 {
				t.Error(got)
			}
			got = w.run(t, l, []string{"OUTLINE_API_KEY=ol_api_demo_expired"}, "archive", file(t, "list.txt", soup))
			if got.code == 0 || !strings.Contains(got.stdout+got.stderr, "unauthorized") || strings.Contains(got.stdout+got.stderr, "ol_api_demo") {
				t.Errorf("with a key that is not known: %s", got)
			}
		})
	}
	if after := w.archived(t); !slices.Equal(before, after) {
		t.Errorf("archived are %q", after)
	}
}

func TestCreateCreatesADocumentForEachRow(t *testing.T) {
	everywhere(t, func(t *testing.T, w wiki, l language) {
		lines := []string{"title,text", "Buoy 41,Moored off Hallinge, 40 m", "Buoy 42,*New*"}
		texts := []string{"Moored off Hallinge, 40 m", "*New*"}
		if l.name != "shell" { // which reads no quotes
			lines = []string{"id,text,title", `1,"Moored off ""Hallinge"", 40 m` + "\n\n" + `Second paragraph",Buoy 41`, "2,*New*,Buoy 42"}
			texts[0] = "Moored off \"Hallinge\", 40 m\n\nSecond paragraph"
		}
		got := w.run(t, l, nil, "create", file(t, "set.csv", lines...), operations)
		ids := make([]string, 2)
		for i, line := range strings.Split(strings.TrimSuffix(got.stdout, "\n"), "\n") {
			if _, err := fmt.Sscanf(line, "created %s Buoy", &ids[min(i, 1)]); err != nil || i > 1 || !strings.HasSuffix(line, fmt.Sprint(" Buoy ", 41+i)) {
				t.Fatal(got)
			}
		}
		if got.code != 0 || !w.sees(l) {
			return
		}
		for i, id := range ids {
			var document struct{ Title, Text string }
			w.ask(t, "read_document", map[string]any{"document_id": id}, &document)
			if document.Title != fmt.Sprint("Buoy ", 41+i) || strings.TrimSpace(document.Text) != texts[i] {
				t.Errorf("document %d is %+v", i, document)
			}
		}
	})
}

func TestARowThatCannotBeReadAsItWasMeantIsNotLost(t *testing.T) {
	for _, l := range languages() {
		for name, lines := range map[string][]string{
			"a quote in a title":        {`Pipe 5" wide,a`, "Good,b"},
			"a row of one column":       {"Good,b", "D"},
			"a quote that does not end": {"Good,b", `"D,a`},
			"other columns":             nil,
		} {
			t.Run(l.name+"/"+name, func(t *testing.T) {
				w := sharedWiki(t, nil)
				lines := append([]string{"title,text"}, lines...)
				if name == "other columns" {
					lines = []string{"name,text", "Good,b"}
				}
				got := w.run(t, l, nil, "create", file(t, "set.csv", lines...), operations)
				if strings.Contains(got.stderr, "Traceback") {
					t.Error(got)
				}
				if got.code == 0 && !(strings.Contains(got.stdout, ` Pipe 5" wide`+"\n") && strings.Contains(got.stdout, " Good\n")) {
					t.Errorf("it says nothing of a row: %s", got)
				}
				if got.code != 0 && strings.TrimSpace(got.stderr) == "" && !strings.Contains(got.stdout, "FAILED D") {
					t.Errorf("it does not say why: %s", got)
				}
			})
		}
	}
}

func TestCreateTakesEachRowWhole(t *testing.T) {
	for _, l := range languages() {
		t.Run(l.name, func(t *testing.T) {
			w := sharedWiki(t, nil)
			got := w.run(t, l, nil, "create", file(t, "set.csv", "title,text", "", `Back\slash $HOME,*a*`, ""), operations)
			if got.code != 0 || strings.Count(got.stdout, "created ") != 1 || !strings.HasSuffix(got.stdout, ` Back\slash $HOME`+"\n") {
				t.Error(got)
			}
		})
	}
	w := sharedWiki(t, nil)
	got := w.run(t, languages()[3], nil, "create", file(t, "set.csv", "text,title", "a,b"), operations)
	if got.code != 1 || got.stdout != "" || !strings.Contains(got.stderr, "must begin with the line title,text") {
		t.Errorf("columns in another order, in a shell: %s", got)
	}
	var document struct{ Text string }
	got = w.run(t, languages()[3], nil, "create", file(t, "set.csv", "title,text", "Commas,a, b,"), operations)
	id := strings.TrimSuffix(strings.TrimPrefix(got.stdout, "created "), " Commas\n")
	w.ask(t, "read_document", map[string]any{"document_id": id}, &document)
	if strings.TrimSpace(document.Text) != "a, b," {
		t.Errorf("%s\n%q", got, document.Text)
	}
}

func TestCreateTellsWhichRowsFail(t *testing.T) {
	w := sharedWiki(t, nil)
	for _, l := range languages() {
		t.Run(l.name, func(t *testing.T) {
			long := strings.Repeat("x", 101)
			got := w.run(t, l, nil, "create", file(t, "set.csv", "title,text", long+",a", "Good,b"), operations)
			if got.code == 0 || !strings.Contains(got.stdout, "FAILED "+long) || !strings.Contains(got.stdout, " Good\n") {
				t.Error(got)
			}
		})
	}
}

// in returns the collection that a document is in.
func (w wiki) in(t *testing.T, title string) string {
	t.Helper()
	var found struct {
		Results []struct {
			CollectionID string `json:"collection_id"`
		}
	}
	w.ask(t, "get_document_id_from_title", map[string]any{"query": title}, &found)
	if len(found.Results) == 0 {
		return ""
	}
	return found.Results[0].CollectionID
}

func TestWatchMovesAListAndTellsWhatFails(t *testing.T) {
	everywhere(t, func(t *testing.T, w wiki, l language) {
		got := w.run(t, l, nil, "watch", file(t, "list.txt", soup, missing), operations)
		if want := "moved " + soup + "\nFAILED " + missing + " not_found\n"; got.code != 1 || got.stdout != want {
			t.Errorf("%s\nwant\n%s", got, want)
		}
		if collection := w.in(t, "Friday soup"); w.sees(l) && collection != operations {
			t.Errorf("it is in %q", collection)
		}
	})
}

func TestWatchMovesMoreThanABatchTakes(t *testing.T) {
	w := sharedWiki(t, nil)
	lines := make([]string, 120)
	for i := range lines {
		lines[i] = fmt.Sprintf("00000000-0000-4000-8000-%012d", i)
	}
	lines[0], lines[119] = soup, silent
	for _, l := range languages() {
		t.Run(l.name, func(t *testing.T) {
			got := w.run(t, l, nil, "watch", file(t, "list.txt", lines...), operations)
			printed := strings.Split(strings.TrimSuffix(got.stdout, "\n"), "\n")
			if got.code != 1 || len(printed) != 120 || printed[0] != "moved "+soup || printed[119] != "moved "+silent || printed[100] != "FAILED "+lines[100]+" not_found" {
				t.Errorf("%d lines: %s", len(printed), got)
			}
		})
	}
}

func TestAScriptInPythonSaysWhatItKnowsOfAWrite(t *testing.T) {
	w := sharedWiki(t, nil)
	for name, test := range map[string]struct {
		answer  func(t *testing.T, connection net.Conn)
		setting string
		says    string
	}{
		"no key":              {setting: "OUTLINE_API_KEY=", says: "set OUTLINE_API_KEY"},
		"nobody listens":      {setting: "OUTLINE_MCP_URL=http://127.0.0.1:1/mcp", says: "(unreachable)"},
		"a closed connection": {answer: func(*testing.T, net.Conn) {}, says: "check whether it happened (outcome_unknown)"},
		"half an answer": {answer: func(t *testing.T, c net.Conn) {
			_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{")
		}, says: "check whether it happened (outcome_unknown)"},
		"no JSON": {answer: func(t *testing.T, c net.Conn) {
			_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi")
		}, says: "check whether it happened (outcome_unknown)"},
		"a gateway": {answer: func(t *testing.T, c net.Conn) {
			_, _ = io.WriteString(c, "HTTP/1.1 504 Gateway Timeout\r\nContent-Length: 0\r\n\r\n")
		}, says: "answers 504 Gateway Timeout (outcome_unknown)"},
	} {
		t.Run(name, func(t *testing.T) {
			setting := test.setting
			if test.answer != nil {
				setting = "OUTLINE_MCP_URL=" + listen(t, test.answer)
			}
			got := w.run(t, languages()[0], []string{setting}, "archive", file(t, "list.txt", soup))
			if got.code != 1 || strings.Contains(got.stderr, "Traceback") || !strings.Contains(got.stderr, test.says) {
				t.Error(got)
			}
		})
	}
}

// listen answers one HTTP request by hand, and returns where.
func listen(t *testing.T, answer func(t *testing.T, connection net.Conn)) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	t.Cleanup(func() { listener.Close(); <-ended })
	go func() {
		defer close(ended)
		connection, err := listener.Accept()
		if err != nil {
			return
		}
		defer connection.Close()
		request, err := http.ReadRequest(bufio.NewReader(connection))
		if err == nil {
			_, _ = io.Copy(io.Discard, request.Body)
			answer(t, connection)
		}
	}()
	return "http://" + listener.Addr().String() + "/mcp"
}

func TestWatchSendsAgainWhatARateLimitHeldUp(t *testing.T) {
	for _, l := range languages() {
		t.Run(l.name, func(t *testing.T) {
			refused := make(chan bool, 1)
			refused <- true
			w := sharedWiki(t, func(w http.ResponseWriter, r *http.Request) bool {
				if !strings.HasSuffix(r.URL.Path, "/documents.move") {
					return false
				}
				select {
				case <-refused: // the first one
				default:
					return false
				}
				w.Header().Set("Retry-After", "1")
				w.WriteHeader(http.StatusTooManyRequests)
				return true
			})
			got := w.run(t, l, nil, "watch", file(t, "list.txt", soup, silent), operations)
			for _, id := range []string{soup, silent} {
				if strings.Count(got.stdout, "moved "+id+"\n") != 1 {
					t.Errorf("%s is not moved once", id)
				}
			}
			if got.code != 0 || !strings.Contains(got.stdout, "once more ") || strings.Contains(got.stdout, "FAILED") || w.in(t, "Friday soup") != operations {
				t.Error(got)
			}
		})
	}
}
