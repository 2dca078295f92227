package search

import (
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Exact returns a query as Outline has to be asked for it. Outline takes the beginning of
// a word such as "orders" or "android" for an operator, unless it is in brackets, and a
// comma, as sentences have it, for "or".
func Exact(query string) string {
	query = withoutFlags(query)
	if strings.ContainsAny(query, `"'()[]`) {
		return query
	}
	fields := strings.Fields(query)
	for i, field := range fields {
		sign, word := signAndWord(strings.TrimSuffix(field, ","))
		if i > 0 && beginsWithOperator(word) {
			if i == len(fields)-1 && !strings.HasSuffix(word, "*") {
				word += "*" // as Outline treats the last word
			}
			word = "(" + word + ")"
		}
		fields[i] = sign + word
	}
	if exact := strings.Join(fields, " "); exact != strings.Join(strings.Fields(query), " ") {
		return exact
	}
	return query
}

var (
	flag      = expression(`^-(-+|\pL?$|\PL|\pL\PL)`)
	exclusion = expression(`^-([\pL\pM]{3}[\pL\pM-]*\*?,?$|"|\()`)
)

// withoutFlags returns a query without the dashes of flags, such as --since and -f in a
// command, which Outline reads as words to exclude. In a query that has a flag or nothing
// else, no word is excluded.
func withoutFlags(query string) string {
	fields := field().FindAllString(query, -1)
	isFlag := func(f string) bool { return flag().MatchString(f) && !exclusion().MatchString(f) }
	excludes := !slices.ContainsFunc(fields, isFlag) && slices.ContainsFunc(fields, func(f string) bool { return f[0] != '-' })
	return field().ReplaceAllStringFunc(query, func(f string) string {
		if f[0] == '-' && !(excludes && exclusion().MatchString(f)) {
			return strings.TrimLeft(f, "-")
		}
		return f
	})
}

// signAndWord splits what excludes a word from the word.
func signAndWord(field string) (sign, word string) {
	word = strings.TrimLeft(field, "-!")
	return field[:len(field)-len(word)], word
}

// beginsWithOperator reports whether Outline takes the beginning of a word for an operator.
func beginsWithOperator(word string) bool {
	lower := strings.ToLower(word)
	return len(lower) > len("or") && strings.HasPrefix(lower, "or") || len(lower) > len("and") && strings.HasPrefix(lower, "and")
}

// longestQuery is how many characters of a query Outline reads, with room for words that
// are excluded.
const longestQuery = 900

// Broader returns at most two queries: for pages that have some of the words, or words that
// mean the same, and for those that have words that are spelled like them. It returns none
// for a query without words, or of common ones.
func (q *Query) Broader() []string {
	if q.usual {
		return nil
	}
	q.widen()
	var runs, any []string
	for _, w := range q.words {
		if w.run {
			runs = append(runs, w.text)
			any = append(any, w.text+"*")
			continue
		}
		any = append(any, spellings(w.text)...)
	}
	if len(any) == 0 {
		return nil
	}
	same := q.synonyms()
	first, second := q.either(append(any, same...)), q.either(q.similar())
	if len(runs) > 0 {
		// Outline finds what is inside a run only as a text that must occur.
		longest, next := longestTwo(runs)
		second = `"` + longest + `"`
		if len(runs) == len(q.words) && len(same) == 0 && next != "" {
			first = `"` + next + `"`
		}
	}
	if second == first {
		second = ""
	}
	return slices.DeleteFunc([]string{first, second}, func(query string) bool { return query == "" })
}

// longestTwo returns the longest of the words, and the second longest, or the half of a
// single one, or "".
func longestTwo(words []string) (longest, next string) {
	for _, w := range words {
		switch n := utf8.RuneCountInString(w); {
		case n > utf8.RuneCountInString(longest):
			longest, next = w, longest
		case n > utf8.RuneCountInString(next):
			next = w
		}
	}
	if letters := []rune(longest); next == "" && len(letters) > 3 {
		next = string(letters[:len(letters)/2])
	}
	return longest, next
}

// either returns a query for any of the words.
func (q *Query) either(words []string) string {
	var b strings.Builder
	length := 0
	for _, w := range q.excluded {
		length += utf8.RuneCountInString(w) + len(" -()")
	}
	seen := make(map[string]bool)
	for _, w := range words {
		if seen[w] {
			continue
		}
		seen[w] = true
		if length += utf8.RuneCountInString(w) + 1; length > longestQuery {
			break
		}
		if b.Len() > 0 {
			b.WriteString("|")
		}
		b.WriteString(w)
	}
	if b.Len() == 0 || len(q.excluded) == 0 {
		return b.String()
	}
	query := "(" + b.String() + ")"
	for _, w := range q.excluded {
		query += " -(" + w + ")"
	}
	return query
}

// spellings returns a word as texts may have it: composed and decomposed, with and without
// umlauts and accents.
func spellings(w string) []string {
	return []string{
		w, norm.NFD.String(w), withoutAccents(w),
		strings.NewReplacer("ä", "ae", "ö", "oe", "ü", "ue", "ß", "ss").Replace(w),
		strings.NewReplacer("ae", "ä", "oe", "ö", "ue", "ü").Replace(w),
		strings.ReplaceAll(w, "ss", "ß"),
	}
}

// synonyms returns words that mean the same as words of the query: the first of each, then
// the second, and so on.
func (q *Query) synonyms() []string {
	var all []string
	for i, more := 0, true; more; i++ {
		more = false
		for _, w := range q.words {
			if i < len(w.same) {
				more = true
				all = append(all, stub(w.same[i].text))
			}
		}
	}
	return all
}

// stub returns what Outline finds a word by: also longer ones, unless it is short.
func stub(w string) string {
	if isRun(w) || len(w) >= shortestStem {
		return w + "*"
	}
	return w
}

// similar returns beginnings of words like those of the query. The beginning of a word
// finds it whatever is wrong with its end; the others are for its first half: two letters
// swapped, one too many, or one missing. The ends of a word are for what it may be composed
// of. What is likely comes first.
func (q *Query) similar() []string {
	var stubs, ends, swapped, doubled, missing, accented []string
	for _, w := range q.words {
		letters := []rune(w.text)
		if w.run || w.known || len(letters) < 4 || strings.ContainsAny(w.text, "0123456789") {
			continue
		}
		half := max(3, (len(letters)+1)/2)
		with := func(i, without int, insert string) string {
			changed := string(letters[:i]) + insert + string(letters[i+without:])
			return string([]rune(changed)[:half]) + "*"
		}
		stubs = append(stubs, string(letters[:half])+"*")
		for i := 2; i+4 <= len(letters); i++ {
			ends = append(ends, string(letters[i:]))
		}
		for i := range half {
			if i+1 < len(letters) && letters[i] != letters[i+1] {
				swapped = append(swapped, with(i, 2, string([]rune{letters[i+1], letters[i]})))
			}
			if len(letters) > half {
				doubled = append(doubled, with(i, 1, ""))
			}
			doubled = append(doubled, with(i, 0, string(letters[i])))
			for _, vowel := range "aeiou" {
				if i > 0 {
					missing = append(missing, with(i, 0, string(vowel)))
				}
			}
			for _, other := range accents[letters[i]] {
				accented = append(accented, with(i, 1, string(other)))
			}
		}
	}
	return slices.Concat(stubs, swapped, ends, accented, doubled, missing)
}

// accents are the letters that are written without an accent where a keyboard lacks them.
var accents = map[rune]string{'a': "äáàâåã", 'c': "çćč", 'e': "éèêë", 'i': "íîï", 'n': "ñń", 'o': "öóôøõ", 's': "šß", 'u': "üúûù", 'z': "žż"}
