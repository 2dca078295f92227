package text

import "strings"

// ParseBool returns the boolean that s stands for: true, t, 1, yes, y or on, or
// false, f, 0, no, n or off, in any case and with spaces around it. ok is false
// for anything else.
func ParseBool(s string) (value, ok bool) {
	switch strings.ToLower(strings.TrimSpace(s)) {
	case "true", "t", "1", "yes", "y", "on":
		return true, true
	case "false", "f", "0", "no", "n", "off":
		return false, true
	}
	return false, false
}
