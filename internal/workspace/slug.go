package workspace

import (
	"encoding/base64"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// documentPath is the path of a document below the origin of the instance.
func documentPath(title, urlID string) string {
	return "/doc/" + slugOr(title, "untitled") + "-" + urlID
}

// slugOr is the slug of a text, otherwise if the text is empty.
func slugOr(text, otherwise string) string {
	if text == "" {
		return otherwise
	}
	return slug(text)
}

// slug returns a text as Outline writes it in addresses: lower-case ASCII with
// hyphens for spaces. Letters of Latin, Greek, Cyrillic and Arabic script and
// some symbols are transcribed, whatever else is left out. Where that leaves
// nothing, as with an emoji alone, the text's Base64 form is taken instead. The
// rules are those of the npm package slug, version 5, in its mode rfc3986.
func slug(text string) string {
	if s := transcribe(text); s != "" {
		return s
	}
	return transcribe(base64.StdEncoding.EncodeToString([]byte(text)))
}

func transcribe(text string) string {
	text = strings.NewReplacer("<3", "love", "&&", "and", "||", "or", "w/", "with").Replace(strings.ToLower(text))
	var b strings.Builder
	for _, r := range text {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9', r == '_', r == '~':
			b.WriteRune(r)
		case r == '-', unicode.IsSpace(r):
			b.WriteByte(' ')
		default:
			b.WriteString(transcription(r))
		}
	}
	return strings.Join(strings.Fields(b.String()), "-")
}

// transcription is what stands for a lower-case letter or symbol beyond ASCII's
// letters and digits.
func transcription(r rune) string {
	switch r {
	case 'а', 'α', 'أ', 'آ', 'ا', 'ª':
		return "a"
	case 'б', 'β', 'ب':
		return "b"
	case 'ц', '©':
		return "c"
	case 'д', 'δ', 'د', 'ض', 'ð', 'đ', '∂':
		return "d"
	case 'е', 'э', 'ε':
		return "e"
	case 'ф', 'φ', 'ف', 'ƒ':
		return "f"
	case 'г', 'ґ', 'γ', 'ج', 'گ':
		return "g"
	case 'х', 'η', 'ح', 'ه':
		return "h"
	case 'и', 'і', 'ι', 'ی', 'ı':
		return "i"
	case 'й':
		return "j"
	case 'к', 'κ', 'ق', 'ك', 'ک':
		return "k"
	case 'л', 'λ', 'ل', 'ł':
		return "l"
	case 'м', 'μ', 'م':
		return "m"
	case 'н', 'ν', 'ن':
		return "n"
	case 'о', 'ο', 'و', 'ø', 'º', '˚':
		return "o"
	case 'п', 'π', 'پ':
		return "p"
	case 'р', 'ρ', 'ر', '®':
		return "r"
	case 'с', 'σ', 'ς', 'س', 'ص':
		return "s"
	case 'т', 'τ', 'ت', 'ط':
		return "t"
	case 'у', 'ъ':
		return "u"
	case 'в':
		return "v"
	case 'ω':
		return "w"
	case 'χ':
		return "x"
	case 'ы', 'υ', 'ي':
		return "y"
	case 'з', 'ζ', 'ز':
		return "z"
	case 'ξ':
		return "3"
	case 'θ':
		return "8"
	case 'ع':
		return "aa"
	case 'æ':
		return "ae"
	case 'ч', 'چ':
		return "ch"
	case 'غ':
		return "gh"
	case 'خ':
		return "kh"
	case 'œ':
		return "oe"
	case 'ψ':
		return "ps"
	case 'ш', 'щ', 'ش':
		return "sh"
	case 'ß':
		return "ss"
	case 'þ', 'ث', 'ذ', 'ظ':
		return "th"
	case 'я':
		return "ya"
	case 'є':
		return "ye"
	case 'ї':
		return "yi"
	case 'ё':
		return "yo"
	case 'ю':
		return "yu"
	case 'ж', 'ژ':
		return "zh"
	case '&':
		return "and"
	case '|':
		return "or"
	case '<':
		return "less"
	case '>':
		return "greater"
	case '€':
		return "euro"
	case '£':
		return "pound"
	case '$':
		return "dollar"
	case '¥':
		return "yen"
	case '¢':
		return "cent"
	case '™':
		return "tm"
	case '∞':
		return "infinity"
	case '♥':
		return "love"
	}
	if !unicode.In(r, unicode.Latin, unicode.Greek) {
		return ""
	}
	// An accented letter is transcribed as the letter without its accents.
	base := []rune(norm.NFD.String(string(r)))[0]
	switch {
	case base >= 'a' && base <= 'z':
		return string(base)
	case base != r:
		return transcription(base)
	}
	return ""
}
