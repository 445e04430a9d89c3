// JSON texts read token by token, with the positions of errors: of any depth, without building unneeded values.

package casefile

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"repscope/dataset"
)

// jsonText is a JSON text and a position in it. The first error stays and ends all reading: all later values are zero.
// Numbers may also be NaN, Infinity and -Infinity, as Python writes them; the caller interprets them.
type jsonText struct {
	data []byte
	at   int
	err  error
}

// newJSONText begins at the value of a text, after a byte order mark if there is one.
func newJSONText(data []byte) *jsonText {
	t := &jsonText{data: data}
	switch {
	case bytes.HasPrefix(data, []byte("\xef\xbb\xbf")):
		t.at = 3
	case bytes.HasPrefix(data, []byte("\xff\xfe")), bytes.HasPrefix(data, []byte("\xfe\xff")):
		t.err = errors.New("it is UTF-16 text, want JSON in UTF-8")
	case bytes.HasPrefix(data, []byte("\x1f\x8b")):
		t.err = errors.New("it is compressed by gzip, want JSON")
	}
	t.space()
	if t.err == nil && t.at == len(data) {
		t.err = fmt.Errorf("it is empty, want JSON: %w", dataset.ErrTruncated)
	}
	return t
}

// place describes an offset. Designs are often one long line, so it includes bytes.
func (t *jsonText) place(at int) string {
	return fmt.Sprintf("line %d, byte %d", 1+bytes.Count(t.data[:at], []byte{'\n'}), at)
}

// fail records an error at the current position.
func (t *jsonText) fail(format string, args ...any) {
	if t.err != nil {
		return
	}
	if t.at >= len(t.data) {
		t.err = fmt.Errorf("%w: the JSON text ends too early, at %s", dataset.ErrTruncated, t.place(len(t.data)))
		return
	}
	t.err = fmt.Errorf("%s: %s", t.place(t.at), fmt.Sprintf(format, args...))
}

// space skips white space.
func (t *jsonText) space() {
	for t.at < len(t.data) {
		switch t.data[t.at] {
		case ' ', '\t', '\n', '\r':
			t.at++
		default:
			return
		}
	}
}

// Kinds of values, as they are called in messages.
const (
	jsonObject = "an object"
	jsonList   = "a list"
	jsonString = "a string"
	jsonNumber = "a number"
	jsonBool   = "a truth value"
	jsonNull   = "null"
)

// kind is the kind of the next value by its first byte; empty if none can begin.
func (t *jsonText) kind() string {
	if t.err != nil || t.at >= len(t.data) {
		t.fail("")
		return ""
	}
	switch c := t.data[t.at]; {
	case c == '{':
		return jsonObject
	case c == '[':
		return jsonList
	case c == '"':
		return jsonString
	case c == 't' || c == 'f':
		return jsonBool
	case c == 'n':
		return jsonNull
	case c == '-' || c == 'N' || c == 'I' || c >= '0' && c <= '9':
		return jsonNumber
	default:
		t.fail("found %q, want a value", rune(c))
		return ""
	}
}

// end skips white space and refuses anything after it.
func (t *jsonText) end() {
	if t.space(); t.err == nil && t.at < len(t.data) {
		t.fail("found %q after the end of the JSON text", rune(t.data[t.at]))
	}
}

// member moves to the value of the next member of an object and returns its key, which may
// alias the text, or false after the last one. begun is the state of the loop, false at '{'.
func (t *jsonText) member(begun *bool) (key []byte, more bool) {
	if !t.next(begun, '{', '}') {
		return nil, false
	}
	key, plain := t.quoted()
	if !plain {
		key = []byte(unquote(key))
	}
	if t.space(); t.err == nil && (t.at >= len(t.data) || t.data[t.at] != ':') {
		t.fail("want a colon after the key %q", key)
	}
	t.at++
	t.space()
	return key, t.err == nil
}

// element moves to the next element of a list, or returns false after the last one.
func (t *jsonText) element(begun *bool) bool { return t.next(begun, '[', ']') }

