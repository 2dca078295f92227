package pdftext

import (
	"bytes"
	"encoding/hex"
	"regexp"
	"slices"
	"strings"
	"unicode/utf16"

	"github.com/ledongthuc/pdf"
)

// font tells what the codes of a font mean, and how wide they are in thousandths of its size.
type font struct {
	codeLength int // in bytes
	unicode    map[string]string
	ranges     []codeRange      // of codes that unicode may lack
	encoding   pdf.TextEncoding // of codes that unicode lacks; nil if nothing tells
	widths     map[int]float64
	other      float64 // the width of other codes
}

// codeRange is consecutive codes of one length, whose meanings are consecutive as well.
type codeRange struct {
	length, first, last int
	meaning             string // of the first, in UTF-16
}

// font returns a font of the resources in use. Each is read once for a page.
func (p *page) font(name string) *font {
	if f, ok := p.fonts[name]; ok {
		return f
	}
	v := p.resources.Key("Font").Key(name)
	f := &font{codeLength: 1, unicode: map[string]string{}, widths: map[int]float64{}, other: 500}
	p.fonts[name] = f
	if v.Key("Subtype").Name() == "Type0" {
		f.codeLength = 2
		f.readCIDWidths(v.Key("DescendantFonts").Index(0))
	} else {
		widths, first := v.Key("Widths"), int(v.Key("FirstChar").Int64())
		for i := range min(widths.Len(), 256) {
			f.widths[first+i] = widths.Index(i).Float64()
		}
	}
	known := pdf.Font{V: v}
	if v.Key("Subtype").Name() != "Type0" || v.Key("Encoding").Name() == "UniGB-UCS2-H" {
		f.encoding = known.Encoder()
	}
	if v.Key("ToUnicode").Kind() == pdf.Stream {
		p.readUnicode(f, v.Key("ToUnicode"))
	}
	return f
}

func (f *font) decode(code string) string {
	text, ok := f.unicode[code]
	if !ok {
		text = f.find(code)
		f.unicode[code] = text
	}
	return text
}

// find returns what a code means that unicode lacks.
func (f *font) find(code string) string {
	n := number(code)
	for _, r := range f.ranges {
		if r.length == len(code) && r.first <= n && n <= r.last {
			return fromUTF16(r.meaning, n-r.first)
		}
	}
	if f.encoding != nil {
		return f.encoding.Decode(code)
	}
	return "\uFFFD"
}

func (f *font) width(code string) float64 {
	if width, ok := f.widths[number(code)]; ok {
		return width
	}
	return f.other
}

// number returns the number that the bytes of a code are.
func number(code string) (n int) {
	for i := range len(code) {
		n = n<<8 | int(code[i])
	}
	return n
}

// readCIDWidths reads widths, which are written as first [width ...] or first last width.
func (f *font) readCIDWidths(v pdf.Value) {
	f.other = 1000
	if v.Key("DW").Kind() == pdf.Integer {
		f.other = v.Key("DW").Float64()
	}
	widths := v.Key("W")
	for i := 0; i+1 < widths.Len(); {
		first, second := int(widths.Index(i).Int64()), widths.Index(i+1)
		if second.Kind() == pdf.Array {
			for j := range second.Len() {
				f.widths[first+j] = second.Index(j).Float64()
			}
			i += 2
			continue
		}
		for code := max(first, 0); code <= min(int(second.Int64()), 0xFFFF); code++ {
			f.widths[code] = widths.Index(i + 2).Float64()
		}
		i += 3
	}
}

// readUnicode reads what a font says its codes mean.
func (p *page) readUnicode(f *font, v pdf.Value) {
	var b bytes.Buffer
	p.measure(&b, v)
	var codes []string // up to the next operator
	array := -1        // the first of an array in codes
	// The map consists of strings, arrays of strings and operators.
	tokens := regexp.MustCompile(`<[\s0-9A-Fa-f]*>|[][]|[A-Za-z]+`)
	for _, token := range tokens.FindAll(b.Bytes(), -1) {
		switch {
		case token[0] == '[':
			array = len(codes)
		case token[0] == '<':
			p.count(1)
			raw, _ := hex.DecodeString(string(bytes.Join(bytes.Fields(token[1:len(token)-1]), nil)))
			codes = append(codes, string(raw))
		case token[0] == ']' && array == 2:
			for i, text := range codes[array:] {
				f.unicode[following(codes[0], i)] = fromUTF16(text, 0)
			}
			codes, array = nil, -1
		case string(token) == "endbfchar":
			for ; len(codes) >= 2; codes = codes[2:] {
				f.unicode[codes[0]] = fromUTF16(codes[1], 0)
			}
		case string(token) == "endbfrange":
			for ; len(codes) >= 3; codes = codes[3:] {
				f.ranges = append(f.ranges, codeRange{len(codes[0]), number(codes[0]), number(codes[1]), codes[2]})
			}
		}
		if token[0] >= 'A' && token[0] != '[' && token[0] != ']' {
			codes, array = nil, -1
		}
	}
}

// following returns the code n after a code.
func following(code string, n int) string {
	n += number(code)
	b := make([]byte, len(code))
	for i := range slices.Backward(b) {
		b[i] = byte(n)
		n >>= 8
	}
	return string(b)
}

// fromUTF16 returns a text whose last unit is the one n after that which raw has.
func fromUTF16(raw string, n int) string {
	const longest = 64 // of what one code means, in bytes
	units := make([]uint16, 0, longest/2)
	for i := 0; i+1 < min(len(raw), longest); i += 2 {
		units = append(units, uint16(raw[i])<<8|uint16(raw[i+1]))
	}
	if len(units) > 0 {
		units[len(units)-1] += uint16(n)
	}
	return strings.ReplaceAll(string(utf16.Decode(units)), "\x00", "")
}
