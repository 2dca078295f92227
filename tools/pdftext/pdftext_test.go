package pdftext_test

import (
	"bytes"
	"compress/zlib"
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"outline-mcp/test/fixtures"
	"outline-mcp/tools/pdftext"
)

// TestMain lets this test binary be the process that reads a PDF.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "extract" {
		os.Exit(pdftext.Extract(os.Stdin, os.Stdout))
	}
	os.Exit(m.Run())
}

var process = pdftext.Process{Path: os.Args[0], Args: []string{"extract"}}

// pdfFile returns a PDF of objects, numbered from 1. The first is the catalog.
func pdfFile(objects ...string) []byte {
	var b bytes.Buffer
	b.WriteString("%PDF-1.7\n")
	var table strings.Builder
	for i, object := range objects {
		fmt.Fprintf(&table, "%010d 00000 n \n", b.Len())
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", i+1, object)
	}
	at := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n%strailer\n<< /Root 1 0 R /Size %d >>\nstartxref\n%d\n%%%%EOF\n", len(objects)+1, table.String(), len(objects)+1, at)
	return b.Bytes()
}

func pdfStream(dict, content string) string {
	return fmt.Sprintf("<< /Length %d %s >>\nstream\n%s\nendstream", len(content), dict, content)
}

func deflated(dict, content string) string {
	var b bytes.Buffer
	w := zlib.NewWriter(&b)
	_, _ = w.Write([]byte(content))
	_ = w.Close()
	return pdfStream("/Filter /FlateDecode "+dict, b.String())
}

// pdfPage returns a PDF of one page that has content, a font F and more objects from 6.
func pdfPage(content string, more ...string) []byte {
	return pdfFile(append([]string{
		"<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
		"<< /Type /Page /Parent 2 0 R /Contents 4 0 R /Resources << /Font << /F 5 0 R >> /XObject << /X 6 0 R >> >> >>",
		content, "<< /Type /Font /Subtype /TrueType /BaseFont /Helvetica /ToUnicode 7 0 R /Encoding << /Differences [1 /fi /ccaron /Euro] >> >>",
	}, more...)...)
}

func TestThePagesOfAPDFAreReadAsAPersonReadsThem(t *testing.T) {
	for name, shows := range map[string]string{
		"reportlab.pdf":   "## Page 1\n\nPage 1: naïve café – “quoted” €5\nsecond line\n\n## Page 2\n\n",
		"objects.pdf":     "## Page 3\n\nPage 3: naïve café – “quoted” €5\nsecond line\n",
		"aes-128.pdf":     "Page 3: naïve café",
		"form.pdf":        "Inside a form\n\nOutside\n",
		"cid.pdf":         "你好，世界\n",
		"chromium.pdf":    "Pump manual\nThe office offers efficient flows: fi fl.\n",
		"libreoffice.pdf": "\n\nPart  Price\nValve  3.50\n• first\n• second\n",
		"latex.pdf":       "The office offers efficient flows: first, fi fl,",
	} {
		t.Run(name, func(t *testing.T) {
			if text, err := process.Text(t.Context(), sample(t, name)); err != nil || !strings.Contains(text, shows) {
				t.Errorf("got\n%s\n%v, want\n%s", text, err, shows)
			}
		})
	}
}

