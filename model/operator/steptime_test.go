// Operations of steps.

package operator

import "testing"

func TestFlops(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		op   string
		in   [][]int
		out  []int
		want float64
	}{
		{"Conv", [][]int{{8, 3, 32, 32}, {16, 3, 3, 3}, {16}}, []int{8, 16, 30, 30}, 2 * 8 * 16 * 30 * 30 * 27},
		{"Conv", [][]int{{8, 32, 32, 16}, {16, 1, 3, 3}}, []int{8, 32, 32, 16}, 2 * 8 * 16 * 32 * 32 * 9}, // a group for each channel
		{"ConvTranspose", [][]int{{2, 4, 5, 5}, {4, 6, 2, 2}}, []int{2, 6, 10, 10}, 2 * 2 * 4 * 25 * 6 * 4},
		{"MatMul", [][]int{{5, 7, 9}, {9, 4}}, []int{5, 7, 4}, 2 * 5 * 7 * 9 * 4},
		{"Linear", [][]int{{64, 4096}, {64, 4096}}, []int{64, 64}, 2 * 64 * 64 * 4096},
		{"Add", [][]int{{5}, {5}}, []int{5}, 0},
		{"Conv", [][]int{{1, 1, 2, 2}, nil}, []int{1, 1, 1, 1}, 0},
	} {
		if got := flops(c.op, c.in, c.out); got != c.want {
			t.Errorf("%s %v: %v operations, want %v", c.op, c.in, got, c.want)
		}
	}
}
