//go:build amd64 || arm64

package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"outline-mcp/test/fixtures"

	"golang.org/x/sys/unix"
)

// killBefore runs a command in the folder, and kills the program before a system call that
// changes a file or sends a request, the first of which is number 1. It reports whether it
// has; otherwise the program came to its end first.
func (w wiki) killBefore(number int, name string, args ...string) bool {
	w.t.Helper()
	runtime.LockOSThread() // a process is traced by a thread
	defer runtime.UnlockOSThread()
	cmd := program(w.t.Context(), w.settings, slices.Concat([]string{name, w.dir}, args)...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Ptrace: true, Setpgid: true}
	if err := cmd.Start(); errors.Is(err, unix.EPERM) {
		w.t.Skip("no process may be traced on this machine")
	} else if err != nil {
		w.t.Fatal(err)
	}
	defer cmd.Process.Release() // what follows waits for it
	process := cmd.Process.Pid
	defer time.AfterFunc(time.Minute, func() { _ = unix.Kill(process, unix.SIGKILL) }).Stop()
	killed, options := false, unix.PTRACE_O_TRACECLONE|unix.PTRACE_O_TRACESYSGOOD|unix.PTRACE_O_EXITKILL
	for {
		var status unix.WaitStatus
		thread, err := unix.Wait4(-process, &status, unix.WALL|unix.WNOTHREAD, nil) // not for the programs of other tests
		if err != nil {
			w.t.Fatal(err)
		}
		if status.Exited() || status.Signaled() {
			if thread == process {
				return killed
			}
			continue
		}
		if options != 0 { // it has just started
			if err := unix.PtraceSetOptions(thread, options); err != nil {
				w.t.Fatal(err)
			}
			options = 0
		}
		signal := status.StopSignal()
		switch signal {
		case unix.SIGTRAP | 0x80:
			signal = 0
			if changes(thread) {
				number--
			}
			if killed = number <= 0; killed {
				_ = unix.Kill(process, unix.SIGKILL)
			}
		case unix.SIGTRAP, unix.SIGSTOP: // of a new thread
			signal = 0
		}
		_ = unix.PtraceSyscall(thread, int(signal)) // fails once the program is killed
	}
}

// changes reports whether a thread is about to change a file or to send something.
func changes(thread int) bool {
	var call struct {
		op     uint8
		_      [23]byte
		number uint64
		args   [6]uint64
	}
	_, _, err := unix.Syscall6(unix.SYS_PTRACE, unix.PTRACE_GET_SYSCALL_INFO, uintptr(thread), unsafe.Sizeof(call), uintptr(unsafe.Pointer(&call)), 0, 0)
	if err != 0 || call.op != unix.PTRACE_SYSCALL_INFO_ENTRY {
		return false
	}
	switch call.number {
	case unix.SYS_WRITE, unix.SYS_PWRITE64:
		to, _ := os.Readlink(fmt.Sprintf("/proc/%d/fd/%d", thread, call.args[0]))
		return strings.HasPrefix(to, "socket:") || strings.HasPrefix(to, "/") && !strings.HasPrefix(to, "/dev/")
	case unix.SYS_OPENAT:
		return call.args[2]&unix.O_CREAT != 0
	case unix.SYS_RENAMEAT, unix.SYS_RENAMEAT2, unix.SYS_UNLINKAT, unix.SYS_MKDIRAT, unix.SYS_FTRUNCATE:
		return true
	}
	return false
}

// everyKill calls test with the number of every step-th of those system calls, from the first
// one given on, until it reports that the program came to its end first. In a quick run,
// it leaves most of them out.
func everyKill(t *testing.T, first, step int, test func(number int) (killed bool)) {
	t.Helper()
	step *= fixtures.Count(60, 1)
	number := first
	for test(number) && !t.Failed() {
		number += step
	}
	if number < 50 && !t.Failed() {
		t.Errorf("the program ended before system call %d", number)
	}
}

