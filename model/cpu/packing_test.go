// Weights packed in parts.

package cpu

import (
	"fmt"
	"reflect"
	"testing"

	"repscope/internal/kernel"
	"repscope/model/graph"
)

// A matrix packed part by part, in either orientation and order of its depths, from memory or
// deferred, has the bits of one that is packed as a whole in the order it should have.
func TestPackMatrix(t *testing.T) {
	for _, c := range []struct {
		shape, perm []int // of the depths
		n           int
	}{
		{[]int{3, 4, 5}, []int{2, 0, 1}, 7},
		{[]int{3, 4, 5}, []int{1, 2, 0}, 1},
		{[]int{2, 3}, []int{1, 0}, 100},
		{[]int{6, 1, 6}, []int{2, 1, 0}, 3},
		{[]int{5}, []int{0}, 2},
		{[]int{0}, []int{0}, 2},
		{[]int{2}, []int{0}, 0},
		{[]int{700}, nil, 203},
		{[]int{1500, 2}, []int{1, 0}, 65},
		{[]int{3}, nil, 40000},
	} {
		k, n := graph.Count(c.shape), c.n
		// depth is where element i of a vector goes: it has the index, permuted, of the element that lies there.
		depth := func(i int) int { return i }
		if c.perm != nil {
			strides := graph.RowMajor(c.shape)
			var after []int
			for _, p := range c.perm {
				after = append(after, c.shape[p])
			}
			place := graph.RowMajor(after)
			depth = func(i int) (d int) {
				for axis, p := range c.perm {
					d += i / place[axis] % after[axis] * strides[p]
				}
				return d
			}
		}
		const first = 5
		want := make([]float32, n*k)
		stored := map[bool][]float32{false: make([]float32, first+n*k), true: make([]float32, first+n*k)}
		for i := range k {
			for j := range n {
				v := float32(i*n + j + 1)
				want[j*k+depth(i)] = v
				stored[false][first+j*k+i], stored[true][first+i*n+j] = v, v
			}
		}
		whole, err := kernel.PackRight(kernel.Rows(want, k), n, k)
		if err != nil {
			t.Fatal(err)
		}
		for turned, values := range stored {
			m := matrix{first: first, n: n, k: k, turned: turned}
			if c.perm != nil {
				m.depth = permuted(c.shape, c.perm)
			}
			read := func(dst []float32, first int) error {
				copy(dst, values[first:first+len(dst)])
				return nil
			}
			for name, from := range map[string]*graph.Tensor{"held": graph.Floats(values, len(values)), "deferred": graph.Defer(read, len(values))} {
				t.Run(fmt.Sprint(c, turned, name), func(t *testing.T) {
					var buffer []float32
					got, err := m.pack(from, &buffer)
					if err != nil {
						t.Fatal(err)
					}
					if !reflect.DeepEqual(got, whole) {
						t.Error("packed in parts it is another one")
					}
					if parts := 4 * partElements; n*k > parts && name == "deferred" && len(buffer) > parts {
						t.Errorf("a part has %d elements", len(buffer))
					}
				})
			}
		}
	}
}
