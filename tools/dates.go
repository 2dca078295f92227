package tools

import (
	"time"

	"outline-mcp/internal/dates"
	"outline-mcp/internal/mcptool"
	"outline-mcp/output"
)

// optionalDate reads an argument that is a date, and returns the zero time for "".
func optionalDate(env mcptool.Env, argument, given string) (time.Time, error) {
	if given == "" {
		return time.Time{}, nil
	}
	date, err := dates.Parse(given, env.Now())
	if err != nil {
		return time.Time{}, output.Invalid("%s: %s %s.", argument, output.Quote(output.Excerpt(given, 40)), err)
	}
	return date, nil
}

// span is a time from a first moment on and before a second. A zero time does not
// restrict it.
type span struct{ after, before time.Time }

// spanOf reads the arguments NAME_after and NAME_before, of which each may be "".
func spanOf(env mcptool.Env, name, after, before string) (s span, err error) {
	if s.after, err = optionalDate(env, name+"_after", after); err != nil {
		return s, err
	}
	if s.before, err = optionalDate(env, name+"_before", before); err != nil {
		return s, err
	}
	if !s.after.IsZero() && !s.before.IsZero() && !s.after.Before(s.before) {
		return s, output.Invalid("nothing can match: %[1]s_after, %[2]s, is not before %[1]s_before, %[3]s. Give an earlier %[1]s_after or a later %[1]s_before; a date stands for the beginning of its day.",
			name, stamp(s.after), stamp(s.before))
	}
	return s, nil
}
