// Tests against Hugging Face's tokenizers.

package tokenizer

import (
	"compress/gzip"
	"encoding/json"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// golden is what testdata/generate.py wrote.
type golden struct {
	Texts []string
	Of    map[string]struct {
		IDs     [][]int64 `json:"ids"`
		Types   [][]int64 `json:"types"`
		Masks   [][]int64 `json:"masks"`
		Decoded [][3]json.RawMessage
	}
}

// load reads a compressed file.
func load(t testing.TB, path string, to any) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err == nil {
		err = json.NewDecoder(z).Decode(to)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// files are the golden tokenizers.
func files(t testing.TB) map[string]json.RawMessage {
	t.Helper()
	var of map[string]json.RawMessage
	load(t, "testdata/tokenizers.json.gz", &of)
	return of
}

func TestGolden(t *testing.T) {
	t.Parallel()
	var want golden
	load(t, "testdata/golden.json.gz", &want)
	all := files(t)
	if len(all) != 17 || len(want.Texts) != 240 {
		t.Fatalf("%d tokenizers and %d texts", len(all), len(want.Texts))
	}
	for name, data := range all {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tok, err := Parse(name, data)
			if err != nil {
				t.Fatal(err)
			}
			expected := want.Of[strings.TrimSuffix(name, "_lines")]
			for i, text := range want.Texts {
				e, err := tok.Encode(text)
				if err != nil {
					t.Fatalf("%q: %v", text, err)
				}
				if !slices.Equal(e.IDs, expected.IDs[i]) {
					t.Errorf("%q gives\n%v, want\n%v", text, e.IDs, expected.IDs[i])
				}
				checkList(t, text, "types", e.Types, expected.Types, i, 0)
				checkList(t, text, "mask", e.Mask, expected.Masks, i, 1)
			}
			for _, d := range expected.Decoded {
				var ids []int64
				var texts [2]string
				for k, to := range []any{&ids, &texts[0], &texts[1]} {
					if err := json.Unmarshal(d[k], to); err != nil {
						t.Fatal(err)
					}
				}
				for k, want := range texts {
					if got, err := tok.Decode(ids, k == 0); err != nil || got != want {
						t.Errorf("%v becomes %q (%v), want %q", ids, got, err, want)
					}
				}
			}
		})
	}
}

// checkList compares a list that the golden file leaves out where it holds one value.
func checkList(t *testing.T, text, what string, got []int64, want [][]int64, i int, value int64) {
	t.Helper()
	if want == nil {
		for _, v := range got {
			if v != value {
				t.Errorf("%q: %s are %v", text, what, got)
				return
			}
		}
		return
	}
	if !slices.Equal(got, want[i]) {
		t.Errorf("%q: %s are %v, want %v", text, what, got, want[i])
	}
}

