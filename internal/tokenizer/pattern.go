// Patterns: texts and regular expressions by which a text is split.

package tokenizer

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"
)

// span is a part of a text that a pattern matches, or that lies between such.
type span struct {
	lo, hi int
	match  bool
}

// pattern finds parts of a text.
type pattern interface {
	// matches covers the whole text by spans in their order.
	matches(s string) []span
}

// cover fills the gaps between matches.
func cover(s string, matches [][2]int) []span {
	var out []span
	offset := 0
	for _, m := range matches {
		if offset < m[0] {
			out = append(out, span{offset, m[0], false})
		}
		out = append(out, span{m[0], m[1], true})
		offset = m[1]
	}
	if offset < len(s) {
		out = append(out, span{offset, len(s), false})
	}
	return out
}

// runePattern matches single characters.
type runePattern func(rune) bool

func (p runePattern) matches(s string) []span {
	var results [][2]int
	for i, r := range s {
		if p(r) {
			results = append(results, [2]int{i, i + utf8.RuneLen(r)})
		}
	}
	return cover(s, results)
}

// textPattern matches a text.
type textPattern string

func (p textPattern) matches(s string) []span {
	var results [][2]int
	for offset := 0; p != ""; {
		i := strings.Index(s[offset:], string(p))
		if i < 0 {
			break
		}
		results = append(results, [2]int{offset + i, offset + i + len(p)})
		offset += i + len(p)
	}
	return cover(s, results)
}

// regexpPattern matches a regular expression.
type regexpPattern struct {
	*regexp.Regexp
	// spaces is a group for white space that gives its last character back where a character
	// that is none follows; 0: there is no such group.
	spaces int
}

func (p *regexpPattern) matches(s string) []span {
	if p.spaces == 0 {
		var matches [][2]int
		for _, m := range p.FindAllStringIndex(s, -1) {
			matches = append(matches, [2]int(m))
		}
		return cover(s, matches)
	}
	var results [][2]int
	for offset := 0; offset < len(s); {
		// The match does not depend on the text before: see translate.
		m := p.FindStringSubmatchIndex(s[offset:])
		if m == nil {
			break
		}
		lo, hi := offset+m[0], offset+m[1]
		if m[2*p.spaces] >= 0 && hi < len(s) {
			if _, n := utf8.DecodeLastRuneInString(s[lo:hi]); hi-n > lo {
				hi -= n
			}
		}
		if lo == hi { // an empty match is passed over
			_, n := utf8.DecodeRuneInString(s[lo:])
			offset = lo + max(n, 1)
			continue
		}
		results = append(results, [2]int{lo, hi})
		offset = hi
	}
	return cover(s, results)
}

// parsePattern reads {"String": text} or {"Regex": expression}.
func parsePattern(raw json.RawMessage) (pattern, error) {
	var o struct {
		String *string `json:"String"`
		Regex  *string `json:"Regex"`
	}
	if err := json.Unmarshal(raw, &o); err != nil || (o.String == nil) == (o.Regex == nil) {
		return nil, fmt.Errorf(`the pattern is %.60s, want {"String": text} or {"Regex": expression}`, raw)
	}
	if o.String != nil {
		return textPattern(*o.String), nil
	}
	return parseRegexp(*o.Regex)
}

// lastSpaces is how patterns end that leave a space to the word after it.
const lastSpaces = `\s+(?!\S)|\s+`

// parseRegexp reads a regular expression of Oniguruma, as far as it is one that looks neither
// ahead nor back, except for the usual end of such patterns.
func parseRegexp(expression string) (pattern, error) {
	p := &regexpPattern{}
	body, ok := strings.CutSuffix(expression, lastSpaces)
	ok = ok && (body == "" || strings.HasSuffix(body, "|"))
	if !ok {
		body = expression
	}
	translated, anchored, err := translate(body)
	if err == nil && ok {
		translated += "([" + classSpace + "]+)"
		if anchored {
			err = errors.New("anchors other than " + lastSpaces + " are not supported")
		}
	}
	if err == nil {
		p.Regexp, err = regexp.Compile(translated)
	}
	if err != nil {
		return nil, fmt.Errorf("the regular expression %q: %w", expression, err)
	}
	if ok {
		p.spaces = p.NumSubexp()
	}
	return p, nil
}

