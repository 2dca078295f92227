package tools_test

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"fmt"
	"image"
	"image/jpeg"
	"image/png"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"outline-mcp/internal/app"
	"outline-mcp/internal/cli"
	"outline-mcp/internal/config"
	"outline-mcp/internal/fakeoutline"
	"outline-mcp/output"
	"outline-mcp/test/fixtures"
	"outline-mcp/tools"
	"outline-mcp/tools/pdftext"
)

// grace is what the calls of these tests may take beyond their time limit.
const grace = time.Second

// machine is held for reading by the calls of these tests, and for writing by one that is
// made again.
var machine sync.RWMutex

// repeat writes a text again and again, with a pause after each.
func repeat(w http.ResponseWriter, r *http.Request, begin, text string, times int, pause time.Duration) {
	w.Header().Set("Content-Type", "application/json")
	_, _ = io.WriteString(w, begin)
	for n := 0; n < times && r.Context().Err() == nil; n++ {
		if _, err := io.WriteString(w, text); err != nil {
			return
		}
		if pause > 0 {
			_ = http.NewResponseController(w).Flush()
			time.Sleep(pause)
		}
	}
}

func refuse(code int, wait string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Retry-After", wait)
		w.WriteHeader(code)
		_, _ = io.WriteString(w, `{"ok":false,"error":"rate_limit_exceeded"}`)
	}
}

// hostileModes are what an Outline does instead of answering.
func hostileModes() map[string]http.HandlerFunc {
	const endless = 1 << 40
	return map[string]http.HandlerFunc{
		"answers nothing": func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() },
		"drips": func(w http.ResponseWriter, r *http.Request) {
			repeat(w, r, `{"ok":true,"data":[`, " ", endless, 50*time.Millisecond)
		},
		"drips objects": func(w http.ResponseWriter, r *http.Request) {
			repeat(w, r, `{"ok":true,"data":[{}`, ",{}", endless, time.Millisecond)
		},
		"does not end": func(w http.ResponseWriter, r *http.Request) {
			repeat(w, r, `{"ok":true,"data":"`, strings.Repeat("a", 64<<10), endless, 20*time.Millisecond)
		},
		"empty objects": func(w http.ResponseWriter, r *http.Request) {
			repeat(w, r, `{"ok":true,"data":[{}`, strings.Repeat(",{}", 1000), 1400, 0)
		},
		"nested arrays": func(w http.ResponseWriter, r *http.Request) {
			repeat(w, r, `{"ok":true,"data":`, strings.Repeat("[", 1000), 4000, 0)
		},
		"half an answer": func(w http.ResponseWriter, r *http.Request) {
			repeat(w, r, `{"ok":true,"data":{"id":"`, "", 1, 0)
			_ = http.NewResponseController(w).Flush()
			<-r.Context().Done()
		},
		"redirects": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, r.URL.Path, http.StatusTemporaryRedirect)
		},
		"429 for a day": refuse(http.StatusTooManyRequests, "86400"),
		"429 at once":   refuse(http.StatusTooManyRequests, "0"),
		"503 for a day": refuse(http.StatusServiceUnavailable, "86400"),
		"503 at once":   refuse(http.StatusServiceUnavailable, "0"),
		"closes":        func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
	}
}

// TestNoCallTakesLongerThanItMay calls every tool while Outline is hostile: from the first
// request of the call on, or after one that it answers.
func TestNoCallTakesLongerThanItMay(t *testing.T) {
	modes := hostileModes()
	for _, name := range fixtures.Some(slices.Sorted(maps.Keys(modes)), 2) {
		mode := modes[name]
		for _, well := range []int64{0, 1} {
			t.Run(fmt.Sprintf("%s after %d answers", name, well), func(t *testing.T) {
				var all sync.WaitGroup
				places := make(chan struct{}, 32)
				for _, tool := range fixtures.Some(tools.All(), 8) {
					called := tool.Info().Name
					arguments := decoded[map[string]any](t, successes(t, called)[0].Arguments)
					places <- struct{}{}
					all.Go(func() {
						defer func() { <-places }()
						timed(t, 500*time.Millisecond, func() string { return hostileOutline(t, mode, well) }, called, arguments)
					})
				}
				all.Wait()
			})
		}
	}
}

