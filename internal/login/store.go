package login

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/gofrs/flock"
	"github.com/zalando/go-keyring"
)

// A Store keeps logins in a folder: one file per address of Outline, with the account and,
// without a keyring, the tokens.
type Store struct{ folder string }

// Open returns the store of the user whose environment getenv reads. Nothing is created.
//
// The folder depends on as little of the environment as possible, because AI clients start
// servers with few variables: XDG_CONFIG_HOME, for one, would be missing.
func Open(goos string, getenv func(string) string) (*Store, error) {
	home, parts := "HOME", []string{".config"}
	switch goos {
	case "windows":
		home, parts = "APPDATA", nil
	case "darwin":
		parts = []string{"Library", "Application Support"}
	}
	folder := getenv(home)
	if folder == "" {
		return nil, fail(Storage, home+" is not set, so there is no place for a login; set it, or use an API key (OUTLINE_API_KEY)")
	}
	return &Store{filepath.Join(append(append([]string{folder}, parts...), "outline-mcp")...)}, nil
}

// Folder returns where the store is.
func (s *Store) Folder() string { return s.folder }

// An entry is the content of a file. Generation changes with the tokens, so that others
// need not ask the keyring at each call.
type entry struct {
	Account

	Generation string  `json:"generation"`
	Tokens     *tokens `json:"tokens,omitempty"`
}

// path returns the file of an address, which begins with the host for those who look.
func (s *Store) path(base string) string {
	sum := sha256.Sum256([]byte(base))
	host := "outline"
	if u, err := url.Parse(base); err == nil {
		host = strings.Map(func(r rune) rune {
			if r == '.' || r == '-' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' {
				return r
			}
			return '_'
		}, u.Hostname())
	}
	return filepath.Join(s.folder, host[:min(len(host), 100)]+"-"+hex.EncodeToString(sum[:4])+".json")
}

// Account returns the login of an address. The error is of the reason NotLoggedIn if there
// is none.
func (s *Store) Account(base string) (Account, error) {
	e, err := s.read(base)
	return e.Account, err
}

// Accounts returns all logins, sorted by host. With a file that is damaged, it returns the
// others and an error.
func (s *Store) Accounts() ([]Account, error) {
	files, err := filepath.Glob(filepath.Join(s.folder, "*.json"))
	if err != nil {
		return nil, err
	}
	var all []Account
	for _, file := range files {
		var e entry
		content, failed := os.ReadFile(file)
		switch {
		case failed == nil && json.Unmarshal(content, &e) == nil && s.path(e.Outline) == file:
			all = append(all, e.Account)
		default:
			err = fail(Ended, file+" is damaged. Run outline-mcp login with the address of your Outline, which replaces it, or delete the file")
		}
	}
	return all, err
}

// WithAddress returns an environment with OUTLINE_API_URL set to the address of the only
// login of its user, if it names neither an Outline nor a key and does not serve over HTTP.
// Lookup reads a variable of an environment.
func WithAddress(goos string, environ []string, lookup func(environ []string, name string) string) []string {
	getenv := func(name string) string { return lookup(environ, name) }
	stdio := slices.Contains([]string{"", "stdio"}, strings.ToLower(strings.TrimSpace(getenv("MCP_TRANSPORT")))) // http has other names
	if getenv("OUTLINE_API_URL")+getenv("OUTLINE_API_KEY")+getenv("OUTLINE_API_KEY_FILE") != "" || !stdio {
		return environ
	}
	store, err := Open(goos, getenv)
	if err != nil {
		return environ
	}
	accounts, err := store.Accounts()
	if err != nil || len(accounts) != 1 {
		return environ
	}
	return append(slices.Clip(environ), "OUTLINE_API_URL="+Address(accounts[0].Outline))
}

// read returns the entry of an address.
func (s *Store) read(base string) (entry, error) {
	content, err := os.ReadFile(s.path(base))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return entry{}, notLoggedIn(base)
	case err != nil:
		return entry{}, fail(Storage, "the login cannot be read: "+err.Error()+"; make the file readable for yourself")
	}
	var e entry
	if json.Unmarshal(content, &e) != nil || e.Outline != base {
		return entry{}, fail(Ended, s.path(base)+" is damaged. Run outline-mcp login "+Address(base)+", which replaces it")
	}
	return e, nil
}

// secrets returns the tokens of an entry.
func (s *Store) secrets(e entry) (tokens, error) {
	if !e.Keyring {
		if e.Tokens == nil {
			return tokens{}, endedError(e.Outline)
		}
		return *e.Tokens, nil
	}
	held, err := fromKeyring(e.Outline)
	if err != nil {
		return tokens{}, err
	}
	var t tokens
	if json.Unmarshal([]byte(held), &t) != nil || t.Access == "" {
		return tokens{}, endedError(e.Outline)
	}
	return t, nil
}

