package login

import (
	"context"
	"errors"
	"os/exec"
	"time"
)

// OpenBrowser opens a page in the user's browser. It returns an error if no browser can be
// shown, for example in an SSH session.
func OpenBrowser(ctx context.Context, goos string, getenv func(string) string, page string) error {
	var command []string
	switch {
	case getenv("BROWSER") != "":
		command = []string{getenv("BROWSER"), page}
	case getenv("SSH_CONNECTION") != "":
	case goos == "windows":
		command = []string{"rundll32", "url.dll,FileProtocolHandler", page}
	case goos == "darwin":
		command = []string{"open", page}
	case getenv("DISPLAY") != "" || getenv("WAYLAND_DISPLAY") != "":
		command = []string{"xdg-open", page}
	}
	if command == nil {
		return errors.New("there is no browser here")
	}
	cmd := exec.CommandContext(context.WithoutCancel(ctx), command[0], command[1:]...)
	if err := cmd.Start(); err != nil {
		return err
	}
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	select {
	case err := <-done:
		return err
	case <-time.After(3 * time.Second): // some of these commands end with the browser
		return nil
	}
}
