package files_test

import (
	"archive/zip"
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"outline-mcp/tools/files"
)

// The files in testdata were written by LibreOffice 7.4, without their thumbnails.
func TestFilesOfLibreOfficeAreRead(t *testing.T) {
	const table = "| Part | Price |\n| --- | --- |\n| Valve | 3.50 |"
	const sheet = "| Part | Price |\n| --- | --- |\n| Valve | 3.5 |\n| Pump | 12 |"
	for name, shows := range map[string][]string{
		"word.docx":   {"# Pump manual\n", "Open the [valve](https://example.com/valve) first.", "- first\n- second\n", table},
		"sheet.xlsx":  {sheet},
		"slides.pptx": {"Pump plan", "Open the valve", "Start the pump"},
	} {
		data, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		file := files.OpenOffice(data)
		if file == nil {
			t.Errorf("%s is not taken for an Office file", name)
			continue
		}
		text, err := file.Markdown(t.Context())
		for _, part := range shows {
			if err != nil || !strings.Contains(text, part) {
				t.Errorf("%s: got\n%s\n%v, want\n%s", name, text, err, part)
			}
		}
	}
}

// FuzzMarkdown reads the main part of each kind with any content.
func FuzzMarkdown(f *testing.F) {
	for _, seed := range []string{
		`<document><body><p><pPr><numPr><ilvl val="1"/><numId val="2"/></numPr></pPr><r><t>a</t></r></p><tbl><tr><tc><p/></tc></tr></tbl></body></document>`,
		`<workbook><sheets><sheet name="a" r:id="main"/></sheets><sheetData><row><c r="B2" s="0"><v>1</v></c></row></sheetData></workbook>`,
		`<presentation><sldId r:id="main"/><sp><ph/><p><r><t>a</t></r></p></sp><tbl><tr><tc></tc></tr></tbl></presentation>`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		var b bytes.Buffer
		z := zip.NewWriter(&b)
		for name, part := range map[string]string{
			"_rels/.rels":     `<Relationships><Relationship Type="a/officeDocument" Target="main"/></Relationships>`,
			"_rels/main.rels": `<Relationships><Relationship Id="main" Type="a/styles" Target="main"/><Relationship Id="b" Type="a/numbering" Target="main"/><Relationship Id="c" Type="a/sharedStrings" Target="main"/></Relationships>`,
			"main":            string(content),
		} {
			w, _ := z.Create(name)
			_, _ = w.Write([]byte(part))
		}
		_ = z.Close()
		file := files.OpenOffice(b.Bytes())
		if file == nil {
			return
		}
		text, err := file.Markdown(t.Context())
		if err == nil && !utf8.ValidString(text) || err != nil && !errors.Is(err, files.ErrDamaged) && !errors.Is(err, files.ErrTooLarge) {
			t.Errorf("%q, %v", text, err)
		}
	})
}

func FuzzOpen(f *testing.F) {
	f.Add([]byte("PK\x03\x04"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if file := files.OpenOffice(data); file != nil {
			_, _ = file.Markdown(t.Context())
		}
	})
}
