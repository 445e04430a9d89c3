// Package tokenizer turns text into the ids of tokens, and back, as defined by a tokenizer.json of Hugging Face's
// tokenizers: WordPiece (Schuster and Nakajima 2012) and byte-pair encoding (Sennrich et al. 2016), of bytes too
// (Radford et al. 2019), with their normalizers, pre-tokenizers, post-processors, added tokens, truncation, padding and
// decoders.
//
//	file, err := os.ReadFile("tokenizer.json")
//	if err != nil { … }
//	t, err := tokenizer.Parse("tokenizer.json", file)
//	if err != nil { … }
//	e, err := t.Encode("a login screen")  // e.IDs, e.Types, e.Mask
//
// Unsupported parts are errors that name them. Classes of characters follow the Unicode version of Go's package
// unicode: for newer characters, or ones whose class has changed, other programs may differ.
package tokenizer

import (
	"errors"
	"fmt"
)

// Tokenizer is a parsed tokenizer.json. Several goroutines may use it.
type Tokenizer struct {
	added      addedTokens
	normalize  normalizer   // nil: none
	split      preTokenizer // nil: none
	model      tokenModel
	post       postProcessor
	truncation *truncation
	padding    *padding
	decode     decoder // nil: tokens are joined by spaces
	noDecoder  error   // why there is none
}

// Encoding is a text as tokens, the special ones that the file adds among them.
type Encoding struct {
	IDs, Types []int64
	Mask       []int64 // 0 for padding, else 1
}

// tokenModel splits a piece of text into tokens.
type tokenModel interface {
	tokens(piece string) ([]int64, error)
	id(token string) (int64, bool)
	token(id int64) (string, bool)
}

// Encode turns a text into tokens, with special ones, cut and padded as the file says. Invalid UTF-8 becomes U+FFFD.
// Errors: a character outside the vocabulary of a model without an unknown token; a length too short for the special
// tokens.
func (t *Tokenizer) Encode(text string) (*Encoding, error) {
	ids, err := t.ids(valid([]byte(text)))
	if err != nil {
		return nil, err
	}
	if t.truncation != nil {
		if ids, err = t.truncation.cut(ids, t.post.added()); err != nil {
			return nil, err
		}
	}
	e := &Encoding{IDs: ids, Types: make([]int64, len(ids))}
	t.post.apply(e)
	e.Mask = make([]int64, len(e.IDs))
	for i := range e.Mask {
		e.Mask[i] = 1
	}
	if t.padding != nil {
		t.padding.pad(e)
	}
	return e, nil
}

// ids are the tokens of a text without the special tokens that the file adds.
func (t *Tokenizer) ids(text string) ([]int64, error) {
	var ids []int64
	for _, p := range t.added.pieces(text, t.normalize) {
		if p.token {
			ids = append(ids, p.id)
			continue
		}
		words := []string{p.text}
		if t.split != nil {
			words = t.split(p.text)
		}
		for _, word := range words {
			tokens, err := t.model.tokens(word)
			if err != nil {
				return nil, err
			}
			ids = append(ids, tokens...)
		}
	}
	return ids, nil
}

// Decode turns ids into text, skipping unknown ids, and special ones with withoutSpecial. Errors: the file has an
// unsupported decoder.
func (t *Tokenizer) Decode(ids []int64, withoutSpecial bool) (string, error) {
	if t.noDecoder != nil {
		return "", t.noDecoder
	}
	var tokens []string
	for _, id := range ids {
		token, ok := t.added.names[id]
		if !ok {
			token, ok = t.model.token(id)
		}
		if ok && !(withoutSpecial && t.added.special[id]) {
			tokens = append(tokens, token)
		}
	}
	if len(tokens) == 0 {
		return "", nil
	}
	return joinTokens(t.decode, tokens), nil
}

// truncation cuts texts that are too long.
type truncation struct {
	most int
	left bool // the beginning is cut off
}

// cut truncates ids such that the added special tokens fit.
func (t *truncation) cut(ids []int64, added int) ([]int64, error) {
	limit := t.most - added
	switch {
	case limit < 0:
		return nil, fmt.Errorf("truncation to %d tokens leaves no room for %d special tokens", t.most, added)
	case len(ids) <= limit:
		return ids, nil
	case t.left:
		return ids[len(ids)-limit:], nil
	}
	return ids[:limit], nil
}

// padding fills texts up.
type padding struct {
	fixed    int // length; 0: the length of the text
	multiple int // divisor of lengths; 0: any
	left     bool
	id, kind int64
}

// maxPadded bounds the length to which a text is filled up.
const maxPadded = 1 << 20

// pad pads a text to the length in the file.
func (p *padding) pad(e *Encoding) {
	length := max(p.fixed, len(e.IDs))
	if p.fixed > 0 {
		length = p.fixed
	}
	if p.multiple > 0 && length%p.multiple > 0 {
		length += p.multiple - length%p.multiple
	}
	n := length - len(e.IDs)
	if n <= 0 {
		return
	}
	fill := func(list *[]int64, v int64) {
		more := make([]int64, n)
		for i := range more {
			more[i] = v
		}
		if p.left {
			*list = append(more, *list...)
		} else {
			*list = append(*list, more...)
		}
	}
	fill(&e.IDs, p.id)
	fill(&e.Types, p.kind)
	fill(&e.Mask, 0)
}

// errUnknown reports that there is no token for unknown characters.
var errUnknown = errors.New("the text has characters that the vocabulary lacks, and there is no unknown token")
