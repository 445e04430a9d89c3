// Tests of reading JSON token by token, against encoding/json.

package casefile

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"repscope/dataset"
)

// readsLikeStandard compares the reading of a text with encoding/json.
func readsLikeStandard(t *testing.T, data []byte) {
	t.Helper()
	r := newJSONText(data)
	r.skip()
	r.end()
	standard := strings.TrimPrefix(string(data), "\xef\xbb\xbf")
	var v any
	err := json.Unmarshal([]byte(standard), &v)
	foreign := strings.Contains(standard, "NaN") || strings.Contains(standard, "Infinity") || len(data) > 10_000 ||
		strings.HasPrefix(standard, "\xef\xbb\xbf")
	if syntax := new(json.SyntaxError); !foreign && (err == nil || errors.As(err, &syntax)) && (err == nil) != (r.err == nil) {
		t.Fatalf("%q: %v, encoding/json says %v", data, r.err, err)
	}
	if s, ok := v.(string); ok && err == nil && !foreign {
		r := newJSONText(data)
		if got := r.text(); got != s {
			t.Fatalf("%q: read as %q, encoding/json says %q", data, got, s)
		}
	}
	if f, ok := v.(float64); ok && err == nil && !foreign {
		r := newJSONText(data)
		if got := r.float(); got != f {
			t.Fatalf("%q: read as %g, encoding/json says %g", data, got, f)
		}
	}
}

var jsonTexts = []string{
	`{}`, `[]`, `""`, `0`, `-0.5e+3`, `1E9`, `true`, `false`, `null`, ` [1 , {"a" : [ ] } ] `, "\xef\xbb\xbf{}", `"\u00e9\ud83d\ude00\n\"\\\/"`,
	`"\ud800"`, `"\ud800\u0041"`, `"\udc00\ud800"`, "\"\xff\xfe\"", "\"\xed\xa0\x80 é\"", `{"a":1,"a":2}`, `[1,]`, `{"a":1,}`, `[,1]`, `{,}`, `{"a"}`, `{"a":}`, `{1:2}`,
	`[1 2]`, `{"a":1 "b":2}`, `01`, `-01`, `-`, `1.`, `.5`, `1e`, `1e+`, `+1`, `tru`, `truE`, `nul`, `nulL`, `"a`, `"\`, `"\u12`, `"\u12x4"`, `"\x"`, "\"\n\"", `{}{}`, `[]x`, `[`, `[[`,
	`{"a":[`, `]`, `}`, `:`, ``, ` `, `NaN`, `-Infinity`, `[Infinity, -1]`, `Nan`, `1e999`, "\x00", `["a","b",["c",{"d":"e"}],1.5e-7,true,null]`,
}

func TestJSONText(t *testing.T) {
	t.Parallel()
	for _, text := range jsonTexts {
		readsLikeStandard(t, []byte(text))
		for cut := range text { // truncated anywhere
			readsLikeStandard(t, []byte(text[:cut]))
		}
	}
}

func TestJSONTextSaysWhere(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ text, want string }{
		{"{\n \"a\": 1,\n \"b\" 2}", `line 3, byte 16: want a colon after the key "b"`},
		{"[1, 2", "truncated: the JSON text ends too early, at line 1, byte 5"},
		{`"abc`, "truncated: the JSON text ends too early, at line 1, byte 4"},
		{"", "it is empty, want JSON: truncated"},
		{"\xff\xfe{\x00", "it is UTF-16 text"},
		{"\x1f\x8b\x08", "it is compressed by gzip"},
		{"<html>", `line 1, byte 0: found '<', want a value`},
		{"[undefined]", `line 1, byte 1: found 'u', want a value`},
		{"[nil]", `line 1, byte 1: found "nil", want a value`},
		{"[1] [2]", `line 1, byte 4: found '[' after the end`},
		{"[007]", `line 1, byte 1: a number with a leading zero`},
		{"{'a': 1}", `line 1, byte 1: want a string in quotes`},
	} {
		r := newJSONText([]byte(c.text))
		r.skip()
		if r.end(); r.err == nil || !strings.Contains(r.err.Error(), c.want) {
			t.Errorf("%q: %v, want %q", c.text, r.err, c.want)
		} else if strings.Contains(c.want, "truncated") != errors.Is(r.err, dataset.ErrTruncated) {
			t.Errorf("%q: %v is not told from a truncated file", c.text, r.err)
		}
	}
}

func FuzzJSONText(f *testing.F) {
	for _, text := range jsonTexts {
		f.Add([]byte(text))
	}
	f.Fuzz(readsLikeStandard)
}
