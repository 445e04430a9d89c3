// Tests of the distance of names and of hints for unknown ones.

package text

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestEditDistance(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		a, b string
		want int
	}{
		{"", "", 0}, {"", "abc", 3}, {"kitten", "sitting", 3}, {"frames", "farmes", 1}, {"ca", "abc", 3}, // ca → a → abc would touch a letter twice
		{"größe", "grösse", 2}, {"saturday", "sunday", 3}, {strings.Repeat("a", 300), strings.Repeat("a", 300), 0},
		{strings.Repeat("a", 300), strings.Repeat("a", 299), 300},
		{"abc", "", 3}, {"ab", "ba", 1}, {"cosine", "cosine", 0}, {"σ", "s", 1},
	} {
		if got := EditDistance(c.a, c.b); got != c.want {
			t.Errorf("EditDistance(%q, %q) = %d, want %d", c.a, c.b, got, c.want)
		}
		if got := EditDistance(c.b, c.a); got != c.want {
			t.Errorf("EditDistance(%q, %q) = %d, want %d", c.b, c.a, got, c.want)
		}
	}
}

func TestEditDistanceProperties(t *testing.T) {
	t.Parallel()
	word := rapid.StringOfN(rapid.RuneFrom([]rune("abcä")), 0, 7, -1)
	rapid.Check(t, func(t *rapid.T) {
		a, b := word.Draw(t, "a"), word.Draw(t, "b")
		d := EditDistance(a, b)
		if d != EditDistance(b, a) {
			t.Fatal("not symmetric")
		}
		if (d == 0) != (a == b) {
			t.Fatal("zero for different names, or not for the same")
		}
		x, y := []rune(a), []rune(b)
		if d < max(len(x), len(y))-min(len(x), len(y)) || d > max(len(x), len(y)) {
			t.Fatalf("%d is out of bounds", d)
		}
		if want := recursive(x, y); d != want {
			t.Fatalf("%d, by its definition %d", d, want)
		}
	})
}

// recursive is the definition of the distance, read aloud.
func recursive(x, y []rune) int {
	if len(x) == 0 || len(y) == 0 {
		return len(x) + len(y)
	}
	m, n := len(x)-1, len(y)-1
	cost := 1
	if x[m] == y[n] {
		cost = 0
	}
	d := min(recursive(x[:m], y)+1, recursive(x, y[:n])+1, recursive(x[:m], y[:n])+cost)
	if m > 0 && n > 0 && x[m] == y[n-1] && x[m-1] == y[n] {
		d = min(d, recursive(x[:m-1], y[:n-1])+1)
	}
	return d
}

func TestNearest(t *testing.T) {
	t.Parallel()
	names := []string{"frames", "episode", "observations", "Actions", "val.states", "k", "pca"}
	for name, want := range map[string]string{
		"frame": "frames", "farmes": "frames", "FRAMES": "frames", "EPISODES": "episode", "obs": "observations", "act": "Actions",
		"actoins": "Actions", "states": "val.states", "train.val.states": "val.states", "all_frames": "frames", "j": "k", "pac": "pca",
		"": "k", "zz": "", "latents": "", strings.Repeat("x", 1000): "",
	} {
		if got := Nearest(name, names); got != want {
			t.Errorf("Nearest(%q) = %q, want %q", name, got, want)
		}
	}
	flags := []string{"model", "latents", "latent-scale", "format", "frames", "bootstrap", "k"}
	for name, want := range map[string]string{
		"modle": "model", "latent": "latents", "fromat": "format", "frame": "frames", "boot": "bootstrap", "BOOTSTRAP": "bootstrap",
		"zzz": "", "completely-different": "",
	} {
		if got := Nearest(name, flags); got != want {
			t.Errorf("Nearest(%q) = %q, want %q", name, got, want)
		}
	}
	if got := Nearest("ab", []string{"ax", "ay"}); got != "ax" {
		t.Errorf("of two equally near ones %q, want the first", got)
	}
	if got := Nearest("x", nil); got != "" {
		t.Errorf("of none %q", got)
	}
}

func FuzzNearest(f *testing.F) {
	f.Add("frmaes", "frames\nepisode")
	f.Add("\xff\xfe", "\xffa")
	f.Fuzz(func(t *testing.T, name, candidates string) {
		Nearest(name, strings.Split(candidates, "\n"))
	})
}

func TestCount(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]string{0: "0 states", 1: "1 state", 2: "2 states", 1000: "1000 states"} {
		if got := Count(n, "state"); got != want {
			t.Errorf("%d: %q, want %q", n, got, want)
		}
	}
}

func TestBytes(t *testing.T) {
	for n, want := range map[int64]string{0: "0 bytes", 1: "1 byte", 999: "999 bytes", 9000: "9 kB", 92160: "92 kB", 512e6: "512 MB", 2.1e9: "2.1 GB"} {
		if got := Bytes(n); got != want {
			t.Errorf("Bytes(%d) = %q, want %q", n, got, want)
		}
	}
}
