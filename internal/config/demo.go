package config

import (
	"slices"
	"strings"
)

// WithoutOutline returns an environment without the settings that say how to
// reach Outline. The embedded workspace needs none of them, and a placeholder in
// one must not keep it from starting.
func WithoutOutline(environ []string) []string {
	return slices.DeleteFunc(slices.Clone(environ), func(variable string) bool {
		name, _, _ := strings.Cut(variable, "=")
		return slices.Contains([]string{
			"OUTLINE_API_URL", "OUTLINE_API_KEY", "OUTLINE_API_KEY_FILE", "OUTLINE_CA_FILE",
			"OUTLINE_CLIENT_CERT", "OUTLINE_CLIENT_KEY", outlineHeaders, outlineHeaders + "_FILE",
			oauthClientID, oauthClientSecret, oauthClientSecret + "_FILE",
		}, name)
	})
}
