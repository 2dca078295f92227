package login

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"time"

	"github.com/zalando/go-keyring"
)

// service is the name of the program in the keyring. The user of an entry is the address.
const service = "outline-mcp"

// keyringTimeout is how long the keyring may take. It may ask the person to unlock it.
const keyringTimeout = 30 * time.Second

// hasKeyring reports whether this session has a keyring. Without the check, the library
// would start a message bus on Linux.
func hasKeyring() bool {
	switch runtime.GOOS {
	case "darwin", "windows":
		return true
	}
	if address := os.Getenv("DBUS_SESSION_BUS_ADDRESS"); address != "" {
		return !strings.HasPrefix(address, "autolaunch:")
	}
	_, err := os.Stat(fmt.Sprintf("/run/user/%d/bus", os.Getuid()))
	return err == nil
}

// probeKeyring reports whether the keyring can be used: false without an error if there is
// none. It stores and removes an entry, because a keyring that is locked can often be asked.
func probeKeyring() (bool, error) {
	if !hasKeyring() {
		return false, nil
	}
	const probe = "test of the keyring"
	_, err := within(func() (string, error) { return "", keyring.Set(service, probe, "x") })
	if err == nil {
		_, _ = within(func() (string, error) { return "", keyring.Delete(service, probe) })
		return true, nil
	}
	text := err.Error()
	// Errors of the bus: no such bus, or nobody on it provides a keyring.
	for _, absent := range []string{"dial unix", "connection refused", "was not provided by any .service files", "ServiceUnknown", "NameHasNoOwner", "Spawn."} {
		if strings.Contains(text, absent) {
			return false, nil
		}
	}
	if errors.Is(err, keyring.ErrUnsupportedPlatform) {
		return false, nil
	}
	return false, keyringError(err)
}

func keyringError(err error) *Error {
	return fail(Storage, fmt.Sprintf("the keyring of this computer refuses: %s. Unlock it and run the command again, or run outline-mcp login with --no-keyring to keep the login in a file that only you can read", err))
}

func fromKeyring(base string) (string, error) {
	held, err := within(func() (string, error) { return keyring.Get(service, base) })
	switch {
	case errors.Is(err, keyring.ErrNotFound):
		return "", ended(base)
	case err != nil:
		return "", keyringError(err)
	}
	return held, nil
}

func toKeyring(base string, t tokens) error {
	content, err := json.Marshal(t)
	if err == nil {
		_, err = within(func() (string, error) { return "", keyring.Set(service, base, string(content)) })
	}
	if err != nil {
		return keyringError(err)
	}
	return nil
}

func dropFromKeyring(base string) error {
	_, err := within(func() (string, error) { return "", keyring.Delete(service, base) })
	if err != nil && !errors.Is(err, keyring.ErrNotFound) {
		return keyringError(err)
	}
	return nil
}

// within gives the keyring a time limit: one that waits for the person would keep a call
// waiting for ever.
func within(ask func() (string, error)) (string, error) {
	type answer struct {
		text string
		err  error
	}
	done := make(chan answer, 1)
	go func() {
		text, err := ask()
		done <- answer{text, err}
	}()
	select {
	case a := <-done:
		return a.text, a.err
	case <-time.After(keyringTimeout):
		return "", fmt.Errorf("it has not answered for %s; it may be waiting for you to unlock it", keyringTimeout)
	}
}
