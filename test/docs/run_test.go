//go:build unix

package docs_test

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// within is the variable that tells a block that it is run by these tests.
const within = "OUTLINE_MCP_DOCUMENTATION"

// aBlock is the time that a block may take: some build the program, on a busy machine.
const aBlock = 5 * time.Minute

var build struct {
	once   sync.Once
	folder string
	err    error
}

func TestMain(m *testing.M) {
	code := m.Run()
	if build.folder != "" {
		_ = os.RemoveAll(build.folder)
	}
	os.Exit(code)
}

// program builds outline-mcp and returns the folder that it is in.
func program(t *testing.T) string {
	t.Helper()
	top := root(t)
	build.once.Do(func() {
		if build.folder, build.err = os.MkdirTemp("", "outline-mcp-docs-"); build.err != nil {
			return
		}
		command := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-o", build.folder, "./cmd/outline-mcp")
		command.Dir, command.Env = top, append(os.Environ(), "CGO_ENABLED=0")
		if printed, err := command.CombinedOutput(); err != nil {
			build.err = fmt.Errorf("%w\n%s", err, printed)
		}
	})
	if build.err != nil {
		t.Fatal(build.err)
	}
	return build.folder
}

// A shell runs blocks in a copy of the repository, with the built program in
// the search path, a separate home and no settings.
type shell struct {
	folder, home string
	environ      []string
	port         string
}

func newShell(t *testing.T) *shell {
	t.Helper()
	if os.Getenv(within) != "" {
		t.Fatal("a page runs the tests that run it; mark the block as not run")
	}
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("there is no bash here: ", err)
	}
	s := &shell{folder: t.TempDir(), home: t.TempDir(), port: freePort(t)}
	copyRepository(t, root(t), s.folder)
	s.environ = []string{
		within + "=1", "PATH=" + program(t) + string(os.PathListSeparator) + os.Getenv("PATH"),
		"HOME=" + s.home, "TMPDIR=" + t.TempDir(), "LANG=C.UTF-8", "TZ=UTC",
		// The same flags as in program, so that go run does not have to compile
		// again.
		"GOFLAGS=-trimpath -buildvcs=false", "CGO_ENABLED=0", "GOPROXY=off", "GOTOOLCHAIN=local",
	}
	kept, err := exec.Command("go", "env", "GOCACHE", "GOMODCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	for i, name := range []string{"GOCACHE", "GOMODCACHE"} {
		s.environ = append(s.environ, name+"="+strings.Split(string(kept), "\n")[i])
	}
	return s
}

func freePort(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return strconv.Itoa(listener.Addr().(*net.TCPAddr).Port)
}

func copyRepository(t *testing.T, from, to string) {
	t.Helper()
	err := filepath.WalkDir(from, func(path string, entry os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		below, err := filepath.Rel(from, path)
		switch {
		case err != nil:
			return err
		case entry.IsDir() && below != "." && passedOver(filepath.ToSlash(below)) && below != filepath.Join("internal", "fakeoutline", "content"):
			return filepath.SkipDir
		case entry.IsDir():
			return os.MkdirAll(filepath.Join(to, below), 0o700)
		case !entry.Type().IsRegular():
			return nil
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(to, below), content, 0o600)
	})
	if err != nil {
		t.Fatal(err)
	}
}

// bash runs a script and ends whatever it started.
func (s *shell) bash(t *testing.T, script string) (printed string, err error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), aBlock)
	defer cancel()
	output, err := os.CreateTemp(t.TempDir(), "output")
	if err != nil {
		t.Fatal(err)
	}
	defer output.Close()
	command := exec.CommandContext(ctx, "bash", "-c", script)
	command.Dir, command.Env = s.folder, s.environ
	command.Stdout, command.Stderr = output, output
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	end := func() error { return syscall.Kill(-command.Process.Pid, syscall.SIGKILL) }
	command.Cancel = end
	if err = command.Run(); command.Process != nil {
		_ = end() // what the block left running
	}
	if ctx.Err() != nil {
		err = fmt.Errorf("not done after %s: %w", aBlock, err)
	}
	content, readErr := os.ReadFile(output.Name())
	if readErr != nil {
		t.Fatal(readErr)
	}
	return string(content), err
}

