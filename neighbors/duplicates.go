package neighbors

// This file holds the search for equal points.

import (
	"context"
	"math"

	"repscope/points"
)

// findDuplicates returns, for each point, the lowest index of a point equal to
// it, and the number of points equal to one of lower index. Points are hashed
// and points of equal hash compared, so that the answer is exact; −0 equals 0.
func findDuplicates(ctx context.Context, p points.Points, threads int) (first []int32, duplicates int, err error) {
	hash := make([]uint64, p.N)
	err = parallel(ctx, threads, p.N, func(_, i int) {
		lo, hi := i*p.Dim, (i+1)*p.Dim
		switch {
		case p.U8 != nil:
			hash[i] = hashUint8(p.U8[lo:hi])
		case p.F32 != nil:
			hash[i] = hashFloat32(p.F32[lo:hi])
		default:
			hash[i] = hashFloat64(p.F64[lo:hi])
		}
	})
	if err != nil {
		return nil, 0, err
	}
	// seen holds the points that are first of their kind, by hash.
	seen := make(map[uint64][]int32, p.N)
	first = make([]int32, p.N)
	for i := range p.N {
		first[i] = int32(i)
		for _, j := range seen[hash[i]] {
			if equalPoints(p, i, int(j)) {
				first[i] = j
				duplicates++
				break
			}
		}
		if first[i] == int32(i) {
			seen[hash[i]] = append(seen[hash[i]], int32(i))
		}
	}
	return first, duplicates, nil
}

func equalPoints(p points.Points, i, j int) bool {
	switch {
	case p.U8 != nil:
		return equalRows(p.U8, p.Dim, i, j)
	case p.F32 != nil:
		return equalRows(p.F32, p.Dim, i, j)
	}
	return equalRows(p.F64, p.Dim, i, j)
}

func equalRows[T number](data []T, dim, i, j int) bool {
	b := data[j*dim : (j+1)*dim]
	for k, v := range data[i*dim : (i+1)*dim] {
		if v != b[k] {
			return false
		}
	}
	return true
}

// mix is one step of a multiplicative hash; four lanes run side by side.
func mix(h, v uint64) uint64 {
	h = (h ^ v) * 0x9e3779b97f4a7c15
	return h ^ h>>29
}

func hashUint8(x []uint8) uint64 {
	h := [4]uint64{1, 2, 3, 4}
	for len(x) >= 32 {
		for lane := range h {
			b := x[8*lane : 8*lane+8 : 8*lane+8]
			h[lane] = mix(h[lane], uint64(b[0])|uint64(b[1])<<8|uint64(b[2])<<16|uint64(b[3])<<24|
				uint64(b[4])<<32|uint64(b[5])<<40|uint64(b[6])<<48|uint64(b[7])<<56)
		}
		x = x[32:]
	}
	for _, v := range x {
		h[0] = mix(h[0], uint64(v))
	}
	return mix(mix(mix(h[0], h[1]), h[2]), h[3])
}

func hashFloat32(x []float32) uint64 {
	h := [4]uint64{1, 2, 3, 4}
	for len(x) >= 8 {
		for lane := range h {
			// Adding 0 turns −0 into 0.
			a, b := math.Float32bits(x[2*lane]+0), math.Float32bits(x[2*lane+1]+0)
			h[lane] = mix(h[lane], uint64(a)|uint64(b)<<32)
		}
		x = x[8:]
	}
	for _, v := range x {
		h[0] = mix(h[0], uint64(math.Float32bits(v+0)))
	}
	return mix(mix(mix(h[0], h[1]), h[2]), h[3])
}

func hashFloat64(x []float64) uint64 {
	h := [4]uint64{1, 2, 3, 4}
	for len(x) >= 4 {
		for lane := range h {
			h[lane] = mix(h[lane], math.Float64bits(x[lane]+0))
		}
		x = x[4:]
	}
	for _, v := range x {
		h[0] = mix(h[0], math.Float64bits(v+0))
	}
	return mix(mix(mix(h[0], h[1]), h[2]), h[3])
}
