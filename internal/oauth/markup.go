package oauth

import (
	"crypto/sha256"
	_ "embed" // the page and its style
	"encoding/base64"
	"html"
	"net/http"
	"strings"
	"unicode"
)

// markup is HTML. Text becomes markup with text or quoted only. The package html/template
// would add 3 MB to the program, because the linker then keeps every exported method.
type markup string

var (
	//go:embed frame.html
	frame markup
	//go:embed style.css
	style markup
)

// pagePolicy allows a page its own style and nothing else. It has no form-action: browsers
// apply that to where a form leads in the end, too, which is the client.
var pagePolicy = "default-src 'none'; style-src 'sha256-" + hashOf(style) + "'; base-uri 'none'; frame-ancestors 'none'"

func hashOf(content markup) string {
	sum := sha256.Sum256([]byte(content))
	return base64.StdEncoding.EncodeToString(sum[:])
}

// fill replaces each {name} of a template, in one pass: values are not looked at again.
func fill(template markup, values map[string]markup) markup {
	var pairs []string
	for name, value := range values {
		pairs = append(pairs, "{"+name+"}", string(value))
	}
	return markup(strings.NewReplacer(pairs...).Replace(string(template)))
}

func text(s string) markup { return markup(html.EscapeString(s)) }

// maxShown limits texts of others on a page, in code points.
const maxShown = 64

// shown makes a text of others safe to show: short, without what is invisible or changes
// the direction of what follows, and apart from the text around it.
func shown(s string) markup {
	runes := []rune(strings.ToValidUTF8(s, "�"))
	if len(runes) > maxShown {
		runes = append(runes[:maxShown], '…')
	}
	for i, r := range runes {
		if r != ' ' && !unicode.IsGraphic(r) || unicode.Is(unicode.Zs, r) && r != ' ' || unicode.Is(unicode.Variation_Selector, r) {
			runes[i] = '�'
		}
	}
	return "<bdi>" + text(string(runes)) + "</bdi>"
}

// host shows a host in full: its end says whose it is.
func host(name string) markup { return "<bdi>" + text(name) + "</bdi>" }

// quoted shows a text of others in quotation marks, which it cannot end itself.
func quoted(s string) markup {
	return "“" + shown(strings.NewReplacer("“", "'", "”", "'", "„", "'", `"`, "'").Replace(s)) + "”"
}

// writePage answers with a page.
func writePage(w http.ResponseWriter, status int, title string, heading, content markup) {
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", pagePolicy)
	w.WriteHeader(status)
	_, _ = w.Write([]byte(fill(frame, map[string]markup{"title": text(title), "style": style, "heading": heading, "content": content})))
}
