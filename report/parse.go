// This file is for reading JSON with the place of every value, so that an error
// can say where in the file it is.

package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// mostDeep bounds how deep values may be nested.
const mostDeep = 500

// element is one JSON value and where it begins.
type element struct {
	offset int64
	// value is nil, a bool, a string, a json.Number, or one of the two kinds below.
	value any
}

type (
	elements []element
	members  struct {
		keys  []string
		items []element
	}
)

// parser reads one JSON text.
type parser struct {
	name    string // of the file, for errors
	above   int    // lines of the file above the text
	data    []byte
	decoder *json.Decoder
}

// parse reads a text that holds one JSON value and nothing else.
func parse(name string, above int, data []byte) (*parser, element, error) {
	p := &parser{name: name, above: above, data: data, decoder: json.NewDecoder(bytes.NewReader(data))}
	p.decoder.UseNumber()
	e, err := p.element(nil, 0)
	if err != nil {
		return nil, e, err
	}
	if rest := bytes.TrimLeft(data[p.decoder.InputOffset():], " \t\r\n"); len(rest) > 0 {
		return nil, e, p.errorf(int64(len(data)-len(rest)), "", "text follows the end of the JSON value")
	}
	return p, e, nil
}

// spot is where a value stands: a key or an index of what stands at the parent. It is
// put into words for errors only.
type spot struct {
	parent *spot
	key    string // empty: index
	index  int
}

// Lengths in messages: the beginning and end of a long path, and the beginning of a long key.
const (
	firstSteps, lastSteps = 5, 2
	longKey               = 80
)

func (s *spot) String() string {
	var steps []string
	for ; s != nil; s = s.parent {
		step := fmt.Sprintf("[%d]", s.index)
		if s.key != "" {
			if step = "." + s.key; len([]rune(s.key)) > longKey {
				step = "." + string([]rune(s.key)[:longKey]) + "…"
			}
		}
		steps = append(steps, step)
	}
	slices.Reverse(steps)
	if n := len(steps); n > firstSteps+lastSteps+1 {
		steps = slices.Concat(steps[:firstSteps], []string{"…"}, steps[n-lastSteps:])
	}
	return strings.Join(steps, "")
}

// element reads the next value, which stands at place.
func (p *parser) element(place *spot, depth int) (element, error) {
	token, err := p.decoder.Token()
	if err != nil {
		return element{}, p.failed(place, err)
	}
	offset := p.decoder.InputOffset()
	delim, ok := token.(json.Delim)
	switch {
	case !ok:
		return element{offset - int64(scalarLength(token)), token}, nil
	case depth == mostDeep:
		return element{}, p.errorf(offset-1, place.String(), "nested more than %d deep", mostDeep)
	case delim == '[':
		list := elements{}
		inside := &spot{parent: place}
		for p.decoder.More() {
			inside.index = len(list)
			e, err := p.element(inside, depth+1)
			if err != nil {
				return e, err
			}
			list = append(list, e)
		}
		_, err = p.decoder.Token()
		return element{offset - 1, list}, p.failed(place, err)
	}
	m, err := p.members(place, depth)
	return element{offset - 1, m}, err
}

// members reads an object from behind its opening brace to behind the closing one.
func (p *parser) members(place *spot, depth int) (members, error) {
	var m members
	seen := map[string]bool{}
	for p.decoder.More() {
		token, err := p.decoder.Token()
		if err != nil {
			return m, p.failed(place, err)
		}
		key := token.(string) // the decoder lets nothing else pass
		inside := &spot{parent: place, key: key}
		if seen[key] {
			return m, p.errorf(p.decoder.InputOffset()-int64(scalarLength(key)), inside.String(), "the name is used twice in one object")
		}
		seen[key] = true
		e, err := p.element(inside, depth+1)
		if err != nil {
			return m, err
		}
		m.keys, m.items = append(m.keys, key), append(m.items, e)
	}
	_, err := p.decoder.Token()
	return m, p.failed(place, err)
}

// scalarLength is about how many bytes a scalar takes, for the column of an error.
func scalarLength(token json.Token) int {
	switch v := token.(type) {
	case json.Number:
		return len(v)
	case string:
		return len(stringNode(v).scalar)
	case bool:
		if !v {
			return len("false")
		}
	}
	return len("null")
}

// failed describes an error of the decoder.
func (p *parser) failed(place *spot, err error) error {
	if err == nil {
		return nil
	}
	// The decoder of tokens does not say where exactly; reading the whole does.
	var raw json.RawMessage
	var syntax *json.SyntaxError
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), !errors.As(json.Unmarshal(p.data, &raw), &syntax):
		return p.truncated(place)
	case syntax.Error() == "unexpected end of JSON input":
		return p.truncated(place)
	}
	return p.errorf(syntax.Offset-1, place.String(), "not JSON: %v", syntax)
}

func (p *parser) truncated(place *spot) error {
	if len(bytes.TrimSpace(p.data)) == 0 {
		return fmt.Errorf("%s: %w: the file is empty", p.name, ErrTruncated)
	}
	return p.errorf(int64(len(p.data)), place.String(), "%w", ErrTruncated)
}

// errorf makes an error with the file, the line and column (from 1, in bytes) and
// the place in the value.
func (p *parser) errorf(offset int64, place, format string, args ...any) error {
	before := p.data[:min(max(offset, 0), int64(len(p.data)))]
	line := p.above + bytes.Count(before, []byte("\n")) + 1
	column := len(before) - bytes.LastIndexByte(before, '\n')
	where := ""
	if place != "" {
		where = placeName(place) + ": "
	}
	return fmt.Errorf("%s:%d:%d: %s%w", p.name, line, column, where, fmt.Errorf(format, args...))
}

// plain turns an element into what an [Object] holds.
func (e element) plain() any {
	switch v := e.value.(type) {
	case elements:
		list := make([]any, len(v))
		for i, item := range v {
			list[i] = item.plain()
		}
		return list
	case members:
		return v.object()
	}
	return e.value
}

func (m members) object() Object {
	var o Object
	for i, key := range m.keys {
		o.Set(key, m.items[i].plain())
	}
	return o
}

// kindOf names the kind of an element for errors.
func (e element) kindOf() string {
	switch v := e.value.(type) {
	case nil:
		return "null"
	case bool:
		return fmt.Sprint(v)
	case string:
		return fmt.Sprintf("the text %.40q", v)
	case json.Number:
		return "the number " + string(v)
	case elements:
		return fmt.Sprintf("a list of %d", len(v))
	}
	return "an object"
}
