// Tests of episodes as files hold them.

package dataset

import (
	"fmt"
	"strings"
	"testing"
)

func TestReadEpisodes(t *testing.T) {
	t.Parallel()
	array := func(values any, n int) *Array {
		var a *Array
		var err error
		switch v := values.(type) {
		case []bool:
			a, err = NewArray("a", []int{n}, v)
		case []int64:
			a, err = NewArray("a", []int{n}, v)
		case []uint8:
			a, err = NewArray("a", []int{n}, v)
		case []float32:
			a, err = NewArray("a", []int{n, 1}, v)
		}
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	for _, c := range []struct {
		a               *Array
		kind            string
		want, is, doubt string
	}{
		{array([]bool{false, true, false, true}, 4), "", "[] [false true false true]", "ends", ""},
		{array([]bool{false, true, false, true}, 4), "numbers", "[0 1 0 1] []", "numbers", ""},
		{array([]uint8{0, 1, 0, 0, 1}, 5), "auto", "[] [false true false false true]", "ends", ""},
		{array([]int64{0, 0, 1, 1}, 4), "auto", "[0 0 1 1] []", "numbers", ""},
		{array([]int64{0, 0, 1, 1}, 4), "ends", "[] [false false true true]", "ends", ""},
		{array([]float32{2, 2, 3, 3}, 4), "", "[2 2 3 3] []", "numbers", ""},
		// Flags of the first frames.
		{array([]bool{true, false, false, true, false}, 5), "starts", "[] [false false true false false]", "starts", ""},
		{array([]bool{true, false, false, true, false}, 5), "", "[] [true false false true false]", "ends", "the first frame is flagged and the last frame is not"},
		{array([]uint8{1, 0, 0, 1, 0}, 5), "", "[] [true false false true false]", "ends", "the first frame is flagged"},
		{array([]bool{true, false, false, true, false}, 5), "ends", "[] [true false false true false]", "ends", ""},
		{array([]bool{true, false, false, true}, 4), "", "[] [true false false true]", "ends", ""},
		// Integers 0 and 1: two stretches, one flag at the very end, an episode of one frame.
		{array([]int64{1, 1, 1, 0, 0}, 5), "", "[1 1 1 0 0] []", "numbers", ""},
		{array([]int64{0, 0, 0, 0, 1}, 5), "", "[] [false false false false true]", "ends", ""},
		{array([]int64{0, 1, 1, 0, 1, 0, 1}, 7), "", "[] [false true true false true false true]", "ends", ""},
		{array([]int64{0, 0, 1, 1, 1, 0}, 6), "", "[0 0 1 1 1 0] []", "numbers", "3 runs of 2 numbers"},
		{array([]int64{0, 0, 0}, 3), "", "[0 0 0] []", "numbers", ""},
		{array([]int64{1}, 1), "", "[1] []", "numbers", ""},
		// Rewards and labels are no episodes.
		{array([]int64{0, 1, 0, -1, 0}, 5), "", "[0 1 0 -1 0] []", "numbers", "row 3 is -1; read as episode numbers, but numbers return after others (5 runs of 3 numbers)"},
		{array([]int64{2, 0, 1, 2, 3, 1}, 6), "", "[2 0 1 2 3 1] []", "numbers", "6 runs of 4 numbers"},
		{array([]int64{2, 0, 1, 2, 3, 1}, 6), "numbers", "[2 0 1 2 3 1] []", "numbers", ""},
	} {
		e, err := ReadEpisodes(c.a, c.kind)
		if err != nil {
			t.Fatal(err)
		}
		doubt := strings.Join(e.Doubts, "; ")
		if got := fmt.Sprint(e.Numbers, e.Ends); got != c.want || e.Kind != c.is || !strings.Contains(doubt, c.doubt) || (doubt == "") != (c.doubt == "") {
			t.Errorf("%q: %s, %s, doubts %q, want %s, %s, %q", c.kind, got, e.Kind, doubt, c.want, c.is, c.doubt)
		}
	}
	for want, c := range map[string]struct {
		a    *Array
		kind string
	}{
		"element 0 is 2, want a flag 0 or 1":  {array([]float32{2, 2, 3, 3}, 4), "ends"},
		"element 1 is -1, want a flag 0 or 1": {array([]int64{0, -1}, 2), "starts"},
		`kind of episodes "flags"`:            {array([]int64{0, 0}, 2), "flags"},
		"want one episode number or flag":     {counting(t, 3, 2), ""},
	} {
		if _, err := ReadEpisodes(c.a, c.kind); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %s", err, want)
		}
	}
}

// The values of an array that fill little of the range that was guessed.
func TestUnfilled(t *testing.T) {
	t.Parallel()
	scaled := func(n int, low, high float32) []float32 {
		v := make([]float32, n)
		for i := range v {
			v[i] = low + (high-low)*float32(i)/float32(n-1)
		}
		return v
	}
	mask, wide := make([]uint8, 40000), make([]uint8, 40000)
	for i := range mask {
		mask[i] = uint8(i % 3)
		wide[i] = uint8(i % 200)
	}
	for _, c := range []struct {
		data  any
		given string
		want  string
	}{
		{scaled(40, 1.4, 6.5), "", "1.4 6.5 true"},
		{scaled(40, -0.3, 0.43), "", "-0.3 0.43 true"},
		{scaled(40, 0, 0.9), "", "false"},
		{scaled(40, 0, 200), "", "false"},
		{scaled(40, -3, 4), "", "false"},
		{scaled(40, 1.4, 6.5), "0,255", "false"},
		{mask, "", "0 2 true"},
		{mask, "0,2", "false"},
		{wide, "", "false"},
	} {
		var a *Array
		var err error
		switch v := c.data.(type) {
		case []float32:
			a, err = NewArray("a", []int{len(v) / 4, 2, 2}, v)
		case []uint8:
			a, err = NewArray("a", []int{len(v) / 4, 2, 2}, v)
		}
		if err != nil {
			t.Fatal(err)
		}
		low, high, yes, err := mustStates(t, a, StateOptions{PixelRange: c.given}).Unfilled(0.4)
		got := "false"
		if yes {
			got = fmt.Sprintf("%.3g %.3g true", low, high)
		}
		if err != nil || got != c.want {
			t.Errorf("range %q: %s, %v, want %s", c.given, got, err, c.want)
		}
	}
}
