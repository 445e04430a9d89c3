// Words of several scripts, and how many two texts share.

package text

import (
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestWords(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                        "",
		" \n\t":                   "",
		"Sign in, now!":           "sign in now",
		"Don’t 'quote' it's":      "don't quote it's",
		"$12.99 (20% off)":        "$ 12.99 20 % off",
		"ÄRGER naïve nai\u0308ve": "ärger naïve naïve",
		"日本語 text入力":              "日 本 語 text 入 力",
		"สวัสดี":                  "ส วั ส ดี",
		"e-mail\u2028next_line":   "e mail next line",
		"\xff\xfebad":             "\ufffd \ufffd bad",
		"Привет, мир 한국어 العربية": "привет мир 한국어 العربية",
	} {
		if got := strings.Join(wordsOf(text), " "); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// TestSigns: symbols, emoji, currencies and signs are words; what else parts words is one where a line has nothing
// else.
func TestSigns(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"★★★☆☆":                "★ ★ ★ ☆ ☆",
		"+":                    "+",
		"−":                    "-",
		"-":                    "-",
		"?":                    "?",
		" - \n… —\nMenu —":     "- ...— menu",
		"€ 50":                 "€ 50",
		"-5 °C":                "- 5 ° c",
		"−5":                   "- 5",
		"-$5":                  "- $ 5",
		"(-5)":                 "- 5",
		"3-5, e-mail, A -- 4":  "3 5 e mail a 4",
		"A & B @home #1 2/3 *": "a & b @ home # 1 2 / 3 *",
		"1,299.50 9:41 v1.":    "1,299.50 9 41 v1",
		"→ Next ✓":             "→ next ✓",
		"😀 👩🏽‍💻👩 🇩🇪🇫🇷 🏴󠁧󠁢󠁿":       "😀 👩🏽‍💻 👩 🇩🇪 🇫🇷 🏴󠁧󠁢󠁿",
		"1\ufe0f\u20e3 ❤\ufe0f ❤": "1\u20e3 ❤ ❤",
		"x² ½ ① ™":                "x2 1 ⁄ 2 1 tm",
	} {
		if got := strings.Join(wordsOf(text), " "); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	for _, pair := range [][2]string{{"★★★★★", "★☆☆☆☆"}, {"+", "−"}, {"$ 50", "€ 50"}, {"-5", "5"}, {"😀", "😡"}, {"👍🏻", "👍🏿"}, {"🇩🇪", "🇪🇩"},
		{"👨\u200d👩\u200d👧", "👨👩👧"}, {"20 %", "20"}, {"?", "!"}, {"→", "←"}, {"#1", "1"}, {"12.99", "1299"}, {"☀", "☁"}, {"≤ 5", "≥ 5"}} {
		if v := WordF1(pair[0], pair[1]); !(v < 1) {
			t.Errorf("%q and %q: F1 %v, want less than 1", pair[0], pair[1], v)
		}
		if v := WordF1(pair[0], pair[0]); v != 1 {
			t.Errorf("%q beside itself: F1 %v", pair[0], v)
		}
	}
}

func TestWordF1(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		a, b string
		want float64
	}{
		{"", "", 1}, {"a", "", 0}, {"a b", "b a", 1}, {"Sign in now", "sign in", 0.8}, {"a a a", "a", 0.5}, {"a a b", "a b b", 2. / 3},
	} {
		if got := WordF1(test.a, test.b); math.Abs(got-test.want) > 1e-15 || got != WordF1(test.b, test.a) {
			t.Errorf("%q and %q: %v, want %v", test.a, test.b, got, test.want)
		}
	}
}

// TestCommon: elements in common are at least as many as a common subsequence has.
func TestCommon(t *testing.T) {
	t.Parallel()
	var c Comparer[int]
	rapid.Check(t, func(t *rapid.T) {
		a, b := sequences(5, 30).Draw(t, "a"), sequences(5, 30).Draw(t, "b")
		x, y := c.Encode(a), c.Encode(b)
		n := c.Common(x, y)
		slices.Sort(a)
		slices.Sort(b)
		if sorted := c.LCS(c.Encode(a), c.Encode(b)); n != sorted || n < c.LCS(x, y) {
			t.Fatalf("%d in common, want %d", n, sorted)
		}
	})
}
