package names

import "sort"

// Nearest returns the indexes of the n names that are most like query, best first:
// those that share most pairs of letters with it, as Dice's coefficient counts.
// Names that are equally like it stay in their order.
func Nearest(names []string, query string, n int) []int {
	wanted := pairs(key(trimHashes(query)))
	indexes, likeness := make([]int, len(names)), make([]float64, len(names))
	for i, name := range names {
		indexes[i] = i
		has := pairs(key(name))
		shared, total := 0, 0
		for pair, count := range has {
			shared += min(count, wanted[pair])
			total += count
		}
		for _, count := range wanted {
			total += count
		}
		if total > 0 {
			likeness[i] = 2 * float64(shared) / float64(total)
		}
	}
	sort.SliceStable(indexes, func(i, j int) bool { return likeness[indexes[i]] > likeness[indexes[j]] })
	return indexes[:min(n, len(indexes))]
}

// pairs counts the pairs of neighbouring characters.
func pairs(s string) map[[2]rune]int {
	counts, before := map[[2]rune]int{}, ' '
	for _, r := range s {
		counts[[2]rune{before, r}]++
		before = r
	}
	return counts
}
