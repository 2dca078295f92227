package main

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"outline-mcp/internal/config"
)

// healthTimeout is how long the server may take to answer.
const healthTimeout = 3 * time.Second

func healthcheckCommand(p process) *cobra.Command {
	return &cobra.Command{
		Use:   "healthcheck",
		Short: "Ask the server of this machine's settings whether it lives; for containers without a shell",
		Long: "healthcheck asks /health of the server that the same settings start over HTTP, and exits 0 if it answers, 1 if not.\n" +
			"With the transport stdio there is nothing to ask, and it exits 0. A container says MCP_TRANSPORT=http for it, not serve --transport.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			// Only the settings that locate the server: it reports problems with
			// the others itself.
			p.environ = slices.DeleteFunc(slices.Clone(p.environ), func(variable string) bool {
				name, _, _ := strings.Cut(variable, "=")
				return !slices.Contains([]string{"MCP_TRANSPORT", "MCP_HOST", "MCP_PORT", "MCP_TLS_CERT", "MCP_TLS_KEY"}, name)
			})
			loaded, err := loadConfig(p, false)
			if err != nil {
				return err
			}
			if loaded.Transport != config.HTTP {
				return nil
			}
			if err := askHealth(cmd.Context(), loaded); err != nil {
				return failure(err)
			}
			return nil
		},
	}
}

// askHealth asks the server on this machine. It does not verify the
// certificate, which is issued for the name that clients use.
func askHealth(ctx context.Context, c config.Config) error {
	ctx, cancel := context.WithTimeout(ctx, healthTimeout)
	defer cancel()
	host := strings.Trim(c.Host, "[]")
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1" // it listens there too; a container may not resolve names
	}
	scheme := "http"
	if c.TLSCert != "" {
		scheme = "https"
	}
	address := fmt.Sprintf("%s://%s/health", scheme, net.JoinHostPort(host, strconv.Itoa(c.Port)))
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return fmt.Errorf("ask %s: %w", address, err)
	}
	// Not the default transport, which would use a proxy.
	transport := &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, DisableKeepAlives: true}
	response, err := (&http.Client{Transport: transport}).Do(request)
	if err != nil {
		return fmt.Errorf("the server does not answer: %w", err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("the server answers %s with status %d", address, response.StatusCode)
	}
	return nil
}
