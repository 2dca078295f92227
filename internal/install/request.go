package install

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"outline-mcp/internal/config"
	"outline-mcp/outline"
)

// Placeholder stands for the key in an entry that is printed: what is printed
// is often shown to others.
const Placeholder = "ol_api_..."

// Request is what the command line says about an entry.
type Request struct {
	Client Client
	Server      // as flags describe it: Outline as the address was given, KeyFile by any path
	Print  bool // the entry is printed, so nothing is asked and it holds no key

	TokenFile string // the file that holds the token of the server at URL

	// Getenv returns a variable of the environment, "" if it is not set.
	Getenv func(name string) string
	// Ask asks the user at the terminal for what is missing, until check accepts the
	// answer. It is nil if there is no terminal.
	Ask func(ctx context.Context, question string, secret bool, check func(line string) (string, error)) (string, error)
	// Locate returns the address at which the Outline of an address answers, or an
	// error if something else does. nil keeps the address.
	Locate func(ctx context.Context, address string) (string, error)
	// LoggedIn reports whether the user is logged in to the Outline of an address, and
	// LogIn logs them in. nil: logging in is not offered.
	LoggedIn func(address string) bool
	LogIn    func(ctx context.Context, address string) error
}

// Check returns the server as far as flags describe it. It asks no questions.
func (r Request) Check() (Server, error) {
	server := r.Server
	server.Outline, server.KeyFile = "", ""
	var err error
	switch {
	case r.Login && (r.URL == "" || r.KeyFile != ""):
		return server, errors.New("--login is for a server that users log in to; name it with --url, and leave out --key-file; to log in on this computer, run outline-mcp login first")
	case r.Demo && (r.URL != "" || r.Outline != "" || r.KeyFile != ""):
		return server, errors.New("--demo serves the sample workspace; leave out --url, --outline-url and --key-file")
	case r.URL != "" && (r.Outline != "" || r.Command != ""):
		return server, errors.New("--url is the address of a running server; leave out --outline-url and --command")
	case r.URL != "":
		if server.URL, err = config.CheckURL(r.URL); err != nil {
			return server, fmt.Errorf("--url: %w", err)
		}
		if config.TravelsInClear(server.URL) {
			return server, errors.New("--url: with http://, others on the network could read what you send; use an address that begins with https://")
		}
		if server.Token, err = r.token(); err != nil {
			return server, err
		}
	case r.TokenFile != "":
		return server, errors.New("--token-file is for a server with tokens; name it with --url")
	default:
		if server.Command, err = programPath(r.Command); err != nil {
			return server, err
		}
	}
	if !r.Demo && !r.Login {
		err = r.readKeyFile(&server)
	}
	return server, err
}

// token returns the token in the file that the command line names, "" without one.
func (r Request) token() (string, error) {
	if r.TokenFile == "" {
		return "", nil
	}
	content, err := os.ReadFile(r.TokenFile)
	if err != nil {
		return "", fmt.Errorf("the token file cannot be used: %w", err)
	}
	tokens, err := config.ParseSecrets(string(content))
	switch {
	case err != nil:
		return "", fmt.Errorf("the token file cannot be used: %w", err)
	case len(tokens) != 1:
		return "", fmt.Errorf("the token file cannot be used: it holds %d tokens, and the entry needs one", len(tokens))
	case r.Print:
		return "...", nil
	}
	return tokens[0].Reveal(), nil
}

// readKeyFile sets the path of the file that holds the key or, for a server
// over HTTP, the key in it.
func (r Request) readKeyFile(server *Server) error {
	keyFile := r.KeyFile
	if keyFile == "" {
		if keyFile = r.Getenv("OUTLINE_API_KEY_FILE"); keyFile != "" && r.Getenv("OUTLINE_API_KEY") != "" {
			return errors.New("OUTLINE_API_KEY and OUTLINE_API_KEY_FILE are both set; set only one of them, or give --key-file")
		}
	}
	asks := server.URL != "" && r.Client.AsksForKey(*server)
	switch {
	case asks && r.KeyFile != "":
		return fmt.Errorf("%s asks for the key of such a server itself; leave out --key-file", r.Client.Title)
	case asks || keyFile == "":
		return nil
	}
	path, err := filepath.Abs(keyFile)
	if err != nil {
		return err
	}
	if info, err := os.Stat(path); server.URL == "" && (ofProcess(path, 40) || err == nil && !info.Mode().IsRegular()) {
		return errors.New("the key file cannot be used: it is not a regular file; the server reads it each time it starts, so name a file that stays")
	}
	key, err := config.ReadKey(keyFile)
	if err != nil {
		return fmt.Errorf("the key file cannot be used: %w", err)
	}
	if server.URL != "" {
		server.Key = key.Reveal()
	} else {
		server.KeyFile = path
	}
	return nil
}

