// Classes of characters, and normal forms.

package tokenizer

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// valid is text in UTF-8: every longest part of a sequence that is not whole becomes U+FFFD.
func valid(data []byte) string {
	if utf8.Valid(data) {
		return string(data)
	}
	var b strings.Builder
	for len(data) > 0 {
		r, n := utf8.DecodeRune(data)
		if r == utf8.RuneError && n == 1 {
			n = begun(data)
		}
		b.WriteRune(r)
		data = data[n:]
	}
	return b.String()
}

// begun is the length of the part of a sequence that data, which does not begin with a whole
// one, begins with.
func begun(data []byte) int {
	more, low, high := 0, byte(0x80), byte(0xbf) // bytes that should follow, and the range of the next
	switch c := data[0]; {
	case c >= 0xc2 && c <= 0xdf:
		more = 1
	case c >= 0xe0 && c <= 0xef:
		more = 2
	case c >= 0xf0 && c <= 0xf4:
		more = 3
	}
	switch data[0] {
	case 0xe0:
		low = 0xa0
	case 0xed:
		high = 0x9f
	case 0xf0:
		low = 0x90
	case 0xf4:
		high = 0x8f
	}
	n := 1
	for n <= more && n < len(data) && data[n] >= low && data[n] <= high {
		n++
		low, high = 0x80, 0xbf
	}
	return n
}

// isPunctuation reports whether BERT takes a character for punctuation.
func isPunctuation(r rune) bool {
	return r > ' ' && r < 0x7f && !unicode.IsLetter(r) && !unicode.IsDigit(r) || unicode.IsPunct(r)
}

// isChinese reports whether BERT sets a character apart.
func isChinese(r rune) bool {
	return r >= 0x4e00 && r <= 0x9fff || r >= 0x3400 && r <= 0x4dbf || r >= 0xf900 && r <= 0xfaff || r >= 0x20000 && r <= 0x2a6df ||
		r >= 0x2a700 && r <= 0x2b81f || r >= 0x2b920 && r <= 0x2ceaf || r >= 0x2f800 && r <= 0x2fa1f
}

// isWord reports whether a character is of a word: letters, marks, digits, and connectors.
func isWord(r rune) bool {
	return unicode.In(r, unicode.L, unicode.Nl, unicode.Other_Alphabetic, unicode.M, unicode.Nd, unicode.Pc,
		unicode.Join_Control)
}

// lower is text in lower case, each character for itself.
func lower(s string) string {
	var b strings.Builder
	for _, r := range s {
		if r == 'İ' {
			b.WriteString("i\u0307")
			continue
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

// without leaves characters out.
func without(s string, drop func(rune) bool) string {
	return strings.Map(func(r rune) rune {
		if drop(r) {
			return -1
		}
		return r
	}, s)
}

// normalForm is a text in a normal form of Unicode. Unlike package norm it puts nothing between
// marks that are very many.
func normalForm(s string, form norm.Form) string {
	if form.IsNormalString(s) {
		return s
	}
	apart := norm.NFD
	if form == norm.NFKC || form == norm.NFKD {
		apart = norm.NFKD
	}
	var runes []rune
	var classes []uint8
	for _, r := range s {
		for _, part := range apart.String(string(r)) {
			runes, classes = append(runes, part), append(classes, apart.PropertiesString(string(part)).CCC())
		}
	}
	orderMarks(runes, classes)
	if form == norm.NFC || form == norm.NFKC {
		runes = compose(runes, classes)
	}
	return string(runes)
}

// orderMarks sorts every run of marks by their class; the sort is stable.
func orderMarks(runes []rune, classes []uint8) {
	type mark struct {
		r     rune
		class uint8
	}
	var run []mark
	for lo := 0; lo < len(runes); {
		hi := lo
		for hi < len(runes) && classes[hi] > 0 {
			hi++
		}
		run = run[:0]
		for i := lo; i < hi; i++ {
			run = append(run, mark{runes[i], classes[i]})
		}
		slices.SortStableFunc(run, func(a, b mark) int { return int(a.class) - int(b.class) })
		for i, m := range run {
			runes[lo+i], classes[lo+i] = m.r, m.class
		}
		lo = hi + 1
	}
}

// compose joins characters with the marks after them that nothing comes between.
func compose(runes []rune, classes []uint8) []rune {
	out := runes[:0]
	starter, last := -1, -1
	for i, r := range runes {
		class := int(classes[i])
		if starter >= 0 && last < class {
			if joined, ok := pairOf(out[starter], r); ok {
				out[starter] = joined
				continue
			}
		}
		out = append(out, r)
		if class == 0 {
			starter, last = len(out)-1, -1
		} else {
			last = class
		}
	}
	return out
}

// pairOf is the character that two characters make together.
func pairOf(a, b rune) (rune, bool) {
	if b < 0x300 {
		return 0, false
	}
	joined := norm.NFC.String(string([]rune{a, b}))
	r, n := utf8.DecodeRuneInString(joined)
	return r, n == len(joined)
}
