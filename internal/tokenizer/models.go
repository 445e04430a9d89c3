// Models: how a word becomes tokens.

package tokenizer

import (
	"container/heap"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"unicode/utf8"

	"repscope/internal/text"
)

// vocabulary are tokens and their ids.
type vocabulary struct {
	ids   map[string]int64
	names map[int64]string
}

func (v *vocabulary) id(token string) (int64, bool) {
	id, ok := v.ids[token]
	return id, ok
}

func (v *vocabulary) token(id int64) (string, bool) {
	name, ok := v.names[id]
	return name, ok
}

// newVocabulary checks ids.
func newVocabulary(ids map[string]int64) (vocabulary, error) {
	v := vocabulary{ids: ids, names: make(map[int64]string, len(ids))}
	if len(ids) == 0 {
		return v, errors.New("the vocabulary has no tokens")
	}
	for token, id := range ids {
		if id < 0 || id > math.MaxInt32 {
			return v, fmt.Errorf("the id of the token %q is %d, want 0 to %d", token, id, math.MaxInt32)
		}
		if other, ok := v.names[id]; ok {
			return v, fmt.Errorf("the tokens %q and %q both have the id %d", min(token, other), max(token, other), id)
		}
		v.names[id] = token
	}
	return v, nil
}

const knownModels = "WordPiece and BPE"

// parseModel reads the model.
func parseModel(raw json.RawMessage) (tokenModel, error) {
	var p struct {
		Type   string          `json:"type"`
		Merges json.RawMessage `json:"merges"`
		Prefix *string         `json:"continuing_subword_prefix"`
		Most   *int            `json:"max_input_chars_per_word"`
	}
	if len(raw) == 0 || json.Unmarshal(raw, &p) != nil {
		return nil, errors.New("it has no model")
	}
	switch {
	case p.Type == "WordPiece" || p.Type == "" && p.Most != nil && p.Merges == nil:
		return parseWordPiece(raw)
	case p.Type == "BPE" || p.Type == "" && p.Merges != nil:
		return parseBPE(raw)
	case p.Type == "":
		return nil, errors.New("the model has no type, want " + knownModels)
	}
	return nil, fmt.Errorf("the model is %s, want %s", p.Type, knownModels)
}

// wordPiece takes the longest token that a word begins with, then the longest that the rest begins with, and so on. If
// a part is no token, the whole word is unknown.
type wordPiece struct {
	vocabulary
	unknown, prefix string
	most            int // characters of a word, longer ones are unknown
}

func parseWordPiece(raw json.RawMessage) (tokenModel, error) {
	o := struct {
		Vocab   map[string]int64 `json:"vocab"`
		Unknown string           `json:"unk_token"`
		Prefix  string           `json:"continuing_subword_prefix"`
		Most    int              `json:"max_input_chars_per_word"`
	}{Unknown: "[UNK]", Prefix: "##", Most: 100}
	if err := text.Unmarshal(raw, &o); err != nil {
		return nil, fmt.Errorf("the model WordPiece: %w", err)
	}
	v, err := newVocabulary(o.Vocab)
	return &wordPiece{v, o.Unknown, o.Prefix, o.Most}, err
}

func (m *wordPiece) tokens(word string) ([]int64, error) {
	var out []int64
	if utf8.RuneCountInString(word) > m.most {
		return m.unknownWord()
	}
	for start := 0; start < len(word); {
		end := len(word)
		for ; end > start; end = lastRune(word, end) {
			part := word[start:end]
			if start > 0 {
				part = m.prefix + part
			}
			if id, ok := m.ids[part]; ok {
				out = append(out, id)
				break
			}
		}
		if end == start {
			return m.unknownWord()
		}
		start = end
	}
	return out, nil
}

// lastRune is the start of the last character before an index.
func lastRune(s string, end int) int {
	_, n := utf8.DecodeLastRuneInString(s[:end])
	return end - n
}

func (m *wordPiece) unknownWord() ([]int64, error) {
	id, ok := m.ids[m.unknown]
	if !ok {
		return nil, errUnknown
	}
	return []int64{id}, nil
}

// bpe begins with characters and joins neighbors for as long as it has a rule for a pair, the
// earliest rule first and, of one rule, the leftmost pair.
type bpe struct {
	vocabulary
	merges         map[[2]int64]merge
	unknown        *string
	fuse           bool // unknown characters that follow each other are one token
	bytes          bool // they are tokens of their bytes
	whole          bool // a word that is a token needs no rules
	prefix, suffix string
}

// merge is the result of joining a pair.
type merge struct {
	rank int
	id   int64
}

func parseBPE(raw json.RawMessage) (tokenModel, error) {
	var o struct {
		Vocab   map[string]int64  `json:"vocab"`
		Merges  []json.RawMessage `json:"merges"`
		Dropout *float64          `json:"dropout"`
		Unknown *string           `json:"unk_token"`
		Prefix  *string           `json:"continuing_subword_prefix"`
		Suffix  *string           `json:"end_of_word_suffix"`
		Fuse    bool              `json:"fuse_unk"`
		Bytes   bool              `json:"byte_fallback"`
		Whole   bool              `json:"ignore_merges"`
	}
	if err := text.Unmarshal(raw, &o); err != nil {
		return nil, fmt.Errorf("the model BPE: %w", err)
	}
	if o.Dropout != nil && *o.Dropout != 0 {
		return nil, fmt.Errorf("the model BPE has dropout %g, which is for training; want 0", *o.Dropout)
	}
	v, err := newVocabulary(o.Vocab)
	if err != nil {
		return nil, err
	}
	m := &bpe{vocabulary: v, merges: make(map[[2]int64]merge, len(o.Merges)), unknown: o.Unknown, fuse: o.Fuse, bytes: o.Bytes, whole: o.Whole}
	if o.Prefix != nil {
		m.prefix = *o.Prefix
	}
	if o.Suffix != nil {
		m.suffix = *o.Suffix
	}
	for rank, raw := range o.Merges {
		if err := m.addMerge(rank, raw); err != nil {
			return nil, fmt.Errorf("merge %d: %w", rank, err)
		}
	}
	return m, nil
}

