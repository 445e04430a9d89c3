// Literals of Python.

package text

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
)

var (
	numpyScalar  = regexp.MustCompile(`^(?:np|numpy)\.[a-z]+[0-9]*_?\(`)
	pythonNumber = regexp.MustCompile(`^[+-]?(?:inf|nan|(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)`)
)

// PythonLiteral returns the value of a Python literal, as NumPy's headers and printed objects have it: a dict with
// string keys as a map[string]any, a tuple or a list as an []any, a string, an int64 or, of a whole number that is
// larger, and of others, a float64; True, False and None. Numbers may be nan and inf, and scalars that NumPy prints,
// such as np.float64(0.5).
func PythonLiteral(s string) (any, error) {
	p := &literal{Cursor{Text: s}}
	value, err := p.value(0)
	if err != nil {
		return nil, err
	}
	if p.Skip(); p.At < len(p.Text) {
		return nil, p.errorf("text follows the value")
	}
	return value, nil
}

// PythonType is the type of a value of [PythonLiteral], in words.
func PythonType(v any) string {
	switch v.(type) {
	case nil:
		return "None"
	case string:
		return "a string"
	case bool:
		return "a truth value"
	case int64, float64:
		return "a number"
	case []any:
		return "a tuple"
	}
	return "a dict"
}

// literal reads a value.
type literal struct{ Cursor }

func (p *literal) errorf(format string, args ...any) error {
	return fmt.Errorf("%s at character %d", fmt.Sprintf(format, args...), p.At)
}

func (p *literal) value(depth int) (any, error) {
	if depth > 8 {
		return nil, p.errorf("nested too deep")
	}
	p.Skip()
	if p.At == len(p.Text) {
		return nil, p.errorf("the text ends where a value is expected")
	}
	switch c := p.Text[p.At]; {
	case c == '{':
		return p.dict(depth)
	case c == '(' || c == '[':
		return p.sequence(depth)
	case c == '\'' || c == '"':
		return p.quoted()
	case c == '-' || c == '+' || c >= '0' && c <= '9':
		return p.number()
	}
	start := p.At
	for p.At < len(p.Text) && (p.Text[p.At] == '_' || p.Text[p.At]|0x20 >= 'a' && p.Text[p.At]|0x20 <= 'z') {
		p.At++
	}
	switch word := p.Text[start:p.At]; word {
	case "True":
		return true, nil
	case "False":
		return false, nil
	case "None":
		return nil, nil
	case "nan":
		return math.NaN(), nil
	case "inf":
		return math.Inf(1), nil
	case "u", "U", "b", "B": // prefix of a string
		if p.At < len(p.Text) && (p.Text[p.At] == '\'' || p.Text[p.At] == '"') {
			return p.quoted()
		}
	}
	if numpyScalar.MatchString(p.Text[start:]) {
		p.At += strings.IndexByte(p.Text[p.At:], '(') + 1
		v, err := p.value(depth + 1)
		if err == nil && !p.Next(')') {
			err = p.errorf("no bracket after a scalar of NumPy")
		}
		return v, err
	}
	p.At = start
	return nil, p.errorf("unexpected %.10q", p.Text[start:])
}

func (p *literal) dict(depth int) (any, error) {
	p.At++
	out := map[string]any{}
	for !p.Next('}') {
		key, err := p.value(depth + 1)
		if err != nil {
			return nil, err
		}
		name, ok := key.(string)
		if !ok {
			return nil, p.errorf("a key that is %s", PythonType(key))
		}
		if _, twice := out[name]; twice {
			return nil, p.errorf("key %.40q twice", name)
		}
		if !p.Next(':') {
			return nil, p.errorf("no colon after key %.40q", name)
		}
		if out[name], err = p.value(depth + 1); err != nil {
			return nil, err
		}
		if !p.Next(',') {
			if !p.Next('}') {
				return nil, p.errorf("no comma or brace after key %.40q", name)
			}
			break
		}
	}
	return out, nil
}

// sequence reads a tuple or list. "(3)" is no tuple in Python, but some writers
// mean one; it is taken as one.
func (p *literal) sequence(depth int) (any, error) {
	end := byte(')')
	if p.Text[p.At] == '[' {
		end = ']'
	}
	p.At++
	out := []any{}
	for !p.Next(end) {
		v, err := p.value(depth + 1)
		if err != nil {
			return nil, err
		}
		out = append(out, v)
		if !p.Next(',') {
			if !p.Next(end) {
				return nil, p.errorf("no comma or %q", end)
			}
			break
		}
	}
	return out, nil
}

func (p *literal) quoted() (any, error) {
	quote := p.Text[p.At]
	start := p.At + 1
	for p.At = start; p.At < len(p.Text) && p.Text[p.At] != quote; p.At++ {
		if p.Text[p.At] == '\\' {
			p.At++ // and what it escapes
		}
	}
	if p.At >= len(p.Text) {
		p.At = start - 1
		return nil, p.errorf("a string without a closing quote")
	}
	p.At++
	return unescaped(p.Text[start : p.At-1]), nil
}

// unescaped is a string with the signs that its backslashes stand for; other backslashes stay.
func unescaped(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	var b strings.Builder
	for s != "" {
		if strings.HasPrefix(s, `\'`) || strings.HasPrefix(s, `\"`) {
			s = s[1:]
		} else if r, _, rest, err := strconv.UnquoteChar(s, 0); err == nil && s[0] == '\\' {
			b.WriteRune(r)
			s = rest
			continue
		}
		b.WriteByte(s[0])
		s = s[1:]
	}
	return b.String()
}

// number reads a whole number, another one, or a negative infinity.
func (p *literal) number() (any, error) {
	text := pythonNumber.FindString(p.Text[p.At:])
	start := p.At
	p.At += len(text)
	if v, err := strconv.ParseInt(text, 10, 64); err == nil {
		if p.At < len(p.Text) && (p.Text[p.At] == 'L' || p.Text[p.At] == 'l') { // Python 2
			p.At++
		}
		return v, nil
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) {
		p.At = start
		return nil, p.errorf("%.10q is no number", p.Text[start:])
	}
	return v, nil
}
