// Tests of the poolings: which apply to a shape, and what they make of a row.

package latent

import (
	"slices"
	"testing"
)

func TestPool(t *testing.T) {
	t.Parallel()
	row := []float32{1, 2, 3, 4, 5, 6} // three steps of two
	for _, c := range []struct {
		pool   Pool
		output []int
		want   []float32
		err    string
	}{
		{PoolLast, []int{-1, 3, 2}, []float32{5, 6}, ""},
		{PoolCLS, []int{-1, 3, 2}, []float32{1, 2}, ""},
		{PoolMean, []int{-1, 3, 2}, []float32{3, 4}, ""},
		{PoolFlatten, []int{-1, 3, 2}, row, ""},
		{PoolIndex(1), []int{-1, 3, 2}, []float32{3, 4}, ""},
		{PoolIndex(3), []int{-1, 3, 2}, nil, "below 3"},
		{PoolNone, []int{-1, 3, 2}, nil, "last, mean, cls, flatten or index:K"},
		{PoolNone, []int{-1, 6}, row, ""},
		{PoolFlatten, []int{-1, 6}, row, ""},
		{PoolMean, []int{-1, 6}, nil, "leave the pooling out"},
		{PoolNone, []int{-1, 1, 6}, row, ""},
		{PoolLast, []int{-1, 1, 6}, row, ""},
		{PoolFlatten, []int{-1, 3, 2, 1}, row, ""},
		{PoolMean, []int{-1, 3, 2, 1}, nil, "flatten"},
		{"median", []int{-1, 6}, nil, "index:K"},
		{"index:-1", []int{-1, 6}, nil, "index:K"},
	} {
		p, dim, err := c.pool.Resolve(c.output, PoolNone)
		if c.err != "" {
			wantError(t, err, c.err)
			continue
		}
		if err != nil {
			t.Errorf("%q of %v: %v", c.pool, c.output, err)
			continue
		}
		got := make([]float32, dim)
		ApplyPool(p, got, row)
		if !slices.Equal(got, c.want) {
			t.Errorf("%q of %v: got %v, want %v", c.pool, c.output, got, c.want)
		}
		wide, in := make([]float64, dim), make([]float64, len(row))
		for i, v := range row {
			in[i] = float64(v)
		}
		ApplyPool(p, wide, in)
		for i, v := range c.want {
			if wide[i] != float64(v) {
				t.Errorf("%q of %v in float64: got %v, want %v", c.pool, c.output, wide, c.want)
				break
			}
		}
	}
	if p, _, err := PoolNone.Resolve([]int{-1, 3, 2}, PoolLast); err != nil || p != PoolLast {
		t.Errorf("fallback: %q, %v", p, err)
	}
}
