// Distances and identities against the literal table.

package identity

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"repscope/internal/runtest"
)

// naive returns the edits and the equal pairs of the best alignment by the whole table.
func naive(a, b []byte) (edits, matches int) {
	type cell struct{ edits, matches int }
	better := func(x, y cell) bool { return x.edits < y.edits || x.edits == y.edits && x.matches > y.matches }
	table := make([][]cell, len(a)+1)
	for i := range table {
		table[i] = make([]cell, len(b)+1)
		for j := range table[i] {
			best := cell{i + j, 0}
			consider := func(c cell) {
				if better(c, best) {
					best = c
				}
			}
			if i > 0 {
				consider(cell{table[i-1][j].edits + 1, table[i-1][j].matches})
			}
			if j > 0 {
				consider(cell{table[i][j-1].edits + 1, table[i][j-1].matches})
			}
			if i > 0 && j > 0 {
				from := table[i-1][j-1]
				if a[i-1] == b[j-1] {
					from.matches++
				} else {
					from.edits++
				}
				consider(from)
			}
			table[i][j] = best
		}
	}
	c := table[len(a)][len(b)]
	return c.edits, c.matches
}

// drawn returns n letters of an alphabet.
func drawn(rng *rand.Rand, n int, alphabet string) []byte {
	out := make([]byte, n)
	for i := range out {
		out[i] = alphabet[rng.IntN(len(alphabet))]
	}
	return out
}

// mutated returns a sequence with a share of its letters edited.
func mutated(rng *rand.Rand, s []byte, rate float64, alphabet string) []byte {
	var out []byte
	for _, letter := range s {
		switch r := rng.Float64() / rate; {
		case r < 0.7:
			out = append(out, alphabet[rng.IntN(len(alphabet))])
		case r < 0.85:
		case r < 1:
			out = append(out, letter, alphabet[rng.IntN(len(alphabet))])
		default:
			out = append(out, letter)
		}
	}
	if len(out) == 0 {
		out = append(out, s[0])
	}
	return out
}

const residues = "ACDEFGHIKLMNPQRSTVWY"

func TestPairs(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(41, 1))
	for _, alphabet := range []string{"a", "ab", residues, "\x00\x7f\x80\xff"} {
		for n := 1; n < 150; n += 1 + n/6 {
			a := drawn(rng, n, alphabet)
			near, far := mutated(rng, a, 0.1, alphabet), mutated(rng, a, 0.5, alphabet)
			for _, b := range [][]byte{a, near, far, drawn(rng, 1+rng.IntN(200), alphabet)} {
				checkPair(t, a, b)
			}
		}
	}
}

func checkPair(t *testing.T, a, b []byte) {
	t.Helper()
	edits, matches := naive(a, b)
	if d := Distance(a, b); d != edits {
		t.Errorf("Distance(%q, %q) = %d, want %d", a, b, d, edits)
	}
	for _, limit := range []int{-1, 0, 1, edits / 2, edits - 1, edits, edits + 1, 1000} {
		d, within := Within(a, b, limit)
		want := min(edits, max(limit, -1)+1)
		if d != want || within != (edits <= limit) {
			t.Errorf("Within(%q, %q, %d) = %d, %v, want %d, %v", a, b, limit, d, within, want, edits <= limit)
		}
	}
	for _, pair := range [][2][]byte{{a, b}, {b, a}} {
		got, err := Identity(pair[0], pair[1])
		if want := float64(matches) / float64(min(len(a), len(b))); err != nil || got != want {
			t.Errorf("Identity(%q, %q) = %v, %v, want %v", pair[0], pair[1], got, err, want)
		}
	}
}

func TestEmpty(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ a, b, want string }{
		{"", "A", "identity of an empty sequence: a has no letters, want at least 1"},
		{"A", "", "identity of an empty sequence: b has no letters, want at least 1"},
	} {
		if _, err := Identity([]byte(c.a), []byte(c.b)); fmt.Sprint(err) != c.want {
			t.Errorf("%q and %q: %v, want %q", c.a, c.b, err, c.want)
		}
		if d := Distance([]byte(c.a), []byte(c.b)); d != 1 {
			t.Errorf("distance %d from an empty sequence, want 1", d)
		}
	}
	if d, within := Within(nil, nil, 0); d != 0 || !within {
		t.Errorf("two empty sequences: %d, %v", d, within)
	}
}

// TestLongPairs has the identity of long sequences with a few edits, whose places are known.
func TestLongPairs(t *testing.T) {
	runtest.Long(t, "it aligns long sequences")
	t.Parallel()
	rng := rand.New(rand.NewPCG(41, 2))
	a := drawn(rng, 100_000, residues)
	b := append([]byte{}, a...)
	for i := 500; i < len(b); i += 1000 { // 100 substitutions
		b[i] ^= 0x80
	}
	b = append(b[:70_000], append([]byte("\xfe\xfe\xfe"), b[70_003:]...)...)
	b = append(b, "\xfd\xfd"...)
	if d, within := Within(a, b, 200); d != 105 || !within {
		t.Errorf("%d edits, %v, want 105", d, within)
	}
	if _, within := Within(a, b, 104); within {
		t.Error("104 edits are enough")
	}
	if got, err := Identity(a, b); err != nil || got != (100_000-103)/100_000.0 {
		t.Errorf("identity %v, %v", got, err)
	}
	one := drawn(rng, 100_000, "Q")
	if got, err := Identity(one, one[:3]); err != nil || got != 1 {
		t.Errorf("identity of one letter %v, %v", got, err)
	}
}

func FuzzPair(f *testing.F) {
	f.Add([]byte("kitten"), []byte("sitting"))
	f.Add([]byte("\x00\xff\x80"), []byte("\xff"))
	f.Fuzz(func(t *testing.T, a, b []byte) {
		if len(a) == 0 || len(b) == 0 || len(a) > 300 || len(b) > 300 {
			return
		}
		checkPair(t, a, b)
	})
}
