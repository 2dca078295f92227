package outline

import (
	"bytes"
	"strings"
)

// A jsonScanner finds values in JSON.
type jsonScanner struct {
	source []byte
	at     int
}

// next moves to the next byte that is not white space, and returns it, or 0 at
// the end.
func (s *jsonScanner) next() byte {
	for ; s.at < len(s.source); s.at++ {
		switch c := s.source[s.at]; c {
		case ' ', '\t', '\n', '\r':
		default:
			return c
		}
	}
	return 0
}

// find moves to the value that an object, which comes next, has under a name.
func (s *jsonScanner) find(name string) bool {
	if s.next() != '{' {
		return false
	}
	for s.at++; s.next() == '"'; s.at++ {
		start := s.at + 1
		if !s.skip() {
			return false
		}
		key := s.source[start : s.at-1]
		if s.next() != ':' {
			return false
		}
		s.at++
		s.next()
		if string(key) == name {
			return true
		}
		if !s.skip() || s.next() != ',' {
			return false
		}
	}
	return false
}

// skip moves past the value that comes next.
func (s *jsonScanner) skip() bool {
	for level := 0; ; {
		switch s.next() {
		case 0:
			return false
		case '{', '[':
			level++
			s.at++
		case '}', ']':
			level--
			s.at++
		case ',', ':':
			if level == 0 {
				return false
			}
			s.at++
		case '"':
			if !s.skipString() {
				return false
			}
		default: // a number or a word
			for s.at < len(s.source) && strings.IndexByte(",]} \t\r\n", s.source[s.at]) < 0 {
				s.at++
			}
		}
		if level <= 0 {
			return level == 0
		}
	}
}

// skipString moves past the string that comes next.
func (s *jsonScanner) skipString() bool {
	for start := s.at; ; {
		n := bytes.IndexByte(s.source[s.at+1:], '"')
		if n < 0 {
			return false
		}
		s.at += 1 + n
		escapes := s.at
		for escapes > start+1 && s.source[escapes-1] == '\\' {
			escapes--
		}
		if (s.at-escapes)%2 == 0 {
			s.at++
			return true
		}
	}
}

// object calls member with the name of each member of the object that comes next. It
// is called at the value, moves past it and reports whether the scan goes on.
func (s *jsonScanner) object(member func(name []byte) bool) bool {
	return s.list('{', '}', func() bool {
		start := s.at + 1
		if s.next() != '"' || !s.skipString() {
			return false
		}
		name := s.source[start : s.at-1]
		if s.next() != ':' {
			return false
		}
		s.at++
		s.next()
		return member(name)
	})
}

// list calls entry at each entry of the array or object that comes next. It moves past
// the entry and reports whether the scan goes on.
func (s *jsonScanner) list(open, end byte, entry func() bool) bool {
	if s.next() != open {
		return false
	}
	s.at++
	if s.next() == end {
		s.at++
		return true
	}
	for entry() {
		switch s.next() {
		case ',':
			s.at++
			s.next()
		case end:
			s.at++
			return true
		default:
			return false
		}
	}
	return false
}
