// Vocabularies: which token has which number.

package protein

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"repscope/internal/regular"
)

// Vocabulary is the set of tokens of a sequence model.
type Vocabulary struct {
	// Names are the tokens by id, empty for an id that has none.
	Names []string
	// CLS, Pad, EOS, Unknown and Mask are the ids of special tokens; −1 for one that there
	// is not.
	CLS, Pad, EOS, Unknown, Mask int
}

// maxVocabulary bounds the largest id and the size of the file.
const (
	maxVocabulary     = 1 << 20
	maxVocabularyFile = 1 << 26
)

// specialNames are the names by which special tokens are found, and the key that names one.
var specialNames = []struct {
	key   string
	names []string
	of    func(v *Vocabulary) *int
}{
	{"cls_token", []string{"<cls>", "[CLS]", "<s>", "<bos>", "[BOS]"}, func(v *Vocabulary) *int { return &v.CLS }},
	{"pad_token", []string{"<pad>", "[PAD]"}, func(v *Vocabulary) *int { return &v.Pad }},
	{"eos_token", []string{"<eos>", "[EOS]", "</s>", "[SEP]", "<sep>"}, func(v *Vocabulary) *int { return &v.EOS }},
	{"unk_token", []string{"<unk>", "[UNK]"}, func(v *Vocabulary) *int { return &v.Unknown }},
	{"mask_token", []string{"<mask>", "[MASK]"}, func(v *Vocabulary) *int { return &v.Mask }},
}

