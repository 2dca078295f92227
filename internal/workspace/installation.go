package workspace

import "outline-mcp/internal/workspace/api"

// installationInfo is installation.info: which Outline the workspace plays.
func (s *store) installationInfo(*request) (api.Answer, error) {
	return api.Answer{
		Data: api.Encode(struct {
			Version        string `json:"version"`
			LatestVersion  string `json:"latestVersion"`
			VersionsBehind int    `json:"versionsBehind"`
		}{outlineVersion, outlineVersion, 0}),
		Policies: api.Array(),
	}, nil
}

// outlineVersion is the release whose behaviour was recorded.
const outlineVersion = "1.9.1"
