package pdftext

import (
	"errors"
	"io"
	"math"
	"slices"
	"strings"
	"unicode"

	"github.com/ledongthuc/pdf"
)

// What a page may hold.
const (
	maxContent   = 2 << 20 // bytes of content, with the forms that it shows and its fonts
	maxOperators = 200_000 // that text depends on
	maxPageText  = 1 << 20 // bytes
	maxLines     = 5_000
	maxFormDepth = 8
	maxSaved     = 1_000 // states
	formCost     = 100   // operators
)

// errFull ends the interpretation of content.
var errFull = errors.New("the page is too large")

// page is the text of a page.
type page struct {
	lines []line

	fonts         map[string]*font // of the resources in use
	textless      map[string]bool  // forms of the resources in use
	resources     pdf.Value
	state         state
	saved         []state
	content       int
	operators     int
	size          int
	depth         int
	full, damaged bool
}

// line is text on one line. Its place is counted along the line and across it, so that
// the lines of a page that is turned are lines as well.
type line struct {
	x, end, y, size float64
	text            strings.Builder
}

// state is the part of the graphics state that text depends on.
type state struct {
	page              matrix
	font              *font
	size, leading     float64
	charSpace, spaces float64
	text, line        matrix
}

// matrix is the six numbers of an affine transformation.
type matrix [6]float64

var identity = matrix{1, 0, 0, 1, 0, 0}

func (m matrix) times(n matrix) matrix {
	return matrix{
		m[0]*n[0] + m[1]*n[2], m[0]*n[1] + m[1]*n[3],
		m[2]*n[0] + m[3]*n[2], m[2]*n[1] + m[3]*n[3],
		m[4]*n[0] + m[5]*n[2] + n[4], m[4]*n[1] + m[5]*n[3] + n[5],
	}
}

// readPage reads the text of a page, as far as it can be read.
func readPage(v, resources pdf.Value) (p *page) {
	p = &page{state: state{page: identity, text: identity, line: identity}}
	defer func() {
		switch r := recover(); r {
		case nil:
		case errFull:
			p.full = true
		default:
			p.damaged = true
		}
	}()
	p.read(v.Key("Contents"), resources)
	return p
}

// read interprets content with its resources.
func (p *page) read(content, resources pdf.Value) {
	switch content.Kind() {
	case pdf.Stream:
		p.measure(io.Discard, content)
	case pdf.Array:
		for i := range content.Len() {
			p.measure(io.Discard, content.Index(i))
		}
	default:
		return
	}
	fonts, textless, outer := p.fonts, p.textless, p.resources
	p.fonts, p.textless, p.resources = map[string]*font{}, map[string]bool{}, resources
	pdf.Interpret(content, func(stack *pdf.Stack, operator string) {
		args := make([]pdf.Value, stack.Len())
		for i := range slices.Backward(args) {
			args[i] = stack.Pop()
		}
		p.operate(operator, args)
	})
	p.fonts, p.textless, p.resources = fonts, textless, outer
}

// measure copies a stream, which costs far less than to interpret it, and counts its bytes.
func (p *page) measure(to io.Writer, stream pdf.Value) {
	n, _ := io.Copy(to, io.LimitReader(stream.Reader(), int64(maxContent-p.content)+1))
	if p.content += int(n); p.content > maxContent {
		panic(errFull)
	}
}

// count counts operators, or what a font says of codes.
func (p *page) count(n int) {
	if p.operators += n; p.operators > maxOperators {
		panic(errFull)
	}
}

// operate performs an operator that text depends on.
func (p *page) operate(operator string, args []pdf.Value) {
	number := func(i int) float64 {
		if i < len(args) {
			return args[i].Float64()
		}
		return 0
	}
	numbers := func() (m matrix) {
		for i := range m {
			m[i] = number(i)
		}
		return m
	}
	s := &p.state
	p.count(1)
	newLine := func(x, y float64) {
		s.line = matrix{1, 0, 0, 1, x, y}.times(s.line)
		s.text = s.line
	}
	switch operator {
	case "q":
		if len(p.saved) >= maxSaved {
			panic(errFull)
		}
		p.saved = append(p.saved, *s)
	case "Q":
		if n := len(p.saved) - 1; n >= 0 {
			*s, p.saved = p.saved[n], p.saved[:n]
		}
	case "cm":
		s.page = numbers().times(s.page)
	case "BT":
		s.text, s.line = identity, identity
	case "Tm":
		s.line = numbers()
		s.text = s.line
	case "Td":
		newLine(number(0), number(1))
	case "TD":
		s.leading = -number(1)
		newLine(number(0), number(1))
	case "T*":
		newLine(0, -s.leading)
	case "TL":
		s.leading = number(0)
	case "Tc":
		s.charSpace = number(0)
	case "Tw":
		s.spaces = number(0)
	case "Tf":
		if len(args) == 2 {
			s.font, s.size = p.font(args[0].Name()), number(1)
		}
	case "Tj", "'", `"`:
		if operator != "Tj" {
			newLine(0, -s.leading)
		}
		if len(args) > 0 {
			p.show(args[len(args)-1].RawString())
		}
	case "TJ":
		for i := 0; len(args) > 0 && i < args[0].Len(); i++ {
			if v := args[0].Index(i); v.Kind() == pdf.String {
				p.show(v.RawString())
			} else {
				p.advance(-v.Float64() / 1000 * s.size)
			}
		}
	case "Do":
		if len(args) > 0 {
			p.form(args[0].Name())
		}
	default: // such as those that draw, which a page may have many of
		p.operators--
	}
}

