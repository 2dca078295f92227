package explain

import (
	"errors"

	"outline-mcp/outline"
)

// Advised adds the advice for its remedy to the message of an error of the Outline
// client, for places that show the error itself, such as a log. Other errors are
// returned unchanged.
func Advised(err error) error {
	var cause *outline.Error
	if !errors.As(err, &cause) {
		return err
	}
	return advised(cause)
}

// advised returns a copy of an error whose message ends with the advice.
func advised(e *outline.Error) *outline.Error {
	advice := *e
	if what := remedies[e.Remedy]; what != "" {
		if e.Remedy == outline.CheckGateway && !errors.Is(e, outline.ErrBadAnswer) {
			what = "if this goes on, " + what
		}
		advice.Message += "; " + what
	}
	return &advice
}

// remedies is how the operator of this server applies each remedy.
var remedies = map[outline.Remedy]string{
	outline.SetCredential:       "set OUTLINE_API_KEY",
	outline.CheckCredential:     "check OUTLINE_API_KEY",
	outline.CheckAddress:        "check OUTLINE_API_URL, or run outline-mcp doctor",
	outline.CheckAddressNetwork: "check OUTLINE_API_URL and the network",
	outline.CheckAddressServer:  "check OUTLINE_API_URL and whether Outline is running",
	outline.CheckGateway:        "check OUTLINE_API_URL and what is in front of Outline, or run outline-mcp doctor",
	outline.CheckProxy:          "check HTTPS_PROXY and HTTP_PROXY",
	outline.TrustIssuer:         "if its issuer is a private one, name the issuer's certificate in OUTLINE_CA_FILE",
	outline.RaiseAnswerLimit:    "raise OUTLINE_MAX_ANSWER_BYTES or ask for less",
}
