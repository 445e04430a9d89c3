// Blocks of pixels that overlap, against a loop that adds them up.

package operator_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"repscope/model/graph"
)

// Images of one to three axes, blocks with strides, dilations and padding that differ from end to end.
func TestCol2Im(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		n := 1 + r.IntN(3)
		image, block, strides, dilations, pads := make([]int, n), make([]int, n), make([]int, n), make([]int, n), make([]int, 2*n)
		positions := make([]int, n)
		fits := true
		for i := range n {
			image[i], block[i], strides[i], dilations[i] = 1+r.IntN(6), 1+r.IntN(3), 1+r.IntN(3), 1+r.IntN(2)
			pads[i], pads[n+i] = r.IntN(3), r.IntN(3)
			room := image[i] + pads[i] + pads[n+i] - dilations[i]*(block[i]-1) - 1
			fits = fits && room >= 0
			positions[i] = room/strides[i] + 1
		}
		if !fits {
			continue
		}
		channels := 1 + r.IntN(3)
		x := random(r, 2, channels*graph.Count(block), graph.Count(positions))
		shape := append([]int{2, channels}, image...)
		want := make([]float64, graph.Count(shape))
		for i, v := range x.F32 {
			index := graph.Position(x.Shape, i)
			place, position := graph.Position(block, index[1]%graph.Count(block)), graph.Position(positions, index[2])
			to, inside := index[0]*channels+index[1]/graph.Count(block), true
			for a := range n {
				pixel := position[a]*strides[a] + place[a]*dilations[a] - pads[a]
				inside = inside && pixel >= 0 && pixel < image[a]
				to = to*image[a] + pixel
			}
			if inside {
				want[to] += float64(v)
			}
		}
		attributes := map[string]graph.Attribute{"strides": graph.IntsAttribute(strides...), "dilations": graph.IntsAttribute(dilations...),
			"pads": graph.IntsAttribute(pads...)}
		y := compute(t, 18, "Col2Im", attributes, 1, []*graph.Tensor{x, list(image...), list(block...)}, 1, 2)
		near(t, fmt.Sprint("Col2Im of ", image, block, strides, dilations, pads), y[0], want, 1e-6, shape...)
	}
}

func TestCol2ImErrors(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		x, image, block *graph.Tensor
		want            string
	}{
		{floats(1, 4, 9), list(4, 4), list(2, 2), ""},
		{floats(1, 4, 8), list(4, 4), list(2, 2), "want [N, channels·4, 9]"},
		{floats(1, 5, 9), list(4, 4), list(2, 2), "want [N, channels·4, 9]"},
		{floats(1, 9, 9), list(2, 2), list(3, 3), "blocks [3 3] do not fit into the image [2 2]"},
		{floats(1, 4, 9), list(4, 4), list(2), "and the same number of axes"},
		{floats(1, 4, 9), list(1<<40, 4), list(2, 2), "image"},
	} {
		_, err := attempt(18, "Col2Im", nil, 1, []*graph.Tensor{c.x, c.image, c.block}, 1, 2)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%v: error %v, want %q", c.x.Shape, err, c.want)
		}
	}
}
