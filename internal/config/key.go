package config

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"outline-mcp/outline"
)

// checkKey reports an API key that cannot be one. If a file is named, it reads
// the key from there.
func (c *Config) checkKey(found *problems) {
	if err := validateKey(c.APIKey); err != nil {
		found.add("OUTLINE_API_KEY", "%s", err)
	}
	if c.APIKeyFile == "" {
		return
	}
	const name = "OUTLINE_API_KEY_FILE"
	if c.APIKey != "" {
		found.add(name, "OUTLINE_API_KEY is also set; set only one of them")
		return
	}
	key, err := readKeyFile(c.APIKeyFile)
	if err != nil {
		found.add(name, "%s; set the path of a file that contains only the key", err)
	} else if err := validateKey(key); err != nil {
		found.add(name, "%s", err)
	} else {
		c.APIKey = key
	}
}

// maxKeyFile is the size of the largest key file, in bytes.
const maxKeyFile = 4 << 10

// readKeyFile returns the key in a file, without the newline at its end. The
// file may be a pipe. Errors name the file, unless its name may be a key.
func readKeyFile(path string) (Secret, error) {
	if outline.Redact(path) != path && !strings.ContainsAny(path, `/\`) {
		return "", errors.New("is a key, not a path; set it as OUTLINE_API_KEY")
	}
	content, err := readLimited(path, "key", maxKeyFile, ", too long for a key")
	if err != nil {
		return "", err
	}
	key := Secret(strings.TrimSpace(content))
	if key == "" {
		return "", fmt.Errorf("%s is empty", path)
	}
	return key, nil
}

// readLimited returns the content of a file, which may be a pipe, of at most
// limit bytes. Errors name the file, unless its name may be a key, and what it
// holds; that of a larger file ends with reason.
func readLimited(path, what string, limit int64, reason string) (string, error) {
	file, err := os.Open(path)
	if err != nil {
		return "", fmt.Errorf("the %s cannot be read: %w", what, withoutKey(err, path))
	}
	defer file.Close()
	content, err := io.ReadAll(io.LimitReader(file, limit+1))
	if err != nil {
		return "", fmt.Errorf("the %s cannot be read: %w", what, err)
	}
	if int64(len(content)) > limit {
		return "", fmt.Errorf("%s is longer than %d bytes%s", path, limit, reason)
	}
	return string(content), nil
}

// validateKey returns an error that says why a key cannot be one and what to
// do, without showing it. An empty key is valid.
func validateKey(key Secret) error {
	value := key.Reveal()
	lower := strings.ToLower(value)
	switch {
	case strings.ContainsAny(value, "${}"):
		return errors.New("contains a variable that the client did not expand; replace it with the actual key, or set the variable in the client's environment")
	case strings.ContainsAny(value, "<>") || strings.Contains(lower, "your-api-key") || strings.Contains(lower, "your_api_key") || strings.HasSuffix(value, "..."):
		return errors.New("contains a placeholder; replace it with the actual key, created in Outline under " + outline.KeysPage)
	case strings.Contains(value, "://"):
		return errors.New("is an address; the key begins with ol_api_")
	case strings.HasPrefix(lower, "bearer "):
		return errors.New("begins with Bearer, which is not part of a key; remove Bearer")
	case strings.ContainsFunc(value, func(r rune) bool { return r <= ' ' || r > '~' }):
		return errors.New("contains spaces or characters that no key contains; copy it again, on one line")
	}
	return nil
}
