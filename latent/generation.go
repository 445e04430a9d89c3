// Configurations of text generation.

package latent

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"repscope/internal/text"
)

// generation are the tokens by which texts begin and end.
type generation struct {
	start, pad int
	ends       []int
	notes      []string
}

// generationConfig are the keys of a configuration, of its parts and of generation_config.json.
type generationConfig struct {
	ModelType string            `json:"model_type"`
	Start     *int              `json:"decoder_start_token_id"`
	Begin     *int              `json:"bos_token_id"`
	End       idList            `json:"eos_token_id"`
	Separator *int              `json:"sep_token_id"`
	Pad       *int              `json:"pad_token_id"`
	Decoder   *generationConfig `json:"decoder"`
	Text      *generationConfig `json:"text_config"`

	Beams       *int     `json:"num_beams"`
	Repetition  *float64 `json:"repetition_penalty"`
	NoRepeat    *int     `json:"no_repeat_ngram_size"`
	MinLength   *int     `json:"min_length"`
	MinNew      *int     `json:"min_new_tokens"`
	ForcedBegin *int     `json:"forced_bos_token_id"`
	ForcedEnd   idList   `json:"forced_eos_token_id"`
	Suppress    []int    `json:"suppress_tokens"`
	Sample      bool     `json:"do_sample"`
}

// idList is one id, a list of them, or null.
type idList []int

// UnmarshalJSON reads any of them.
func (l *idList) UnmarshalJSON(data []byte) error {
	var one *int
	if json.Unmarshal(data, &one) == nil {
		if one != nil {
			*l = idList{*one}
		}
		return nil
	}
	var list []int
	if err := text.Unmarshal(data, &list); err != nil {
		return fmt.Errorf("%.40s is not the id of a token or a list of ids", data)
	}
	*l = list
	return nil
}

// digest is the SHA-256 of a file in hex.
func digest(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// read reads the files; either may be missing. A BLIP model takes its tokens from its text configuration, whatever
// generation_config.json says, as its own generation does.
func (g *generation) read(config, generator []byte) error {
	*g = generation{start: -1, pad: -1}
	var c, extra generationConfig
	for _, f := range []struct {
		name string
		data []byte
		to   *generationConfig
	}{{"config.json", config, &c}, {"generation_config.json", generator, &extra}} {
		if f.data == nil {
			continue
		}
		if err := text.Unmarshal(f.data, f.to); err != nil {
			return fmt.Errorf("%s: %w", f.name, err)
		}
	}
	decoder, text := &generationConfig{}, &generationConfig{}
	if c.Decoder != nil {
		decoder = c.Decoder
	}
	if c.Text != nil {
		text = c.Text
	}
	first := func(list ...*int) int {
		for _, id := range list {
			if id != nil {
				return *id
			}
		}
		return -1
	}
	ends := []idList{extra.End, c.End, decoder.End, text.End, one(text.Separator)}
	starts := []*int{extra.Start, c.Start, decoder.Start, extra.Begin, c.Begin, decoder.Begin, text.Begin}
	if c.ModelType == "blip" {
		ends, starts = []idList{one(text.Separator), text.End}, []*int{text.Begin}
	}
	for _, list := range ends {
		if len(list) > 0 {
			g.ends = list
			break
		}
	}
	g.start = first(starts...)
	g.pad = first(extra.Pad, c.Pad, decoder.Pad, text.Pad)
	for _, from := range []*generationConfig{&extra, &c} {
		g.note(from)
	}
	return nil
}

// one is a list of an id, empty for none.
func one(id *int) idList {
	if id == nil {
		return nil
	}
	return idList{*id}
}

// note lists the settings of a configuration that captions here ignore.
func (g *generation) note(c *generationConfig) {
	above := func(v *int, least int) bool { return v != nil && *v > least }
	for _, setting := range []struct {
		key string
		yes bool
	}{
		{"num_beams", above(c.Beams, 1)}, {"repetition_penalty", c.Repetition != nil && *c.Repetition != 1},
		{"no_repeat_ngram_size", above(c.NoRepeat, 0)}, {"min_length", above(c.MinLength, 0)}, {"min_new_tokens", above(c.MinNew, 0)},
		{"forced_bos_token_id", c.ForcedBegin != nil}, {"forced_eos_token_id", len(c.ForcedEnd) > 0}, {"suppress_tokens", len(c.Suppress) > 0},
		{"do_sample", c.Sample},
	} {
		text := setting.key + " of the configuration is ignored: captions are decoded greedily"
		if setting.yes && !slices.Contains(g.notes, text) {
			g.notes = append(g.notes, text)
		}
	}
}

// override applies the tokens of the options.
func (g *generation) override(o CaptionerOptions) {
	if o.Start != nil {
		g.start = *o.Start
	}
	if o.End != nil {
		g.ends = []int{*o.End}
	}
}

// check finds tokens that are missing.
func (g *generation) check() error {
	switch {
	case g.start < 0:
		return errors.New("no configuration has the first token of a text (decoder_start_token_id or bos_token_id)")
	case len(g.ends) == 0:
		return errors.New("no configuration has the last token of a text (eos_token_id)")
	}
	if g.pad < 0 {
		g.pad = g.ends[0]
	}
	for _, id := range append([]int{g.start, g.pad}, g.ends...) {
		if id < 0 {
			return fmt.Errorf("the token %d is out of range", id)
		}
	}
	return nil
}
