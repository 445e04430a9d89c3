// Distances and subsequences beside the literal table, and what they are by definition.

package text

import (
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// table returns the edit distance and the length of the longest common subsequence.
func table(a, b []int) (distance, lcs int) {
	edit, same := make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range edit {
		edit[j] = j
	}
	for i := range a {
		diagonal, sameDiagonal := edit[0], same[0]
		edit[0] = i + 1
		for j := range b {
			next := min(edit[j]+1, edit[j+1]+1, diagonal)
			sameNext := max(same[j], same[j+1])
			if a[i] == b[j] {
				sameNext = sameDiagonal + 1
			} else {
				next = min(edit[j]+1, edit[j+1]+1, diagonal+1)
			}
			diagonal, edit[j+1] = edit[j+1], next
			sameDiagonal, same[j+1] = same[j+1], sameNext
		}
	}
	return edit[len(b)], same[len(b)]
}

func sequences(letters, length int) *rapid.Generator[[]int] {
	return rapid.SliceOfN(rapid.IntRange(0, letters), 0, length)
}

func TestTable(t *testing.T) {
	t.Parallel()
	var c Comparer[int]
	rapid.Check(t, func(t *rapid.T) {
		letters := rapid.SampledFrom([]int{1, 3, 300}).Draw(t, "letters")
		a, b := sequences(letters, 200).Draw(t, "a"), sequences(letters, 200).Draw(t, "b")
		x, y := c.Encode(a), c.Encode(b)
		distance, lcs := table(a, b)
		if got, same := c.Distance(x, y), c.LCS(x, y); got != distance || same != lcs {
			t.Fatalf("distance %d, subsequence %d, want %d, %d", got, same, distance, lcs)
		}
		if m := c.Matching(x, y); m > lcs || (m == 0) != (lcs == 0) {
			t.Fatalf("%d in blocks, subsequence of %d", m, lcs)
		}
	})
}

// TestMetric: the distance is symmetric, obeys the triangle inequality, and is 0 for equal ones alone.
func TestMetric(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		texts := rapid.SliceOfN(rapid.StringOfN(rapid.RuneFrom([]rune("abä🙂")), 0, 90, -1), 3, 3).Draw(t, "texts")
		a, b, c := texts[0], texts[1], texts[2]
		if ab, bc := distance(a, b), distance(b, c); distance(a, c) > ab+bc || ab != distance(b, a) || (ab == 0) != (a == b) {
			t.Fatalf("distances %d and %d of %q", ab, bc, texts)
		}
		if s := Similarity(a, b); s != Similarity(b, a) || s < 0 || s > 1 || Similarity(a, a) != 1 || Ratio(a, a) != 1 || lcs(a, b) != lcs(b, a) {
			t.Fatalf("similarity %v of %q", s, texts)
		}
	})
}

func TestSimilarity(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		a, b            string
		similarity, cer float64
	}{
		{"Sign in", "Sign up", 1 - 2./7, 2. / 7},
		{"Sign in", "Sing in", 1 - 2./7, 2. / 7},
		{"ab", "abcd", 0.5, 1},
		{"a", "bcd", 0, 3},
		{"abc", "", 0, 1},
		{"", "abc", 0, math.Inf(1)},
		{"", "", 1, math.NaN()},
		{"日本", "日本語", 2. / 3, 0.5},
		{"\xff", "\xfe", 1, 0}, // bytes that are no text are the same letter
	} {
		s, cer := Similarity(test.a, test.b), CER(test.a, test.b)
		if math.Abs(s-test.similarity) > 1e-15 || !(cer == test.cer || math.Abs(cer-test.cer) < 1e-15 || math.IsNaN(cer) && math.IsNaN(test.cer)) {
			t.Errorf("%q and %q: similarity %v, error rate %v, want %v, %v", test.a, test.b, s, cer, test.similarity, test.cer)
		}
	}
}

// TestLong compares texts of 50,000 letters, most of which the table of a literal comparison could not do.
func TestLong(t *testing.T) {
	t.Parallel()
	a := strings.Repeat("abcdefghij", 5000)
	b := strings.Repeat("abcdefghi", 5000)
	if d := distance("x"+a+"x", "y"+b+"y"); d != 5002 {
		t.Errorf("distance %d, want 5002", d)
	}
	if n := lcs("x"+a+"x", "y"+b+"y"); n != 45000 {
		t.Errorf("subsequence %d, want 45000", n)
	}
}

func BenchmarkDistance(b *testing.B) {
	for _, n := range []int{20, 200, 5000} {
		var c Comparer[rune]
		x := c.Encode([]rune(strings.Repeat("Create an account. ", n)[:n]))
		y := c.Encode([]rune(strings.Repeat("Enter a password; ", n)[:n]))
		b.Run(map[int]string{20: "20", 200: "200", 5000: "5000"}[n], func(b *testing.B) {
			for b.Loop() {
				c.Distance(x, y)
			}
		})
	}
}

// distance returns the edit distance of two texts in letters. See [Comparer.Distance].
func distance(a, b string) int {
	var c Comparer[rune]
	return c.Distance(c.Encode([]rune(a)), c.Encode([]rune(b)))
}

// lcs returns the length of the longest common subsequence of two texts in letters.
func lcs(a, b string) int {
	var c Comparer[rune]
	return c.LCS(c.Encode([]rune(a)), c.Encode([]rune(b)))
}
