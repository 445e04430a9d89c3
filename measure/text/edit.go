// Edit distance and longest common subsequence, 64 rows of the table at once.

package text

import (
	"math/bits"
)

// Horizontal differences of neighboring cells of the table, as they are carried.
const (
	carryUp   = 1 // +1
	carryDown = 2 // −1
)

// Distance returns the edit distance of two sequences (Levenshtein 1966): the fewest elements to
// insert, to delete and to replace that make one the other. It is a metric, from the difference
// of the lengths to the greater length. By bit vectors (Myers 1999, as Hyyrö 2003 has them) in time
// O(n·⌈m/64⌉): about a second for two texts of 100,000 letters that differ throughout, and memory
// O(n).
func (c *Comparer[T]) Distance(a, b Sequence) int {
	a, b, _ = trim(a, b)
	if len(a) == 0 || len(b) == 0 {
		return len(a) + len(b)
	}
	pattern, text := c.columns(a, b)
	for j := range c.carry {
		c.carry[j] = carryUp // the first row counts the insertions
	}
	for first := 0; first < len(pattern); first += 64 {
		rows := pattern[first:min(first+64, len(pattern))]
		for i, code := range rows {
			c.masks[code] |= 1 << i
		}
		c.editRows(text, len(rows)-1)
		for _, code := range rows {
			c.masks[code] = 0
		}
	}
	distance := len(pattern)
	for _, d := range c.carry {
		distance += int(d&carryUp) - int(d>>1)
	}
	return distance
}

// editRows moves the horizontal differences from above up to 64 rows to their last one.
func (c *Comparer[T]) editRows(text Sequence, last int) {
	up, down := ^uint64(0), uint64(0) // vertical differences of a column: +1 and −1
	for j, code := range text {
		equal, in := c.masks[code], c.carry[j]
		steps := equal | down
		equal |= uint64(in >> 1)
		zero := (((equal & up) + up) ^ up) | equal // diagonals that cost nothing
		rise, fall := down|^(zero|up), up&zero
		c.carry[j] = uint8(rise>>last&1) | uint8(fall>>last&1)<<1
		rise, fall = rise<<1|uint64(in&carryUp), fall<<1|uint64(in>>1)
		up, down = fall|^(steps|rise), rise&steps
	}
}

// LCS returns the length of the longest common subsequence: the most elements of one sequence
// that are in the other in the same order, not necessarily together. By bit vectors (Hyyrö 2004)
// in the time of [Comparer.Distance].
func (c *Comparer[T]) LCS(a, b Sequence) int {
	a, b, length := trim(a, b)
	if len(a) == 0 || len(b) == 0 {
		return length
	}
	pattern, text := c.columns(a, b)
	clear(c.carry)
	for first := 0; first < len(pattern); first += 64 {
		rows := pattern[first:min(first+64, len(pattern))]
		for i, code := range rows {
			c.masks[code] |= 1 << i
		}
		v := ^uint64(0) // bit i is 0 where the subsequence grows at row i
		for j, code := range text {
			equal := c.masks[code]
			sum, out := bits.Add64(v, v&equal, uint64(c.carry[j]))
			v, c.carry[j] = sum|v&^equal, uint8(out)
		}
		length += 64 - bits.OnesCount64(v)
		for _, code := range rows {
			c.masks[code] = 0
		}
	}
	return length
}

// Similarity returns 1 − edit distance / (letters of the longer text), in [0, 1]: 1 for equal texts,
// two empty ones among them, 0 if no letter can stay. It is symmetric.
func Similarity(a, b string) float64 {
	var c Comparer[rune]
	return c.Similarity(c.Encode([]rune(a)), c.Encode([]rune(b)))
}

// Similarity returns 1 − distance / (length of the longer sequence). See [Similarity].
func (c *Comparer[T]) Similarity(a, b Sequence) float64 {
	longer := max(len(a), len(b))
	if longer == 0 {
		return 1
	}
	return float64(longer-c.Distance(a, b)) / float64(longer)
}

// CER returns the character error rate of a text: its edit distance from the reference over the
// letters of the reference, both normalized ([Normalize]), so that it is 0 for texts that look alike. More
// than 1 is possible where much is inserted. NaN for an empty reference.
func CER(reference, text string) float64 {
	var c Comparer[rune]
	want := c.Encode([]rune(Normalize(reference)))
	return ratio(c.Distance(want, c.Encode([]rune(Normalize(text)))), len(want))
}

// ratio is n/of, NaN of nothing.
func ratio(n, of int) float64 { return float64(n) / float64(of) }
