// Package jsonrpc looks at messages before they are decoded. The MCP library
// decodes what it is given into values that take up to a hundred times the bytes
// of the message. This package counts those values, and keeps the arguments of
// tools, the only part of a message that may be long, away from the library.
package jsonrpc

import "errors"

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
