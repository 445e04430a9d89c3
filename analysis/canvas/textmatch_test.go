// Which texts belong together.

package canvas

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"repscope/measure/box"
	"repscope/measure/text"
)

// TestBestPairs: no other pairs of at least half similarity have a larger sum.
func TestBestPairs(t *testing.T) {
	t.Parallel()
	words := rapid.SliceOfN(rapid.StringOfN(rapid.RuneFrom([]rune("ab ")), 1, 5, -1), 0, 5)
	rapid.Check(t, func(rt *rapid.T) {
		byBlocks := rapid.Bool().Draw(rt, "blocks")
		var both [2][]textBlock
		for side := range both {
			for i, s := range words.Draw(rt, "words") {
				both[side] = append(both[side], textBlock{text: s, parent: i, box: box.Box{X1: 1, Y1: 1}})
			}
		}
		blocks := &textBlocks{reference: both[0], generated: both[1]}
		if err := blocks.match(t.Context(), byBlocks); err != nil {
			rt.Fatal(err)
		}
		sum := 0.
		for _, p := range blocks.pairs {
			sum += p.similarity
		}
		similarity := text.Similarity
		if byBlocks {
			similarity = text.Ratio
		}
		var best func(i int, used int) float64
		best = func(i, used int) float64 {
			if i == len(both[0]) {
				return 0
			}
			most := best(i+1, used)
			for j := range both[1] {
				if s := similarity(both[0][i].text, both[1][j].text); s >= leastSimilarity && used&(1<<j) == 0 {
					most = max(most, s+best(i+1, used|1<<j))
				}
			}
			return most
		}
		if want := best(0, 0); math.Abs(sum-want) > 1e-5 {
			rt.Fatalf("%v of %+v: %v, want %v", blocks.pairs, both, sum, want)
		}
	})
}
