// Words, and how many of them two texts share.

package text

import (
	"strings"
	"unicode"
)

// alone are scripts that are written without spaces: each of their letters is a word.
var alone = []*unicode.RangeTable{unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar}

// wordsOf returns the words of a text, normalized ([Normalize]), in their order and in lower case: the longest runs
// of letters, marks and digits. An apostrophe between two letters, and a point or a comma between two digits, belong
// to the word. Letters of scripts without spaces (Chinese, Japanese, Thai, Lao, Khmer, Burmese) are words of their
// own, and so are symbols: signs, currencies, arrows, stars and emoji, these with what modifies and joins them, and
// the marks %, ‰, #, @, &, *, / and the like. A minus before a number (also U+2212, or a hyphen that follows no
// letter or digit) is the word "-". Other punctuation parts words and is left out, but for a line that has nothing
// else, which is one word.
func wordsOf(s string) []string {
	var all []string
	for line := range strings.Lines(Normalize(s)) {
		w := wordReader{letters: []rune(line)}
		for w.at = 0; w.at < len(w.letters); w.at++ {
			w.read(w.letters[w.at])
		}
		w.end()
		if rest := strings.Join(strings.Fields(line), ""); len(w.words) == 0 && rest != "" {
			w.words = append(w.words, rest)
		}
		all = append(all, w.words...)
	}
	return all
}

// wordReader finds the words of a line.
type wordReader struct {
	letters []rune
	at      int
	words   []string
	word    []rune
	closed  bool // the word takes marks alone
}

func (w *wordReader) end() {
	if len(w.word) > 0 {
		w.words = append(w.words, string(w.word))
		w.word, w.closed = nil, false
	}
}

// alone begins a word that nothing but marks belongs to.
func (w *wordReader) alone(r rune) {
	w.end()
	w.word, w.closed = []rune{r}, true
}

// next is the letter by places on; 0 where there is none.
func (w *wordReader) next(by int) rune {
	if at := w.at + by; at >= 0 && at < len(w.letters) {
		return w.letters[at]
	}
	return 0
}

// read takes the letter at the current place.
func (w *wordReader) read(r rune) {
	switch {
	case unicode.IsMark(r):
		w.word = append(w.word, r)
	case joins(r), modifies(r):
		if len(w.word) > 0 {
			w.word = append(w.word, r)
		}
	case unicode.In(r, alone...):
		w.alone(unicode.ToLower(r))
	case wordLetter(r):
		if w.closed {
			w.end()
		}
		w.word = append(w.word, unicode.ToLower(r))
	case (r == '\'' || r == '’') && len(w.word) > 0 && !w.closed && wordLetter(w.next(1)):
		w.word = append(w.word, '\'')
	case numberMark(r) && unicode.IsDigit(w.next(-1)) && unicode.IsDigit(w.next(1)):
		w.word = append(w.word, r)
	case r == '\u2212' || r == '-' && w.isMinus():
		w.alone('-')
	case unicode.IsSymbol(r):
		if w.continues(r) {
			w.word = append(w.word, r)
		} else {
			w.alone(r)
		}
	case unicode.Is(unicode.Po, r) && !parts(r):
		w.alone(r)
	default:
		w.end()
	}
}

// continues reports whether a symbol is a part of the one before it: behind a joiner, and the second letter of a flag.
func (w *wordReader) continues(r rune) bool {
	if !w.closed || len(w.word) == 0 {
		return false
	}
	return w.word[len(w.word)-1] == joiner || len(w.word) == 1 && ofFlag(r) && ofFlag(w.word[0])
}

func ofFlag(r rune) bool { return unicode.Is(unicode.Regional_Indicator, r) }

// modifies reports whether a character belongs to an emoji before it: tones of skin, and tags.
func modifies(r rune) bool { return r >= 0x1f3fb && r <= 0x1f3ff || r >= 0xe0020 && r <= 0xe007f }

// numberMark reports whether a mark parts digits of one number.
func numberMark(r rune) bool { return r == '.' || r == ',' || r == '٫' || r == '٬' }

// isMinus reports whether a hyphen is the sign of a number: a number follows, perhaps behind its currency,
// and no word or closing bracket ends before it.
func (w *wordReader) isMinus() bool {
	before, next := w.next(-1), w.next(1)
	if unicode.Is(unicode.Sc, next) {
		next = w.next(2)
	}
	return unicode.IsDigit(next) && !wordLetter(before) && !unicode.IsMark(before) && !unicode.In(before, unicode.Pe, unicode.Pf, unicode.Pd)
}

// parts reports whether a mark parts sentences, clauses or words, or quotes them.
func parts(r rune) bool {
	return unicode.In(r, unicode.Terminal_Punctuation, unicode.Quotation_Mark) || strings.ContainsRune("¿¡·‧", r)
}

// wordLetter reports whether words have it.
func wordLetter(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) }

// WordF1 returns the harmonic mean of the shares of words of each text that are in the other,
// whatever their order: 2·|A ∩ B| / (|A| + |B|) of multisets of words, in [0, 1]. A word that is
// twice in one text and once in the other counts once. 1 for two texts without any.
func WordF1(a, b string) float64 {
	var c Comparer[string]
	return c.F1(c.Encode(wordsOf(a)), c.Encode(wordsOf(b)))
}

// F1 returns 2·[Comparer.Common] / (lengths of both), 1 for two empty sequences.
func (c *Comparer[T]) F1(a, b Sequence) float64 {
	if len(a)+len(b) == 0 {
		return 1
	}
	return ratio(2*c.Common(a, b), len(a)+len(b))
}