// hostileOutline returns the address of an Outline that answers some requests of a key.
func hostileOutline(t *testing.T, mode http.HandlerFunc, well int64) string {
	t.Helper()
	wiki, err := fakeoutline.New(fakeoutline.Options{Answers: true})
	if err != nil {
		t.Fatal(err)
	}
	var requests atomic.Int64
	outline := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if requests.Add(1) <= well {
			wiki.ServeHTTP(w, r)
			return
		}
		_, _ = io.Copy(io.Discard, r.Body) // or the server does not notice that the client has gone
		mode(w, r)
	}))
	t.Cleanup(func() {
		outline.CloseClientConnections()
		outline.Close()
	})
	return outline.URL
}

// timed calls a tool with a time limit and reports a call that takes too long, or that is told of a bug of this
// server, or more than an answer may have. A call that takes too long is made again with a new server and a new
// Outline, alone, because other calls and programs may be the reason.
func timed(t *testing.T, limit time.Duration, outline func() string, tool string, arguments map[string]any) cli.Answer {
	t.Helper()
	for try := 1; ; try++ {
		lock := machine.RLocker()
		if try > 1 {
			lock = &machine
		}
		answer, took, err := callLocked(t, limit, outline(), tool, arguments, lock)
		t.Logf("%s: %.160s", took, answer.Text)
		late := took > limit+grace
		if err != nil || late && try == 3 && fixtures.Thorough() || answer.Code == output.Internal || len(answer.Structured) > 1<<20 {
			t.Errorf("%s takes %s: %v, %.200s", tool, took, err, answer.Text)
			return answer
		}
		if !late || !fixtures.Thorough() {
			return answer
		}
	}
}

// callLocked calls a tool of a new server while it holds a lock.
func callLocked(t *testing.T, limit time.Duration, outline, tool string, arguments map[string]any, lock sync.Locker) (answer cli.Answer, took time.Duration, err error) {
	settings, err := config.Load([]string{"OUTLINE_TOOLS=all", "OUTLINE_API_URL=" + outline, "OUTLINE_API_KEY=" + fakeoutline.AdminKey,
		fmt.Sprint("OUTLINE_CALL_TIMEOUT=", limit), "OUTLINE_STRUCTURED_OUTPUT=on", "OUTLINE_MAX_RETRIES=10"})
	if err != nil {
		return answer, 0, err
	}
	server, err := app.New(app.Options{Config: settings, Version: "test", PDFText: pdftext.Process{Path: os.Args[0], Args: []string{"extract-pdf"}}.Text})
	if err != nil {
		return answer, 0, err
	}
	c, err := server.Connect(t.Context())
	if err != nil {
		return answer, 0, err
	}
	defer c.Close()
	lock.Lock()
	defer lock.Unlock()
	begun := time.Now()
	answer, err = cli.Call(t.Context(), c, tool, arguments)
	return answer, time.Since(begun), err
}

// TestNoFileTakesLongerThanItsCallMay reads files that take long to send or to decode, or
// that hold far more than their size.
func TestNoFileTakesLongerThanItsCallMay(t *testing.T) {
	files, modes := hostileFiles(t), hostileModes()
	for name, file := range files {
		modes[name] = func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(file.content) }
	}
	for _, name := range fixtures.Some(slices.Sorted(maps.Keys(modes)), 6) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			mode := modes[name]
			outline := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if path.Base(r.URL.Path) == "attachments.redirect" {
					http.Redirect(w, r, "/api/files.get?key=x", http.StatusFound)
					return
				}
				_, _ = io.Copy(io.Discard, r.Body)
				mode(w, r)
			}))
			defer outline.Close()
			answer := timed(t, time.Second, func() string { return outline.URL }, "read_attachment", map[string]any{"attachment_id": uuid(30_000)})
			if !strings.Contains(answer.Text, files[name].says) && answer.Code != "timeout" {
				t.Errorf("%.400s", answer.Text)
			}
			outline.CloseClientConnections()
		})
	}
}

