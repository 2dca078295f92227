package text

import (
	"regexp"
	"sync"
)

// pattern returns a regular expression that is compiled with its first use. The
// program has this workspace in it wherever it starts, and mostly does not use
// it.
func pattern(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}