// next moves over the bracket or comma before an item.
func (t *jsonText) next(begun *bool, open, shut byte) bool {
	if t.err != nil {
		return false
	}
	if !*begun {
		t.at++ // open, by which the caller knew
		*begun = true
		if t.space(); t.at < len(t.data) && t.data[t.at] == shut {
			t.at++
			return false
		}
	} else {
		t.space()
		switch {
		case t.at >= len(t.data):
		case t.data[t.at] == shut:
			t.at++
			return false
		case t.data[t.at] == ',':
			t.at++
			t.space()
		default:
			t.fail("found %q, want a comma or %q", rune(t.data[t.at]), rune(shut))
		}
	}
	if t.err == nil && t.at >= len(t.data) {
		t.fail("%c", open)
	}
	return t.err == nil
}

// skip moves over the next value, whatever its depth, and checks its form.
func (t *jsonText) skip() {
	var open []bool // the values around: true is an object
	for t.err == nil {
		if !t.begin(&open) {
			continue
		}
		// A value has ended, and perhaps its parents.
		for done := false; !done; {
			if len(open) == 0 || t.err != nil {
				return
			}
			begun := true
			if object := open[len(open)-1]; object {
				_, done = t.member(&begun)
			} else {
				done = t.element(&begun)
			}
			if !done {
				open = open[:len(open)-1]
			}
		}
	}
}

// begin moves into or over the next value, and reports whether it has ended.
func (t *jsonText) begin(open *[]bool) (ended bool) {
	begun := false
	switch t.kind() {
	case jsonObject:
		if _, more := t.member(&begun); !more {
			return true
		}
		*open = append(*open, true)
		return false
	case jsonList:
		if !t.element(&begun) {
			return true
		}
		*open = append(*open, false)
		return false
	case jsonString:
		t.quoted()
	case jsonNumber:
		t.number()
	case jsonBool:
		t.truth()
	case jsonNull:
		t.null()
	}
	return true
}

// members moves over an object and returns where the values of its keys are that are not null;
// of a key that is there twice the last.
func (t *jsonText) members() map[string]int {
	offsets := map[string]int{}
	for begun := false; ; {
		key, more := t.member(&begun)
		if !more {
			return offsets
		}
		if t.kind() != jsonNull {
			offsets[string(key)] = t.at
		}
		t.skip()
	}
}

// literal moves over a word and reports whether it was there.
func (t *jsonText) literal(word string) bool {
	if !bytes.HasPrefix(t.data[t.at:], []byte(word)) {
		return false
	}
	t.at += len(word)
	return true
}

// wrongWord reports that no known word is next.
func (t *jsonText) wrongWord() {
	end := t.at
	for end < len(t.data) && end < t.at+20 && (t.data[end]|0x20 >= 'a' && t.data[end]|0x20 <= 'z') {
		end++
	}
	if end == len(t.data) {
		t.at = end
	}
	t.fail("found %q, want a value", t.data[t.at:end])
}

func (t *jsonText) null() {
	if t.err == nil && !t.literal("null") {
		t.wrongWord()
	}
}

func (t *jsonText) truth() bool {
	if t.err != nil {
		return false
	}
	if t.literal("true") {
		return true
	}
	if !t.literal("false") {
		t.wrongWord()
	}
	return false
}

// number moves over a number and returns how it is written.
func (t *jsonText) number() []byte {
	if t.err != nil {
		return nil
	}
	from := t.at
	for _, word := range []string{"NaN", "Infinity", "-Infinity"} {
		if c := t.data[t.at]; (c == word[0]) && t.literal(word) {
			return t.data[from:t.at]
		}
	}
	if c := t.data[t.at]; c == 'N' || c == 'I' {
		t.wrongWord()
		return nil
	}
	t.literal("-")
	whole := t.digits()
	if whole > 1 && t.data[t.at-whole] == '0' {
		t.at -= whole
		t.fail("a number with a leading zero")
	}
	good := whole > 0
	if good && t.literal(".") {
		good = t.digits() > 0
	}
	if good && t.at < len(t.data) && t.data[t.at]|0x20 == 'e' {
		t.at++
		if !t.literal("+") {
			t.literal("-")
		}
		good = t.digits() > 0
	}
	if !good {
		t.fail("found %q, want a number", t.data[from:min(t.at+1, len(t.data))])
	}
	return t.data[from:t.at]
}

