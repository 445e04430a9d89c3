package cpu

import (
	"slices"
	"testing"
)

// reorder in place is the definition: the row of element i goes where i is after the permutation.
func TestReorder(t *testing.T) {
	for _, c := range []struct {
		shape, perm []int
		n           int
	}{
		{[]int{3, 4, 5}, []int{2, 0, 1}, 7},
		{[]int{3, 4, 5}, []int{1, 2, 0}, 1},
		{[]int{2, 3}, []int{1, 0}, 100},
		{[]int{6, 1, 6}, []int{2, 1, 0}, 3},
		{[]int{5}, []int{0}, 2},
	} {
		k, n := size(c.shape), c.n
		strides := contiguous(c.shape)
		var after []int
		for _, p := range c.perm {
			after = append(after, c.shape[p])
		}
		want := make([]float32, k*n)
		place := contiguous(after)
		for i := range k {
			// Row i comes from the element whose index, permuted, is that of i.
			from := 0
			for axis, p := range c.perm {
				from += i / place[axis] % after[axis] * strides[p]
			}
			for j := range n {
				want[from*n+j] = float32(i*n + j)
			}
		}
		w, transposed := make([]float32, k*n), make([]float32, k*n)
		for i := range k {
			for j := range n {
				w[i*n+j], transposed[j*k+i] = float32(i*n+j), float32(i*n+j)
			}
		}
		buffer := make([]float32, max(k, n))
		reorder(w, buffer, c.shape, c.perm, false, k, n)
		reorder(transposed, buffer, c.shape, c.perm, true, k, n)
		if !slices.Equal(w, want) {
			t.Errorf("%v: got %v, want %v", c, w, want)
		}
		for i := range k {
			for j := range n {
				if transposed[j*k+i] != w[i*n+j] {
					t.Fatalf("%v: transposed element %d %d is another one", c, i, j)
				}
			}
		}
	}
}
