// Sets made from arrays, and what they hold.

package set

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"repscope/points"
)

// random are n sets that hold every cell with the given chance.
func random(t testing.TB, n, cells int, chance float64, seed uint64) *Sets {
	t.Helper()
	source := rand.New(rand.NewPCG(seed, 1))
	in := make([]bool, n*cells)
	for k := range in {
		in[k] = source.Float64() < chance
	}
	s, err := fromBools(in, cells)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestWaysToMakeSets(t *testing.T) {
	t.Parallel()
	want, err := fromMembers([][]int{{0, 64, 2, 2}, {}, {69}}, 70)
	if err != nil {
		t.Fatal(err)
	}
	if want.Size(0) != 3 || want.Size(1) != 0 || !want.has(2, 69) || want.has(2, 68) {
		t.Fatalf("sizes %d and %d", want.Size(0), want.Size(1))
	}
	p := points.Uint8(make([]uint8, 3*70), 70)
	values := make([]float32, len(p.U8))
	for k := range p.U8 {
		if want.has(k/70, k%70) {
			p.U8[k] = 1
		}
		values[k] = 0.25 + 0.5*float32(p.U8[k])
	}
	for name, from := range map[string]points.Points{"uint8": p, "float32": points.Float32(values, 70)} {
		got, err := FromPoints(from, 0.5)
		if err != nil || !slices.Equal(got.bits, want.bits) || !slices.Equal(got.sizes, want.sizes) {
			t.Errorf("%s: %v %v", name, got, err)
		}
	}
	if got := want.Select([]int{2, 0}); !got.has(0, 69) || got.Size(1) != 3 {
		t.Errorf("selected %v", got)
	}
}

func TestBadSets(t *testing.T) {
	t.Parallel()
	_, nan := FromPoints(points.Float64([]float64{0, 1, math.NaN(), 0}, 2), 0.5)
	_, length := fromBools(make([]bool, 5), 2)
	_, member := fromMembers([][]int{{0}, {7}}, 7)
	for want, err := range map[string]error{
		"set 1: cell 0 is NaN":            nan,
		"5 values are no sets of 2 cells": length,
		"set 1: cell 7 of 7":              member,
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// fromBools returns len(in)/cells sets, row-major: cell c of set i is in[i·cells+c]. A
// length that is no multiple of cells is an error.
func fromBools(in []bool, cells int) (*Sets, error) {
	if cells < 1 || len(in)%cells != 0 {
		return nil, fmt.Errorf("%d values are no sets of %d cells", len(in), cells)
	}
	s := newSets(len(in)/cells, cells)
	for k, v := range in {
		if v {
			s.put(k/cells, k%cells)
		}
	}
	return s, nil
}

// fromMembers returns sets given by their members, in any order and with repetitions,
// which count once. A member outside 0 … cells−1 is an error.
func fromMembers(members [][]int, cells int) (*Sets, error) {
	s := newSets(len(members), cells)
	for i, list := range members {
		for _, c := range list {
			if c < 0 || c >= cells {
				return nil, fmt.Errorf("set %d: cell %d of %d", i, c, cells)
			}
			s.put(i, c)
		}
	}
	return s, nil
}

// has reports whether cell c is in set i.
func (s *Sets) has(i, c int) bool { return s.bits[i*s.words+c/64]>>(c%64)&1 != 0 }
