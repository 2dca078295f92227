package text

import (
	"regexp"
	"sync"
)

// pattern returns a regular expression that is compiled on first use. The
// workspace is part of a program that rarely uses it and must start fast.
func pattern(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}
