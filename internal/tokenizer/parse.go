// The file as a whole.

package tokenizer

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"repscope/internal/text"
)

// file is a tokenizer.json.
type file struct {
	Truncation *struct {
		Direction string `json:"direction"`
		Most      int    `json:"max_length"`
		Strategy  string `json:"strategy"`
	} `json:"truncation"`
	Padding *struct {
		Strategy  json.RawMessage `json:"strategy"`
		Direction string          `json:"direction"`
		Multiple  *int            `json:"pad_to_multiple_of"`
		ID        int64           `json:"pad_id"`
		Type      int64           `json:"pad_type_id"`
	} `json:"padding"`
	Added      json.RawMessage `json:"added_tokens"`
	Normalizer json.RawMessage `json:"normalizer"`
	Split      json.RawMessage `json:"pre_tokenizer"`
	Post       json.RawMessage `json:"post_processor"`
	Decoder    json.RawMessage `json:"decoder"`
	Model      json.RawMessage `json:"model"`
}

// Parse reads a tokenizer.json; name is the name of the file. Errors name the file and the part: no JSON, an
// unsupported part ("the model is Unigram; WordPiece and BPE are read"), a vocabulary, merges or added tokens that
// contradict each other, a regular expression with lookahead. An unsupported decoder is an error of [Tokenizer.Decode]
// only.
func Parse(name string, data []byte) (*Tokenizer, error) {
	t, err := parse(name, bytes.TrimPrefix(data, []byte("\ufeff")))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return t, nil
}

func parse(name string, data []byte) (*Tokenizer, error) {
	var f file
	if err := text.Unmarshal(data, &f); err != nil {
		return nil, fmt.Errorf("it is not a tokenizer: %w", err)
	}
	t := &Tokenizer{}
	var err error
	if t.model, err = parseModel(f.Model); err != nil {
		return nil, err
	}
	if t.normalize, err = parseNormalizer(f.Normalizer, 0); err != nil {
		return nil, err
	}
	if t.split, err = parseSplit(f.Split, 0); err != nil {
		return nil, err
	}
	if err := t.post.parse(f.Post, 0); err != nil {
		return nil, err
	}
	if t.added, err = parseAdded(f.Added, t.model, t.normalize); err != nil {
		return nil, err
	}
	if err := t.parseTruncation(&f); err != nil {
		return nil, err
	}
	if err := t.parsePadding(&f); err != nil {
		return nil, err
	}
	t.checkDecoder(name, f.Decoder)
	return t, nil
}

// direction reads a side; empty is the right one.
func direction(what, side string) (isLeft bool, err error) {
	if side != "" && side != "Left" && side != "Right" {
		return false, fmt.Errorf("the direction of %s is %q, want Left or Right", what, side)
	}
	return side == "Left", nil
}

func (t *Tokenizer) parseTruncation(f *file) error {
	o := f.Truncation
	if o == nil {
		return nil
	}
	isLeft, err := direction("truncation", o.Direction)
	switch {
	case err != nil:
		return err
	case o.Most < 0:
		return fmt.Errorf("truncation to %d tokens, want 0 or more", o.Most)
	case o.Strategy == "OnlySecond":
		return errors.New("the truncation cuts the second text alone (OnlySecond), and there is only one")
	}
	t.truncation = &truncation{most: o.Most, left: isLeft}
	return nil
}

func (t *Tokenizer) parsePadding(f *file) error {
	o := f.Padding
	if o == nil {
		return nil
	}
	isLeft, err := direction("padding", o.Direction)
	if err != nil {
		return err
	}
	p := &padding{left: isLeft, id: o.ID, kind: o.Type}
	if o.Multiple != nil {
		p.multiple = *o.Multiple
	}
	var fixed struct {
		Fixed *int `json:"Fixed"`
	}
	if json.Unmarshal(o.Strategy, &fixed) == nil && fixed.Fixed != nil {
		p.fixed = *fixed.Fixed
	} else if string(o.Strategy) != `"BatchLongest"` && len(o.Strategy) > 0 {
		return fmt.Errorf(`the strategy of padding is %.60s, want "BatchLongest" or {"Fixed": length}`, o.Strategy)
	}
	if p.fixed < 0 || p.fixed > maxPadded || p.multiple < 0 || p.multiple > maxPadded {
		return fmt.Errorf("padding to %d tokens, a multiple of %d: want 0 to %d", p.fixed, p.multiple, maxPadded)
	}
	t.padding = p
	return nil
}
