package jsonrpc

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
)

// WithoutArguments returns a message that calls a tool with its arguments
// replaced by {}, and the arguments, a part of message. For any other message,
// or without arguments, it returns the message itself and nil.
func WithoutArguments(message []byte) (rest, arguments []byte) {
	if !json.Valid(message) {
		return message, nil
	}
	if string(member(message, "method")) != `"tools/call"` {
		return message, nil
	}
	params := member(message, "params")
	arguments = member(params, "arguments")
	if len(arguments) <= len("{}") {
		return message, nil
	}
	begin := cap(message) - cap(arguments) // both end where message's array does
	return slices.Concat(message[:begin], []byte("{}"), message[begin+len(arguments):]), arguments
}

// member returns the value of a member of a valid JSON object, as a part of it, or
// nil if there is none. Of several with one name it returns the last.
func member(object []byte, name string) (value []byte) {
	i := skipSpace(object, 0)
	if i == len(object) || object[i] != '{' {
		return nil
	}
	for i = skipSpace(object, i+1); i < len(object) && object[i] == '"'; {
		end := endOfString(object, i)
		key := object[i+1 : end]
		begin := skipSpace(object, skipSpace(object, end+1)+1)
		i = endOfValue(object, begin)
		if string(key) == name {
			value = object[begin:i]
		}
		i = skipSpace(object, skipSpace(object, i)+1) // past the comma or the brace
	}
	return value
}

// endOfValue returns the index after the valid value that begins at i.
func endOfValue(data []byte, i int) int {
	depth := 0
	for ; i < len(data); i++ {
		switch data[i] {
		case '"':
			i = endOfString(data, i)
		case '{', '[':
			depth++
			continue
		case '}', ']':
			depth--
		default:
			if depth > 0 || !bytes.ContainsRune([]byte(", \t\r\n"), rune(data[i])) {
				continue
			}
			return i
		}
		if depth < 0 {
			return i // it belongs to the enclosing value
		}
		if depth == 0 {
			return i + 1
		}
	}
	return i
}

func skipSpace(data []byte, i int) int {
	for i < len(data) && (data[i] == ' ' || data[i] == '\t' || data[i] == '\r' || data[i] == '\n') {
		i++
	}
	return i
}

type argumentsKey struct{}

// NewContext returns a context for a call whose arguments were taken out of its
// message.
func NewContext(ctx context.Context, arguments []byte) context.Context {
	return context.WithValue(ctx, argumentsKey{}, json.RawMessage(arguments))
}

// Arguments returns the arguments that were taken out of the message of a call. It
// returns nil if the message has them.
func Arguments(ctx context.Context) json.RawMessage {
	arguments, _ := ctx.Value(argumentsKey{}).(json.RawMessage)
	return arguments
}