// session runs the commands of a session as one script and returns what each
// printed, and its exit code. They share variables and what runs in the
// background. As in a terminal, nothing waits for what is started there.
func (s *shell) session(t *testing.T, steps []step) (printed, codes []string, leftBehind string) {
	t.Helper()
	results := t.TempDir()
	var script strings.Builder
	// A server of the page gets a free port in place of the one it says.
	address := regexp.MustCompile(`((?:localhost|127\.0\.0\.1):)3000\b`)
	if slices.ContainsFunc(steps, func(step step) bool { return strings.Contains(step.command, "MCP_TRANSPORT=http") }) {
		fmt.Fprintf(&script, "export MCP_PORT=%s\n", s.port)
	}
	for i, step := range steps {
		to := filepath.Join(results, strconv.Itoa(i))
		command := address.ReplaceAllString(step.command, "${1}"+s.port)
		if inBackground, found := strings.CutSuffix(strings.TrimSpace(command), " &"); found {
			fmt.Fprintf(&script, ": >%[2]s\n{ %[1]s\n} >%[2]s 2>&1 &\n", inBackground, to)
			continue
		}
		fmt.Fprintf(&script, "{ %s\n} >%s 2>&1\n__code=$?; echo $__code >%[2]s.code\n", command, to)
		if job := regexp.MustCompile(`^kill (%\d+)`).FindStringSubmatch(command); job != nil {
			fmt.Fprintf(&script, "wait %s 2>/dev/null\n", job[1])
		}
		script.WriteString("(exit $__code)\n")
	}
	// What the reader's shell would keep: jobs, and settings of the program.
	left := filepath.Join(results, "left")
	fmt.Fprintf(&script, "unset MCP_PORT\n{ jobs -r; env | grep -oE '^(OUTLINE|MCP|LOG)_[A-Z_]+' | grep -vx %s; } >%s\ntrue\n", within, left)
	if failure, err := s.bash(t, script.String()); err != nil {
		t.Fatalf("%v\n%s", err, failure)
	}
	for i := range steps {
		content, err := os.ReadFile(filepath.Join(results, strconv.Itoa(i)))
		if err != nil {
			t.Fatal(err)
		}
		code, _ := os.ReadFile(filepath.Join(results, strconv.Itoa(i)+".code")) // none in the background
		printed = append(printed, strings.ReplaceAll(string(content), ":"+s.port, ":3000"))
		codes = append(codes, strings.TrimSpace(string(code)))
	}
	kept, err := os.ReadFile(left)
	if err != nil {
		t.Fatal(err)
	}
	return printed, codes, strings.TrimSpace(string(kept))
}

// checkSession runs a session and reports the differences from the text. A
// command whose output the text omits must succeed; one that fails must be
// shown failing.
func (s *shell) checkSession(t *testing.T, text string) (wrong []string) {
	t.Helper()
	steps := session(text)
	if len(steps) == 0 {
		return []string{"no line begins with a prompt"}
	}
	printed, codes, left := s.session(t, steps)
	if left != "" {
		wrong = append(wrong, "leaves behind:\n"+left)
	}
	for i, step := range steps {
		said := lines(strings.Join(step.printed, "\n"))
		if len(said) == 0 && codes[i] != "0" && codes[i] != "" {
			wrong = append(wrong, fmt.Sprintf("%s\nends with %s:\n%s", step.command, codes[i], printed[i]))
		}
		if len(said) > 0 && !matches(said, lines(printed[i])) {
			wrong = append(wrong, fmt.Sprintf("%s\nprints\n%s\nand not, as the page says,\n%s", step.command, printed[i], strings.Join(said, "\n")))
		}
	}
	return wrong
}

func TestCommandsDoWhatThePagesSay(t *testing.T) {
	all, _ := allBlocks(t) // what is wrong with them is told by another test
	for path, blocks := range all {
		t.Run(path, func(t *testing.T) {
			t.Parallel()
			var s *shell
			for _, block := range blocks {
				if block.notRun != "" {
					continue
				}
				if s == nil {
					s = newShell(t)
				}
				where := fmt.Sprintf("%s:%d", block.page, block.line)
				if block.language == "console" {
					for _, complaint := range s.checkSession(t, block.text) {
						t.Errorf("%s: %s", where, complaint)
					}
				} else if printed, err := s.bash(t, "set -e\n"+block.text); err != nil {
					t.Errorf("%s: %v\n%s", where, err, printed)
				}
			}
		})
	}
}

func TestSessionsAreComparedWithWhatIsPrinted(t *testing.T) {
	s := newShell(t)
	tests := []struct {
		name, session string
		wrong         int
	}{
		{"variables and folders stay", "$ name=buoy\n$ cd docs\n$ echo $name; basename $PWD\nbuoy\ndocs", 0},
		{"so do exit codes", "$ sh -c 'echo oh; exit 7'\noh\n$ echo $?\n7", 0},
		{"nothing waits for the background", "$ sleep 600 &\n$ echo on\non\n$ kill %1", 0},
		{"a job that stays", "$ sleep 600 &", 1},
		{"a setting that stays", "$ export OUTLINE_API_KEY=ol_api_fake", 1},
		{"a setting that is removed", "$ export OUTLINE_API_KEY=ol_api_fake\n$ unset OUTLINE_API_KEY", 0},
		{"errors are part of the output", "$ outline-mcp version --nonsense\n...unknown flag...", 0},
		{"other output", "$ echo a\nb", 1},
		{"less output", "$ echo a; echo b\na", 1},
		{"a failure that is not shown", "$ outline-mcp version --nonsense", 1},
		{"no command", "echo a", 1},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if wrong := s.checkSession(t, test.session); len(wrong) != test.wrong {
				t.Errorf("%d complaints and not %d: %q", len(wrong), test.wrong, wrong)
			}
		})
	}
}
