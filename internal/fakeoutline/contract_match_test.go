package fakeoutline

import (
	"outline-mcp/internal/fakeoutline/api"
	"regexp"
	"strings"
	"testing"
	"time"
)

var mentionID = regexp.MustCompile(`mention://[0-9a-f-]{36}/`)

// matchNew makes an answer comparable with a recorded one in what is new in
// both: the IDs of new objects, which must stand in the same places, and the
// time of the call, for which the recording has whatever time it was.
func matchNew(t *testing.T, w *Workspace, have, want any) (any, any) {
	t.Helper()
	now := w.store.now().Truncate(time.Millisecond)
	pairs := make(map[string]string)
	var walk func(path string, have, want any)
	walk = func(path string, have, want any) {
		switch want := want.(type) {
		case map[string]any:
			have, _ := have.(map[string]any)
			for key, value := range want {
				walk(key, have[key], value)
			}
		case []any:
			have, _ := have.([]any)
			for i := range min(len(have), len(want)) {
				walk(path, have[i], want[i])
			}
		case string:
			have, _ := have.(string)
			_, err := time.Parse(time.RFC3339, want)
			at, _ := time.Parse(time.RFC3339, have)
			// What is published at its creation is so a step later.
			ofCall := at.Equal(now) || path == "publishedAt" && at.Equal(now.Add(time.Millisecond))
			switch {
			case have == want:
			case api.IsUUID(want) && api.IsUUID(have) && !w.store.taken(want), path == "urlId" && len(have) == len(want) && w.store.byURLID[want] == "":
				pairs[have] = want
			case err == nil && ofCall:
				pairs[have+"@"+path] = want
			}
		}
	}
	walk("", have, want)
	var replace func(path string, value any) any
	replace = func(path string, value any) any {
		switch value := value.(type) {
		case map[string]any:
			for key := range value {
				value[key] = replace(key, value[key])
			}
		case []any:
			for i := range value {
				value[i] = replace(path, value[i])
			}
		case string:
			if other, ok := pairs[value+"@"+path]; ok {
				return other
			}
			for from, to := range pairs {
				value = strings.ReplaceAll(value, from, to)
			}
			return mentionID.ReplaceAllString(value, "mention://new/")
		}
		return value
	}
	return replace("", have), replace("", want)
}
