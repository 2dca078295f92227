package api

import "time"

// A Timestamp is a time in the form that Outline writes: UTC with milliseconds.
type Timestamp time.Time

// AppendText implements [encoding.TextAppender].
func (t Timestamp) AppendText(b []byte) ([]byte, error) {
	return time.Time(t).UTC().AppendFormat(b, "2006-01-02T15:04:05.000Z"), nil
}

// MarshalText implements [encoding.TextMarshaler].
func (t Timestamp) MarshalText() ([]byte, error) { return t.AppendText(nil) }

// TimeOrNull returns a pointer to t, or nil, which is null in JSON, if t is
// zero.
func TimeOrNull(t time.Time) *Timestamp {
	if t.IsZero() {
		return nil
	}
	return (*Timestamp)(&t)
}
