// Package jsonrpc looks at messages before they are decoded. The MCP library
// decodes what it is given into values that take up to a hundred times the bytes
// of the message. This package counts those values, and keeps the arguments of
// tools, the only part of a message that may be long, away from the library.
package jsonrpc

import (
	"bytes"
	"errors"
)

// MaxValues is how many values a message may hold. A batch of 100 documents holds
// some hundreds.
const MaxValues = 50_000

// maxDepth is how deep values may be nested.
const maxDepth = 64

// ErrTooMany means that JSON holds more values than any request needs.
var ErrTooMany = errors.New("it holds more than 50,000 values, or lists and objects nested more than 64 deep")

// Values returns about how many values JSON holds, or ErrTooMany. It decodes
// nothing and takes no memory. It need not be given valid JSON.
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

// MaxMarks is how many lines and marks of Markdown a text may hold, about. The
// longest that Outline takes has fewer, unless it is made of little else.
const MaxMarks = 100_000

// Marks returns how many lines and marks of Markdown the texts in JSON hold, about,
// and how many the one with the most of them, unless that is fewer than MaxMarks.
// Each can become a node of a document's tree.
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