// A hostileFile is a file that takes long to decode, or holds far more than its size, and
// what the answer says of it.
type hostileFile struct {
	content []byte
	says    string
}

// hostileFiles returns files by what they hold.
func hostileFiles(t *testing.T) map[string]hostileFile {
	files := map[string]hostileFile{
		"spaces":          {bytes.Repeat([]byte(" "), 10<<20), "Part of line 1"},
		"lines":           {bytes.Repeat([]byte("\n"), 10<<20), "10485760 bytes, text"},
		"returns":         {bytes.Repeat([]byte("\r"), 10<<20), "10485760 bytes, text"},
		"a CSV of commas": {bytes.Repeat([]byte(","), 10<<20), "Part of line 1"},
		"a CSV of rows":   {bytes.Repeat([]byte("a,b\n"), 2<<20), "Lines 1–"},
		"UTF-16":          {bytes.Repeat([]byte("a\x00"), 5<<20), "decoded from UTF-16"},
	}
	maps.Copy(files, hostilePictures())
	maps.Copy(files, hostileOfficeFiles(t))
	maps.Copy(files, hostilePDFs())
	return files
}

func hostilePictures() map[string]hostileFile {
	const scaled, complex, large = "as an image (scaled to ", "it has too many scans, frames or chunks", "too many pixels"
	var photo, drawing bytes.Buffer
	noise := image.NewGray(image.Rect(0, 0, 4300, 4300))
	_, _ = rand.NewChaCha8([32]byte{}).Read(noise.Pix)
	_ = jpeg.Encode(&photo, noise, &jpeg.Options{Quality: 30})
	_ = png.Encode(&drawing, image.NewGray(image.Rect(0, 0, 4800, 4800)))
	start, scan := photo.Bytes()[:bytes.Index(photo.Bytes(), []byte("\xFF\xDA"))], "\xFF\xDA\x00\x08\x01\x01\x00\x00\x3F\x00"
	const gif, webP = "GIF89a\xC0\x12\xC0\x12\x80\x00\x00\x00\x00\x00\xFF\xFF\xFF", "RIFF\xFF\xFF\xFF\x00WEBP"
	picture := func(says string, parts ...string) hostileFile {
		return hostileFile{[]byte(strings.Join(parts, "")), says}
	}
	return map[string]hostileFile{
		"JPEG: a large photo":     {photo.Bytes(), scaled},
		"JPEG: scans":             picture(complex, string(start), strings.Repeat(scan, 500_000)),
		"JPEG: tables":            picture(complex, string(start), strings.Repeat("\xFF\xFE\x00\x02", 500_000), scan),
		"JPEG: 4 gigapixels":      picture(large, strings.Replace(photo.String(), "\x10\xCC\x10\xCC", "\xFF\xFF\xFF\xFF", 1)),
		"PNG: a large drawing":    {drawing.Bytes(), scaled},
		"PNG: chunks":             picture(complex, drawing.String()[:33], strings.Repeat("\x00\x00\x00\x00tEXt\x96\x42\xC5\x85", 700_000)),
		"PNG: 4 exapixels":        picture("header cannot be read", drawing.String()[:16], "\x7F\xFF\xFF\xFF\x7F\xFF\xFF\xFF\x08\x00\x00\x00\x00\x45\x2F\x2E\x40"),
		"GIF: frames":             picture(complex, gif, strings.Repeat(",\x00\x00\x00\x00\x10\x00\x10\x00\x00\x02\x00", 700_000)),
		"GIF: extensions":         picture(complex, gif, strings.Repeat("!\xFE\x00", 3_000_000)),
		"GIF: a frame too short":  picture("it is damaged", gif, ",\x00\x00\x00\x00\xC0\x12\xC0\x12\x00\x02", strings.Repeat("\x01\x4C", 4_000_000)),
		"GIF: 4 gigapixels":       picture(large, strings.Replace(gif, "\xC0\x12\xC0\x12", "\xFF\xFF\xFF\xFF", 1), ",\x00\x00\x00\x00\xFF\xFF\xFF\xFF\x00\x02\x00"),
		"WebP: chunks":            picture(complex, webP, "VP8X\x0A\x00\x00\x00", strings.Repeat("\x00", 10), strings.Repeat("ANMF\x00\x00\x00\x00", 1_000_000)),
		"WebP: 256 megapixels":    picture(large, webP, "VP8L\xFF\xFF\x00\x00\x2F\xFF\xFF\xFF\x0F", strings.Repeat("\x55", 1<<16)),
		"WebP: codes of no color": picture("it is damaged", webP, "VP8L\xFF\xFF\x00\x00\x2F\xB7\xCB\xED\x02", strings.Repeat("\xFF", 1<<16)),
	}
}