func sample(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestThePlaceOfTextOnAPageIsItsStructure(t *testing.T) {
	at := func(x, y, size int, text string) string {
		return fmt.Sprintf("BT /F %d Tf %d %d Td (%s) Tj ET\n", size, x, y, text)
	}
	for name, test := range map[string]struct{ content, shows string }{
		"two columns": {at(72, 600, 10, "left") + at(72, 588, 10, "side") + at(320, 600, 10, "right") + at(320, 588, 10, "part"),
			"left\nside\n\nright\npart\n"},
		"a table":                        {at(72, 500, 10, "part") + at(200, 500, 10, "1") + at(72, 486, 10, "whole") + at(200, 486, 10, "2"), "part  1\nwhole  2\n"},
		"another order":                  {at(72, 600, 10, "second") + at(72, 612, 10, "first"), "first\nsecond\n"},
		"glyph names":                    {at(72, 600, 10, `of\001ce \002 \003`), "office č €\n"},
		"gaps as spaces":                 {"BT /F 10 Tf 72 600 Td [(two) -300 (wo) 20 (rds)] TJ ET", "two words\n"},
		"a turned page":                  {"BT /F 10 Tf 0 1 -1 0 300 72 Tm (upwards) Tj 0 -12 Td (next) Tj ET", "upwards\nnext\n"},
		"marks of a diagram":             {strings.Repeat("q 1 0 0 1 3 3 cm /X Do Q ", 10_000) + at(72, 600, 10, "caption"), "caption\n"},
		"a drawing":                      {strings.Repeat("1 1 m 2 2 l S ", 25_000) + at(72, 600, 10, "caption"), "caption\n"},
		"lines like headings and fences": {at(72, 600, 10, "## Page 2") + at(72, 588, 10, "```"), "\\## Page 2\n\\```\n"},
		"a scaled page":                  {"q 0.1 0 0 0.1 0 0 cm BT /F 100 Tf 720 6000 Td (small) Tj 0 -120 Td (lines) Tj ET Q", "small\nlines\n"},
	} {
		t.Run(name, func(t *testing.T) {
			text, err := process.Text(t.Context(), pdfPage(deflated("", test.content), deflated("/Type /XObject /Subtype /Form", "0 0 1 1 re f"), "null"))
			if err != nil || !strings.Contains(text, "## Page 1\n\n"+test.shows) {
				t.Errorf("got\n%s\n%v, want\n%s", text, err, test.shows)
			}
		})
	}
}

func TestAPageThatHoldsTooMuchLeavesTheOthers(t *testing.T) {
	page := "<< /Type /Page /Contents %d 0 R /Resources << /Font << /F << /Subtype /Type1 >> >> >> >> "
	text, err := process.Text(t.Context(), pdfFile("<< /Pages 2 0 R >>", "<< /Type /Pages /Kids ["+fmt.Sprintf(page, 3)+fmt.Sprintf(page, 4)+"] >>",
		deflated("", strings.Repeat("q Q ", 150_000)), deflated("", "BT /F 9 Tf (words) Tj ET")))
	if want := "## Page 1\n\n(This page holds too much to be read.)\n\n## Page 2\n\nwords\n"; err != nil || !strings.Contains(text, want) {
		t.Errorf("%q, %v", text, err)
	}
}

func TestAFontSaysWhatItsCodesMean(t *testing.T) {
	for name, test := range map[string]struct{ unicode, codes, shows string }{
		"a range of all codes": {"beginbfrange <0000> <FFFF> <0000> endbfrange", "<004800690000>", "Hi\n"},
		"a range":              {"beginbfrange <0001> <0003> <0061> endbfrange", "<000100020003>", "abc\n"},
		"a range of pairs":     {"beginbfrange <0001> <0003> <D83DDE00> endbfrange", "<00010003>", "😀😂\n"},
		"a code in a range":    {"beginbfrange <0001> <0003> <0061> endbfrange beginbfchar <0002> <0058> endbfchar", "<000100020003>", "aXc\n"},
		"letters not shown":    {"beginbfrange <0001> <0001> <202E> <0002> <0002> <2028> <0003> <0003> <DB40DC41> <0004> <0004> <200B> <0005> <0005> <0061> endbfrange", "<00050001000500020005000300040005>", "aa aa\n"},
		"an array":             {"beginbfrange <0001> <0002> [<0061> <00660066>] endbfrange", "<00010002>", "aff\n"},
	} {
		t.Run(name, func(t *testing.T) {
			text, err := process.Text(t.Context(), composite(test.codes, test.unicode, 4))
			if want := "## Page 1\n\n" + strings.Repeat(test.shows, 4); err != nil || !strings.Contains(text, want) {
				t.Errorf("got\n%s\n%v, want\n%s", text, err, want)
			}
		})
	}
}

// composite returns a PDF that shows codes of two bytes in some fonts.
func composite(codes, unicode string, fonts int) []byte {
	var names, content strings.Builder
	for i := range fonts {
		fmt.Fprintf(&names, "/F%d << /Type /Font /Subtype /Type0 /Encoding /Identity-H /ToUnicode 5 0 R /DescendantFonts [<< >>] >> ", i)
		fmt.Fprintf(&content, "BT /F%d 10 Tf 72 %d Td %s Tj ET ", i, 600-12*i, codes)
	}
	return pdfFile("<< /Pages 2 0 R >>", "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
		"<< /Type /Page /Contents 4 0 R /Resources << /Font << "+names.String()+" >> >> >>", deflated("", content.String()), deflated("", unicode))
}

func TestAPDFWithoutTextSaysWhy(t *testing.T) {
	for name, test := range map[string]struct {
		data []byte
		want error
	}{
		"scanned":                {sample(t, "scan.pdf"), pdftext.ErrNoText},
		"fonts without letters":  {composite("<00410042>", "", 1), pdftext.ErrNoText},
		"locked":                 {sample(t, "locked.pdf"), pdftext.ErrEncrypted},
		"an old kind of key":     {sample(t, "rc4-40.pdf"), pdftext.ErrEncrypted},
		"cut":                    {sample(t, "reportlab.pdf")[:1000], pdftext.ErrDamaged},
		"a header":               {[]byte("%PDF-1.4"), pdftext.ErrDamaged},
		"content that is broken": {pdfPage(pdfStream("/Filter /FlateDecode", "?")), pdftext.ErrDamaged},
	} {
		if text, err := process.Text(t.Context(), test.data); !errors.Is(err, test.want) {
			t.Errorf("%s: %v, %q", name, err, text)
		}
	}
}

// bombs are files that hold far more than their size, or send a reader around in circles.
func bombs() map[string][]byte {
	const form = "/Type /XObject /Subtype /Form /Resources << /XObject << /X 6 0 R >> >>"
	page := "<< /Type /Page /Contents 4 0 R /Resources << /Font << /F 5 0 R >> >> >>"
	packed := func(table string) []byte {
		return []byte("%PDF-1.5\n" + table + "\nstartxref\n9\n%%EOF\n")
	}
	return map[string][]byte{
		"zeros":                  pdfPage(deflated("", strings.Repeat("\x00", fixtures.Count(20, 300)<<20))),
		"operators":              pdfPage(deflated("", strings.Repeat("q Q ", 500_000))),
		"numbers":                pdfPage(deflated("", strings.Repeat("1 ", 1_000_000))),
		"an array":               pdfPage(deflated("", "["+strings.Repeat("1 ", 1_000_000))),
		"arrays":                 pdfPage(deflated("", strings.Repeat("[", 2_000_000))),
		"dictionaries":           pdfPage(deflated("", strings.Repeat("<</a ", 400_000))),
		"states":                 pdfPage(deflated("", strings.Repeat("q ", 250_000))),
		"glyphs":                 pdfPage(deflated("", "BT /F 1 Tf ("+strings.Repeat("a", 2_000_000)+") Tj ET")),
		"lines":                  pdfPage(deflated("", "BT /F 1 Tf "+strings.Repeat("0 2 Td (a) Tj ", 130_000))),
		"forms":                  pdfPage(deflated("", "/X Do"), pdfStream(form, strings.Repeat("/X Do ", 100))),
		"a long text for a code": pdfPage(deflated("", "BT /F 1 Tf ("+strings.Repeat("a", 140_000)+") Tj ET"), "null", deflated("", "1 beginbfchar <61> <"+strings.Repeat("0041", 100_000)+"> endbfchar")),
		"ranges of codes":        pdfPage(deflated("", "BT /F 1 Tf (a) Tj ET"), "null", deflated("", strings.Repeat("<0><FF><41>", 170_000)+"endbfrange")),
		"pages":                  pdfFile("<< /Pages 2 0 R >>", "<< /Type /Pages /Kids ["+strings.Repeat(page, 20_000)+"] >>", "null", deflated("", "BT /F 9 Tf (page) Tj ET"), "<< >>"),
		"kids of kids":           pdfFile("<< /Pages 2 0 R >>", "<< /Type /Pages /Kids ["+strings.Repeat("<< /Type /Pages /Kids 3 0 R >>", 20_000)+"] >>", "["+strings.Repeat("2 0 R ", 20_000)+"]"),
		"a cycle of pages":       pdfFile("<< /Pages 2 0 R >>", "<< /Type /Pages /Kids [2 0 R 2 0 R] /Parent 2 0 R >>"),
		"depth":                  pdfFile("<< /Pages 2 0 R >>", strings.Repeat("<< /Kids [", 500_000)),
		"a reference to itself":  pdfFile("<< /Pages 2 0 R >>", "2 0 R"),
		"a length of its own":    pdfPage("<< /Length 4 0 R >>\nstream\nBT ET\nendstream"),
		"a huge table":           packed("xref\n0 2000000000\ntrailer\n<< /Size 2000000000 >>"),
		"a table of itself":      packed("xref\n0 0\ntrailer\n<< /Size 1 /Prev 9 /Root 1 0 R >>"),
		"a packed table":         packed("1 0 obj\n" + deflated("/Type /XRef /Size 100000000 /W [1 1 1] /Root 1 0 R", strings.Repeat("\x01\x01\x01", fixtures.Count(5_000_000, 50_000_000))) + "\nendobj"),
		"packed in itself":       packed("1 0 obj\n" + deflated("/Type /XRef /Size 4 /W [1 1 1] /Root 2 0 R", "\x00\x00\x00\x01\x09\x00\x02\x03\x00\x02\x03\x00") + "\nendobj"),
	}
}

func TestAPDFThatHoldsTooMuchCostsLittle(t *testing.T) {
	all := bombs()
	for _, name := range fixtures.Some(slices.Sorted(maps.Keys(all)), 3) {
		t.Run(name, func(t *testing.T) {
			data := all[name]
			cmd := exec.CommandContext(t.Context(), process.Path, process.Args...)
			cmd.Env = []string{"GOMAXPROCS=1", "GOTRACEBACK=none", "GOMEMLIMIT=31457280"}
			var text bytes.Buffer
			cmd.Stdin, cmd.Stdout = bytes.NewReader(data), &text
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			poll := time.NewTicker(time.Millisecond)
			defer poll.Stop()
			ended := make(chan error, 1)
			go func() { ended <- cmd.Wait() }()
			peak := 0 // what the system says it was, which it has until the process ends
			var err error
			for running := true; running; {
				status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", cmd.Process.Pid))
				if _, after, found := strings.Cut(string(status), "VmHWM:"); found {
					kib, _ := strconv.Atoi(strings.Fields(after)[0])
					peak = max(peak, kib<<10)
				}
				select {
				case err = <-ended:
					running = false
				case <-poll.C:
				}
			}
			// Not the clock: a busy machine would decide what it shows.
			ran := cmd.ProcessState.UserTime()
			took := ran + cmd.ProcessState.SystemTime()
			t.Logf("%d bytes: %v of a processor, %v without the system, %d MiB, %v, %d bytes of text", len(data), took, ran, peak>>20, err, text.Len())
			if err == nil && !strings.Contains(text.String(), "could not be read") || fixtures.Thorough() && (ran > 2*(200*time.Millisecond+4*time.Millisecond*time.Duration(len(data)>>10)) || took > 5*time.Second || peak > 64<<20) {
				t.Errorf("%v after %v, %d MiB: %.200s", err, took, peak>>20, text.String())
			}
		})
	}
}

func TestAProgramThatCannotBeStartedIsNotNamed(t *testing.T) {
	_, err := pdftext.Process{Path: "/absent/program"}.Text(t.Context(), sample(t, "reportlab.pdf"))
	if !errors.Is(err, pdftext.ErrUnavailable) || strings.Contains(err.Error(), "/absent") {
		t.Error(err)
	}
}

func TestReadingAPDFEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := process.Text(ctx, sample(t, "reportlab.pdf")); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestNoChangeOfAPDFHarmsTheServer(t *testing.T) {
	names, _ := filepath.Glob("testdata/*.pdf")
	random := rand.New(rand.NewPCG(1, 2))
	runs := fixtures.Count(2, 100)
	worst := time.Duration(0)
	for _, name := range names {
		seed := sample(t, filepath.Base(name))
		for range runs {
			data := bytes.Clone(seed)
			for range 1 + random.IntN(20) {
				data[random.IntN(len(data))] = byte(random.Uint32())
			}
			began := time.Now()
			if text, _ := process.Text(t.Context(), data); !utf8.ValidString(text) {
				t.Errorf("%q", text)
			}
			worst = max(worst, time.Since(began))
		}
	}
	t.Logf("at most %v", worst)
	if fixtures.Thorough() && worst > 7*time.Second {
		t.Errorf("it took %v", worst)
	}
}

// FuzzText reads the objects of a PDF with any content in a process of its own, which ends in
// time and says what is wrong.
func FuzzText(f *testing.F) {
	const text, page = "BT /F 9 Tf (a) Tj ET", "/Type /Page /Contents 4 0 R"
	f.Add("/Type /Pages /Kids [3 0 R]", page, text)
	f.Add("/Type /Pages /Kids [2 0 R 3 0 R]", page+" /Resources << /Font << /F 2 0 R >> >>", text+" BI /W 9 ID a EI [<00 (a] TJ")
	f.Fuzz(func(t *testing.T, pages, page, content string) {
		text, err := process.Text(t.Context(), pdfFile("<< /Pages 2 0 R >>", "<< "+pages+" >>", "<< "+page+" >>", pdfStream("", content)))
		if !utf8.ValidString(text) || errors.Is(err, pdftext.ErrUnavailable) {
			t.Errorf("%q, %v", text, err)
		}
	})
}