// ofProcess reports whether a path is, or with so many links leads to, a file of this
// process. Its standard input can be a regular file, but that of the server is its client.
func ofProcess(path string, links int) bool {
	if path == "/dev/stdin" || strings.HasPrefix(path, "/dev/fd/") || strings.HasPrefix(path, "/proc/") {
		return true
	}
	next, err := os.Readlink(path)
	if err == nil && !filepath.IsAbs(next) {
		next = filepath.Join(filepath.Dir(path), next)
	}
	return err == nil && links > 0 && ofProcess(next, links-1)
}

// Complete adds the address of Outline and the key to a server, from the
// environment or from the user at the terminal.
func (r Request) Complete(ctx context.Context, server Server) (Server, error) {
	if server.Demo {
		return server, nil
	}
	if server.URL == "" {
		given, address, err := r.outline(ctx)
		if err != nil {
			return server, err
		}
		if !isSame(address, config.DefaultOutline) {
			server.Outline, server.Taken = address, !isSame(given, address)
		}
	}
	address := cmp.Or(server.Outline, config.DefaultOutline)
	local := server.URL == "" && server.KeyFile == "" && r.Getenv("OUTLINE_API_KEY") == "" && !r.Print
	switch {
	case local && r.LoggedIn != nil && r.LoggedIn(address):
		server.Login = true
		return server, nil
	case !r.Client.NeedsKey(server) || server.Key != "" && !r.Print:
		return server, nil
	}
	key, err := r.key(ctx, local && r.LogIn != nil)
	if err == nil && key == "" {
		server.Login = true
		return server, r.LogIn(ctx, address)
	}
	server.Key = key
	return server, err
}

// Decide asks the user at the terminal for what a client does only with their consent, unless
// flags say so.
func (r Request) Decide(ctx context.Context, server Server) (Server, error) {
	decide := func(flag *bool, setting, question string) error {
		if r.Ask == nil || r.Print || setting == "" || *flag {
			return nil
		}
		answer, err := r.Ask(ctx, question+" [y/N]: ", false, func(line string) (string, error) { return strings.ToLower(strings.TrimSpace(line)), nil })
		*flag = answer == "y" || answer == "yes"
		return err
	}
	err := decide(&server.LongAnswers, r.Client.Limit, fmt.Sprintf("%s cuts long answers. Let it show up to %d tokens of an answer, of all its tools (%s)?", r.Client.Title, longAnswers, r.Client.Limit))
	if err == nil {
		err = decide(&server.AllowWrites, r.Client.Approves, fmt.Sprintf("Without you, as in codex exec, it refuses calls that write. Let models change and delete documents without asking you, in all sessions (%s)?", r.Client.Approves))
	}
	return server, err
}

// outline returns what was given as the address of Outline, and the address in it:
// "" for the default.
func (r Request) outline(ctx context.Context) (given, address string, err error) {
	given = cmp.Or(r.Outline, r.Getenv("OUTLINE_API_URL"))
	other := r.otherName("OUTLINE_API_URL")
	switch {
	case given != "":
		if address, err = r.locate(ctx, given); err != nil {
			err = fmt.Errorf("the address of Outline: %w", err)
		}
	case r.Print:
	case r.Ask != nil:
		address, err = r.Ask(ctx, "Address of your Outline, as in the browser ["+config.DefaultOutline+"]: ", false, func(line string) (string, error) {
			if given = strings.TrimSpace(line); given == "" {
				return "", nil
			}
			return r.locate(ctx, given)
		})
	case other != "":
		err = errors.New(other + "; set that, or give --outline-url")
	}
	return given, address, err
}

// locate returns the address of Outline in what was pasted.
func (r Request) locate(ctx context.Context, pasted string) (string, error) {
	address, err := config.OutlineAddress(pasted)
	if err != nil || r.Locate == nil || r.Print {
		return address, err
	}
	return r.Locate(ctx, address)
}

