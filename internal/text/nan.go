// Numbers that JSON does not have.

package text

import "bytes"

// WithoutNaN replaces the numbers that JSON does not have but Python writes (NaN, Infinity, -Infinity) by null, outside
// of texts; changed says that there were any. Line breaks are kept.
func WithoutNaN(data []byte) (cleaned []byte, changed bool) {
	cleaned = make([]byte, 0, len(data)+len(data)/8)
	inText := false
	for i := 0; i < len(data); i++ {
		word := 0
		switch c := data[i]; {
		case inText && c == '\\' && i+1 < len(data):
			cleaned = append(cleaned, c)
			i++
		case c == '"':
			inText = !inText
		case !inText && (c == 'N' || c == 'I' || c == '-'):
			word = notNumber(data[i:])
		}
		if word > 0 {
			cleaned, changed = append(cleaned, "null"...), true
			i += word - 1
			continue
		}
		cleaned = append(cleaned, data[i])
	}
	return cleaned, changed
}

// notNumber is the length of the word at the beginning of a text, 0 where there is none.
func notNumber(data []byte) int {
	for _, word := range []string{"NaN", "-Infinity", "Infinity"} {
		if bytes.HasPrefix(data, []byte(word)) {
			return len(word)
		}
	}
	return 0
}
