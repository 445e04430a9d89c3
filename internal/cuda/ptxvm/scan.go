// The words of PTX.

package ptxvm

import (
	"fmt"
	"strings"
)

// A token is a word or a punctuation mark, and its line.
type token struct {
	text string
	line int
}

func wordCharacter(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '$' || c == '%' || c == '.'
}

// scan splits PTX into tokens, without comments.
func scan(text string) ([]token, error) {
	var all []token
	line := 1
	for i := 0; i < len(text); {
		c := text[i]
		switch {
		case c == '\n':
			line++
			i++
		case c == ' ' || c == '\t' || c == '\r':
			i++
		case strings.HasPrefix(text[i:], "//"):
			for i < len(text) && text[i] != '\n' {
				i++
			}
		case c == '"':
			end := strings.IndexByte(text[i+1:], '"')
			if end < 0 {
				return nil, fmt.Errorf("line %d: a string without end", line)
			}
			all = append(all, token{text[i : i+end+2], line})
			i += end + 2
		case wordCharacter(c):
			start := i
			for i < len(text) && wordCharacter(text[i]) {
				i++
			}
			all = append(all, token{text[start:i], line})
		case strings.IndexByte("{}()[],;:+-@!<>", c) >= 0:
			all = append(all, token{text[i : i+1], line})
			i++
		default:
			return nil, fmt.Errorf("line %d: unknown character %q", line, c)
		}
	}
	return all, nil
}
