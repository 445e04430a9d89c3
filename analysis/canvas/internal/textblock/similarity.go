// How alike two texts are.

package textblock

import (
	"math"

	"repscope/measure/text"
)

// leastSimilarity is the least similarity of texts that can be matched.
const leastSimilarity = 0.5

// letterCounts are how often letters occur, 32 kinds of them: no more letters can be in common than
// two have in common.
type letterCounts [32]uint16

func countLetters(s text.Sequence) (c letterCounts) {
	for _, code := range s {
		if at := code & 31; c[at] < math.MaxUint16 {
			c[at]++
		}
	}
	return c
}

// common is an upper bound of the number of letters in common.
func (c *letterCounts) common(other *letterCounts) (n int) {
	for i, v := range c {
		if v == math.MaxUint16 || other[i] == math.MaxUint16 {
			return math.MaxInt
		}
		n += int(min(v, other[i]))
	}
	return n
}

// matcher compares texts of two designs.
type matcher struct {
	comparer text.Comparer[rune]
	byBlocks bool // similarity by matching blocks
}

// encode fills in the letters of a text.
func (m *matcher) encode(b *Block) {
	b.Letters = m.comparer.Encode([]rune(b.Text))
	b.count = countLetters(b.Letters)
}

// similarity returns how alike a text of the reference and one of the generated design are, 0 if less
// than leastSimilarity.
func (m *matcher) similarity(a, b *Block) float64 {
	shorter, longer := len(a.Letters), len(b.Letters)
	if shorter > longer {
		shorter, longer = longer, shorter
	}
	whole := longer
	if m.byBlocks {
		shorter, whole = 2*shorter, shorter+longer
	}
	if float64(shorter) < leastSimilarity*float64(whole) {
		return 0
	}
	if a.Text == b.Text {
		return 1
	}
	common := a.count.common(&b.count)
	if m.byBlocks && common < math.MaxInt/2 {
		common *= 2
	}
	if float64(common) < leastSimilarity*float64(whole) {
		return 0
	}
	s := 0.
	if m.byBlocks {
		s = m.comparer.Ratio(a.Letters, b.Letters)
	} else {
		s = m.comparer.Similarity(a.Letters, b.Letters)
	}
	if s < leastSimilarity {
		return 0
	}
	return s
}