// hostileOfficeFiles returns files in zips, none of which has to be large.
func hostileOfficeFiles(t *testing.T) map[string]hostileFile {
	const full, damaged = "is too large when unpacked", "it is damaged"
	const paragraph, row = "<w:p><w:r><w:t>a</w:t></w:r></w:p>", "<row><c><v>1</v></c></row>"
	presentation := func(list string, slides ...string) []byte {
		return zipped(t, append([]string{"_rels/.rels", relationships("officeDocument", "ppt/presentation.xml"),
			"ppt/presentation.xml", "<p:presentation>" + list + "</p:presentation>"}, slides...)...)
	}
	// A size that a zip does not keep to is that of its directory and of its parts.
	bomb := wordFile(t, strings.Repeat(paragraph, 3<<20))
	size := binary.LittleEndian.AppendUint32(nil, uint32(len(paragraph)*3<<20+len(`<?xml version="1.0" encoding="UTF-8"?><w:document xmlns:w="w"><w:body></w:body></w:document>`)))
	return map[string]hostileFile{
		"Word: paragraphs":        {wordFile(t, strings.Repeat(paragraph, 400_000)), full},
		"Word: a bomb":            {bomb, full},
		"Word: a wrong size":      {bytes.ReplaceAll(bomb, size, []byte{100, 0, 0, 0}), damaged},
		"Word: nested tables":     {wordFile(t, strings.Repeat("<w:tbl><w:tr><w:tc>", 300_000)), full},
		"Word: entities":          {wordFile(t, "&a;"), damaged},
		"Word: styles":            {wordFile(t, paragraph, "word/_rels/document.xml.rels", relationships("styles", "styles.xml"), "word/styles.xml", "<w:styles>"+strings.Repeat(`<w:style w:styleId="a"><w:basedOn w:val="a"/></w:style>`, 200_000)), full},
		"Excel: rows":             {workbookFile(t, strings.Repeat(row, 400_000)), full},
		"Excel: a long format":    {workbookFile(t, row, "xl/styles.xml", `<styleSheet><numFmts><numFmt numFmtId="200" formatCode="`+strings.Repeat("a", 1_000_000)+`"/></numFmts></styleSheet>`), "| 1 |"},
		"Excel: a long number":    {workbookFile(t, "<row><c><v>"+strings.Repeat("1", 1_000_000)+"</v></c></row>"), "Lines 1–2 of 4"},
		"PowerPoint: slides":      {presentation(strings.Repeat(`<p:sldId r:id="rId1"/>`, 900), "ppt/_rels/presentation.xml.rels", relationships("slide", "slide.xml"), "ppt/slide.xml", "<p:sld>"+strings.Repeat("<a:p><a:r><a:t>a</a:t></a:r></a:p>", 500)+"</p:sld>"), full},
		"a zip of parts":          {zipped(t, append([]string{"_rels/.rels", relationships("officeDocument", "word/document.xml")}, make([]string, 120_000)...)...), "not shown"},
		"a zip in a zip":          {zipped(t, "a.zip", string(bomb)), "not shown"},
		"a directory without end": {append([]byte("PK\x03\x04"), bytes.Repeat([]byte("PK\x01\x02"), 2<<20)...), "not shown"},
	}
}

