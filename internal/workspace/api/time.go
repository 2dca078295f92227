package api

import "time"

// A timestamp is a time as Outline writes it: UTC, in milliseconds.
type Timestamp time.Time

// AppendText implements [encoding.TextAppender].
func (t Timestamp) AppendText(b []byte) ([]byte, error) {
	return time.Time(t).UTC().AppendFormat(b, "2006-01-02T15:04:05.000Z"), nil
}

// MarshalText implements [encoding.TextMarshaler].
func (t Timestamp) MarshalText() ([]byte, error) { return t.AppendText(nil) }

// moment is t, or null if it is zero.
func TimeOrNull(t time.Time) *Timestamp {
	if t.IsZero() {
		return nil
	}
	return (*Timestamp)(&t)
}
