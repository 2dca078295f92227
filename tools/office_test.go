package tools_test

import (
	"archive/zip"
	"bytes"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"outline-mcp/test/fixtures"

	"github.com/mark3labs/mcp-go/mcp"
)

const relationshipType = `http://schemas.openxmlformats.org/officeDocument/2006/relationships/`

// relationships writes relationships rId1, rId2, …, each of a kind and a target.
func relationships(pairs ...string) string {
	var b strings.Builder
	b.WriteString(`<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">`)
	for i := 0; i < len(pairs); i += 2 {
		mode := ""
		if strings.Contains(pairs[i+1], ":") {
			mode = ` TargetMode="External"`
		}
		fmt.Fprintf(&b, `<Relationship Id="rId%d" Type="%s%s" Target="%s"%s/>`, i/2+1, relationshipType, pairs[i], pairs[i+1], mode)
	}
	return b.String() + `</Relationships>`
}

// zipped returns a zip of parts, each a name and a content.
func zipped(t testing.TB, parts ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for i := 0; i < len(parts); i += 2 {
		w, err := z.Create(parts[i])
		if err == nil {
			_, err = w.Write([]byte(parts[i+1]))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// wordFile returns a Word document with a body.
func wordFile(t testing.TB, body string, parts ...string) []byte {
	return zipped(t, append([]string{
		"_rels/.rels", relationships("officeDocument", "word/document.xml"),
		"word/document.xml", `<?xml version="1.0" encoding="UTF-8"?><w:document xmlns:w="w"><w:body>` + body + `</w:body></w:document>`,
	}, parts...)...)
}

// workbookFile returns an Excel workbook with the rows of a sheet.
func workbookFile(t testing.TB, rows string, parts ...string) []byte {
	return zipped(t, append([]string{
		"_rels/.rels", relationships("officeDocument", "/xl/workbook.xml"),
		"xl/workbook.xml", `<workbook xmlns:r="r"><sheets><sheet name="Costs" sheetId="7" r:id="rId1"/></sheets></workbook>`,
		"xl/_rels/workbook.xml.rels", relationships("worksheet", "worksheets/sheet1.xml", "sharedStrings", "sharedStrings.xml", "styles", "styles.xml"),
		"xl/worksheets/sheet1.xml", `<worksheet><sheetData>` + rows + `</sheetData></worksheet>`,
	}, parts...)...)
}

func TestOfficeFilesAreShownAsMarkdown(t *testing.T) {
	paragraph := func(properties, text string) string {
		return `<w:p><w:pPr>` + properties + `</w:pPr><w:r><w:t>` + text + `</w:t></w:r></w:p>`
	}
	for name, test := range map[string]struct {
		content []byte
		shows   string
	}{
		"a Word document": {wordFile(t,
			paragraph(`<w:pStyle w:val="berschrift2"/>`, "Pump &amp; valve")+
				paragraph(``, `Open</w:t></w:r><w:del><w:r><w:t>not this</w:t></w:r></w:del><w:moveFrom><w:r><w:t>nor this</w:t></w:r></w:moveFrom><w:r><w:tab/><w:t xml:space="preserve">it. </w:t></w:r><w:hyperlink r:id="rId3"><w:r><w:t>Manual</w:t></w:r></w:hyperlink><w:r><w:footnoteReference w:id="2"/><w:t>`)+
				paragraph(`<w:numPr><w:ilvl w:val="0"/><w:numId w:val="5"/></w:numPr>`, "first")+
				paragraph(`<w:numPr><w:ilvl w:val="1"/><w:numId w:val="5"/></w:numPr>`, "below")+
				`<w:tbl><w:tr><w:tc><w:tcPr><w:gridSpan w:val="2"/></w:tcPr>`+paragraph("", "Both")+`</w:tc><w:tc>`+paragraph("", "a|b")+`</w:tc></w:tr><w:tr><w:tc>`+
				paragraph("", "1")+paragraph("", "2")+`</w:tc><w:tc>`+paragraph("", "3")+`</w:tc></w:tr></w:tbl>`,
			"word/_rels/document.xml.rels", relationships("styles", "styles.xml", "numbering", "numbering.xml", "hyperlink", "https://example.com/m", "footnotes", "footnotes.xml"),
			"word/styles.xml", `<w:styles><w:style w:styleId="base"><w:name w:val="heading 2"/></w:style><w:style w:styleId="berschrift2"><w:basedOn w:val="base"/></w:style></w:styles>`,
			"word/numbering.xml", `<w:numbering><w:abstractNum w:abstractNumId="1"><w:lvl w:ilvl="0"><w:numFmt w:val="decimal"/></w:lvl><w:lvl w:ilvl="1"><w:numFmt w:val="bullet"/></w:lvl></w:abstractNum><w:num w:numId="5"><w:abstractNumId w:val="1"/></w:num></w:numbering>`,
			"word/footnotes.xml", `<w:footnotes><w:footnote w:id="2">`+paragraph("", "By hand.")+`</w:footnote></w:footnotes>`,
		), "## Pump & valve\n\nOpen\tit. [Manual](https://example.com/m)[^2]\n\n1. first\n    - below\n\n| Both |  | a\\|b |\n| --- | --- | --- |\n| 1 2 | 3 |\n\n[^2]: By hand."},
		"an Excel workbook": {workbookFile(t,
			`<row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" t="inlineStr"><is><t>When</t></is></c><c r="E1" t="str"><f>1+1</f><v>Sum</v></c></row>`+
				`<row r="3"><c r="A3"><v>0.30000000000000004</v></c><c r="B3" s="1"><v>45292</v></c><c r="E3" t="b"><v>1</v></c></row>`,
			"xl/sharedStrings.xml", `<sst><si><r><t>Pri</t></r><r><t>ce</t></r><rPh><t>pronounced</t></rPh></si></sst>`,
			"xl/styles.xml", `<styleSheet><cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/></cellXfs></styleSheet>`,
		), "## Costs\n\n| Price | When | Sum |\n| --- | --- | --- |\n| 0.3 | 2024-01-01 | TRUE |"},
		"a PowerPoint presentation": {zipped(t,
			"_rels/.rels", relationships("officeDocument", "ppt/presentation.xml"),
			"ppt/presentation.xml", `<p:presentation><p:sldIdLst><p:sldId id="256" r:id="rId2"/><p:sldId id="257" r:id="rId1"/></p:sldIdLst></p:presentation>`,
			"ppt/_rels/presentation.xml.rels", relationships("slide", "slides/slide1.xml", "slide", "slides/slide2.xml"),
			"ppt/slides/slide2.xml", `<p:sld><p:sp><p:nvPr><p:ph idx="1"/></p:nvPr><a:p><a:r><a:t>One</a:t></a:r></a:p><a:p><a:pPr lvl="1"/><a:r><a:t>Two</a:t></a:r></a:p></p:sp><p:sp><p:nvPr><p:ph type="title"/></p:nvPr><a:p><a:r><a:t>Plan</a:t></a:r></a:p></p:sp></p:sld>`,
			"ppt/slides/_rels/slide2.xml.rels", relationships("notesSlide", "../notesSlides/notes1.xml"),
			"ppt/notesSlides/notes1.xml", `<p:notes><p:sp><p:nvPr><p:ph type="body"/></p:nvPr><a:p><a:r><a:t>Say hello</a:t></a:r></a:p></p:sp></p:notes>`,
			"ppt/slides/slide1.xml", `<p:sld><a:tbl><a:tr><a:tc><a:p><a:r><a:t>A</a:t></a:r></a:p></a:tc><a:tc><a:p><a:r><a:t>B</a:t></a:r></a:p></a:tc></a:tr></a:tbl></p:sld>`,
		), "## Slide 1: Plan\n\n- One\n    - Two\n\nNotes:\n\n> Say hello\n\n## Slide 2\n\n| A | B |\n| --- | --- |"},
	} {
		t.Run(name, func(t *testing.T) {
			result := readAttachment(t, true, attachments(t, "x", "application/octet-stream", test.content), nil)
			if text := firstText(t, result); !strings.Contains(text, "the text of "+name+", without its images") || !strings.Contains(text, test.shows) {
				t.Errorf("got\n%s\nwant\n%s", text, test.shows)
			}
		})
	}
}

func TestAnOfficeFileIsReadByLines(t *testing.T) {
	content := wordFile(t, strings.Repeat(`<w:p><w:r><w:t>line</w:t></w:r></w:p>`, 50)+`<w:p><w:r><w:t>the last</w:t></w:r></w:p>`)
	result := readAttachment(t, false, attachments(t, "x.docx", "application/zip", content), map[string]any{"start_line": 101})
	if text := firstText(t, result); !strings.Contains(text, "the last") || strings.Contains(text, "\nline\n") {
		t.Error(text)
	}
}

func TestADamagedOfficeFileSaysWhatItIs(t *testing.T) {
	content := wordFile(t, `<w:p><w:r><w:t>cut`)
	result := readAttachment(t, false, attachments(t, "x.docx", "application/octet-stream", content), nil)
	if text := firstText(t, result); !strings.Contains(text, "a Word document that cannot be shown: it is damaged") || !strings.Contains(text, "To download, ") {
		t.Error(text)
	}
}

// bombs are files that hold far more than their size.
func bombs(t testing.TB) map[string][]byte {
	cells := strings.Repeat(`<c t="s"><v>0</v></c>`, 10_000)
	return map[string][]byte{
		"zeros":         wordFile(t, strings.Repeat("\x00", 40<<20)),
		"spaces":        wordFile(t, strings.Repeat(" ", 15<<20)),
		"paragraphs":    wordFile(t, strings.Repeat(`<w:p/>`, 2_500_000)),
		"depth":         wordFile(t, strings.Repeat(`<w:p>`, 1_000_000)),
		"an attribute":  wordFile(t, `<w:p a="`+strings.Repeat("a", 15<<20)+`"/>`),
		"attributes":    wordFile(t, `<w:p`+strings.Repeat(` a="a"`, 2_000_000)+`/>`),
		"other parts":   wordFile(t, "", "word/_rels/document.xml.rels", relationships("styles", "styles.xml"), "word/styles.xml", strings.Repeat("<a/>", 4_000_000)),
		"cells":         workbookFile(t, `<row>`+strings.Repeat(`<c><v>1</v></c>`, 1_000_000)),
		"a long string": workbookFile(t, `<row>`+cells+`</row>`, "xl/sharedStrings.xml", `<sst><si><t>`+strings.Repeat("a", 1_000_000)+`</t></si></sst>`),
		"strings":       workbookFile(t, `<row>`+cells+`</row>`, "xl/sharedStrings.xml", `<sst>`+strings.Repeat(`<si><t>a</t></si>`, 900_000)+`</sst>`),
		"a diagonal":    workbookFile(t, diagonal(10_000)),
		"the same worksheet": zipped(t, "_rels/.rels", relationships("officeDocument", "xl/workbook.xml"), "xl/workbook.xml", `<workbook><sheets>`+strings.Repeat(`<sheet name="a" r:id="rId1"/>`, 200_000)+`</sheets></workbook>`,
			"xl/_rels/workbook.xml.rels", relationships("worksheet", "sheet.xml"), "xl/sheet.xml", ""),
	}
}

// diagonal returns rows with a cell each, every one in its own column.
func diagonal(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `<row><c r="%c%c%c1"><v>1</v></c></row>`, 'A'+i/676%26, 'A'+i/26%26, 'A'+i%26)
	}
	return b.String()
}

func TestAnOfficeFileThatHoldsTooMuchCostsLittleAndSaysSo(t *testing.T) {
	for name, content := range bombs(t) {
		t.Run(name, func(t *testing.T) {
			outline := attachments(t, "bomb.docx", "application/zip", content)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			started := time.Now()
			result := readAttachment(t, false, outline, nil)
			took := time.Since(started)
			runtime.ReadMemStats(&after)
			t.Logf("%d bytes: %v, %d MiB in all", len(content), took, (after.TotalAlloc-before.TotalAlloc)>>20)
			text := contentText(result)
			if !strings.Contains(text, "is too large when unpacked") && !strings.Contains(text, "is damaged") {
				t.Errorf("%.300s", text)
			}
			if fixtures.Thorough() && took > 10*time.Second { // some 200 ms on a machine that does nothing else
				t.Errorf("it took %v", took)
			}
		})
	}
}

// contentText returns the text of an answer, which may be an error.
func contentText(result *mcp.CallToolResult) string {
	text, _ := result.Content[0].(mcp.TextContent)
	return text.Text
}
