// Tests that what is compressed is what compress/zlib reads.

package plots

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"io"
	"math/rand/v2"
	"testing"
)

// deflated is data compressed in parts that end at the given places.
func deflated(data []byte, ends ...int) []byte {
	d, from := newDeflater(), 0
	for _, to := range append(ends, len(data)) {
		d.write(data, from, to)
		from = to
	}
	return d.close(data)
}

// inflated is what compress/zlib makes of a stream.
func inflated(t *testing.T, stream []byte) []byte {
	t.Helper()
	r, err := zlib.NewReader(bytes.NewReader(stream))
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestDeflate(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 4))
	fill := func(n, kinds int) []byte {
		data := make([]byte, n)
		for i := range data {
			data[i] = byte(r.IntN(kinds))
		}
		return data
	}
	runs := func(n int) (data []byte) { // and repetitions from near and far
		for len(data) < n {
			switch length := r.IntN(700); {
			case r.IntN(3) == 0:
				data = append(data, bytes.Repeat([]byte{byte(r.IntN(4))}, length)...)
			case len(data) > 0 && r.IntN(2) == 0:
				from := r.IntN(len(data))
				data = append(data, data[from:min(from+length, len(data))]...)
			default:
				data = append(data, fill(length/20, 256)...)
			}
		}
		return data
	}
	cases := map[string][]byte{
		"nothing": nil, "a byte": {7}, "four bytes": {1, 2, 3, 4}, "zeros": make([]byte, 300000),
		"noise": fill(200000, 256), "two kinds": fill(100000, 2), "runs": runs(400000),
		"far": append(append(fill(100, 256), make([]byte, deflateWindow-100)...), fill(100, 256)...),
	}
	for n := 256; n <= 262; n++ { // about the greatest length of a match
		cases[fmt.Sprint("zeros ", n)] = append(make([]byte, n), fill(9, 256)...)
	}
	cases["at the window"] = append(bytes.Clone(cases["far"][:deflateWindow]), cases["far"][:200]...)
	for k := 4; k <= 300; k += 37 { // codes that would be longer than 15 bits
		a, b, data := 1, 1, []byte{}
		for i := 0; i < 24 && len(data) < 200000; i++ {
			data = append(data, bytes.Repeat([]byte{byte(k + i)}, a)...)
			a, b = b, a+b
		}
		r.Shuffle(len(data), func(i, j int) { data[i], data[j] = data[j], data[i] })
		cases[fmt.Sprint("Fibonacci ", k)] = data
	}
	for name, data := range cases {
		n := len(data)
		for _, ends := range [][]int{nil, {n / 3}, {0, n / 2, n / 2, n}, {min(1, n), min(4, n), min(5, n)}} {
			if got := inflated(t, deflated(data, ends...)); !bytes.Equal(got, data) {
				t.Errorf("%s, parts that end at %v: %d other bytes for %d", name, ends, len(got), n)
			}
		}
		if got := len(deflated(data)); got > n+5*(n/8192+2)+6 {
			t.Errorf("%s: %d bytes of %d", name, got, n)
		}
	}
}

// TestPrefixCode: a code is complete, within its limit, and costs what Huffman's does where that is within it too.
func TestPrefixCode(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(5, 6))
	for range 300 {
		count := make([]int32, 2+r.IntN(285))
		used := 0
		for k := range count {
			if r.IntN(3) > 0 {
				count[k] = 1 + int32(1)<<r.IntN(20)
				used++
			}
		}
		for _, limit := range []int{9, 15, 31} {
			room, codes := 0, prefixCode(count, limit)
			for k, p := range codes {
				if p.length > 0 {
					room += 1 << (limit - int(p.length))
				}
				if used > 1 && (p.length > 0) != (count[k] > 0) || int(p.length) > limit {
					t.Fatalf("symbol %d of count %d has %d bits of %d", k, count[k], p.length, limit)
				}
			}
			if used > 1 && room != 1<<limit {
				t.Fatalf("limit %d: the codes fill %d of %d", limit, room, 1<<limit)
			}
			if limit == 31 && used > 1 {
				if got, want := cost(count, codes), huffman(count); got != want {
					t.Fatalf("%d bits, Huffman's code has %d", got, want)
				}
			}
		}
	}
}

// huffman is the cost of Huffman's code: the sum of all pairs that are made, the two rarest each time.
func huffman(count []int32) (cost int) {
	var weights []int
	for _, n := range count {
		if n > 0 {
			weights = append(weights, int(n))
		}
	}
	for len(weights) > 1 {
		for k := range 2 {
			for i := k + 1; i < len(weights); i++ {
				if weights[i] < weights[k] {
					weights[i], weights[k] = weights[k], weights[i]
				}
			}
		}
		weights[1] += weights[0]
		weights = weights[1:]
		cost += weights[0]
	}
	return cost
}

// FuzzDeflate compresses in two parts.
func FuzzDeflate(f *testing.F) {
	f.Add([]byte("abcabcabcabcabc"), 5)
	f.Add(make([]byte, 1000), 600)
	f.Fuzz(func(t *testing.T, data []byte, at int) {
		at = max(0, min(at, len(data)))
		if got := inflated(t, deflated(data, at)); !bytes.Equal(got, data) {
			t.Fatalf("%d other bytes for %d", len(got), len(data))
		}
	})
}