// isSame reports whether two addresses of Outline are the same, with or without
// /api.
func isSame(a, b string) bool {
	plain := func(address string) string {
		address = strings.TrimSuffix(strings.TrimRight(strings.ToLower(address), "/"), "/api")
		return strings.TrimRight(address, "/")
	}
	return plain(a) == plain(b)
}

// otherName says that a setting is set only under a name that other programs give
// it, or returns "".
func (r Request) otherName(setting string) string {
	for _, other := range config.OtherNames(setting) {
		if r.Getenv(other) != "" {
			return fmt.Sprintf("%s is set, but the setting is called %s", other, setting)
		}
	}
	return ""
}

// key returns the API key from the environment or from the user, or "" if login is set
// and the user rather logs in.
func (r Request) key(ctx context.Context, login bool) (string, error) {
	check := func(line string) (string, error) {
		if login && strings.TrimSpace(line) == "" {
			return "", nil
		}
		key, err := config.CheckKey(line)
		if err != nil {
			return "", fmt.Errorf("the key %w", err)
		}
		return key.Reveal(), nil
	}
	other := r.otherName("OUTLINE_API_KEY")
	switch given := r.Getenv("OUTLINE_API_KEY"); {
	case r.Print:
		return Placeholder, nil
	case given != "":
		key, err := check(given)
		if err != nil {
			return "", fmt.Errorf("OUTLINE_API_KEY: %w", err)
		}
		return key, nil
	case r.Ask != nil:
		question := "API key, created in Outline under " + outline.KeysPage + " (input is hidden): "
		if login {
			question = "Press Enter to log in with your browser, or paste an API key, created in Outline under " + outline.KeysPage + " (input is hidden): "
		}
		if other != "" {
			question = "(" + other + ".) " + question
		}
		return r.Ask(ctx, question, true, check)
	case other != "":
		return "", errors.New(other + "; set that, or give --key-file FILE")
	}
	return "", errors.New("nobody is logged in, no API key is set, and there is no terminal to ask; run outline-mcp login with the address of your Outline first, set OUTLINE_API_KEY, give --key-file FILE, or use --demo for the sample workspace")
}

// Origins returns the variables that the address and the key of the entry come from, which
// the user may not know to be set.
func (r Request) Origins() []string {
	var names []string
	if r.Outline+r.URL == "" && r.Getenv("OUTLINE_API_URL") != "" {
		names = append(names, "OUTLINE_API_URL")
	}
	if r.KeyFile == "" && r.Getenv("OUTLINE_API_KEY") != "" && !r.Login {
		names = append(names, "OUTLINE_API_KEY")
	}
	return names
}

// Ignored returns the settings in the environment that an entry does not get.
func (r Request) Ignored() []string {
	var names []string
	for _, setting := range config.Settings() {
		prefixed := strings.HasPrefix(setting.Name, "OUTLINE_") || strings.HasPrefix(setting.Name, "MCP_")
		if prefixed && !ownVariable(setting.Name) && r.Getenv(setting.Name) != "" {
			names = append(names, setting.Name)
		}
	}
	return names
}

// programPath returns the program that an entry starts: the named one, or the
// running one for "". A path is made absolute, because clients start programs
// in other folders. A name without a path is left to the client to find.
func programPath(named string) (string, error) {
	if named != "" {
		if !strings.ContainsAny(named, `/\`) {
			return named, nil
		}
		return filepath.Abs(named)
	}
	path, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("the path of this program is unknown (%w); give it with --command PATH", err)
	}
	if isTemporary(path) {
		return "", errors.New("go run deletes this program when it ends; install it with go install ./cmd/outline-mcp and run outline-mcp install again, or give --command PATH")
	}
	// Prefer the path it was called by: a link may outlast an update.
	if called, err := exec.LookPath(os.Args[0]); err == nil {
		if target, err := filepath.EvalSymlinks(called); err == nil && target == path {
			return filepath.Abs(called)
		}
	}
	return path, nil
}

// isTemporary reports whether the Go tool built a program only to run it: in
// the folder of one build, or in its cache, which it cleans.
func isTemporary(path string) bool {
	for folder := range strings.SplitSeq(filepath.ToSlash(path), "/") {
		if strings.TrimRight(folder, "0123456789") == "go-build" {
			return true
		}
	}
	return false
}
