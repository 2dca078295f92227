package jsonrpc

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

// WithoutArguments returns a message that calls a tool with its arguments
// replaced by {}, and the arguments, a part of message. For any other message,
// or without arguments, it returns the message itself and nil.
func WithoutArguments(message []byte) (rest, arguments []byte) {
	if !json.Valid(message) {
		return message, nil
	}
	method, _ := member(message, "method")
	params, begin := member(message, "params")
	arguments, within := member(params, "arguments")
	if string(method) != `"tools/call"` || len(arguments) <= len("{}") {
		return message, nil
	}
	begin += within
	return slices.Concat(message[:begin], []byte("{}"), message[begin+len(arguments):]), arguments
}

// member returns the value of a member of a JSON object, as a part of it, and where it
// begins. It returns nil if there is none, and the last of several with one name.
func member(object []byte, name string) (value []byte, begin int) {
	in := jsontext.NewDecoder(bytes.NewBuffer(object), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	if in.PeekKind() != '{' {
		return nil, 0
	}
	_, _ = in.ReadToken()
	for in.PeekKind() == '"' {
		key, err := in.ReadToken()
		if err != nil {
			return nil, 0
		}
		wanted := key.String() == name
		read, err := in.ReadValue()
		if err != nil {
			return nil, 0
		}
		if wanted {
			end := int(in.InputOffset())
			begin = end - len(read)
			value = object[begin:end]
		}
	}
	return value, begin
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