// hostilePDFs returns PDFs of each kind of object, of up to 10 MB, so that the time that
// reading them may take is the longest.
func hostilePDFs() map[string]hostileFile {
	const unread = "whose text could not be read: "
	const form = "/Type /XObject /Subtype /Form /Resources << /Font << /F 6 0 R >> /XObject << /X 5 0 R >> >>"
	one := func(content string, more ...string) hostileFile {
		return hostileFile{pdfOf(append([]string{"<< /Pages 2 0 R >>", "<< /Type /Pages /Kids [3 0 R] >>",
			"<< /Type /Page /Contents 4 0 R /Resources << /Font << /F 5 0 R >> /XObject << /X 5 0 R >> >> >>", content}, more...)...), unread}
	}
	of := func(objects ...string) hostileFile {
		return hostileFile{pdfOf(append([]string{"<< /Pages 2 0 R >>"}, objects...)...), unread}
	}
	// A file whose table is the first object, at byte 9.
	packed := func(objects string) hostileFile {
		return hostileFile{[]byte("%PDF-1.5\n" + objects + "\nstartxref\n9\n%%EOF\n"), unread}
	}
	table := func(index, w, content string) string {
		return "1 0 obj\n" + pdfStream("/Type /XRef /Size 9 /Index ["+index+"] /W ["+w+"] /Root 2 0 R /Filter /FlateDecode", content) + "\nendobj\n"
	}
	extends := table("0 4", "1 1 1", compressed("\x00\x00\x00\x01\x09\x00\x02\x03\x00\x01\xC8\x00"))
	extends += strings.Repeat(" ", 0xC8-9-len(extends)) + "3 0 obj\n" + pdfStream("/Type /ObjStm /N 1 /First 4 /Extends 3 0 R", "9 0 ") + "\nendobj"
	text := compressed("BT /F 9 Tf (a) Tj ET")
	locked := one(pdfStream("", strings.Repeat("garbage", 1_000_000)))
	locked.content = bytes.Replace(locked.content, []byte("trailer\n<<"), []byte("trailer\n<< /ID [(a)(b)] /Encrypt << /Filter /Standard /V 2 /R 3 /Length 128 /P 0 /O ("+strings.Repeat("o", 32)+") /U ("+strings.Repeat("u", 32)+") >>"), 1)
	const flate = "/Filter /FlateDecode"
	return map[string]hostileFile{
		"PDF: object streams in each other":         packed(table("0 5", "1 1 1", compressed("\x00\x00\x00\x01\x09\x00\x02\x03\x00\x02\x04\x00\x02\x03\x00"))),
		"PDF: an object stream that extends itself": packed(extends),
		"PDF: a table of gigabytes":                 packed(table("0 4000000000", "0 0 1", zeros(9<<20))),
		"PDF: a table of huge entries":              packed(table("0 4", "1 1 99999999999", compressed("a"))),
		"PDF: tables in a circle":                   packed("xref\n0 0\ntrailer\n<< /Size 1 /Root 1 0 R /Prev 63 >>\n\n\n\n\nxref\n0 0\ntrailer\n<< /Prev 9 >>"),
		"PDF: no table":                             {append([]byte("%PDF-1.7\n"), strings.Repeat("1 0 obj\n<< /Pages 1 0 R >>\nendobj\n", 280_000)+"startxref\n0\n%%EOF\n"...), unread},
		"PDF: no object is where the table has it":  {bytes.Replace(pdfOf("<< /Pages 2 0 R >>", strings.Repeat("garbage", 1_000_000)), []byte("0000000009"), []byte("0000009999"), 1), unread},
		"PDF: a million kids":                       of("<< /Type /Pages /Kids ["+strings.Repeat("3 0 R ", 1_000_000)+"] >>", "<< /Type /Page >>"),
		"PDF: a cycle of pages":                     of("<< /Type /Pages /Kids [3 0 R 3 0 R] >>", "<< /Type /Pages /Kids [2 0 R 2 0 R] >>"),
		"PDF: nested dictionaries":                  of(strings.Repeat("<</a", 2<<20)),
		"PDF: gigabytes":                            one(pdfStream(flate, zeros(9<<20))),
		"PDF: gigabytes in gigabytes":               one(pdfStream("/Filter [/FlateDecode /FlateDecode]", compressed(zeros(9<<20)))),
		"PDF: ASCII85":                              one(pdfStream("/Filter /ASCII85Decode", strings.Repeat("z", 9<<20)+"~>")),
		"PDF: LZW":                                  one(pdfStream("/Filter /LZWDecode", strings.Repeat("\x80", 9<<20))),
		"PDF: RunLength":                            one(pdfStream("/Filter /RunLengthDecode", strings.Repeat("\x81\x00", 4<<20))),
		"PDF: filters without end":                  one(pdfStream("/Filter ["+strings.Repeat("/FlateDecode ", 700_000)+"]", text)),
		"PDF: text operators":                       one(pdfStream("", "BT /F 9 Tf "+strings.Repeat("(a)Tj ", 1_500_000)), "<< /Subtype /TrueType >>"),
		"PDF: nested arrays":                        one(pdfStream("", strings.Repeat("[", 9<<20))),
		"PDF: inline images":                        one(pdfStream("", strings.Repeat("BI /W 9 /H 9 ID \x00(((<<[[ EI\n", 300_000))),
		"PDF: forms in themselves":                  one(pdfStream("", "/X Do"), pdfStream(form, "BT /F 9 Tf (a) Tj ET "+strings.Repeat("/X Do ", 100)), "<< /Subtype /TrueType >>"),
		"PDF: ranges of codes":                      one(pdfStream(flate, text), "<< /Subtype /Type0 /ToUnicode 6 0 R >>", pdfStream("", strings.Repeat("<0000><FFFF><0000>\n", 400_000)+"endbfrange")),
		"PDF: widths":                               one(pdfStream(flate, text), "<< /Subtype /Type0 /DescendantFonts [<< /W ["+strings.Repeat("0 65535 1 ", 700_000)+"] >>] >>"),
		"PDF: garbage that is encrypted":            locked,
		"PDF: garbage":                              {append([]byte("%PDF-1.7\n"), bytes.Repeat([]byte("\xFF\x00("), 3<<20)...), unread},
	}
}