// digits moves over digits and counts them.
func (t *jsonText) digits() int {
	from := t.at
	for t.at < len(t.data) && t.data[t.at] >= '0' && t.data[t.at] <= '9' {
		t.at++
	}
	return t.at - from
}

// float returns the next number, which may be infinite.
func (t *jsonText) float() float64 {
	written := t.number()
	if t.err != nil {
		return 0
	}
	v, _ := strconv.ParseFloat(string(written), 64) // infinite where it is out of range
	return v
}

// quoted moves over a string and returns the bytes between its quotes; plain says that it holds no escapes and only
// ASCII.
func (t *jsonText) quoted() (inside []byte, plain bool) {
	if t.err == nil && (t.at >= len(t.data) || t.data[t.at] != '"') {
		t.fail("want a string in quotes")
	}
	if t.err != nil {
		return nil, true
	}
	from := t.at + 1
	plain = true
	for index := from; index < len(t.data); index++ {
		switch c := t.data[index]; {
		case c == '"':
			t.at = index + 1
			return t.data[from:index], plain
		case c == '\\':
			plain = false
			if index++; index >= len(t.data) {
				break
			}
			if !escape(t.data[index:]) {
				t.at = index - 1
				t.fail("an unknown escape %q in a string", t.data[index-1:min(index+5, len(t.data))])
				return nil, true
			}
		case c < ' ':
			t.at = index
			t.fail("a control character %q inside a string", rune(c))
			return nil, true
		case c >= utf8.RuneSelf:
			plain = false
		}
	}
	t.at = len(t.data)
	t.fail("")
	return nil, true
}

// escape reports whether the characters after a backslash are valid, as far as the text goes.
func escape(s []byte) bool {
	if s[0] != 'u' {
		return strings.IndexByte(escapes, s[0]) >= 0
	}
	for _, c := range s[1:min(5, len(s))] {
		if !(c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'f') {
			return false
		}
	}
	return true
}

// The characters after a backslash, and their meanings.
const (
	escapes = `"\/bfnrt`
	escaped = "\"\\/\b\f\n\r\t"
)

// text returns the next string. Invalid UTF-8 becomes U+FFFD, as do halves of surrogates.
func (t *jsonText) text() string {
	inside, plain := t.quoted()
	if plain {
		return string(inside)
	}
	return unquote(inside)
}

// unquote decodes the text between quotes.
func unquote(inside []byte) string {
	var b strings.Builder
	for i := 0; i < len(inside); {
		r, size := rune(0), 0
		if inside[i] == '\\' {
			r, size = unescape(inside[i:])
		} else {
			r, size = utf8.DecodeRune(inside[i:])
		}
		b.WriteRune(r)
		i += size
	}
	return b.String()
}

// unescape returns the character of an escape and the length of this.
func unescape(s []byte) (r rune, size int) {
	if i := strings.IndexByte(escapes, s[1]); i >= 0 {
		return rune(escaped[i]), 2
	}
	first, _ := hexRune(s)
	if utf16.IsSurrogate(first) {
		if second, good := hexRune(s[6:]); good {
			if r := utf16.DecodeRune(first, second); r != utf8.RuneError {
				return r, 12
			}
		}
		return utf8.RuneError, 6
	}
	return first, 6
}

// hexRune reads \uXXXX.
func hexRune(s []byte) (rune, bool) {
	if len(s) < 6 || s[0] != '\\' || s[1] != 'u' {
		return 0, false
	}
	v, err := strconv.ParseUint(string(s[2:6]), 16, 16)
	return rune(v), err == nil
}
