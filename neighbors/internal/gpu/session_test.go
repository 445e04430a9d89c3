//go:build cuda

// How many rows a block has.

package gpu

import "testing"

func TestBlockRows(t *testing.T) {
	for _, c := range []struct{ fit, rows, most, want int }{
		{50000, 36343, 0, 36343}, // all rows, so that half of the pairs are computed
		{50000, 36343, 50000, 36343},
		{50000, 36343, 36342, 36224},
		{36342, 36343, 0, 8192},
		{5000, 36343, 0, 4992},
		{100, 36343, 0, 100},
		{100, 36343, 30, 30},
		{0, 36343, 0, 0},
		{200, 150, 0, 150},
	} {
		if got := blockRows(c.fit, c.rows, c.most); got != c.want {
			t.Errorf("%d rows fit of %d, at most %d: %d, want %d", c.fit, c.rows, c.most, got, c.want)
		}
	}
}
