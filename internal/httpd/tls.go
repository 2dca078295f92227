package httpd

import (
	"crypto/tls"
	"fmt"

	"outline-mcp/internal/reload"
)

// newCertificate reads the pair of PEM files of TLS, which may be replaced while the
// server runs, when the certificate is renewed.
func newCertificate(o Options) (*reload.Value[*tls.Certificate], error) {
	read := func() (*tls.Certificate, error) {
		pair, err := tls.LoadX509KeyPair(o.CertFile, o.KeyFile)
		return &pair, err
	}
	certificate, err := reload.New(reload.Options{What: "TLS certificate", Files: []string{o.CertFile, o.KeyFile}, Set: o.Files, Log: o.Log}, read)
	if err != nil {
		return nil, fmt.Errorf("read the certificate of MCP_TLS_CERT and MCP_TLS_KEY: %w", err)
	}
	return certificate, nil
}
