package clients

import (
	"io"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/charmbracelet/x/vt"
	"github.com/creack/pty"
)

// A terminal shows what a program draws in it.
type terminal struct {
	t       *testing.T
	write   func(string)
	mu      sync.Mutex
	screen  *vt.Emulator
	changed chan struct{} // closed and replaced after each change
}

const rows, columns = 40, 110

// startTerminal starts a program in a terminal. It ends with the test.
func startTerminal(t *testing.T, command *exec.Cmd) *terminal {
	t.Helper()
	file, err := pty.StartWithSize(command, &pty.Winsize{Rows: rows, Cols: columns})
	if err != nil {
		t.Fatal(err)
	}
	s := &terminal{t: t, screen: vt.NewEmulator(columns, rows), changed: make(chan struct{})}
	s.write = func(text string) { _, _ = file.WriteString(text) }
	go func() { _, _ = io.Copy(file, s.screen) }() // its answers to what the program asks
	done := make(chan struct{})
	go func() {
		defer close(done)
		buffer := make([]byte, 1<<16)
		for {
			n, err := file.Read(buffer)
			s.mu.Lock()
			_, _ = s.screen.Write(buffer[:n])
			close(s.changed)
			s.changed = make(chan struct{})
			s.mu.Unlock()
			if err != nil {
				return
			}
		}
	}()
	t.Cleanup(func() {
		_ = command.Process.Kill()
		<-done
		_ = command.Wait()
		_ = s.screen.Close()
		_ = file.Close()
	})
	return s
}

// await waits until the terminal shows a text, and returns all that it shows, in colours.
func (s *terminal) await(wanted string) string {
	s.t.Helper()
	for deadline := time.After(time.Minute); ; {
		s.mu.Lock()
		changed, plain, coloured := s.changed, s.screen.String(), s.screen.Render()
		s.mu.Unlock()
		if strings.Contains(plain, wanted) {
			return coloured
		}
		select {
		case <-changed:
		case <-deadline:
			s.t.Fatalf("the terminal does not show %q, but\n%s", wanted, plain)
		}
	}
}
