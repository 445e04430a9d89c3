// The largest k that the package is made for, against the definitions.

package neighbors

import (
	"context"
	"math"
	"testing"

	"repscope/points"
)

func TestThousandNeighbours(t *testing.T) {
	if testing.Short() {
		t.Skip("left out with -short: others compare the same searches, on fewer points")
	}
	t.Parallel()
	const n, k = 2500, 1000
	r := random(61)
	frames := bytes8(r, n, 24, 256)
	// Near repeats: differences far below the rounding of the products.
	for i := 0; i < n; i += 5 {
		to := frames.U8[i*24 : (i+1)*24]
		copy(to, frames.U8[(i+n/2)%n*24:][:24])
		to[i%24] ^= 1
	}
	scaled := make([]float32, len(frames.U8))
	for i, v := range frames.U8 {
		scaled[i] = 100 + float32(v)/255
	}
	latents := gaussian32(r, n, 3)
	for i := range n { // related to the frames, so that scores exceed chance
		for c := range 3 {
			latents.F32[i*3+c] += float32(frames.U8[i*24+c]) / 40
		}
	}
	embedded := newNaive(naiveKeys(latents, latents, Euclidean), 0, nil)
	for _, pts := range []points.Points{frames, points.Float32(scaled, 24)} {
		t.Run(pts.Type(), func(t *testing.T) {
			keys := naiveKeys(pts, pts, Euclidean)
			original := newNaive(keys, 0, nil)
			p := compare(t, pts, []points.Points{latents}, Options{Ks: []int{k}, CoRanking: CoRankingOff, Threads: 2, Memory: 24 << 20, Ties: TiesIndex})[0]
			compareScores(t, pts.Type(), p.ByK[0].Scores, naiveScores(original, embedded, k))
			nearest, err := KNearest(context.Background(), pts, k, Options{Threads: 2})
			if err != nil {
				t.Fatal(err)
			}
			orders, _ := original.orders()
			for i := range n {
				for q, j := range orders[i][:k] {
					if at := i*k + q; int(nearest.Index[at]) != j || nearest.Distance[at] != math.Sqrt(keys[i][j]) {
						t.Fatalf("neighbour %d of point %d: got %d at %v, want %d at %v", q, i, nearest.Index[at], nearest.Distance[at], j, math.Sqrt(keys[i][j]))
					}
				}
			}
		})
	}
}
