// Letters that are written from right to left.

package plots

import (
	"slices"
	"unicode"
)

// rightToLeft are the scripts that are.
var rightToLeft = []*unicode.RangeTable{unicode.Hebrew, unicode.Arabic, unicode.Syriac, unicode.Thaana, unicode.Nko}

// mirrored are brackets, which change sides.
var mirrored = map[rune]rune{'(': ')', ')': '(', '[': ']', ']': '[', '<': '>', '>': '<'}

// visualOrder returns a line in the visual order of its letters from left to right. Stretches of right-to-left letters,
// with the spaces, signs and numbers between them, are reversed; the digits of a number keep their order. The line as a
// whole runs from left to right.
func visualOrder(line string) string {
	if !slices.ContainsFunc([]rune(line), isRightToLeft) {
		return line
	}
	runes := []rune(line)
	for i := 0; i < len(runes); i++ {
		if !isRightToLeft(runes[i]) {
			continue
		}
		end := i + 1 // behind the last right-to-left letter before one from left to right
		for j := end; j < len(runes) && !isLeftToRight(runes[j]); j++ {
			if isRightToLeft(runes[j]) {
				end = j + 1
			}
		}
		turn(runes[i:end])
		i = end
	}
	return string(runes)
}

// turn turns a stretch round, but not the numbers in it.
func turn(runes []rune) {
	slices.Reverse(runes)
	for i := 0; i < len(runes); i++ {
		if other, ok := mirrored[runes[i]]; ok {
			runes[i] = other
		}
		end := i
		for end < len(runes) && unicode.IsDigit(runes[end]) {
			end++
		}
		if end > i {
			slices.Reverse(runes[i:end])
			i = end - 1
		}
	}
}

func isRightToLeft(r rune) bool { return unicode.IsLetter(r) && unicode.In(r, rightToLeft...) }

func isLeftToRight(r rune) bool { return unicode.IsLetter(r) && !unicode.In(r, rightToLeft...) }
