package files

import (
	"archive/zip"
	"context"
	"encoding/xml"
	"errors"
	"io"
	"path"
	"strconv"
	"strings"
)

// archive is an Office file that is being read, and what that has cost so far.
type archive struct {
	ctx              context.Context
	parts            map[string]*zip.File
	inflated, tokens int
	out              markdown
}

// part is the content of a part. It ends with ErrTooLarge at any limit.
type part struct {
	*archive
	from       io.Reader
	read, done int64 // bytes read, and those of them that are behind the last whole token
}

// Read implements io.Reader.
func (p *part) Read(b []byte) (int, error) {
	if err := p.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := p.from.Read(b)
	p.inflated += n
	p.read += int64(n)
	if p.inflated > maxInflated || p.read-p.done > maxToken {
		return 0, ErrTooLarge
	}
	return n, err
}

// open opens a part. It returns nil if there is none.
func (a *archive) open(name string) (io.ReadCloser, error) {
	if a.tokens += openingTokens; a.tokens > maxTokens {
		return nil, ErrTooLarge // the same few parts can be named without end
	}
	file := a.parts[name]
	if file == nil {
		return nil, nil
	}
	if file.UncompressedSize64 > uint64(maxInflated-a.inflated) {
		return nil, ErrTooLarge
	}
	return file.Open()
}

// content returns a part of a few bytes, or nothing.
func (a *archive) content(name string) string {
	opened, err := a.open(name)
	if opened == nil || err != nil {
		return ""
	}
	defer opened.Close()
	content, _ := io.ReadAll(io.LimitReader(opened, 200))
	return string(content)
}

// visitor is told what is in a part. Names are without their prefix.
type visitor struct {
	start func(name string, attrs attributes) bool // false passes over what is in the element, and its end
	end   func(name string)
	text  func(string)
}

type attributes []xml.Attr

func (a attributes) get(name string) string {
	for _, attr := range a {
		if attr.Name.Local == name {
			return attr.Value
		}
	}
	return ""
}

// related returns the ID of a relationship, which alone has a prefix.
func (a attributes) related() string {
	for _, attr := range a {
		if attr.Name.Local == "id" && attr.Name.Space != "" {
			return attr.Value
		}
	}
	return ""
}

// number returns an attribute from 0 to most, or otherwise.
func (a attributes) number(name string, otherwise, most int) int {
	n, err := strconv.Atoi(a.get(name))
	if err != nil || n < 0 {
		return otherwise
	}
	return min(n, most)
}

// root returns the name of the outermost element of a part.
func (a *archive) root(name string) string {
	opened, err := a.open(name)
	if opened == nil || err != nil {
		return ""
	}
	defer opened.Close()
	for decoder := xml.NewDecoder(&part{archive: a, from: opened}); ; {
		token, err := decoder.RawToken()
		if err != nil {
			return ""
		}
		if t, ok := token.(xml.StartElement); ok {
			return t.Name.Local
		}
	}
}

// walk reads a part, if there is one.
func (a *archive) walk(name string, v visitor) error {
	opened, err := a.open(name)
	if opened == nil || err != nil {
		return err
	}
	defer opened.Close()
	p := &part{archive: a, from: opened}
	decoder := xml.NewDecoder(p)
	depth, skipped := 0, 0 // skipped is the depth of an element that is passed over
	for {
		token, err := decoder.RawToken()
		if errors.Is(err, io.EOF) && depth == 0 {
			return nil
		}
		if err != nil {
			return err
		}
		p.done = decoder.InputOffset()
		if a.tokens++; a.tokens > maxTokens || a.out.full {
			return ErrTooLarge
		}
		switch t := token.(type) {
		case xml.StartElement:
			if depth++; depth > maxDepth {
				return ErrTooLarge
			}
			if skipped == 0 && !v.start(t.Name.Local, t.Attr) {
				skipped = depth
			}
		case xml.EndElement:
			if skipped == 0 && v.end != nil {
				v.end(t.Name.Local)
			}
			if skipped == depth {
				skipped = 0
			}
			if depth--; depth < 0 {
				return ErrDamaged
			}
		case xml.CharData:
			if skipped == 0 && v.text != nil && depth > 0 {
				v.text(string(t))
			}
		}
	}
}

// relationship leads from a part to another one, or to an address outside.
type relationship struct {
	kind, target string
	outside      bool
}

// relationships returns those of a part by their IDs.
func (a *archive) relationships(from string) map[string]relationship {
	dir, base := path.Split(from)
	found := map[string]relationship{}
	_ = a.walk(dir+"_rels/"+base+".rels", visitor{start: func(name string, attrs attributes) bool {
		if name == "Relationship" && len(found) < maxRelationships {
			r := relationship{attrs.get("Type"), attrs.get("Target"), attrs.get("TargetMode") == "External"}
			if !r.outside && !path.IsAbs(r.target) {
				r.target = path.Join(dir, r.target)
			}
			if !r.outside {
				r.target = strings.TrimPrefix(r.target, "/")
			}
			found[attrs.get("Id")] = r
		}
		return true
	}})
	return found
}

// beside returns the part to which a part has a relationship of a kind.
func beside(related map[string]relationship, kind string) string {
	for _, r := range related {
		if path.Base(r.kind) == kind && !r.outside {
			return r.target
		}
	}
	return ""
}
