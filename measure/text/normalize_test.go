// Texts that look alike, written in different ways.

package text

import (
	"testing"
	"unicode"

	"golang.org/x/text/unicode/norm"
	"pgregory.net/rapid"
)

// TestAlike: pairs that look alike are equal, the others of a row are not equal to the first.
func TestAlike(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ a, b string }{
		{"Äffin", "A\u0308ffin"}, {"café", "cafe\u0301"}, {"э\u0304", "э\u0304"}, {"ắ", "a\u0306\u0301"}, {"ậ", "a\u0302\u0323"},
		{"q\u0307\u0323", "q\u0323\u0307"}, {"한국", "\u1112\u1161\u11ab\u1100\u116e\u11a8"}, {"Å", "\u212b"}, {"が", "か\u3099"},
		{"أ", "ا\u0654"}, {"مرحبا", "\u200fمرحبا\u200e"}, {"שָׁלוֹם", "ש\u05b8\u05c1לו\u05b9ם"}, {"שׁ", "\ufb2a"},
		{"office", "o\ufb03ce"}, {"flow", "\ufb02ow"}, {"price", "pri\u00adce"}, {"price", "pri\u200bce"}, {"price", "\ufeffprice\u2060"},
		{"price", "pri\u200dce"}, {"price", "pri\u200cce"}, {"ＡＢＣ１", "ABC1"}, {"ｶﾞ", "ガ"}, {"㎏", "kg"}, {"…", "..."}, {"❤\ufe0f", "❤"}, {"㈀\u200d", "(ᄀ)"}, {"㈀\u200d🂠", "(ᄀ)🂠"},
		{"葛\U000E0100", "葛"}, {"\u202aabc\u202c", "abc"}, {"a\u034fb", "ab"}, {"\xff", "\ufffd"},
	} {
		if a, b := Normalize(c.a), Normalize(c.b); a != b {
			t.Errorf("%q and %q: %q and %q", c.a, c.b, a, b)
		}
		if v := CER(c.a, c.b); v != 0 {
			t.Errorf("%q and %q: error rate %v", c.a, c.b, v)
		}
	}
	for _, c := range []struct{ a, b string }{
		{"é", "e"}, {"è", "é"}, {"می\u200cخواهم", "میخواهم"}, {"क्\u200dष", "क्ष"}, {"👨\u200d👩", "👨👩"}, {"abc", "cba"}, {"ß", "ss"}, {"a", "а"},
	} {
		if a, b := Normalize(c.a), Normalize(c.b); a == b {
			t.Errorf("%q and %q are both %q", c.a, c.b, a)
		}
	}
}

// TestNormalForms: the same letters in any normal form, and normalized again, are the same text.
func TestNormalForms(t *testing.T) {
	t.Parallel()
	letters := []*unicode.RangeTable{unicode.Latin, unicode.Greek, unicode.Cyrillic, unicode.Hebrew, unicode.Arabic, unicode.Devanagari,
		unicode.Hangul, unicode.Hiragana, unicode.Mn, unicode.So, unicode.Sc, unicode.Cf, unicode.Zs}
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.StringOfN(rapid.RuneFrom(nil, letters...), 0, 40, -1).Draw(t, "text")
		want := Normalize(s)
		for _, form := range []norm.Form{norm.NFC, norm.NFD, norm.NFKC, norm.NFKD} {
			if got := Normalize(form.String(s)); got != want {
				t.Fatalf("%+q in form %v: %+q, want %+q", s, form, got, want)
			}
		}
		if got := Normalize(want); got != want {
			t.Fatalf("%+q again: %+q", want, got)
		}
		if got := CER(s, norm.NFD.String(s)); want != "" && got != 0 {
			t.Fatalf("%+q: error rate %v", s, got)
		}
	})
}
