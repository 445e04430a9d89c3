// Tests of vocabularies.

package protein

import (
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// vocabularyText writes a file and reads it.
func vocabularyText(t *testing.T, name, content string) (*Vocabulary, error) {
	t.Helper()
	return ReadVocabulary(textFile(t, name, content))
}

func TestVocabularies(t *testing.T) {
	t.Parallel()
	esm := &Vocabulary{Names: []string{"<cls>", "<pad>", "<eos>", "<unk>", "L", "A", "<mask>"}, CLS: 0, Pad: 1, EOS: 2, Unknown: 3, Mask: 6}
	bert := &Vocabulary{Names: []string{"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "L", "A"}, CLS: 2, Pad: 0, EOS: 3, Unknown: 1, Mask: 4}
	want := &Vocabulary{Names: []string{"<", ">", "*", "A", "C"}, CLS: 0, Pad: -1, EOS: 1, Unknown: -1, Mask: 2}
	for _, c := range []struct {
		name, content string
		want          *Vocabulary
	}{
		{"list.json", `["<cls>", "<pad>", "<eos>", "<unk>", "L", "A", "<mask>"]`, esm},
		{"vocab.json", `{"A": 5, "<cls>": 0, "<pad>": 1, "<eos>": 2, "<unk>": 3, "L": 4, "<mask>": 6}`, esm},
		{"vocab.txt", "<cls>\r\n<pad>\r\n<eos>\r\n<unk>\r\nL\r\nA\r\n<mask>\r\n", esm},
		{"tokens.json", `{"tokens": ["<cls>", "<pad>", "<eos>", "<unk>", "L", "A", "<mask>"]}`, esm},
		{"tokenizer.json", `{"version": "1.0", "added_tokens": [{"id": 4, "content": "[MASK]", "special": true}, {"id": 0, "content": "[PAD]"}],
			"model": {"type": "WordPiece", "unk_token": "[UNK]", "vocab": {"[PAD]": 0, "[UNK]": 1, "[CLS]": 2, "[SEP]": 3, "L": 5, "A": 6}}}`, bert},
		{"unigram.json", `{"added_tokens": [], "model": {"type": "Unigram", "vocab": [["[PAD]", 0.0], ["[UNK]", 0], ["[CLS]", 0], ["[SEP]", 0], ["[MASK]", 0], ["L", -3.2], ["A", -2.1]]}}`, bert},
		{"own.json", `{"tokens": ["<", ">", "*", "A", "C"], "cls_token": "<", "eos_token": ">", "mask_token": "*"}`, want},
		{"ids.json", `{"vocab": {"<": 0, ">": 1, "*": 2, "A": 3, "C": 4}, "cls_token": "<", "eos_token": ">", "mask_token": "*", "pad_token": null}`, want},
		{"model.json", `{"model": 0, "vocab": 1, "A": 2}`, &Vocabulary{Names: []string{"model", "vocab", "A"}, CLS: -1, Pad: -1, EOS: -1, Unknown: -1, Mask: -1}},
		{"gap.json", `{"A": 0, "C": 2}`, &Vocabulary{Names: []string{"A", "", "C"}, CLS: -1, Pad: -1, EOS: -1, Unknown: -1, Mask: -1}},
	} {
		got, err := vocabularyText(t, c.name, c.content)
		if err != nil || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %+v, %v, want %+v", c.name, got, err, c.want)
		}
	}
}

func TestBadVocabularies(t *testing.T) {
	t.Parallel()
	const want = `want a list of tokens ["<cls>", "A", …], their ids {"<cls>": 0, "A": 1, …}, or a tokenizer.json`
	for content, want := range map[string]string{
		``:                                   "v.json: not JSON: unexpected end of JSON input",
		`["A"`:                               "v.json: not JSON: unexpected end of JSON input",
		`5`:                                  "v.json: " + want,
		`[1, 2]`:                             "v.json: " + want,
		`null`:                               "v.json: " + want,
		`[]`:                                 "v.json: the vocabulary has no tokens",
		`{}`:                                 "v.json: the vocabulary has no tokens",
		`["A", "C", "A"]`:                    `v.json: the token "A" has the ids 0 and 2`,
		`["A", ""]`:                          "v.json: the token of id 1 is empty",
		`{"A": 1, "C": 1}`:                   `v.json: the tokens "A" and "C" both have the id 1`,
		`{"A": -1}`:                          `v.json: the id of "A" is -1, want 0 to 1048575`,
		`{"A": 0, "C": 9000000}`:             `v.json: the id of "C" is 9000000, want 0 to 1048575`,
		`{"A": 0.5}`:                         `v.json: the id of "A" is 0.5, want a whole number from 0`,
		`{"A": "0"}`:                         `v.json: the id of "A" is "0", want a whole number from 0`,
		`{"A": {"id": 0}}`:                   `v.json: "A" is {"id": 0}, not an id; ` + want,
		`{"model": {"type": "BPE"}}`:         "v.json: the model of the tokenizer has no vocab",
		`{"model": {"vocab": [["A"]]}}`:      "v.json: element 0 of the vocabulary is not a pair of a token and a score",
		`{"model": {"vocab": [[3, 1]]}}`:     "v.json: element 0 of the vocabulary is not a pair of a token and a score",
		`{"tokens": ["A"], "mask_token": 1}`: "v.json: mask_token is 1, want the name of a token",
		`{"tokens": ["A"], "mask_token": "<mask>"}`:                                             `v.json: mask_token is "<mask>", which is not in the vocabulary`,
		`{"model": {"vocab": {"A": 0}}, "added_tokens": [{"id": 1, "content": "A"}]}`:           `v.json: the token "A" has the id 0 in the vocabulary and 1 in added_tokens`,
		`{"model": {"vocab": {"A": 0}}, "added_tokens": {"A": 1}}`:                              `v.json: added_tokens: want [{"id": 0, "content": "<cls>"}, …]`,
		`{"model": {"vocab": {"A": 0}}, "added_tokens": [{"id": 0, "content": "<cls>"}]}`:       `v.json: the tokens "<cls>" and "A" both have the id 0`,
		`{"model": {"vocab": {"A": 0}}, "added_tokens": [{"id": 1e99, "content": "overflow"}]}`: `v.json: added_tokens: want [{"id": 0, "content": "<cls>"}, …]`,
	} {
		if _, err := vocabularyText(t, "v.json", content); err == nil || !strings.HasSuffix(err.Error(), "/"+want) {
			t.Errorf("%s: %v, want %s", content, err, want)
		}
	}
	if _, err := ReadVocabulary(filepath.Join(t.TempDir(), "none.json")); err == nil || !strings.Contains(err.Error(), "none.json: no such file") {
		t.Errorf("%v", err)
	}
}
