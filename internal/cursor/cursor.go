// Package cursor makes the cursors with which a client goes on with a long answer:
// a position, bound to the arguments of the call that it continues. A cursor holds
// no text and nothing about the caller, so that any server can go on with it. It
// is not secret and not signed: whoever reads a position checks it like any other
// argument.
package cursor

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"hash/crc32"
)

// Why a cursor cannot be used.
var (
	// ErrDamaged: it is not a cursor, or not all of one.
	ErrDamaged = errors.New("the cursor is damaged")
	// ErrVersion: another version of this server made it.
	ErrVersion = errors.New("the cursor is of another version of this server")
	// ErrArguments: it continues a call of another tool or with other arguments.
	ErrArguments = errors.New("the cursor is of a call with other arguments")
)

// A cursor is the version in one byte, the hash of the arguments, the position and
// a checksum, in unpadded base64url.
const (
	hashSize = 4
	sumSize  = 4
	maxSize  = 1024 // of a cursor, in characters
)

// Encode returns the cursor for a position. Kind names what is continued, such as
// the tool; version is that of the type of the position. The arguments are whatever
// decides what the answer as a whole contains. They must be encodable as JSON, and
// the position must have a fixed size, as [binary.Size] defines it; Encode panics
// if they are not.
func Encode(kind string, version byte, arguments, position any) string {
	raw := append([]byte{version}, hash(kind, arguments)...)
	raw, err := binary.Append(raw, binary.BigEndian, position)
	if err != nil {
		panic(err)
	}
	raw = binary.BigEndian.AppendUint32(raw, crc32.ChecksumIEEE(raw))
	return base64.RawURLEncoding.EncodeToString(raw)
}

// Decode reads a cursor into position, a pointer. It fails with [ErrDamaged],
// [ErrVersion] or [ErrArguments].
func Decode(cursor, kind string, version byte, arguments, position any) error {
	if len(cursor) > maxSize {
		return ErrDamaged
	}
	raw, err := base64.RawURLEncoding.Strict().DecodeString(cursor)
	if err != nil || len(raw) < 1+hashSize+sumSize {
		return ErrDamaged
	}
	body, sum := raw[:len(raw)-sumSize], raw[len(raw)-sumSize:]
	if crc32.ChecksumIEEE(body) != binary.BigEndian.Uint32(sum) {
		return ErrDamaged
	}
	if body[0] != version {
		return ErrVersion
	}
	body = body[1:]
	if !bytes.Equal(body[:hashSize], hash(kind, arguments)) {
		return ErrArguments
	}
	body = body[hashSize:]
	if n, err := binary.Decode(body, binary.BigEndian, position); err != nil || n != len(body) {
		return ErrDamaged
	}
	return nil
}

func hash(kind string, arguments any) []byte {
	encoded, err := json.Marshal([]any{kind, arguments})
	if err != nil {
		panic(err)
	}
	sum := sha256.Sum256(encoded)
	return sum[:hashSize]
}