// addMerge reads a rule: "a b", or ["a", "b"].
func (m *bpe) addMerge(rank int, raw json.RawMessage) error {
	var pair []string
	var line string
	if json.Unmarshal(raw, &line) == nil {
		if strings.HasPrefix(line, "#version") {
			return nil
		}
		pair = strings.Split(line, " ")
	} else if json.Unmarshal(raw, &pair) != nil {
		return fmt.Errorf(`it is %.60s, want "a b" or ["a", "b"]`, raw)
	}
	if len(pair) != 2 {
		return fmt.Errorf("it is %.60s, want two tokens", raw)
	}
	joined := pair[0] + strings.TrimPrefix(pair[1], m.prefix)
	var ids [3]int64
	for k, token := range []string{pair[0], pair[1], joined} {
		id, ok := m.ids[token]
		if !ok {
			return fmt.Errorf("the token %q is not in the vocabulary", token)
		}
		ids[k] = id
	}
	m.merges[[2]int64{ids[0], ids[1]}] = merge{rank, ids[2]}
	return nil
}

func (m *bpe) tokens(word string) ([]int64, error) {
	if word == "" {
		return nil, nil
	}
	if id, ok := m.ids[word]; ok && m.whole {
		return []int64{id}, nil
	}
	symbols, err := m.characters(word)
	if err != nil {
		return nil, err
	}
	return m.join(symbols), nil
}

// characters are the tokens of single characters.
func (m *bpe) characters(word string) ([]int64, error) {
	var out []int64
	unknown := false // the last character was
	for i, r := range word {
		end := i + utf8.RuneLen(r)
		token := word[i:end]
		if i > 0 {
			token = m.prefix + token
		}
		if end == len(word) {
			token += m.suffix
		}
		if id, ok := m.ids[token]; ok {
			out, unknown = append(out, id), false
			continue
		}
		if m.bytes {
			if ids := m.byteTokens(token); ids != nil {
				out = append(out, ids...)
				continue
			}
		}
		if m.unknown == nil {
			continue // characters without a token are dropped
		}
		id, ok := m.ids[*m.unknown]
		if !ok {
			return nil, errUnknown
		}
		if !unknown || !m.fuse {
			out = append(out, id)
		}
		unknown = true
	}
	return out, nil
}

// byteTokens are the tokens of bytes, such as <0x0A>; nil where one is missing.
func (m *bpe) byteTokens(token string) []int64 {
	var out []int64
	for i := range len(token) {
		id, ok := m.ids[fmt.Sprintf("<0x%02X>", token[i])]
		if !ok {
			return nil
		}
		out = append(out, id)
	}
	return out
}

// joint is a position where two tokens could be joined.
type joint struct {
	rank, at int
	id       int64
}

// joints is a heap: the earliest rule first, then the leftmost position.
type joints []joint

func (h joints) Len() int { return len(h) }
func (h joints) Less(i, j int) bool {
	return h[i].rank < h[j].rank || h[i].rank == h[j].rank && h[i].at < h[j].at
}
func (h joints) Swap(i, j int) { h[i], h[j] = h[j], h[i] }

// Push adds a position.
func (h *joints) Push(x any) { *h = append(*h, x.(joint)) }

// Pop removes the last.
func (h *joints) Pop() any {
	last := (*h)[len(*h)-1]
	*h = (*h)[:len(*h)-1]
	return last
}

// join applies the rules.
func (m *bpe) join(ids []int64) []int64 {
	n := len(ids)
	next, previous, gone := make([]int, n), make([]int, n), make([]bool, n)
	for i := range ids {
		next[i], previous[i] = i+1, i-1
	}
	var queue joints
	offer := func(position int) {
		if position < 0 || next[position] >= n {
			return
		}
		if to, ok := m.merges[[2]int64{ids[position], ids[next[position]]}]; ok {
			heap.Push(&queue, joint{to.rank, position, to.id})
		}
	}
	for i := range n {
		offer(i)
	}
	for len(queue) > 0 {
		top := heap.Pop(&queue).(joint)
		position := top.at
		if gone[position] || next[position] >= n {
			continue
		}
		right := next[position]
		if to, ok := m.merges[[2]int64{ids[position], ids[right]}]; !ok || to.id != top.id {
			continue // one of the two has been joined to another since
		}
		ids[position], gone[right] = top.id, true
		next[position] = next[right]
		if next[position] < n {
			previous[next[position]] = position
		}
		offer(previous[position])
		offer(position)
	}
	out := ids[:0]
	for i, id := range ids {
		if !gone[i] {
			out = append(out, id)
		}
	}
	return out
}
