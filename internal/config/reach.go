package config

import (
	"crypto/x509"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"strings"
	"unicode/utf8"

	"outline-mcp/outline"
)

// withoutKey returns the error of opening a file, without the file's name if
// that may be a key: a long name without a folder.
func withoutKey(err error, path string) error {
	var failure *fs.PathError
	if errors.As(err, &failure) && utf8.RuneCountInString(path) >= 20 && !strings.ContainsAny(path, `/\`) {
		return fmt.Errorf("%s the file: %w", failure.Op, failure.Err)
	}
	return err
}

// checkReach reports an address of Outline or a file of certificates that cannot
// be used.
func (c *Config) checkReach(found *problems) {
	if err := validateURL(c.APIURL); err != nil {
		found.add("OUTLINE_API_URL", "%s", err)
	} else if _, err := outline.ParseBaseURL(c.APIURL); err != nil {
		found.add("OUTLINE_API_URL", "%s", err)
	}
	checkHosts(found, "OUTLINE_URL_ALIASES", c.URLAliases)
	if c.CAFile != "" {
		if err := checkCertificates(c.CAFile); err != nil {
			found.add("OUTLINE_CA_FILE", "%s; set the path of a PEM file", err)
		}
	}
	checkPair(found, "OUTLINE_CLIENT_CERT", c.ClientCert, "OUTLINE_CLIENT_KEY", c.ClientKey)
	c.checkHeaders(found)
}

// validateURL returns an error that says why an address cannot be one and what
// to do, without showing it: it may hold a password.
func validateURL(address string) error {
	address = strings.Trim(address, " \t\r\n\"'`“”‘’")
	scheme, rest, found := strings.Cut(address, "://")
	switch {
	case strings.HasPrefix(address, "$"), strings.Contains(address, "${"), strings.Contains(address, "{{"):
		return errors.New("contains a variable that the client did not expand; replace it with the actual address, or set the variable in the client's environment")
	case !found && strings.Contains(address, "@"):
		return errors.New("the address contains a user name or password and has no scheme; remove everything up to the @ and put https:// in front")
	case !found:
		return errors.New("the address has no scheme; write https:// in front of it")
	case !strings.EqualFold(scheme, "https") && !strings.EqualFold(scheme, "http"):
		return errors.New("the address must begin with https:// (or http://)")
	case strings.ContainsAny(rest, "?#"):
		return errors.New("the address has a query or a fragment; remove everything from ? or # on")
	}
	u, err := url.Parse(address)
	switch {
	case err != nil:
		return errors.New("the address is not a valid URL; use one such as https://wiki.example.com")
	case u.User != nil:
		return errors.New("the address contains a user name or password; remove everything up to the @")
	case u.Hostname() == "":
		return errors.New("the address has no host; use one such as https://wiki.example.com")
	}
	return nil
}

// checkCertificates returns an error if a file cannot be read or holds no
// certificate.
func checkCertificates(path string) error {
	pem, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("the certificates cannot be read: %w", withoutKey(err, path))
	}
	if !x509.NewCertPool().AppendCertsFromPEM(pem) {
		return fmt.Errorf("%s contains no PEM certificate", path)
	}
	return nil
}
