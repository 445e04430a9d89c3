// Tests of the tile registers, against literal loops and the faults of the manual.

package emulator

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"strings"
	"testing"
)

// config is a configuration of palette 1 with the given rows and bytes per row of the first tiles.
func config(shapes ...[2]int) []byte {
	c := make([]byte, configBytes)
	c[0] = 1
	for i, s := range shapes {
		binary.LittleEndian.PutUint16(c[16+2*i:], uint16(s[1]))
		c[48+i] = byte(s[0])
	}
	return c
}

func TestConfigure(t *testing.T) {
	t.Parallel()
	with := func(offset int, v byte) []byte {
		c := config([2]int{16, 64})
		c[offset] = v
		return c
	}
	for name, c := range map[string]struct {
		config []byte
		want   string
	}{
		"all tiles":     {config([2]int{16, 64}, [2]int{1, 4}, [2]int{3, 12}), ""},
		"initial":       {make([]byte, configBytes), ""},
		"palette":       {with(0, 2), "palette 2"},
		"reserved":      {with(2, 1), "byte 2 of the configuration is reserved"},
		"reserved end":  {with(15, 1), "byte 15"},
		"ninth tile":    {with(32, 64), "byte 32"},
		"ninth rows":    {with(56, 16), "byte 56"},
		"rows":          {config([2]int{17, 64}), "17 rows of 64 bytes"},
		"bytes":         {config([2]int{16, 65}), "16 rows of 65 bytes"},
		"wide bytes":    {with(17, 1), "16 rows of 320 bytes"},
		"without rows":  {config([2]int{0, 64}), "0 rows of 64 bytes"},
		"without bytes": {config([2]int{16, 0}), "16 rows of 0 bytes"},
	} {
		var s tiles
		s.data[3][2][1] = 7
		err := s.configure(c.config)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", name, err, c.want)
		}
		if s.data[3][2][1] != 0 {
			t.Errorf("%s: tiles are not cleared", name)
		}
	}
}

// TestMultiply: sums of products of all signs and shapes equal a literal loop in 64 bits, modulo 2³².
func TestMultiply(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		m, n, k := 1+r.IntN(16), 1+r.IntN(16), 1+r.IntN(16)
		aSigned, bSigned := r.IntN(2) == 1, r.IntN(2) == 1
		var s tiles
		if err := s.configure(config([2]int{m, 4 * n}, [2]int{m, 4 * k}, [2]int{k, 4 * n})); err != nil {
			t.Fatal(err)
		}
		for tile := range 3 { // every byte, also those that the configuration leaves out
			for i := range s.data[tile] {
				for j := range s.data[tile][i] {
					s.data[tile][i][j] = byte(r.Uint32()) | byte(-r.IntN(2))
				}
			}
		}
		before := s
		if err := s.multiply(0, 1, 2, aSigned, bSigned); err != nil {
			t.Fatal(err)
		}
		number := func(b byte, signed bool) int64 {
			if signed && b > 127 {
				return int64(b) - 256
			}
			return int64(b)
		}
		for i := range tileRows {
			for j := range tileBytes / 4 {
				var want int64
				if i < m && j < n {
					want = int64(binary.LittleEndian.Uint32(before.data[0][i][4*j:]))
					for d := range 4 * k {
						want += number(before.data[1][i][d], aSigned) * number(before.data[2][d/4][4*j+d%4], bSigned)
					}
				}
				if got := binary.LittleEndian.Uint32(s.data[0][i][4*j:]); got != uint32(want) {
					t.Fatalf("%d×%d×%d signed %v %v: element %d, %d is %d, want %d", m, n, k, aSigned, bSigned, i, j, got, uint32(want))
				}
			}
		}
	}
}

func TestMultiplyFaults(t *testing.T) {
	t.Parallel()
	for want, c := range map[string]struct {
		shapes    [][2]int
		sum, a, b int
	}{
		"are not three":                {[][2]int{{16, 64}, {16, 64}, {16, 64}}, 0, 0, 1},
		"tile 3 has no rows":           {[][2]int{{16, 64}, {16, 64}, {16, 64}}, 0, 1, 3},
		"do not multiply to 15×64":     {[][2]int{{15, 64}, {16, 64}, {16, 64}}, 0, 1, 2},
		"do not multiply to 16×60":     {[][2]int{{16, 60}, {16, 64}, {16, 64}}, 0, 1, 2},
		"16×64 bytes and 15×64":        {[][2]int{{16, 64}, {16, 64}, {15, 64}}, 0, 1, 2},
		"no multiple of four":          {[][2]int{{16, 64}, {16, 62}, {16, 64}}, 0, 1, 2},
		"tiles 2, 1 and 2":             {[][2]int{{16, 64}, {16, 64}, {16, 64}}, 2, 1, 2},
		"tiles 0, 1 and 1 of a produc": {[][2]int{{16, 64}, {16, 64}, {16, 64}}, 0, 1, 1},
	} {
		var s tiles
		if err := s.configure(config(c.shapes...)); err != nil {
			t.Fatal(err)
		}
		if err := s.multiply(c.sum, c.a, c.b, false, false); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	var s tiles
	if err := s.multiply(0, 1, 2, false, false); err == nil || !strings.Contains(err.Error(), "not configured") {
		t.Errorf("error %v, want that tiles are not configured", err)
	}
}

// TestLoadStore: rows go where their stride says, the rest of a tile becomes zero, and the rest of memory stays.
func TestLoadStore(t *testing.T) {
	t.Parallel()
	memory := bytes.Repeat([]byte{1, 2, 3}, 300)
	read := func(address uint64, n int, _ bool) ([]byte, error) { return memory[address:][:n], nil }
	var s tiles
	if err := s.configure(config([2]int{3, 5})); err != nil {
		t.Fatal(err)
	}
	for i := range s.data[0] {
		s.data[0][i] = [tileBytes]byte(bytes.Repeat([]byte{9}, tileBytes))
	}
	if err := s.load(0, 10, 31, read); err != nil {
		t.Fatal(err)
	}
	for i := range tileRows {
		for j := range tileBytes {
			want := byte(0)
			if i < 3 && j < 5 {
				want = memory[10+31*i+j]
			}
			if s.data[0][i][j] != want {
				t.Fatalf("byte %d of row %d is %d, want %d", j, i, s.data[0][i][j], want)
			}
		}
	}
	before := bytes.Clone(memory)
	if err := s.store(0, 400, 7, read); err != nil {
		t.Fatal(err)
	}
	for i := range 3 {
		copy(before[400+7*i:], before[10+31*i:][:5])
	}
	if !bytes.Equal(memory, before) {
		t.Error("the store changed other bytes")
	}
	if err := s.zero(0); err != nil || s.data[0] != [tileRows][tileBytes]byte{} {
		t.Errorf("not zero: %v", err)
	}
	for i, err := range []error{s.load(1, 0, 0, read), s.store(1, 0, 0, read), s.zero(1)} {
		if err == nil {
			t.Errorf("operation %d on a tile without rows is executed", i)
		}
	}
}
