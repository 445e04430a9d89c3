// The counter-based generator Philox4x32-10 and the draws made from it.

package stat

import (
	"fmt"
	"math/bits"
	"slices"
)

const (
	philoxMultiplier0 = 0xD2511F53
	philoxMultiplier1 = 0xCD9E8D57
	philoxWeyl0       = 0x9E3779B9 // golden ratio
	philoxWeyl1       = 0xBB67AE85 // sqrt(3) − 1
)

// Philox4x32 is the block function Philox4x32-10 of Salmon, Moraes, Dror and
// Shaw, "Parallel random numbers: as easy as 1, 2, 3" (SC 2011): 128 random bits
// from a 128-bit counter and a 64-bit key. For a fixed key it is a bijection.
func Philox4x32(counter [4]uint32, key [2]uint32) [4]uint32 {
	c0, c1, c2, c3 := counter[0], counter[1], counter[2], counter[3]
	k0, k1 := key[0], key[1]
	for range 10 {
		p0 := uint64(c0) * philoxMultiplier0
		p1 := uint64(c2) * philoxMultiplier1
		c0, c1, c2, c3 = uint32(p1>>32)^c1^k0, uint32(p1), uint32(p0>>32)^c3^k1, uint32(p0)
		k0 += philoxWeyl0
		k1 += philoxWeyl1
	}
	return [4]uint32{c0, c1, c2, c3}
}

// Key names one stream of random numbers: 64 bits of Philox key and the upper 64
// bits of the counter. Block c of the stream is
// Philox4x32({low 32 of c, high 32 of c, Stream[0], Stream[1]}, Word), so a
// stream has 2^64 blocks and any of them can be computed alone, on any device.
type Key struct {
	Word   [2]uint32 // Philox key
	Stream [2]uint32 // counter words 2 and 3
}

// NewKey returns the key of the stream with the given seed and coordinates. Code that draws from the
// seed of a run uses [Stream.Key] instead, which separates the uses of a seed. Different coordinates,
// or a different number of them, give streams that are independent for all practical purposes (the key
// is a 128-bit hash of them).
func NewKey(seed uint64, stream ...uint64) Key {
	key := rootKey(seed, len(stream))
	for _, coordinate := range stream {
		key = key.Derive(coordinate)
	}
	return key
}

// rootKey is the key that the coordinates of a stream, that many, are derived from.
func rootKey(seed uint64, coordinates int) Key {
	return Key{Word: [2]uint32{uint32(seed), uint32(seed >> 32)}}.Derive(uint64(coordinates))
}

// Derive returns the key of the sub-stream with one more coordinate. It equals
// Philox4x32 of the coordinate under the key with its bits flipped, so that no
// block of the parent stream is the key of a child.
func (k Key) Derive(coordinate uint64) Key {
	out := Philox4x32([4]uint32{uint32(coordinate), uint32(coordinate >> 32), k.Stream[0], k.Stream[1]},
		[2]uint32{^k.Word[0], ^k.Word[1]})
	return Key{Word: [2]uint32{out[0], out[1]}, Stream: [2]uint32{out[2], out[3]}}
}

// Uint32x4 returns block number counter of the stream.
func (k Key) Uint32x4(counter uint64) [4]uint32 {
	return Philox4x32([4]uint32{uint32(counter), uint32(counter >> 32), k.Stream[0], k.Stream[1]}, k.Word)
}

// Random reads a stream from its start, one number after the other. It is the
// sequential face of a [Key]; it also is a math/rand/v2 Source. Not safe for
// concurrent use: give each goroutine its own key.
type Random struct {
	key     Key
	counter uint64
	spare   uint64
	full    bool
}

// NewRandom returns a reader at the start of the stream.
func NewRandom(key Key) *Random { return &Random{key: key} }

// Uint64 returns the next 64 random bits.
func (r *Random) Uint64() uint64 {
	if r.full {
		r.full = false
		return r.spare
	}
	block := r.key.Uint32x4(r.counter)
	r.counter++
	r.spare, r.full = uint64(block[2])|uint64(block[3])<<32, true
	return uint64(block[0]) | uint64(block[1])<<32
}

// Float64 returns a number in [0, 1), a multiple of 2^−53.
func (r *Random) Float64() float64 { return float64(r.Uint64()>>11) * 0x1p-53 }

// Normal returns a standard normal number by inversion (see normalFromBits).
func (r *Random) Normal() float64 { return normalFromBits(r.Uint64()) }

// Intn returns a number in [0, n), every one with the same probability (Lemire's
// multiplication with rejection, 2019). It returns 0 for n < 1.
func (r *Random) Intn(n int) int {
	if n < 1 {
		return 0
	}
	return int(r.below(uint64(n)))
}

// below is Intn for a bound of up to 64 bits, at least 1.
func (r *Random) below(bound uint64) uint64 {
	high, low := bits.Mul64(r.Uint64(), bound)
	if low < bound {
		for threshold := -bound % bound; low < threshold; {
			high, low = bits.Mul64(r.Uint64(), bound)
		}
	}
	return high
}

// Perm returns a random permutation of 0..n−1 (Fisher–Yates); empty for n < 1.
func (r *Random) Perm(n int) []int {
	p := make([]int, max(n, 0))
	for i := range p {
		p[i] = i
	}
	r.Shuffle(p)
	return p
}

// Shuffle permutes p at random.
func (r *Random) Shuffle(p []int) { Shuffle(r, p) }

// Shuffle permutes values at random.
func Shuffle[T any](r *Random, values []T) {
	for i := len(values) - 1; i > 0; i-- {
		j := r.Intn(i + 1)
		values[i], values[j] = values[j], values[i]
	}
}

// SampleWithoutReplacement returns k distinct numbers of 0..n−1 in ascending order, every subset with
// the same probability (Floyd's algorithm: k draws, and memory for k numbers, for any n). For k ≥ n it
// returns all of them.
func (r *Random) SampleWithoutReplacement(n, k int) ([]int, error) {
	if n < 0 || k < 0 {
		return nil, fmt.Errorf("sample %d of %d: want non-negative numbers", k, n)
	}
	if k >= n {
		all := make([]int, n)
		for i := range all {
			all[i] = i
		}
		return all, nil
	}
	chosen := make(map[int]struct{}, k)
	sample := make([]int, 0, k)
	for i := n - k; i < n; i++ {
		v := r.Intn(i + 1)
		if _, taken := chosen[v]; taken {
			v = i
		}
		chosen[v] = struct{}{}
		sample = append(sample, v)
	}
	slices.Sort(sample)
	return sample, nil
}