// form reads content that is shown as part of other content. A form without text, such as
// the mark of each point in a diagram, is read once.
func (p *page) form(name string) {
	if p.textless[name] {
		return
	}
	v, before := p.resources.Key("XObject").Key(name), p.size
	if v.Key("Subtype").Name() != "Form" || p.depth >= maxFormDepth {
		return
	}
	p.count(formCost)
	resources := v.Key("Resources")
	if resources.IsNull() {
		resources = p.resources
	}
	state, saved := p.state, p.saved
	p.saved = nil
	if m := v.Key("Matrix"); m.Len() == len(identity) {
		var own matrix
		for i := range own {
			own[i] = m.Index(i).Float64()
		}
		p.state.page = own.times(p.state.page)
	}
	p.depth++
	p.read(v, resources)
	p.depth--
	p.state, p.saved = state, saved
	p.textless[name] = p.size == before
}

func (p *page) advance(x float64) {
	p.state.text = matrix{1, 0, 0, 1, x, 0}.times(p.state.text)
}

// show adds text where the page shows it.
func (p *page) show(raw string) {
	s := &p.state
	if s.font == nil {
		return
	}
	begin := s.text.times(s.page)
	var text strings.Builder
	for len(raw) > 0 {
		code := raw[:min(s.font.codeLength, len(raw))]
		raw = raw[len(code):]
		text.WriteString(s.font.decode(code))
		width := s.font.width(code)/1000*s.size + s.charSpace
		if code == " " {
			width += s.spaces
		}
		p.advance(width)
		if p.size+text.Len() > maxPageText {
			panic(errFull)
		}
	}
	p.size += text.Len()
	length := math.Hypot(begin[0], begin[1])
	if length == 0 || text.Len() == 0 {
		return
	}
	cos, sin := begin[0]/length, begin[1]/length
	end := s.text.times(s.page)
	p.add(begin[4]*cos+begin[5]*sin, end[4]*cos+end[5]*sin, begin[5]*cos-begin[4]*sin, math.Abs(s.size)*math.Hypot(begin[2], begin[3]), text.String())
}

// add adds text to the line before it, or begins a line.
func (p *page) add(x, end, y, size float64, text string) {
	var last *line
	if n := len(p.lines); n > 0 {
		last = &p.lines[n-1]
	}
	if last == nil || math.Abs(last.y-y) > max(last.size, size)/2 || x < last.x {
		if strings.TrimSpace(text) == "" {
			return
		}
		if len(p.lines) >= maxLines {
			panic(errFull)
		}
		p.lines = append(p.lines, line{x: x, y: y, size: size})
		last = &p.lines[len(p.lines)-1]
	} else if gap := x - last.end; gap > 1.5*size {
		last.text.WriteString("  ") // of cells, for example
	} else if gap > size/6 && !strings.HasPrefix(text, " ") {
		last.text.WriteString(" ")
	}
	last.text.WriteString(text)
	last.end = max(last.end, end)
}

// text returns the lines from top to bottom. They stay in the order of the content where
// that goes up beside other lines, as from one column to the next.
func (p *page) text() string {
	order := make([]*line, 0, len(p.lines))
	for i := range p.lines {
		l, at := &p.lines[i], len(order)
		for at > 0 && order[at-1].y < l.y && order[at-1].x < l.end && l.x < order[at-1].end {
			at--
		}
		order = slices.Insert(order, at, l)
	}
	var b strings.Builder
	for i, l := range order {
		if i > 0 {
			if down := order[i-1].y - l.y; down < -l.size/2 || down > 1.7*max(order[i-1].size, l.size) {
				b.WriteString("\n") // a paragraph or a column ends
			}
		}
		shown := strings.TrimSpace(ligatures.Replace(strings.Map(legible, l.text.String())))
		if strings.HasPrefix(shown, "#") || strings.HasPrefix(shown, "```") || strings.HasPrefix(shown, "~~~") {
			shown = `\` + shown // no heading, and no code up to another
		}
		b.WriteString(shown + "\n")
	}
	return b.String()
}

// ligatures are the letters that fonts draw as one.
var ligatures = strings.NewReplacer("ﬀ", "ff", "ﬁ", "fi", "ﬂ", "fl", "ﬃ", "ffi", "ﬄ", "ffl")

// legible returns a letter that means the same everywhere: fonts use their own places for
// bullets. Letters that are not shown could hide instructions from people.
func legible(r rune) rune {
	switch {
	case unicode.Is(unicode.Co, r):
		return '•'
	case unicode.Is(unicode.Cf, r) && r != '\u200c' && r != '\u200d': // these two join letters
		return -1
	case unicode.IsControl(r), unicode.In(r, unicode.Zl, unicode.Zp):
		return ' '
	}
	return r
}
