package toolclient

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
)

// WriteJSON writes JSON, indented and with its keys in the order given.
func WriteJSON(w io.Writer, raw json.RawMessage) error {
	var indented bytes.Buffer
	if err := json.Indent(&indented, raw, "", "  "); err != nil {
		return fmt.Errorf("indent JSON: %w", err)
	}
	_, err := w.Write(append(unescapeHTML(indented.Bytes()), '\n'))
	return err
}

// unescapeHTML returns JSON with <, > and & written as they are. encoding/json
// escapes them for the sake of web pages.
func unescapeHTML(raw []byte) []byte {
	escape := regexp.MustCompile(`\\(?:u003c|u003e|u0026|.)`)
	return escape.ReplaceAllFunc(raw, func(escaped []byte) []byte {
		switch string(escaped) {
		case `\u003c`:
			return []byte("<")
		case `\u003e`:
			return []byte(">")
		case `\u0026`:
			return []byte("&")
		}
		return escaped
	})
}
