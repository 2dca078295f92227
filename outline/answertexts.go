package outline

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"strings"
	"unicode/utf8"
)

// documentAnswer is a document as documents.info and others answer with it. Outline
// nests it if a newer version of the API is requested (x-api-version), as a proxy may do,
// too.
type documentAnswer struct {
	DocumentSummary
	Text   *string       `json:"text"`
	Nested *fullDocument `json:"document"`
}

// revisionAnswer is a revision as revisions.info answers with it.
type revisionAnswer struct {
	Revision
	Text *string `json:"text"`
}

// textsIn returns where the texts belong in the data of an answer, in order. ok is false
// for data that has none.
func textsIn(data any) (texts []**string, ok bool) {
	switch data := data.(type) {
	case *documentAnswer:
		return []**string{&data.Text}, true
	case *revisionAnswer:
		return []**string{&data.Text}, true
	case *[]fullDocument:
		for i := range *data {
			texts = append(texts, &(*data)[i].Text)
		}
		return texts, true
	}
	return nil, false
}

// decode decodes an answer. Texts, which are most of it, are decoded separately, in a
// fraction of the time that encoding/json takes. An answer of any unusual form is decoded
// by encoding/json alone, so that the result and the errors are always its own.
func (e *envelope[T]) decode(answer []byte) error {
	if _, ok := textsIn(new(T)); ok {
		if a := (apart{jsonScanner: jsonScanner{source: answer}}); a.take() {
			decoded := *e
			if json.Unmarshal(a.rest, &decoded) == nil && decoded.Data != nil {
				if places, _ := textsIn(decoded.Data); a.putInto(places) {
					*e = decoded
					return nil
				}
			}
		}
	}
	return json.Unmarshal(answer, e)
}

// apart takes the texts out of the JSON of an answer.
type apart struct {
	jsonScanner
	rest  []byte    // of the JSON, with "" for each text
	texts []*string // of each item of data; nil for one that has none
	kept  int       // offset in the source up to which rest is complete
}

// take fills rest and texts. It leaves out what nothing reads, without looking for errors
// there: policies, and the tree of a document or revision. It returns false if
// encoding/json might read the JSON differently: a name is repeated, escaped or in another
// case, or a text is not a string.
func (a *apart) take() bool {
	const most = 4 << 10 // enough for rest with most documents
	a.rest = make([]byte, 0, min(len(a.source), most))
	found := false
	ok := a.object(func(name []byte) bool {
		switch {
		case string(name) == "policies":
			return a.leaveOut()
		case string(name) != "data":
			return !mayMean(name, "data") && a.skip()
		case found:
			return false
		}
		if found = true; a.next() == '[' {
			return a.list('[', ']', a.item)
		}
		return a.item()
	})
	a.rest = append(a.rest, a.source[a.kept:]...)
	return ok
}

func (a *apart) item() bool {
	a.texts = append(a.texts, nil)
	if a.next() != '{' {
		return a.skip()
	}
	return a.object(func(name []byte) bool {
		switch {
		case string(name) == "data":
			return a.leaveOut()
		case string(name) != "text":
			return !mayMean(name, "text") && a.skip()
		}
		start := a.at
		if a.next() != '"' || !a.skipString() {
			return false
		}
		text, ok := unquote(a.source[start:a.at])
		a.texts[len(a.texts)-1] = &text
		a.replace(start, `""`)
		return ok
	})
}

// mayMean reports whether encoding/json may take a name, as it is in JSON, for another.
func mayMean(name []byte, other string) bool {
	return bytes.IndexByte(name, '\\') >= 0 || bytes.EqualFold(name, []byte(other))
}

func (a *apart) leaveOut() bool {
	start := a.at
	if !a.skip() {
		return false
	}
	a.replace(start, "null")
	return true
}

// replace continues rest up to start, and with other JSON for what follows that.
func (a *apart) replace(start int, json string) {
	a.rest = append(append(a.rest, a.source[a.kept:start]...), json...)
	a.kept = a.at
}

// putInto puts the texts where they belong, and returns false if the places are not
// those that they were taken from.
func (a *apart) putInto(places []**string) bool {
	if len(places) != len(a.texts) {
		return false
	}
	for i, text := range a.texts {
		if (text == nil) != (*places[i] == nil) {
			return false
		}
		*places[i] = text
	}
	return true
}

// unquote decodes a string of JSON. ok is false if it is not valid.
func unquote(quoted []byte) (text string, ok bool) {
	raw := quoted[1 : len(quoted)-1]
	if hasControls(raw) || !utf8.Valid(raw) {
		return unquoteAny(quoted)
	}
	var b strings.Builder
	b.Grow(len(raw))
	for {
		at := bytes.IndexByte(raw, '\\')
		if at < 0 {
			b.Write(raw)
			return b.String(), true
		}
		b.Write(raw[:at])
		switch c := raw[at+1]; c {
		case 'n':
			b.WriteByte('\n')
		case 't':
			b.WriteByte('\t')
		case '"', '\\':
			b.WriteByte(c)
		default:
			return unquoteAny(quoted)
		}
		raw = raw[at+2:]
	}
}

// hasControls reports whether there is a byte below U+0020. It looks at eight at a time:
// at the highest bit of each after the subtraction.
func hasControls(raw []byte) bool {
	const spaces, high = 0x2020202020202020, 0x8080808080808080
	for ; len(raw) >= 8; raw = raw[8:] {
		if eight := binary.LittleEndian.Uint64(raw); (eight-spaces)&^eight&high != 0 {
			return true
		}
	}
	for _, c := range raw {
		if c < ' ' {
			return true
		}
	}
	return false
}

func unquoteAny(quoted []byte) (text string, ok bool) {
	return text, json.Unmarshal(quoted, &text) == nil
}
