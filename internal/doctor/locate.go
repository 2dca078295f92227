package doctor

import (
	"context"
	"fmt"
	"net/url"
	"strings"

	"outline-mcp/internal/app"
	"outline-mcp/internal/config"
)

// Locate returns the address at which Outline's API answers: the given one, or
// another path of its host, or the same with https://. It sends no key. If nothing
// answers, or only a proxy or a login in front of Outline, it returns the given
// address. If something else than Outline answers, it returns an error.
func Locate(ctx context.Context, environ []string, version, address string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, 2*requestTimeout)
	defer cancel()
	// The other settings of the shell do not become part of an entry.
	settings := config.Examine(append(inherited(environ), "OUTLINE_API_URL="+address)).Config
	reached, err := app.Reach(app.Options{Config: settings, Version: version})
	if err != nil {
		return "", err
	}
	e := &examination{asker: newAsker(reached, settings.RequestTimeout)}
	defer e.close()
	base, err := url.Parse(e.base)
	if err != nil {
		return "", err
	}
	got := e.request(ctx, e.base, "auth.info", "{}", "")
	if got.status == 0 {
		return address, nil
	}
	found := e.verdict(base, got)
	if secured := "https" + strings.TrimPrefix(e.base, "http"); base.Scheme == "http" && got.status/100 == 3 && e.isOutline(ctx, secured) {
		return strings.TrimSuffix(secured, "/api"), nil
	}
	if !found.elsewhere {
		return address, nil
	}
	if path, is := e.findPath(ctx, base, got); is {
		return base.Scheme + "://" + base.Host + path, nil
	}
	return "", fmt.Errorf("there is no Outline at %s: %s; give the address that Outline has in the browser", address, found.finding)
}
