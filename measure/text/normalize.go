// Texts that look alike are written alike.

package text

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Normalize returns a text in Unicode's normal form NFKC without characters that show nothing, so
// that texts which look alike are equal: composed and decomposed letters, marks in another order,
// ligatures, full-width and half-width forms, and texts with and without soft hyphens, spaces of
// no width, directional marks and variation selectors. Joiners of no width stay where they shape
// their neighbors: in scripts whose letters join, and in sequences of emoji. Unicode as of
// golang.org/x/text; bytes that are no UTF-8 become U+FFFD.
func Normalize(s string) string {
	if plain(s) {
		return s
	}
	s = norm.NFKC.String(s) // first, so that joiners have the neighbors that they keep
	var b strings.Builder
	b.Grow(len(s))
	last := rune(-1) // that shows something
	for i, r := range s {
		if joins(r) {
			next, _ := utf8.DecodeRuneInString(s[i+utf8.RuneLen(r):])
			if !shapes(last, r, next) {
				continue
			}
		} else if invisible(r) {
			continue
		} else {
			last = r
		}
		b.WriteRune(r)
	}
	// What stands between very many marks in this form shows nothing either.
	return strings.ReplaceAll(norm.NFKC.String(b.String()), "\u034f", "")
}

// plain reports whether a text is ASCII, which is normal.
func plain(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// Joiners of no width.
const nonJoiner, joiner = '\u200c', '\u200d'

func joins(r rune) bool { return r == nonJoiner || r == joiner }

// invisible reports whether a character shows nothing wherever it stands: soft hyphen, grapheme joiner, directional
// marks, the vowel separator of Mongolian, space and joiner of no width, invisible operators, byte order mark, and
// selectors of variants.
func invisible(r rune) bool {
	switch {
	case r == '\u00ad', r == '\u034f', r == '\u061c', r == '\u180e', r == '\u200b', r == '\u200e', r == '\u200f',
		r >= '\u202a' && r <= '\u202e', r >= '\u2060' && r <= '\u206f', r >= '\ufe00' && r <= '\ufe0f', r == '\ufeff',
		r >= 0xe0100 && r <= 0xe01ef:
		return true
	}
	return false
}

// joined are scripts in which a joiner changes the shape of letters.
var joined = []*unicode.RangeTable{unicode.Arabic, unicode.Syriac, unicode.Mongolian, unicode.Nko, unicode.Mandaic, unicode.Phags_Pa,
	unicode.Adlam, unicode.Hanifi_Rohingya, unicode.Sogdian, unicode.Devanagari, unicode.Bengali, unicode.Gurmukhi, unicode.Gujarati,
	unicode.Oriya, unicode.Tamil, unicode.Telugu, unicode.Kannada, unicode.Malayalam, unicode.Sinhala, unicode.Tibetan, unicode.Myanmar,
	unicode.Khmer, unicode.Balinese, unicode.Javanese, unicode.Tai_Tham, unicode.Meetei_Mayek, unicode.Chakma, unicode.Newa}

// shapes reports whether a joiner changes its neighbors.
func shapes(before, r, next rune) bool {
	if r == joiner && unicode.In(before, unicode.So, unicode.Sk) {
		return unicode.Is(unicode.So, next)
	}
	return before >= 0 && unicode.In(before, joined...)
}
