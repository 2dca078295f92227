package toolclient

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

// WriteJSON writes JSON, indented and with its keys in the order given. It writes
// <, > and & as they are: encoding/json escapes them for the sake of web pages.
func WriteJSON(w io.Writer, raw json.RawMessage) error {
	var indented bytes.Buffer
	if err := json.Indent(&indented, raw, "", "  "); err != nil {
		return fmt.Errorf("indent JSON: %w", err)
	}
	unescape := strings.NewReplacer(`\\`, `\\`, `\u003c`, "<", `\u003e`, ">", `\u0026`, "&") // \\u003c is no escape
	_, err := io.WriteString(w, unescape.Replace(indented.String())+"\n")
	return err
}
