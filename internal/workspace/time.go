package workspace

import "time"

// A timestamp is a time as Outline writes it: UTC, in milliseconds.
type timestamp time.Time

// AppendText implements [encoding.TextAppender].
func (t timestamp) AppendText(b []byte) ([]byte, error) {
	return time.Time(t).UTC().AppendFormat(b, "2006-01-02T15:04:05.000Z"), nil
}

// MarshalText implements [encoding.TextMarshaler].
func (t timestamp) MarshalText() ([]byte, error) { return t.AppendText(nil) }

// moment is t, or null if it is zero.
func moment(t time.Time) *timestamp {
	if t.IsZero() {
		return nil
	}
	return (*timestamp)(&t)
}

// noTime stands for what has not happened.
var noTime time.Time