// save stores an entry with its tokens. The tokens are stored first: whoever sees the new
// generation finds them.
func (s *Store) save(e entry, t tokens) error {
	e.Generation, e.Tokens = rand.Text(), nil
	if !e.Keyring {
		e.Tokens = &t
	} else if err := toKeyring(e.Outline, t); err != nil {
		return err
	}
	return s.write(e)
}

// write replaces the file of an entry at once, so that nobody reads half of it.
func (s *Store) write(e entry) error {
	content, err := json.MarshalIndent(e, "", "  ")
	if err != nil {
		return err
	}
	file, err := s.temporary()
	if err != nil {
		return err
	}
	_, err = file.Write(append(content, '\n'))
	if err == nil {
		err = file.Sync()
	}
	if closing := file.Close(); err == nil {
		err = closing
	}
	if err == nil {
		err = os.Rename(file.Name(), s.path(e.Outline))
	}
	if err != nil {
		_ = os.Remove(file.Name())
		return s.unwritable(err)
	}
	return nil
}

// temporary creates a file that only the user can read.
func (s *Store) temporary() (*os.File, error) {
	if err := os.MkdirAll(s.folder, 0o700); err != nil {
		return nil, s.unwritable(err)
	}
	file, err := os.CreateTemp(s.folder, ".new-*")
	if err != nil {
		return nil, s.unwritable(err)
	}
	return file, nil
}

func (s *Store) unwritable(err error) *Error {
	return fail(Storage, fmt.Sprintf("the login cannot be stored in %s: %s; make the folder writable for yourself and run the command again, or use an API key (OUTLINE_API_KEY)", s.folder, cause(err)))
}

// cause returns what a file operation failed of, without the path, which is shown already.
func cause(err error) string {
	if failed, ok := errors.AsType[*fs.PathError](err); ok {
		return failed.Err.Error()
	}
	return err.Error()
}

// prepare reports whether a login could be stored, before anything else is done for it.
// clean removes what prepare has created, if nothing has been stored in it.
func (s *Store) prepare() (clean func(), err error) {
	var made []string
	for folder := s.folder; folder != filepath.Dir(folder); folder = filepath.Dir(folder) {
		if _, err := os.Stat(folder); err == nil {
			break
		}
		made = append(made, folder)
	}
	clean = func() {
		for _, folder := range made {
			_ = os.Remove(folder) // fails if there is something in it
		}
	}
	file, err := s.temporary()
	if err != nil {
		clean()
		return nil, err
	}
	_ = file.Close()
	_ = os.Remove(file.Name())
	return clean, nil
}

// remove forgets a login, whose lock is held.
func (s *Store) remove(e entry) error {
	if e.Keyring {
		if err := dropFromKeyring(e.Outline); err != nil {
			return err
		}
	}
	if err := os.Remove(s.path(e.Outline)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return s.unwritable(err)
	}
	_ = os.Remove(s.lockPath(e.Outline)) // Windows keeps it, because it is held
	_ = os.Remove(s.folder)              // fails if there is another login
	return nil
}

// lockWithin is how long to wait for another process, which may be waiting for Outline.
const lockWithin = 2 * requestTimeout

// lock lets one process at a time change the entry of an address. The lock is the
// operating system's: it ends with the process.
func (s *Store) lock(ctx context.Context, base string) (unlock func(), err error) {
	if err := os.MkdirAll(s.folder, 0o700); err != nil {
		return nil, s.unwritable(err)
	}
	ctx, cancel := context.WithTimeout(ctx, lockWithin)
	defer cancel()
	for {
		held := flock.New(s.lockPath(base), flock.SetPermissions(0o600))
		if ok, err := held.TryLockContext(ctx, 20*time.Millisecond); err != nil && ctx.Err() == nil {
			return nil, s.unwritable(err)
		} else if !ok {
			return nil, fail(Unavailable, "another outline-mcp has been renewing the login for "+lockWithin.String()+"; try again")
		}
		mine, err := held.Stat()
		if there, missing := os.Stat(s.lockPath(base)); err != nil || missing == nil && os.SameFile(mine, there) {
			return func() { _ = held.Unlock() }, nil
		}
		_ = held.Unlock() // it was removed by a logout meanwhile, so others lock another one
		if err := os.MkdirAll(s.folder, 0o700); err != nil {
			return nil, s.unwritable(err)
		}
	}
}

func (s *Store) lockPath(base string) string {
	return strings.TrimSuffix(s.path(base), ".json") + ".lock"
}

// service is the name of the program in the keyring. The user of an entry is the address.
const service = "outline-mcp"

// keyringTimeout is how long the keyring may take. It may ask the user to unlock it.
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
		return "", endedError(base)
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

// within gives the keyring a time limit: one that waits for the user would keep a call
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
