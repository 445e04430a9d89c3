// Added tokens: texts that are tokens wherever they occur.

package tokenizer

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"repscope/internal/text"
)

// addedToken is one of them.
type addedToken struct {
	ID         int64  `json:"id"`
	Content    string `json:"content"`
	Word       bool   `json:"single_word"` // only as a whole word
	Left       bool   `json:"lstrip"`      // with the white space before it
	Right      bool   `json:"rstrip"`      // with the white space after it
	Normalized bool   `json:"normalized"`  // found in the normalized text
	Special    bool   `json:"special"`
	text       string // that is looked for
}

// addedTokens are all of them.
type addedTokens struct {
	ids     map[string]int64
	names   map[int64]string
	special map[int64]bool
	// raw and normalized are the tokens searched before and after the text is normalized, by their first byte, the longest
	// first.
	raw, normalized map[byte][]*addedToken
}

// parseAdded reads the list of added tokens.
func parseAdded(raw json.RawMessage, model tokenModel, n normalizer) (addedTokens, error) {
	a := addedTokens{ids: map[string]int64{}, names: map[int64]string{}, special: map[int64]bool{},
		raw: map[byte][]*addedToken{}, normalized: map[byte][]*addedToken{}}
	var list []*addedToken
	if len(raw) > 0 {
		if err := text.Unmarshal(raw, &list); err != nil {
			return a, fmt.Errorf("added_tokens: %w", err)
		}
	}
	byID := map[int64]*addedToken{}
	for _, t := range list {
		if t == nil || t.Content == "" {
			continue
		}
		if t.ID < 0 || t.ID > math.MaxInt32 {
			return a, fmt.Errorf("the id of the added token %q is %d, want 0 to %d", t.Content, t.ID, math.MaxInt32)
		}
		if id, ok := model.id(t.Content); ok && id != t.ID {
			return a, fmt.Errorf("the token %q has the id %d in the vocabulary and %d in added_tokens", t.Content, id, t.ID)
		}
		if other := byID[t.ID]; other != nil && other.Content != t.Content {
			return a, fmt.Errorf("added tokens %q and %q both have the id %d", other.Content, t.Content, t.ID)
		}
		if _, twice := a.ids[t.Content]; twice {
			return a, fmt.Errorf("the token %q is added twice", t.Content)
		}
		byID[t.ID] = t
		to := a.raw
		if t.text = t.Content; t.Normalized {
			to = a.normalized
			if n != nil {
				t.text = n(t.Content)
			}
		}
		// Normalized tokens are also decoded normalized.
		a.ids[t.Content], a.names[t.ID], a.special[t.ID] = t.ID, t.text, t.Special
		if t.text != "" {
			to[t.text[0]] = append(to[t.text[0]], t)
		}
	}
	for _, to := range []map[byte][]*addedToken{a.raw, a.normalized} {
		for _, tokens := range to {
			slices.SortStableFunc(tokens, func(a, b *addedToken) int { return cmp.Compare(len(b.text), len(a.text)) })
		}
	}
	return a, nil
}

// piece is a part of a text: an added token, or the text between them.
type piece struct {
	token bool
	id    int64
	text  string
}

// pieces finds the added tokens of a text and normalizes the rest.
func (a *addedTokens) pieces(text string, n normalizer) []piece {
	var out []piece
	for _, p := range findAdded(text, a.raw) {
		if p.token {
			out = append(out, p)
			continue
		}
		if n != nil {
			p.text = n(p.text)
		}
		out = append(out, findAdded(p.text, a.normalized)...)
	}
	return out
}

// findAdded splits a text at tokens: the leftmost first, of several the longest.
func findAdded(text string, tokens map[byte][]*addedToken) []piece {
	var out []piece
	done := 0 // up to where the text is split
	for offset := 0; offset < len(text); {
		t := tokenAt(text[offset:], tokens)
		if t == nil {
			offset++
			continue
		}
		lo, hi := offset, offset+len(t.text)
		offset = hi
		if t.Word && (endsWord(text[:lo]) || beginsWord(text[hi:])) {
			continue
		}
		if t.Left {
			lo = max(len(strings.TrimRightFunc(text[:lo], unicode.IsSpace)), done)
		}
		if t.Right {
			hi = len(text) - len(strings.TrimLeftFunc(text[hi:], unicode.IsSpace))
		}
		if done < lo {
			out = append(out, piece{text: text[done:lo]})
		}
		out = append(out, piece{token: true, id: t.ID})
		done = hi
	}
	if done < len(text) {
		out = append(out, piece{text: text[done:]})
	}
	return out
}

// tokenAt is the longest token that a text begins with.
func tokenAt(text string, tokens map[byte][]*addedToken) *addedToken {
	for _, t := range tokens[text[0]] {
		if strings.HasPrefix(text, t.text) {
			return t
		}
	}
	return nil
}

func endsWord(s string) bool {
	r, n := utf8.DecodeLastRuneInString(s)
	return n > 0 && isWord(r)
}

func beginsWord(s string) bool {
	r, n := utf8.DecodeRuneInString(s)
	return n > 0 && isWord(r)
}
