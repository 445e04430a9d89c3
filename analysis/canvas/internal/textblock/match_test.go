// Which texts belong together.

package textblock

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
		var both [2][]Block
		for side := range both {
			for i, s := range words.Draw(rt, "words") {
				both[side] = append(both[side], Block{Text: s, parent: i, Box: box.Box{X1: 1, Y1: 1}})
			}
		}
		blocks := &Blocks{Reference: both[0], Generated: both[1]}
		if err := blocks.match(t.Context(), byBlocks); err != nil {
			rt.Fatal(err)
		}
		sum := 0.
		for _, p := range blocks.Pairs {
			sum += p.Similarity
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
				if s := similarity(both[0][i].Text, both[1][j].Text); s >= leastSimilarity && used&(1<<j) == 0 {
					most = max(most, s+best(i+1, used|1<<j))
				}
			}
			return most
		}
		if want := best(0, 0); math.Abs(sum-want) > 1e-5 {
			rt.Fatalf("%v of %+v: %v, want %v", blocks.Pairs, both, sum, want)
		}
	})
}
