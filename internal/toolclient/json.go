package toolclient

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
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
	plain := make([]byte, 0, len(raw)+1)
	for i := 0; i < len(raw); i++ {
		if raw[i] != '\\' {
			plain = append(plain, raw[i])
			continue
		}
		escape := raw[i:min(i+6, len(raw))]
		switch string(escape) {
		case `\u003c`, `\u003e`, `\u0026`:
			plain = append(plain, map[byte]byte{'c': '<', 'e': '>', '6': '&'}[escape[5]])
			i += 5
		default: // keep the escape and what it escapes
			plain = append(plain, escape[:2]...)
			i++
		}
	}
	return plain
}