// pdfOf returns a PDF of objects, numbered from 1. The first is the catalog.
func pdfOf(objects ...string) []byte {
	var b bytes.Buffer
	b.WriteString("%PDF-1.7\n")
	table := fmt.Sprintf("xref\n0 %d\n0000000000 65535 f \n", len(objects)+1)
	for i, object := range objects {
		table += fmt.Sprintf("%010d 00000 n \n", b.Len())
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", i+1, object)
	}
	fmt.Fprintf(&b, "%strailer\n<< /Root 1 0 R /Size %d >>\nstartxref\n%d\n%%%%EOF\n", table, len(objects)+1, b.Len())
	return b.Bytes()
}

func pdfStream(dict, content string) string {
	return fmt.Sprintf("<< /Length %d %s >>\nstream\n%s\nendstream", len(content), dict, content)
}

func compressed(content string) string {
	var b bytes.Buffer
	w := zlib.NewWriter(&b)
	_, _ = io.WriteString(w, content)
	_ = w.Close()
	return b.String()
}

// zeros returns compressed data of a length that is a thousand times as long.
func zeros(length int) string {
	var b bytes.Buffer
	w := zlib.NewWriter(&b)
	_ = w.Flush()
	begin := b.Len()
	_, _ = w.Write(make([]byte, 1<<20))
	_ = w.Flush()
	return b.String()[:begin] + strings.Repeat(b.String()[begin:], length/(b.Len()-begin))
}