// Unsupported parts are errors that name them.
func TestParseErrors(t *testing.T) {
	t.Parallel()
	const model = `"model":{"type":"WordPiece","vocab":{"[UNK]":0,"a":1}}`
	for text, want := range map[string]string{
		``:   "x.json: it is not a tokenizer: ",
		`[]`: "x.json: it is not a tokenizer: ",
		`{}`: "x.json: it has no model",
		`{"model":{"type":"Unigram","vocab":[["a",0.5]]}}`:                                                      "x.json: the model is Unigram, want WordPiece and BPE",
		`{"model":{"vocab":{"a":0}}}`:                                                                           "x.json: the model has no type",
		`{"model":{"type":"WordPiece","vocab":{}}}`:                                                             "x.json: the vocabulary has no tokens",
		`{"model":{"type":"WordPiece","vocab":{"a":1,"b":1}}}`:                                                  `x.json: the tokens "a" and "b" both have the id 1`,
		`{"model":{"type":"WordPiece","vocab":{"a":-1}}}`:                                                       `x.json: the id of the token "a" is -1`,
		`{"model":{"type":"BPE","vocab":{"a":0},"merges":["a b"]}}`:                                             `x.json: merge 0: the token "b" is not in the vocabulary`,
		`{"model":{"type":"BPE","vocab":{"a":0,"b":1},"merges":[["a","b"]]}}`:                                   `x.json: merge 0: the token "ab" is not in the vocabulary`,
		`{"model":{"type":"BPE","vocab":{"a":0},"merges":["a b c"]}}`:                                           `x.json: merge 0: it is "a b c", want two tokens`,
		`{"model":{"type":"BPE","vocab":{"a":0},"merges":[7]}}`:                                                 `x.json: merge 0: it is 7`,
		`{"model":{"type":"BPE","vocab":{"a":0},"merges":[],"dropout":0.1}}`:                                    "x.json: the model BPE has dropout 0.1",
		`{` + model + `,"normalizer":{"type":"Nmt"}}`:                                                           "x.json: the normalizer is Nmt, want one of BertNormalizer",
		`{` + model + `,"normalizer":{"type":"Sequence","normalizers":[{"type":"X"}]}}`:                         "x.json: the normalizer is X",
		`{` + model + `,"pre_tokenizer":{"type":"Metaspace"}}`:                                                  "x.json: the pre-tokenizer is Metaspace, want one of BertPreTokenizer",
		`{` + model + `,"pre_tokenizer":{"type":"Split","pattern":{"Regex":"a(?=b)"},"behavior":"Isolated"}}`:   `x.json: the pre-tokenizer Split: the regular expression "a(?=b)"`,
		`{` + model + `,"pre_tokenizer":{"type":"Split","pattern":{"Regex":"["},"behavior":"Isolated"}}`:        `x.json: the pre-tokenizer Split: the regular expression "["`,
		`{` + model + `,"pre_tokenizer":{"type":"Split","pattern":"a","behavior":"Isolated"}}`:                  `x.json: the pre-tokenizer Split: the pattern is "a"`,
		`{` + model + `,"pre_tokenizer":{"type":"Split","pattern":{"String":"a"},"behavior":"Elsewhere"}}`:      `x.json: the pre-tokenizer Split: the behavior is "Elsewhere"`,
		`{` + model + `,"pre_tokenizer":7}`:                                                                     "x.json: the pre-tokenizer has no type",
		`{` + model + `,"post_processor":{"type":"Other"}}`:                                                     "x.json: the post-processor is Other, want one of ",
		`{` + model + `,"post_processor":{"type":"BertProcessing","sep":["a",1]}}`:                              "x.json: the post-processor BertProcessing has no cls",
		`{` + model + `,"post_processor":{"type":"BertProcessing","sep":["a"],"cls":["a",1]}}`:                  "x.json: the post-processor BertProcessing: a special token is",
		`{` + model + `,"post_processor":{"type":"TemplateProcessing","single":[{"SpecialToken":{"id":"C"}}]}}`: `x.json: the template has the token "C"`,
		`{` + model + `,"post_processor":{"type":"TemplateProcessing","single":[{"Sequence":{"id":"B"}}]}}`:     "x.json: part 0 of the template",
		`{` + model + `,"post_processor":{"type":"TemplateProcessing","single":[]}}`:                            "x.json: the template of a single text does not contain",
		`{` + model + `,"added_tokens":[{"id":7,"content":"a"}]}`:                                               `x.json: the token "a" has the id 1 in the vocabulary and 7`,
		`{` + model + `,"added_tokens":[{"id":7,"content":"x"},{"id":7,"content":"y"}]}`:                        `x.json: added tokens "x" and "y" both have the id 7`,
		`{` + model + `,"added_tokens":[{"id":7,"content":"x"},{"id":8,"content":"x"}]}`:                        `x.json: the token "x" is added twice`,
		`{` + model + `,"added_tokens":{}}`:                                                                     "x.json: added_tokens: ",
		`{` + model + `,"truncation":{"max_length":4,"strategy":"OnlySecond"}}`:                                 "x.json: the truncation cuts the second text",
		`{` + model + `,"truncation":{"max_length":4,"direction":"Up"}}`:                                        "x.json: the direction of truncation is",
		`{` + model + `,"padding":{"strategy":"Longest"}}`:                                                      "x.json: the strategy of padding is",
		`{` + model + `,"padding":{"strategy":{"Fixed":99999999}}}`:                                             "x.json: padding to 99999999 tokens",
	} {
		if _, err := Parse("x.json", []byte(text)); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s gives %v, want %s…", text, err, want)
		}
	}
	nested := strings.Repeat(`{"type":"Sequence","normalizers":[`, 40) + strings.Repeat("]}", 40)
	if _, err := Parse("x.json", []byte(`{`+model+`,"normalizer":`+nested+`}`)); err == nil || !strings.Contains(err.Error(), "more than 16 deep") {
		t.Errorf("deep sequences: %v", err)
	}
}