func TestAPullThatIsKilledGoesOn(t *testing.T) {
	t.Parallel()
	w := newWiki(t, nil)
	w.call("create_document", map[string]any{"title": "Draft", "text": "x", "publish": false, "collection_id": w.collection("Finance")})
	options := []string{"--collection", "Finance", "--drafts", "--files"}
	w.run(0, "pull", options...)
	first, whole := w, w.files()
	everyKill(t, 1, 1, func(number int) bool {
		w.dir = filepath.Join(t.TempDir(), "wiki")
		killed := w.killBefore(number, "pull", options...)
		w.run(0, "pull", options...)
		sameFiles(t, fmt.Sprintf("the first pull, killed before call %d", number), w.files(), whole)
		w.run(0, "status")
		return killed
	})
	// Both sides change, two pages exchange their titles, and one goes.
	const overview, invoicing, monthEnd = "Finance/Finance overview.md", "Finance/Finance overview/Invoicing and dunning.md", "Finance/Finance overview/Month-end close.md"
	w = first
	w.conflict(overview, "Ours.", "Theirs.")
	w.replace(budget, "\n---\n\n", "\n---\n\nMine.\n\n")
	w.post("documents.update", map[string]any{"id": w.id(budget), "text": "\n\nAnother user's.", "append": true})
	w.call("update_document", map[string]any{"document_id": w.id(invoicing), "title": "Month-end close"})
	w.call("update_document", map[string]any{"document_id": w.id(monthEnd), "title": "Invoicing and dunning"})
	w.post("documents.update", map[string]any{"id": w.id(monthEnd), "text": "\n\nMore.", "append": true})
	w.call("archive_document", map[string]any{"document_id": w.id("Finance/Salary bands.md")})
	copied := func(to string) wiki {
		if err := os.CopyFS(to, os.DirFS(first.dir)); err != nil {
			t.Fatal(err)
		}
		w.dir = to
		return w
	}
	w = copied(filepath.Join(t.TempDir(), "wiki"))
	w.run(5, "pull")
	whole = w.files()
	everyKill(t, 1, 1, func(number int) bool {
		w = copied(filepath.Join(t.TempDir(), "wiki"))
		killed := w.killBefore(number, "pull")
		if _, out, _ := command(t, w.settings, "status", w.dir); strings.Contains(out, "changed    "+monthEnd) || strings.Contains(out, "changed    "+invoicing) {
			t.Errorf("killed before call %d, status takes what was pulled for changes made here:\n%s", number, out)
		}
		w.run(5, "pull")
		sameFiles(t, fmt.Sprintf("the second pull, killed before call %d", number), w.files(), whole)
		w.run(5, "status")
		return killed
	})
}

func TestAPushThatIsKilledGoesOn(t *testing.T) {
	const parts = 4
	for first := 1; first <= parts; first++ {
		t.Run(fmt.Sprintf("from call %d on", first), func(t *testing.T) {
			t.Parallel()
			everyKill(t, first, parts, func(number int) bool {
				w := newWiki(t, nil)
				w.prepareChanges()
				killed := w.killBefore(number, "push", "--yes")
				w.pushesOnce(fmt.Sprintf("killed before call %d", number))
				return killed
			})
		})
	}
}

func TestAnImportThatIsKilledGoesOn(t *testing.T) {
	ids := regexp.MustCompile(`outline: \S+|id=[0-9a-f-]{36}`)
	link := func(n int, title string) string {
		return strings.ReplaceAll(notionPath(n, title), " ", "%20")
	}
	for name, prepare := range map[string]func(wiki){
		"of Notion": func(w wiki) {
			home := strings.TrimSuffix(notionPath(1, "Home"), ".md")
			w.write(home+".md", "# Home\n\n[First]("+strings.ReplaceAll(home, " ", "%20")+"/"+link(2, "First")+")\n\n[Tasks]("+strings.ReplaceAll(home, " ", "%20")+"/Tasks%20"+fmt.Sprintf("%032x", 4)+".csv)\n")
			w.write(home+"/"+notionPath(2, "First"), "# First\n\n[second]("+link(3, "Second")+")\n\n![](First/dot.png)\n")
			w.write(home+"/First/dot.png", onePixel)
			w.write(home+"/"+notionPath(3, "Second"), "# Second\n\nText.\n")
			w.write(home+fmt.Sprintf("/Tasks %032x.csv", 4), "Name\nOne\n")
			w.write(home+fmt.Sprintf("/Tasks %032x/%s", 4, notionPath(5, "One")), "# One\n\nText.\n")
		},
		"of Confluence": func(w wiki) {
			page := func(name, title, crumbs, body string) {
				w.write(name, `<ol id="breadcrumbs">`+crumbs+`</ol><span id="title-text">Team : `+title+`</span><div id="main-content">`+body+`</div>`)
			}
			w.write("index.html", "<p>Team</p>")
			page("1.html", "One", "", `<p>See <a href="2.html">two</a>.</p>`)
			page("2.html", "Two", `<a href="1.html">One</a>`, `<p><img src="attachments/2/dot.png"></p>`)
			page("3.html", "Three", `<a href="1.html">One</a>`, "<p>Text.</p>")
			w.write("attachments/2/dot.png", onePixel)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var whole map[string]string
			everyKill(t, 0, 1, func(number int) bool {
				w := newWiki(t, nil)
				prepare(w)
				into := w.call("create_collection", map[string]any{"name": "Imported"})["collection_id"].(string)
				killed := whole != nil && w.killBefore(number, "push", "--collection", into, "--yes")
				w.run(0, "push", "--collection", into, "--yes")
				w.run(0, "status")
				other := w.beside()
				other.run(0, "pull", "--collection", into)
				got := other.files()
				for name, text := range got {
					got[name] = ids.ReplaceAllString(text, "")
				}
				if whole == nil {
					whole, killed = got, true
				}
				sameFiles(t, fmt.Sprintf("killed before call %d", number), got, whole)
				return killed
			})
			if n := strings.Count(fmt.Sprint(whole), "attachments.redirect"); n == 0 || len(whole) < 3 {
				t.Errorf("the pages are %v", whole)
			}
		})
	}
}
