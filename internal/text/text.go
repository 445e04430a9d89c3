// Package text counts things, and compares names, to answer a name that is unknown with the one
// that was probably meant:
//
//	if near := text.Nearest(name, names); near != "" {
//		hint = "did you mean " + near + "?"
//	}
package text

import (
	"fmt"
	"strings"
)

// longest is the number of letters from which names are not compared letter by letter: they are never typed.
const longest = 256

// Nearest returns the candidate that is most like name, upper and lower case
// alike, or "" when none is: the one at the smallest [EditDistance] if at most a
// third of the letters (but one at least) differ; else the first that name
// begins; else the longest that name holds or that holds name, where the shorter of
// the two has three letters or more and is half of the longer. Of several that are
// equally near the first is returned.
func Nearest(name string, candidates []string) string {
	lower := strings.ToLower(name)
	best, bestDistance := "", 1+max(1, len(name)/3)
	for _, c := range candidates {
		if d := EditDistance(lower, strings.ToLower(c)); d < bestDistance {
			best, bestDistance = c, d
		}
	}
	if best != "" {
		return best
	}
	if len(name) >= 2 {
		for _, c := range candidates {
			if strings.HasPrefix(strings.ToLower(c), lower) {
				return c
			}
		}
	}
	for _, c := range candidates {
		if len(c) > len(best) && holds(lower, strings.ToLower(c)) {
			best = c
		}
	}
	return best
}

// holds reports whether one of two names holds the other, which has three letters or
// more and at least half of its length: a word alone may mean another thing.
func holds(a, b string) bool {
	short, long := min(len(a), len(b)), max(len(a), len(b))
	return short >= 3 && 2*short >= long && (strings.Contains(a, b) || strings.Contains(b, a))
}

// EditDistance is the number of insertions, deletions, replacements and swaps of
// neighboring letters that turn a into b, where no letter is touched twice
// (optimal string alignment). Names of more than 256 letters that differ are
// called altogether different: the distance is the length of the longer.
func EditDistance(a, b string) int {
	x, y := []rune(a), []rune(b)
	if a == b {
		return 0
	}
	if max(len(x), len(y)) > longest {
		return max(len(x), len(y))
	}
	before, last, row := make([]int, len(y)+1), make([]int, len(y)+1), make([]int, len(y)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(x); i++ {
		before, last, row = last, row, before
		row[0] = i
		for j := 1; j <= len(y); j++ {
			cost := 1
			if x[i-1] == y[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && x[i-1] == y[j-2] && x[i-2] == y[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
	}
	return row[len(y)]
}

// Count is a number with its noun: "1 episode", "2 episodes".
func Count[N int | int64](n N, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// Bytes is a size in the unit that suits it: "700 bytes", "40 kB", "512 MB", "2.1 GB".
func Bytes(n int64) string {
	switch {
	case n < 1e3:
		return Count(n, "byte")
	case n < 1e6:
		return fmt.Sprintf("%.0f kB", float64(n)/1e3)
	case n < 1e9:
		return fmt.Sprintf("%.0f MB", float64(n)/1e6)
	}
	return fmt.Sprintf("%.1f GB", float64(n)/1e9)
}

// Alike is why a test that takes units as independent has no p value: neighbors, which what names, have this
// correlation.
func Alike(what string, correlation float64, unit string) string {
	return fmt.Sprintf("%s are alike (correlation %.2f), and a test takes %ss as independent", what, correlation, unit)
}