func TestEncodeErrors(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{"model":{"type":"WordPiece","vocab":{"a":1}}}`:                           "the vocabulary lacks",
		`{"model":{"type":"BPE","vocab":{"a":1},"merges":[],"unk_token":"<unk>"}}`: "the vocabulary lacks",
		`{"model":{"type":"WordPiece","vocab":{"x":1}},"truncation":{"max_length":1},"post_processor":{"type":"BertProcessing","sep":["b",2],"cls":["a",1]}}`: "truncation to 1 tokens leaves no room for 2",
	} {
		tok, err := Parse("x.json", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := tok.Encode("x"); err == nil && strings.Contains(want, "lacks") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s gives %v, want %s", text, err, want)
		}
	}
	tok, err := Parse("x.json", []byte(`{"model":{"type":"WordPiece","vocab":{"a":1}},"decoder":{"type":"Metaspace"}}`))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tok.Decode([]int64{1}, true); err == nil || !strings.HasPrefix(err.Error(), "x.json: the decoder is Metaspace, want one of ") {
		t.Errorf("a decoder that is not read: %v", err)
	}
}

// Bytes that are no UTF-8 become U+FFFD, one for each part of a sequence.
func TestValid(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"a\xffb": "a\ufffdb", "\xe2\x82": "\ufffd", "\xe2\x82a": "\ufffda", "\xf0\x9f\x98": "\ufffd", "\xe2\xe2\x82\xac": "\ufffd€", "\xed\xa0\x80": "\ufffd\ufffd\ufffd",
		"\xf0\x80\x80": "\ufffd\ufffd\ufffd", "\xc0\xaf": "\ufffd\ufffd", "é": "é", "\xf4\x90": "\ufffd\ufffd", "\xc3": "\ufffd",
	} {
		if got := valid([]byte(in)); got != want {
			t.Errorf("%q becomes %q, want %q", in, got, want)
		}
	}
}

// Byte-level tokens hold the whole text, whatever it is.
func TestBytesAreKept(t *testing.T) {
	t.Parallel()
	tok, err := Parse("gpt2", files(t)["gpt2"])
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.String().Draw(t, "text")
		e, err := tok.Encode(text)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := tok.Decode(e.IDs, false); err != nil || got != text {
			t.Fatalf("%q becomes %q (%v)", text, got, err)
		}
	})
}

// The words of a text are the text, and match the expression: white space leaves its last character to the next word.
func TestWords(t *testing.T) {
	t.Parallel()
	split := byteLevel{Words: true}
	for text, want := range map[string][]string{
		"  a\n\nb": {" ", " a", "\n", "\n", "b"}, "x  ": {"x", "  "}, "it's 9a!?": {"it", "'s", " 9", "a", "!?"}, "'": {"'"}, " ": {" "}, "'r": {"'", "r"}, " 's": {" '", "s"},
	} {
		var got []string
		for _, word := range split.split(text) {
			got = append(got, decodeBytes([]string{word})...)
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, data := range files(f) {
		f.Add([]byte(data), "a login screen 漢字 \xff\u0301")
	}
	f.Add([]byte(`{"model":{"type":"BPE","vocab":{"a":0,"b":1,"ab":2},"merges":["a b"]},"padding":{"strategy":{"Fixed":3}}}`), "abab")
	f.Fuzz(func(t *testing.T, data []byte, text string) {
		tok, err := Parse("x.json", data)
		if err != nil {
			if !strings.HasPrefix(err.Error(), "x.json: ") {
				t.Errorf("the error does not name the file: %v", err)
			}
			return
		}
		e, err := tok.Encode(text)
		if err != nil {
			return
		}
		if len(e.IDs) != len(e.Types) || len(e.IDs) != len(e.Mask) {
			t.Errorf("%d ids, %d types, %d of the mask", len(e.IDs), len(e.Types), len(e.Mask))
		}
		_, _ = tok.Decode(e.IDs, true)
	})
}
