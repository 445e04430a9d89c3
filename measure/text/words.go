// Words, and how many of them two texts share.

package text

import (
	"unicode"
)

// alone are scripts that are written without spaces: each of their letters is a word.
var alone = []*unicode.RangeTable{unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar}

// Words returns the words of a text in their order and in lower case: the longest runs of letters,
// marks and digits, where an apostrophe between two of them belongs to the word. Letters of
// scripts without spaces (Chinese, Japanese, Thai, Lao, Khmer, Burmese) are words of their own,
// with the marks after them. All else parts words and is left out.
func Words(s string) []string {
	var words []string
	var word []rune
	end := func() {
		if len(word) > 0 {
			words = append(words, string(word))
			word = nil
		}
	}
	letters := []rune(s)
	for i, r := range letters {
		switch {
		case unicode.IsMark(r):
			word = append(word, r)
		case unicode.In(r, alone...):
			end()
			word = append(word, unicode.ToLower(r))
		case wordLetter(r):
			if len(word) > 0 && unicode.In(word[0], alone...) {
				end()
			}
			word = append(word, unicode.ToLower(r))
		case (r == '\'' || r == '’') && len(word) > 0 && i+1 < len(letters) && wordLetter(letters[i+1]):
			word = append(word, '\'')
		default:
			end()
		}
	}
	end()
	return words
}

// wordLetter reports whether words have it.
func wordLetter(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) }

// WordF1 returns the harmonic mean of the shares of words of each text that are in the other,
// whatever their order: 2·|A ∩ B| / (|A| + |B|) of multisets of [Words], in [0, 1]. A word that is
// twice in one text and once in the other counts once. 1 for two texts without words.
func WordF1(a, b string) float64 {
	var c Comparer[string]
	return c.F1(c.Encode(Words(a)), c.Encode(Words(b)))
}

// F1 returns 2·[Comparer.Common] / (lengths of both), 1 for two empty sequences.
func (c *Comparer[T]) F1(a, b Sequence) float64 {
	if len(a)+len(b) == 0 {
		return 1
	}
	return ratio(2*c.Common(a, b), len(a)+len(b))
}
