package search

import (
	"slices"
	"sort"
	"strings"
)

const (
	maxSources   = 5 // documents that an answer takes sentences from
	maxSentences = 3 // sentences of an answer
)

// A Sentence is a sentence of one of the documents of a search.
type Sentence struct {
	Document int // the index in the list of documents
	Text     string
}

// Sentences returns the sentences of the documents that match a question best,
// at most three, the best first. It ranks the documents first, then the sentences
// of the best five; the fewer documents contain a word, the more it weighs.
func Sentences(question string, documents []*Index) []Sentence {
	var terms []string
	for from, to := range words(question) {
		if term, ok := fold(question[from:to]); ok && !slices.Contains(terms, term) {
			terms = append(terms, term)
		}
	}
	weights := make(map[string]float64, len(terms))
	for _, term := range terms {
		count := 0
		for _, x := range documents {
			if len(x.find(term, false)) > 0 {
				count++
			}
		}
		if count > 0 {
			weights[term] = 1 / float64(count)
		}
	}
	score := func(x *Index) float64 {
		total := 0.0
		for _, term := range terms {
			if len(x.find(term, false)) > 0 {
				total += weights[term]
			}
		}
		return total
	}

	type candidate struct {
		Sentence
		score float64
	}
	sortByScore := func(list []candidate) {
		sort.SliceStable(list, func(i, j int) bool { return list[i].score > list[j].score })
	}
	var sources []candidate
	for i, x := range documents {
		if total := score(x); total > 0 {
			sources = append(sources, candidate{Sentence{Document: i}, total})
		}
	}
	sortByScore(sources)

	var found []candidate
	for _, source := range sources[:min(len(sources), maxSources)] {
		for _, text := range splitSentences(documents[source.Document].plain) {
			if total := score(NewIndex("", text)); total > 0 {
				// The score of the document breaks ties between sentences.
				found = append(found, candidate{Sentence{source.Document, text}, total + source.score/1000})
			}
		}
	}
	sortByScore(found)
	best := make([]Sentence, 0, maxSentences)
	for _, c := range found[:min(len(found), maxSentences)] {
		best = append(best, c.Sentence)
	}
	return best
}

// splitSentences splits a text without Markdown into sentences. The end of a line
// ends a sentence. Fewer than four words, as in titles and table cells, are not
// a sentence.
func splitSentences(plain string) []string {
	var list []string
	add := func(text string) {
		if text = strings.TrimSpace(text); len(strings.Fields(text)) >= 4 {
			list = append(list, text)
		}
	}
	for line := range strings.SplitSeq(plain, "\n") {
		start := 0
		for i, r := range line {
			end := i + len(string(r))
			if strings.ContainsRune(".!?。！？؟", r) && (end == len(line) || line[end] == ' ' || r > 0x7f) {
				add(line[start:end])
				start = end
			}
		}
		add(line[start:])
	}
	return list
}
