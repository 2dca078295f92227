package files

import (
	"archive/zip"
	"bytes"
	"cmp"
	"context"
	"encoding/xml"
	"errors"
	"io"
	"path"
	"strconv"
	"strings"
)

// What reading an Office file may cost. The figures hold a bomb to some 200 ms and 64 MiB.
const (
	maxEntries  = 5_000
	maxInflated = 16 << 20 // bytes, of all parts that are read
	maxTokens   = 500_000  // tags and texts, of all parts
	maxToken    = 1 << 20  // bytes of one tag or text
	maxDepth    = 256
	maxCells    = 100_000
	maxStrings  = 100_000
	maxSheets   = 1_000   // or slides
	maxText     = 8 << 20 // bytes of Markdown

	maxRelationships = 20_000
	openingTokens    = 150 // what opening a part counts for
)

var (
	// ErrTooLarge reports a file that holds more than is read.
	ErrTooLarge = errors.New("it is too large when unpacked")
	// ErrDamaged reports a file that is not as its kind is written.
	ErrDamaged = errors.New("it is damaged, or not a valid file of its kind")
)

// A Kind is what an Office file is.
type Kind struct {
	Name        string // with an article: "a Word document"
	ContentType string

	read func(a *archive, main string) error
}

const openXML = "application/vnd.openxmlformats-officedocument."

var (
	word       = Kind{Name: "a Word document", ContentType: openXML + "wordprocessingml.document", read: readWord}
	excel      = Kind{Name: "an Excel workbook", ContentType: openXML + "spreadsheetml.sheet", read: readWorkbook}
	powerPoint = Kind{Name: "a PowerPoint presentation", ContentType: openXML + "presentationml.presentation", read: readSlides}
)

// An Office is an Office file whose kind is known.
type Office struct {
	Kind
	archive *archive
	main    string
}

// OpenOffice tells by what a file holds which kind of Office file it is. It returns nil if it
// is none.
func OpenOffice(data []byte) *Office {
	a := open(data)
	if a == nil {
		return nil
	}
	kind, main := a.kind()
	if kind.Name == "" {
		return nil
	}
	return &Office{kind, a, main}
}

// Markdown returns the text of a file. It is called once. It fails with ErrTooLarge, ErrDamaged or the error of ctx.
func (o *Office) Markdown(ctx context.Context) (string, error) {
	a := o.archive
	a.ctx = ctx
	switch err := o.read(a, o.main); {
	case ctx.Err() != nil:
		return "", ctx.Err()
	case errors.Is(err, ErrTooLarge) || a.out.full:
		return "", ErrTooLarge
	case err != nil:
		return "", ErrDamaged
	}
	return a.out.String(), nil
}

// open opens the zip of a file. It returns nil if the file is none, or has too many
// parts for an Office file.
func open(data []byte) *archive {
	// The reader takes in the whole directory, whatever count it declares.
	if !bytes.HasPrefix(data, []byte("PK\x03\x04")) || bytes.Count(data, []byte("PK\x01\x02")) > maxEntries {
		return nil
	}
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil
	}
	a := &archive{ctx: context.Background(), parts: make(map[string]*zip.File, len(z.File))}
	for _, file := range z.File {
		a.parts[file.Name] = file
	}
	return a
}

// kind returns the kind of a file and the name of its main part.
func (a *archive) kind() (kind Kind, main string) {
	for _, r := range a.relationships("") {
		if path.Base(r.kind) == "officeDocument" {
			main = r.target
		}
	}
	if strings.HasSuffix(main, ".bin") {
		return Kind{}, "" // a binary workbook, .xlsb
	}
	dir, _, _ := strings.Cut(main, "/") // tells what a part is that is too large or damaged
	switch cmp.Or(a.root(main), dir) {
	case "document", "word":
		return word, main
	case "workbook", "xl":
		return excel, main
	case "presentation", "ppt":
		return powerPoint, main
	}
	return Kind{}, ""
}

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

// relatedPart returns the part to which a part has a relationship of a kind.
func relatedPart(related map[string]relationship, kind string) string {
	for _, r := range related {
		if path.Base(r.kind) == kind && !r.outside {
			return r.target
		}
	}
	return ""
}
