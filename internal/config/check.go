package config

import (
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"outline-mcp/internal/netaddr"
)

// DefaultOutline is the address of Outline if none is set: the hosted service.
const DefaultOutline = "https://app.getoutline.com"

// CheckKey returns a key as Load reads it from OUTLINE_API_KEY, without the
// spaces and quotes around it. Errors say what is wrong and what to do, without
// showing the key.
func CheckKey(key string) (Secret, error) {
	cleaned := Secret(clean(key))
	if cleaned == "" {
		return "", errors.New("is empty")
	}
	if err := validateKey(cleaned); err != nil {
		return "", err
	}
	return cleaned, nil
}

// CheckURL returns the address of Outline or of another server as Load reads it
// from OUTLINE_API_URL, without the spaces and quotes around it. Errors say what
// is wrong and what to do, without showing the address.
func CheckURL(address string) (string, error) {
	cleaned := strings.Trim(clean(address), " \t\r\n\"'`“”‘’")
	if err := validateURL(cleaned); err != nil {
		return "", err
	}
	u, err := url.Parse(cleaned)
	if err != nil {
		return "", errors.New("the address is not a valid URL; use one such as https://wiki.example.com")
	}
	if port := u.Port(); port != "" {
		if number, err := strconv.ParseUint(port, 10, 16); err != nil || number == 0 {
			return "", errors.New("the address has an invalid port; ports range from 1 to 65535")
		}
	}
	return cleaned, nil
}

// TravelsInClear reports whether others can read what is sent to an address: it
// leaves this machine unencrypted.
func TravelsInClear(address string) bool {
	u, err := url.Parse(address)
	return err != nil || !strings.EqualFold(u.Scheme, "https") && !netaddr.IsLoopback(u.Hostname())
}

// ReadKey returns the key in a file, as Load reads it from the file that
// OUTLINE_API_KEY_FILE names.
func ReadKey(path string) (Secret, error) {
	key, err := readKeyFile(path)
	if err != nil {
		return "", err
	}
	if err := validateKey(key); err != nil {
		return "", fmt.Errorf("the key in %s %w", path, err)
	}
	return key, nil
}
