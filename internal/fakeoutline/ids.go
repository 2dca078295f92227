package fakeoutline

import (
	"encoding/base64"
	"math/rand/v2"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/google/uuid"
)

// An idGenerator generates the identifiers of new objects. The sequence looks
// random but is the same for every generator, so that a program that writes to
// a new workspace gets the same identifiers in each run. An idGenerator must not be
// used concurrently.
type idGenerator struct{ random *rand.Rand }

// newIDGenerator returns a generator at the start of the sequence.
func newIDGenerator() *idGenerator {
	return &idGenerator{rand.New(rand.NewPCG(0x6f75746c696e65, 0x77696b69))}
}

// UUID returns the next UUID, of version 4.
func (g *idGenerator) UUID() string {
	var id uuid.UUID
	for i := range id {
		id[i] = byte(g.random.Uint32())
	}
	id[6] = id[6]&0x0f | 0x40 // version 4 (RFC 9562, section 5.4)
	id[8] = id[8]&0x3f | 0x80
	return id.String()
}

// URLID returns the next URL ID, ten letters and digits.
func (g *idGenerator) URLID() string {
	const characters = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	id := make([]byte, 10)
	for i := range id {
		id[i] = characters[g.random.IntN(len(characters))]
	}
	return string(id)
}

// titleSlug returns the slug of a title, or "untitled" if the title is empty.
func titleSlug(title string) string {
	if title == "" {
		return "untitled"
	}
	return slugOf(title)
}

// slugOf returns the form of a text that Outline uses in addresses: lower-case
// ASCII with hyphens for spaces. It transliterates letters of some scripts and
// drops everything else. If nothing remains, as for a single emoji, it uses the
// Base64 form of the text. The rules are those of the npm package slug 5.3.0 in
// rfc3986 mode, without Devanagari and Hebrew points.
func slugOf(text string) string {
	if s := transliterate(text); s != "" {
		return s
	}
	return transliterate(base64.StdEncoding.EncodeToString([]byte(text)))
}

func transliterate(text string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(text) {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9', r == '_', r == '~':
			b.WriteRune(r)
		case r == '-', unicode.IsSpace(r):
			b.WriteByte(' ')
		case r >= utf8.RuneSelf:
			b.WriteString(transliterations()[r])
		}
	}
	return strings.Join(strings.Fields(b.String()), "-")
}

// transliterations returns the ASCII forms of lower-case letters outside ASCII.
var transliterations = sync.OnceValue(func() map[rune]string {
	forms := map[rune]string{}
	for _, letters := range [...]struct{ ascii, from string }{
		{"a", "àáâãäåąāăạảầấậẩẫằắặẳẵ α ά а أةآا ა"},
		{"aa", "عء"},
		{"ae", "æ ә"},
		{"b", "β б ب ბ"},
		{"c", "çčć цћ"},
		{"ch", "ч چ ჩჭ"},
		{"d", "ðďđ δ д دض დ ד"},
		{"dj", "ђ"},
		{"dz", "џ ძ"},
		{"e", "èéêëěęēėẹẻẽềếệểễə ε έ еэ ე"},
		{"f", "φ ф ف פף"},
		{"g", "ğģ γ гґ جگ გ ג"},
		{"gh", "ғ غ ღ"},
		{"h", "η ή хһ حه ჰ הח"},
		{"i", "ìíîïīįịỉĩı ι ί ϊ ΐ иі إی ი"},
		{"j", "йј ჯ"},
		{"k", "ķ κ к قكک კქ ק"},
		{"kh", "қ خ ხ כך"},
		{"l", "ľĺłļ λ л ل ლ ל"},
		{"lj", "љ ǉ"},
		{"m", "μ м م მ מם"},
		{"n", "ñňńņ ν н ن ნ נן"},
		{"ng", "ң"},
		{"nj", "њ ǌ"},
		{"o", "òóôõöőøōọỏồốộổỗơờớợởỡ ο ό о و ო"},
		{"oe", "œ ө"},
		{"p", "π п پ პფ"},
		{"ps", "ψ"},
		{"q", "ყ"},
		{"r", "řŕ ρ р ر რ ר"},
		{"s", "şšśș σς с سص ს ס"},
		{"sh", "шщ ش შ"},
		{"ss", "ß"},
		{"t", "ťțţ τ т تط თტ טת"},
		{"th", "þ ثذظ"},
		{"ts", "ცწ ץצ"},
		{"u", "ùúûüűůūųụủũưừứựửữ уъұ უ"},
		{"ue", "ү"},
		{"v", "в ვ בו"},
		{"w", "ω ώ"},
		{"x", "χ"},
		{"y", "ýÿỳỵỷỹ υ ύ ΰ ϋ ы ي י"},
		{"ya", "я"},
		{"ye", "є"},
		{"yi", "ї"},
		{"yo", "ё"},
		{"yu", "ю"},
		{"z", "žźż ζ з ز ზ ז"},
		{"zh", "ж ژ ჟ"},
		{"3", "ξ"},
		{"8", "θ"},
	} {
		for _, r := range letters.from {
			if forms[r] == "" { // some letters stand in two lines
				forms[r] = letters.ascii
			}
		}
	}
	return forms
})