// The classes of Unicode that Go's expressions have for ASCII only.
const (
	classSpace = `\t-\r \x{85}\x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}`
	classDigit = `\p{Nd}`
	classWord  = `\p{L}\p{M}\p{Nd}\p{Nl}\p{Pc}\x{24b6}-\x{24e9}\x{1f130}-\x{1f149}\x{1f150}-\x{1f169}\x{1f170}-\x{1f189}`
)

// translate rewrites an expression for Go: ^ and $ match at lines, and \s, \d and \w are Unicode classes. anchored says
// that it has ^ or $.
func translate(expression string) (out string, anchored bool, err error) {
	var b strings.Builder
	b.WriteString("(?m)")
	class := false  // within brackets
	var before byte // 0 for a character without a meaning of its own
	for i := 0; i < len(expression); i++ {
		c, rest := expression[i], expression[i:]
		if c == '\\' {
			n, err := translateEscape(&b, rest[1:], class)
			if err != nil {
				return "", false, err
			}
			i, before = i+n, 0
			continue
		}
		if err := checkSign(rest, class, before); err != nil {
			return "", false, err
		}
		switch {
		case c == '[':
			class = true
			if strings.HasPrefix(rest, "[^") {
				b.WriteByte(c)
				i, c = i+1, '^'
			}
		case c == ']':
			class = false
		case (c == '^' || c == '$') && !class:
			anchored = true
		}
		b.WriteByte(c)
		before = c
	}
	return b.String(), anchored, nil
}

// checkSign finds at the beginning of a text a construct that Go lacks or interprets otherwise.
func checkSign(s string, class bool, before byte) error {
	switch {
	case class && s[0] == '[':
		return errors.New("a class within a class is not supported")
	case class && strings.HasPrefix(s, "&&"):
		return errors.New("an intersection of classes is not supported")
	case !class && (strings.HasPrefix(s, "[]") || strings.HasPrefix(s, "[^]")):
		return errors.New("a class that begins with a bracket is not supported")
	case !class && s[0] == '+' && (before == '+' || before == '*' || before == '?' || before == '}'):
		return errors.New("possessive repetition is not supported")
	case !class && strings.HasPrefix(s, "(?") && !strings.HasPrefix(s, "(?:") && !strings.HasPrefix(s, "(?i:"):
		return fmt.Errorf("the group %.4s… is not supported", s)
	}
	return nil
}

// translateEscape writes the characters after a backslash and returns their length.
func translateEscape(b *strings.Builder, s string, class bool) (int, error) {
	if s == "" {
		return 0, errors.New("it ends with a backslash")
	}
	named := map[byte]string{'s': classSpace, 'd': classDigit, 'w': classWord}
	c := s[0]
	switch {
	case named[c] != "" && class:
		b.WriteString(named[c])
		return 1, nil
	case named[c] != "":
		b.WriteString("[" + named[c] + "]")
		return 1, nil
	case (c == 'S' || c == 'D' || c == 'W') && !class:
		b.WriteString("[^" + named[c+'a'-'A'] + "]")
		return 1, nil
	case c == 'p' || c == 'P':
		end := strings.IndexByte(s, '}')
		if end < 0 || !strings.HasPrefix(s[1:], "{") || strings.HasPrefix(s[1:], "{^") {
			return 0, errors.New("want a class as \\p{L}")
		}
		b.WriteString(`\` + s[:end+1])
		return end + 1, nil
	case c == 'u' && len(s) >= 5:
		b.WriteString(`\x{` + s[1:5] + "}")
		return 5, nil
	case strings.IndexByte("tnrfvx", c) >= 0 || c < utf8.RuneSelf && strings.IndexByte("0123456789", c) < 0 && !isLetter(c):
		b.WriteString(`\` + s[:1])
		return 1, nil
	}
	return 0, fmt.Errorf(`\%c is not supported`, []rune(s)[0])
}

func isLetter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }
