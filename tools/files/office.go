package files

import (
	"archive/zip"
	"bytes"
	"cmp"
	"context"
	"errors"
	"path"
	"strings"
	"unicode/utf16"
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
	ErrTooLarge = errors.New("it holds more than is read here when it is unpacked")
	// ErrDamaged reports a file that is not as its kind is written.
	ErrDamaged = errors.New("it is damaged, or not written as files of its kind are")
)

// A Kind is what an Office file is.
type Kind struct {
	Name        string // with an article: "a Word document"
	ContentType string // "" if the file does not tell
	Remedy      string // what to do with a file whose text is not read; "" if it is

	read func(a *archive, main string) error
}

const (
	openXML      = "application/vnd.openxmlformats-officedocument."
	openDocument = "application/vnd.oasis.opendocument."
)

var (
	word          = Kind{Name: "a Word document", ContentType: openXML + "wordprocessingml.document", read: readWord}
	excel         = Kind{Name: "an Excel workbook", ContentType: openXML + "spreadsheetml.sheet", read: readWorkbook}
	powerPoint    = Kind{Name: "a PowerPoint presentation", ContentType: openXML + "presentationml.presentation", read: readSlides}
	binaryExcel   = Kind{Name: "a binary Excel workbook (.xlsb)", Remedy: "save it as .xlsx and upload it again"}
	openText      = Kind{Name: "an OpenDocument text", ContentType: openDocument + "text", read: readOpenDocument}
	openSheet     = Kind{Name: "an OpenDocument spreadsheet", ContentType: openDocument + "spreadsheet", read: readOpenDocument}
	openSlides    = Kind{Name: "an OpenDocument presentation", ContentType: openDocument + "presentation", read: readOpenDocument}
	encrypted     = Kind{Name: "an Office file encrypted with a password", Remedy: "save it without the password and upload it again"}
	oldWord       = Kind{Name: "an old Word document (.doc)", ContentType: "application/msword", Remedy: "save it as .docx and upload it again"}
	oldExcel      = Kind{Name: "an old Excel workbook (.xls)", ContentType: "application/vnd.ms-excel", Remedy: "save it as .xlsx and upload it again"}
	oldPowerPoint = Kind{Name: "an old PowerPoint presentation (.ppt)", ContentType: "application/vnd.ms-powerpoint", Remedy: "save it as .pptx and upload it again"}
	oldOther      = Kind{Name: "a file of an old Office program", Remedy: "save it in a current format and upload it again"}
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
	if bytes.HasPrefix(data, []byte("\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1")) {
		return &Office{Kind: containerKind(data)}
	}
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

// containerKind tells the files in an OLE container apart, by the names of its streams.
func containerKind(data []byte) Kind {
	for _, stream := range []struct {
		name string
		kind Kind
	}{
		{"EncryptedPackage", encrypted}, {"WordDocument", oldWord}, {"Workbook", oldExcel}, {"Book", oldExcel},
		{"PowerPoint Document", oldPowerPoint},
	} {
		var name []byte
		for _, unit := range utf16.Encode([]rune(stream.name + "\x00")) {
			name = append(name, byte(unit), byte(unit>>8))
		}
		if bytes.Contains(data, name) {
			return stream.kind
		}
	}
	return oldOther
}

// Markdown returns the text of a file that has no Remedy. It is called once. It fails
// with ErrTooLarge, ErrDamaged or the error of ctx.
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
	if mimetype := a.content("mimetype"); strings.HasPrefix(mimetype, openDocument) {
		if a.isEncrypted() {
			return encrypted, ""
		}
		for _, kind := range []Kind{openText, openSheet, openSlides} {
			if strings.HasPrefix(mimetype, kind.ContentType) {
				return kind, "content.xml"
			}
		}
		return Kind{}, ""
	}
	for _, r := range a.relationships("") {
		if path.Base(r.kind) == "officeDocument" {
			main = r.target
		}
	}
	if strings.HasSuffix(main, ".bin") {
		return binaryExcel, main
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

// isEncrypted reports whether an OpenDocument file is encrypted.
func (a *archive) isEncrypted() (found bool) {
	if a.parts["encrypted-package"] != nil {
		return true
	}
	_ = a.walk("META-INF/manifest.xml", visitor{start: func(name string, _ attributes) bool {
		found = found || name == "encryption-data"
		return !found
	}})
	return found
}
