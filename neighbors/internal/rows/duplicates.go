// The search for equal points, and a digest of a point set made on the way.

package rows

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
	"slices"

	"repscope/internal/parallel"
	"repscope/points"
)

// Duplicates holds which points of a set are equal; for precomputed distances, equal means at distance 0.
type Duplicates struct {
	First []int32 // of each point: the lowest index of a point equal to it
	Count int     // of the points equal to one of lower index

	head   string // type and shape of the points
	hashes []uint64
}

// FindDuplicates looks for equal points. Points are hashed and points of equal hash
// compared, so that the answer is exact; −0 equals 0.
func FindDuplicates(ctx context.Context, p points.Points, metric Metric, threads int) (*Duplicates, error) {
	d := &Duplicates{First: make([]int32, p.N), head: fmt.Sprintf("%s %d %d", p.Type(), p.N, p.Dim), hashes: make([]uint64, p.N)}
	err := parallel.For(ctx, threads, p.N, func(_, i int) {
		lo, hi := i*p.Dim, (i+1)*p.Dim
		switch {
		case p.U8 != nil:
			d.hashes[i] = hashUint8(p.U8[lo:hi])
		case p.F32 != nil:
			d.hashes[i] = hashFloat32(p.F32[lo:hi])
		default:
			d.hashes[i] = hashFloat64(p.F64[lo:hi])
		}
	})
	if err != nil {
		return nil, err
	}
	if metric == Precomputed {
		d.findZeros(p)
	} else {
		d.findEqual(p)
	}
	return d, nil
}

// findEqual compares points of equal hash.
func (d *Duplicates) findEqual(p points.Points) {
	// table holds 1 plus the first point of each kind, at the hash's index or the next free one.
	shift := 63 - bits.Len(uint(p.N))
	table := make([]int32, 1<<(64-shift))
	for i := range p.N {
		d.First[i] = int32(i)
		slot := d.hashes[i] * scatter >> shift
		for ; table[slot] != 0; slot = (slot + 1) % uint64(len(table)) {
			if j := table[slot] - 1; d.hashes[j] == d.hashes[i] && equalPoints(p, i, int(j)) {
				d.First[i] = j
				d.Count++
				break
			}
		}
		if d.First[i] == int32(i) {
			table[slot] = int32(i) + 1
		}
	}
}

// scatter is odd, and its products have much of a hash in their highest bits.
const scatter = 0x9E3779B97F4A7C15

// AllEqual reports whether all points are equal, or all distances 0.
func AllEqual(p points.Points, metric Metric) bool {
	for i := 1; i < p.N; i++ {
		if !equalPoints(p, i, 0) {
			return false
		}
	}
	return metric != Precomputed || !slices.ContainsFunc(p.Row(0, nil), func(d float64) bool { return d != 0 })
}

// findZeros looks for distances of 0 in a matrix of distances.
func (d *Duplicates) findZeros(p points.Points) {
	for i := range d.First {
		d.First[i] = int32(i)
		for j := range i {
			entry := i*p.N + j
			if p.F32 != nil && p.F32[entry] == 0 || p.F64 != nil && p.F64[entry] == 0 {
				d.First[i] = int32(j)
				d.Count++
				break
			}
		}
	}
}

// Digest identifies a point set by type, shape and a hash of every point. It is no protection against deliberate
// collisions.
func (d *Duplicates) Digest() [sha256.Size]byte {
	h := sha256.New()
	h.Write([]byte(d.head))
	var part []byte
	for i, v := range d.hashes {
		part = binary.LittleEndian.AppendUint64(part, v)
		if len(part) == 1<<15 || i == len(d.hashes)-1 {
			h.Write(part)
			part = part[:0]
		}
	}
	return [sha256.Size]byte(h.Sum(nil))
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

func equalRows[T Number](data []T, dim, i, j int) bool {
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
