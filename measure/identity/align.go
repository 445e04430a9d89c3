// Edit distance, bounded edit distance and identity of two sequences.

package identity

import (
	"fmt"
	"math"
	"slices"

	"repscope/measure/text"
)

// Distance returns the edit distance of two sequences (Levenshtein 1966): the fewest letters to insert, to delete and
// to substitute that make one the other; from the difference of the lengths to the greater length. The distance from
// an empty sequence is the length of the other. Time O(n·⌈m/64⌉), memory O(n + m).
func Distance(a, b []byte) int { return newAligner().distance(a, b) }

// Within returns the edit distance of two sequences and true if it is at most limit, else limit + 1 and false. Time
// O(n + m + limit²) on most sequences, and no more than the order of [Distance].
func Within(a, b []byte, limit int) (edits int, within bool) { return newAligner().within(a, b, limit) }

// Identity returns the identity of two sequences, in [0, 1]: the equal pairs of the global alignment with the fewest
// edits, and the most equal pairs among those, over the length of the shorter sequence. It is symmetric; 1 for equal
// sequences, and for a sequence whose letters are all in the longer one in the same order. It is an error if a sequence
// is empty. Time O(n·(d + m/64)) for edit distance d, memory O(n + m).
func Identity(a, b []byte) (float64, error) {
	for i, s := range [][]byte{a, b} {
		if len(s) == 0 {
			name := [...]string{"a", "b"}[i]
			return math.NaN(), fmt.Errorf("identity of an empty sequence: %s has no letters, want at least 1", name)
		}
	}
	g := newAligner()
	return ratio(g.matches(a, b, g.distance(a, b)), min(len(a), len(b))), nil
}

// ratio is matches/letters.
func ratio(matches, letters int) float64 { return float64(matches) / float64(letters) }

// aligner aligns sequences, and keeps memory for the next pair. It serves one goroutine at a time.
type aligner struct {
	compare text.Comparer[byte] // whose code of each letter is the letter
	codes   [2]text.Sequence
	costs   []int64
	reach   []int
}

func newAligner() *aligner {
	g := new(aligner)
	letters := make([]byte, 256)
	for i := range letters {
		letters[i] = byte(i)
	}
	g.compare.Encode(letters)
	return g
}

// encode returns both sequences as numbers, until the next call.
func (g *aligner) encode(a, b []byte) (x, y text.Sequence) {
	for i, s := range [][]byte{a, b} {
		g.codes[i] = slices.Grow(g.codes[i][:0], len(s))[:len(s)]
		for j, letter := range s {
			g.codes[i][j] = int32(letter)
		}
	}
	return g.codes[0], g.codes[1]
}

func (g *aligner) distance(a, b []byte) int { return g.compare.Distance(g.encode(a, b)) }

// common returns the length of the longest common subsequence.
func (g *aligner) common(a, b []byte) int { return g.compare.LCS(g.encode(a, b)) }

// within follows the diagonals of the table with 0, 1, 2 … edits (Ukkonen 1985): reach[d] is the number of letters of a
// on diagonal d (letters of b − letters of a) that the edits so far get to. Many edits go through bit vectors instead.
func (g *aligner) within(a, b []byte, limit int) (edits int, within bool) {
	n, m := len(a), len(b)
	if limit = min(limit, max(n, m)); limit < max(n-m, m-n) {
		return max(limit, -1) + 1, false
	}
	if float64(limit)*float64(limit) > float64(n)*float64(m)/16 {
		edits = g.distance(a, b)
		return min(edits, limit+1), edits <= limit
	}
	center := limit + 1
	const never = -2 // no letters, also after an insertion
	g.reach = slices.Grow(g.reach[:0], 2*center+1)[:2*center+1]
	for i := range g.reach {
		g.reach[i] = never
	}
	for e := range limit + 1 {
		before := never // reach[d−1] with one edit less
		for d := -e; d <= e; d++ {
			old := g.reach[center+d]
			i := max(old+1, before, g.reach[center+d+1]+1) // substitution, insertion, deletion
			if e == 0 {
				i = 0
			}
			before = old
			i = min(i, n, m-d)
			for i >= 0 && i+d >= 0 && i < n && i+d < m && a[i] == b[i+d] {
				i++
			}
			g.reach[center+d] = i
			if d == m-n && i == n {
				return e, true
			}
		}
	}
	return limit + 1, false
}

// oneEdit is the cost of an edit, and a substitution costs 1 more: the cheapest alignment has the fewest edits, and
// among those the fewest substitutions, which is the most equal pairs, as letters = 2·(equal pairs + substitutions) +
// insertions + deletions.
const oneEdit = 1 << 32

// matches returns the equal pairs of the alignment with the fewest edits, which is their number. Such an alignment
// stays on the diagonals from which the end can be reached with these edits.
func (g *aligner) matches(a, b []byte, edits int) int {
	if len(a) > len(b) {
		a, b = b, a
	}
	n, m := len(a), len(b)
	excess := m - n
	slack := (edits - excess) / 2
	width := excess + 2*slack + 1 // diagonals −slack … excess + slack
	// Costs of cell (i, i+d) in costs[d+slack]; one more is never reached.
	const never = math.MaxInt64 / 2
	g.costs = slices.Grow(g.costs[:0], width+1)[:width+1]
	for x := range g.costs {
		g.costs[x] = never
		if d := x - slack; d >= 0 && x < width {
			g.costs[x] = int64(d) * oneEdit
		}
	}
	for i := 1; i <= n; i++ {
		first, last := 0, min(width, m-i+slack+1)
		before := int64(never) // the cell to the left
		if x := slack - i; x >= 0 {
			before = int64(i) * oneEdit
			g.costs[x] = before
			first = x + 1
		}
		if first >= last {
			continue
		}
		letter, costs := a[i-1], g.costs[first:last+1]
		row := b[i+first-slack-1:][:len(costs)-1]
		above := costs[0]
		for x, other := range row {
			next := costs[x+1]
			step := int64(oneEdit + 1)
			if other == letter {
				step = 0
			}
			before = min(above+step, min(next, before)+oneEdit)
			costs[x], above = before, next
		}
	}
	cost := g.costs[excess+slack]
	return (n + m - edits - int(cost%oneEdit)) / 2
}
