// Package jsonrpc looks at messages before they are decoded. The MCP library
// decodes a message into values that take up to a hundred times its length.
// This package counts those values. It also keeps the arguments of tools, the
// only part of a message that may be long, from the library.
package jsonrpc

import (
	"bytes"
	"errors"
)

// MaxValues limits the number of values in a message. A batch of 100 documents
// has some hundreds.
const MaxValues = 50_000

// maxDepth limits how deep values are nested.
const maxDepth = 64

// ErrTooMany reports that JSON contains more values than any request needs.
var ErrTooMany = errors.New("it holds more than 50,000 values, or lists and objects nested more than 64 deep")

// Values estimates the number of values in JSON. If there are too many, it
// returns ErrTooMany. It decodes and allocates nothing, and the JSON need not
// be valid.
func Values(data []byte) (int, error) {
	values, depth := 1, 0
	for i := 0; i < len(data); i++ {
		switch data[i] {
		case '"':
			i = endOfString(data, i)
			continue
		case '{', '[':
			values++
			depth++
		case '}', ']':
			depth--
		case ',':
			values++
		default:
			continue
		}
		if values > MaxValues || depth > maxDepth {
			return values, ErrTooMany
		}
	}
	return values, nil
}

// MaxMarks is about how many lines and Markdown marks a text may contain. The
// longest text that Outline accepts has fewer, unless it consists of little
// else.
const MaxMarks = 100_000

// Marks estimates the number of lines and Markdown marks in all texts of JSON
// together, and the number in the text with the most, unless that is below
// MaxMarks. Each can become a node of a document's tree.
func Marks(data []byte) (all, inOne int) {
	for i := 0; i < len(data); i++ {
		if data[i] == '"' {
			end := endOfString(data, i)
			if end-i > MaxMarks { // else it cannot have so many
				inOne = max(inOne, marks(data[i:end]))
			}
			i = end
		}
	}
	return marks(data), inOne
}

func marks(data []byte) (marks int) {
	for _, mark := range []string{`\n`, "*", "_", "`", "~", "=", "|", "[", "<", "$", "^"} {
		marks += bytes.Count(data, []byte(mark))
	}
	return marks
}

// endOfString returns the index of the quote that ends the string beginning at
// i, or the length of data if there is none.
func endOfString(data []byte, i int) int {
	for i++; i < len(data); i++ {
		switch data[i] {
		case '\\':
			i++
		case '"':
			return i
		}
	}
	return len(data)
}
