// Bounds against the values that they bound.

package identity

import (
	"math/rand/v2"
	"testing"
)

// longest is the length of the longest common subsequence by the whole table.
func longest(a, b []byte) int {
	row := make([]int, len(b)+1)
	for _, x := range a {
		corner := 0
		for j, y := range b {
			above := row[j+1]
			if row[j+1] = max(above, row[j]); x == y {
				row[j+1] = corner + 1
			}
			corner = above
		}
	}
	return row[len(b)]
}

// TestBounds holds that the common subsequence is decided exactly for every bound, and that no bound leaves out a pair
// that has enough equal pairs.
func TestBounds(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("left out with -short: one pair of sequences after another")
	}
	rng := rand.New(rand.NewPCG(41, 8))
	q := newQuery() // one for all, so that leftovers of a pair would show in the next
	for _, alphabet := range []string{"ab", residues, "\x00\x7f\x80\xff"} {
		for _, n := range []int{1, 2, 5, 30, 63, 64, 65, 100, 127, 128, 129, 200, 255, 256, 257, 320} {
			a := drawn(rng, n, alphabet)
			for _, b := range [][]byte{a, mutated(rng, a, 0.1, alphabet), mutated(rng, a, 0.6, alphabet), drawn(rng, n, alphabet),
				drawn(rng, 1+rng.IntN(320), alphabet), append(drawn(rng, 1+n/4, alphabet), a[:(n+2)/3]...)} {
				checkBounds(t, q, a, b)
			}
		}
	}
}

// TestBounds_Grams has the pairs that lose most grams: letters that differ, some of them deleted, or a letter inserted
// between every other two.
func TestBounds_Grams(t *testing.T) {
	t.Parallel()
	var whole, deleted, inserted []byte
	for i := range 40 {
		letter := byte(i)
		whole, inserted = append(whole, letter), append(inserted, letter)
		if i%3 != 1 {
			deleted = append(deleted, letter)
		}
		if i%2 == 1 {
			inserted = append(inserted, 0x80+letter)
		}
	}
	q := newQuery()
	for _, b := range [][]byte{deleted, inserted} {
		checkBounds(t, q, whole, b)
		checkBounds(t, q, b, whole)
	}
}

func checkBounds(t *testing.T, q *query, a, b []byte) {
	t.Helper()
	q.set(a)
	common := longest(a, b)
	edits, matches := naive(a, b)
	other, ones := sign(b)
	shared := q.sign.shared(&other)
	i := min(len(a), mostRows)
	if got, want := q.prefix(b, i), longest(a[:i], b); got != want {
		t.Fatalf("common subsequence of the first %d letters of %q and %q: %d, want %d", i, a, b, got, want)
	}
	for need := range min(len(a), len(b)) + 1 {
		if got := q.subsequence(b, need); got != (common >= need) {
			t.Fatalf("%q and %q have a common subsequence of %d letters; of at least %d: %v", a, b, common, need, got)
		}
		if need <= matches && !q.alike(len(b), ones, shared, need) {
			t.Fatalf("%q and %q have %d equal pairs, but grams for fewer than %d", a, b, matches, need)
		}
		gotMatches, gotEdits, enough := q.align(b, need)
		if enough != (matches >= need) || enough && (gotMatches != matches || gotEdits != edits) {
			t.Fatalf("%q and %q: %d equal pairs, %d edits, %v for %d, want %d, %d", a, b, gotMatches, gotEdits, enough, need, matches, edits)
		}
		if q.reach(b, need) != enough {
			t.Fatalf("%q and %q reach %d: want %v", a, b, need, enough)
		}
	}
}
