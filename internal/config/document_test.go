package config_test

import (
	"fmt"
	"io"
	"strings"

	"outline-mcp/internal/config"
)

// writeMarkdown writes docs/configuration.md.
func writeMarkdown(w io.Writer) error {
	var b strings.Builder
	b.WriteString("# Configuration\n\n" +
		"<!-- Generated from internal/config/config.go by go generate ./... -->\n\n" +
		"All settings are environment variables. An empty variable counts as unset. The program reports all problems with\n" +
		"them at once and exits with code 2.\n\n" +
		"| variable | default | what it does |\n|---|---|---|\n")
	for _, s := range config.Settings() {
		shown := "–"
		if s.Default != "" {
			shown = "`" + s.Default + "`"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", s.Name, shown, s.Doc)
	}
	b.WriteString("\n## How values are written\n\n" +
		"- Booleans: `true`, `1`, `yes`, `on` and `false`, `0`, `no`, `off`, in any case.\n" +
		"- Durations: with a unit (`30s`, `2m`) or in seconds (`30`).\n" +
		"- Sizes: `32MiB`, `32MB` or in bytes.\n" +
		"- Quotes and spaces around a value are ignored.\n" +
		"- Proxies come from `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY`, as usual ([example](deployment.md#outline-behind-something)).\n\n" +
		"## Example\n\n" +
		"A self-hosted Outline with a certificate of a private authority and the key in a file:\n\n" +
		"```sh\nOUTLINE_API_URL=https://wiki.example.com\nOUTLINE_API_KEY_FILE=/run/secrets/outline-key\nOUTLINE_CA_FILE=/etc/ssl/example-ca.pem\n```\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// writeEnvExample writes .env.example.
func writeEnvExample(w io.Writer) error {
	var b strings.Builder
	b.WriteString("# Settings of outline-mcp, each with its default. Generated from internal/config/config.go.\n")
	for _, s := range config.Settings() {
		fmt.Fprintf(&b, "\n# %s\n# %s=%s\n", s.Doc, s.Name, s.Default)
	}
	_, err := io.WriteString(w, b.String())
	return err
}
