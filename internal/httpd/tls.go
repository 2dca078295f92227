package httpd

import (
	"crypto/tls"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"time"
)

// A certificate is a pair of PEM files that may be replaced while the server
// runs, when the certificate is renewed.
type certificate struct {
	certFile, keyFile string
	log               *slog.Logger

	mu     sync.Mutex
	files  [2]version // of the pair that was last read, or tried to be read
	parsed *tls.Certificate
}

// A version tells a file from its replacement.
type version struct {
	modified time.Time
	size     int64
}

// newCertificate reads the pair.
func newCertificate(certFile, keyFile string, log *slog.Logger) (*certificate, error) {
	c := &certificate{certFile: certFile, keyFile: keyFile, log: log}
	c.files = c.versions()
	if err := c.load(); err != nil {
		return nil, fmt.Errorf("read the certificate of MCP_TLS_CERT and MCP_TLS_KEY: %w", err)
	}
	return c, nil
}

func (c *certificate) load() error {
	parsed, err := tls.LoadX509KeyPair(c.certFile, c.keyFile)
	if err == nil {
		c.parsed = &parsed
	}
	return err
}

func (c *certificate) versions() (v [2]version) {
	for i, file := range []string{c.certFile, c.keyFile} {
		if info, err := os.Stat(file); err == nil {
			v[i] = version{info.ModTime(), info.Size()}
		}
	}
	return v
}

// get returns the current pair. While the files do not match, because only one of
// them has been replaced, it returns the last pair that did.
func (c *certificate) get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := c.versions()
	if now == c.files {
		return c.parsed, nil
	}
	c.files = now
	if err := c.load(); err != nil {
		c.log.Warn("cannot use the new TLS certificate; keeping the old one", "error", err)
		return c.parsed, nil
	}
	c.log.Info("TLS certificate replaced")
	return c.parsed, nil
}