// ReadVocabulary reads a vocabulary: a list of tokens, ["<cls>", "A", …]; an object of ids by token as in Hugging
// Face's vocab.json, {"<cls>": 0, "A": 1, …}; the model's vocabulary and the added tokens of a tokenizer.json; an
// object with such a list or object under "tokens" or "vocab"; or, as .txt, a token in each line. Special tokens are
// found by their usual names (<cls> [CLS] <s> <bos> [BOS], <pad> [PAD], <eos> [EOS] </s> [SEP] <sep>, <unk> [UNK],
// <mask> [MASK]: the first present), or named next to "tokens" or "vocab" by "cls_token", "pad_token", "eos_token",
// "unk_token" and "mask_token"; null for none.
//
// Errors name the file: JSON of another shape, no tokens, an id that is no whole number from 0 or above a million, two
// tokens of one id, a token twice, a special token that is not in the vocabulary.
func ReadVocabulary(path string) (*Vocabulary, error) {
	data, err := regular.Read(path, maxVocabularyFile)
	if err != nil {
		return nil, regular.PathError(err)
	}
	var v *Vocabulary
	if strings.EqualFold(filepath.Ext(path), ".txt") {
		text := strings.TrimRight(strings.TrimPrefix(strings.ReplaceAll(string(data), "\r\n", "\n"), "\ufeff"), "\n")
		v, err = listedVocabulary(strings.Split(text, "\n"), nil)
	} else {
		v, err = parseVocabulary(data)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return v, nil
}

// errVocabulary lists the accepted layouts.
var errVocabulary = errors.New(`want a list of tokens ["<cls>", "A", …], their ids {"<cls>": 0, "A": 1, …}, or a tokenizer.json`)

// parseVocabulary reads JSON.
func parseVocabulary(data []byte) (*Vocabulary, error) {
	var list []string
	if json.Unmarshal(data, &list) == nil && list != nil {
		return listedVocabulary(list, nil)
	}
	var object map[string]json.RawMessage
	if err := json.Unmarshal(data, &object); err != nil {
		var syntax *json.SyntaxError
		if errors.As(err, &syntax) {
			return nil, fmt.Errorf("not JSON: %w", err)
		}
		return nil, errVocabulary
	}
	if raw, ok := object["model"]; ok && !isNumber(raw) {
		return parseTokenizer(raw, object["added_tokens"])
	}
	for _, key := range []string{"tokens", "vocab"} {
		raw, ok := object[key]
		if !ok || isNumber(raw) {
			continue
		}
		if json.Unmarshal(raw, &list) == nil && list != nil {
			return listedVocabulary(list, object)
		}
		ids, err := parseIDs(raw)
		if err != nil {
			return nil, err
		}
		return newVocabulary(ids, object)
	}
	ids, err := parseIDs(data)
	if err != nil {
		return nil, err
	}
	return newVocabulary(ids, nil)
}

// isNumber reports whether a value is the id of a token.
func isNumber(raw json.RawMessage) bool {
	var n json.Number
	return json.Unmarshal(raw, &n) == nil
}

// tokenID is a token and its id.
type tokenID struct {
	name string
	id   int
}

// parseIDs reads {"<cls>": 0, …}, or the list [["<cls>", score], …] of unigram models.
func parseIDs(raw []byte) ([]tokenID, error) {
	var out []tokenID
	var scored [][]any
	if json.Unmarshal(raw, &scored) == nil && scored != nil {
		for i, pair := range scored {
			name, ok := "", len(pair) == 2
			if ok {
				name, ok = pair[0].(string)
			}
			if !ok {
				return nil, fmt.Errorf("element %d of the vocabulary is not a pair of a token and a score", i)
			}
			out = append(out, tokenID{name, i})
		}
		return out, nil
	}
	var ids map[string]json.RawMessage
	if json.Unmarshal(raw, &ids) != nil || ids == nil {
		return nil, errVocabulary
	}
	for _, name := range slices.Sorted(maps.Keys(ids)) {
		var id int
		raw := ids[name]
		if err := json.Unmarshal(raw, &id); err != nil {
			if len(raw) > 0 && strings.ContainsRune(`{[tfn`, rune(raw[0])) {
				return nil, fmt.Errorf("%q is %.20s, not an id; %w", name, raw, errVocabulary)
			}
			return nil, fmt.Errorf("the id of %q is %.20s, want a whole number from 0", name, raw)
		}
		out = append(out, tokenID{name, id})
	}
	return out, nil
}

// parseTokenizer reads the vocabulary of a tokenizer.json.
func parseTokenizer(raw, added json.RawMessage) (*Vocabulary, error) {
	var model struct {
		Vocab json.RawMessage `json:"vocab"`
	}
	if json.Unmarshal(raw, &model) != nil || model.Vocab == nil {
		return nil, errors.New("the model of the tokenizer has no vocab")
	}
	ids, err := parseIDs(model.Vocab)
	if err != nil {
		return nil, err
	}
	var more []struct {
		ID      int    `json:"id"`
		Content string `json:"content"`
	}
	if added != nil && json.Unmarshal(added, &more) != nil {
		return nil, errors.New(`added_tokens: want [{"id": 0, "content": "<cls>"}, …]`)
	}
	for _, m := range more {
		index := slices.IndexFunc(ids, func(t tokenID) bool { return t.name == m.Content })
		if index < 0 {
			ids = append(ids, tokenID{m.Content, m.ID})
		} else if ids[index].id != m.ID {
			return nil, fmt.Errorf("the token %q has the id %d in the vocabulary and %d in added_tokens",
				m.Content, ids[index].id, m.ID)
		}
	}
	return newVocabulary(ids, nil)
}

// listedVocabulary is the vocabulary of tokens in the order of their ids.
func listedVocabulary(names []string, special map[string]json.RawMessage) (*Vocabulary, error) {
	ids := make([]tokenID, len(names))
	for i, name := range names {
		ids[i] = tokenID{name, i}
	}
	return newVocabulary(ids, special)
}

// newVocabulary puts tokens in the order of their ids. special may name special tokens.
func newVocabulary(ids []tokenID, special map[string]json.RawMessage) (*Vocabulary, error) {
	if len(ids) == 0 {
		return nil, errors.New("the vocabulary has no tokens")
	}
	slices.SortFunc(ids, func(a, b tokenID) int { return cmp.Or(cmp.Compare(a.id, b.id), cmp.Compare(a.name, b.name)) })
	last := ids[len(ids)-1]
	if ids[0].id < 0 || last.id >= maxVocabulary {
		bad := ids[0]
		if bad.id >= 0 {
			bad = last
		}
		return nil, fmt.Errorf("the id of %q is %d, want 0 to %d", bad.name, bad.id, maxVocabulary-1)
	}
	v := &Vocabulary{Names: make([]string, last.id+1)}
	seen := map[string]int{}
	for i, t := range ids {
		if i > 0 && ids[i-1].id == t.id {
			return nil, fmt.Errorf("the tokens %q and %q both have the id %d", ids[i-1].name, t.name, t.id)
		}
		if t.name == "" {
			return nil, fmt.Errorf("the token of id %d is empty", t.id)
		}
		if other, ok := seen[t.name]; ok {
			return nil, fmt.Errorf("the token %q has the ids %d and %d", t.name, other, t.id)
		}
		seen[t.name] = t.id
		v.Names[t.id] = t.name
	}
	for _, s := range specialNames {
		to := s.of(v)
		*to = -1
		raw, present := special[s.key]
		if !present {
			for _, name := range s.names {
				if id, ok := seen[name]; ok {
					*to = id
					break
				}
			}
			continue
		}
		var name *string
		if json.Unmarshal(raw, &name) != nil {
			return nil, fmt.Errorf("%s is %.20s, want the name of a token", s.key, raw)
		}
		if name == nil {
			continue
		}
		id, ok := seen[*name]
		if !ok {
			return nil, fmt.Errorf("%s is %q, which is not in the vocabulary", s.key, *name)
		}
		*to = id
	}
	return v, nil
}
