// Post-processors: the special tokens around a text.

package tokenizer

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
)

// postProcessor adds special tokens around the tokens of a text; the zero value adds none.
type postProcessor struct{ steps []template }

// template is the result for a text: special tokens and the text itself, each with its type.
type template []templatePart

// templatePart is a part of a template.
type templatePart struct {
	text bool
	ids  []int64
	kind int64
}

// added is the number of special tokens.
func (p *postProcessor) added() int {
	n := 0
	for _, step := range p.steps {
		for _, part := range step {
			n += len(part.ids)
		}
	}
	return n
}

// apply adds special tokens.
func (p *postProcessor) apply(e *Encoding) {
	for _, step := range p.steps {
		var out Encoding
		for _, part := range step {
			ids := part.ids
			if part.text {
				ids = e.IDs
			}
			out.IDs = append(out.IDs, ids...)
			for range ids {
				out.Types = append(out.Types, part.kind)
			}
		}
		e.IDs, e.Types = out.IDs, out.Types
	}
}

const knownPosts = "BertProcessing, RobertaProcessing, TemplateProcessing, ByteLevel and sequences of them"

// parsePost reads a post-processor and adds its steps.
func (p *postProcessor) parse(raw json.RawMessage, depth int) error {
	const what = "post-processor"
	section, err := partOf(what, raw)
	if section == nil || err != nil {
		return err
	}
	switch section.Type {
	case "ByteLevel": // moves offsets alone
		return nil
	case "BertProcessing", "RobertaProcessing":
		var o struct {
			Sep special `json:"sep"`
			Cls special `json:"cls"`
		}
		if err := section.into(what, &o); err != nil {
			return err
		}
		if o.Sep.name == "" || o.Cls.name == "" {
			return fmt.Errorf("the %s %s has no cls or no sep", what, section.Type)
		}
		p.steps = append(p.steps, template{{ids: []int64{o.Cls.id}}, {text: true}, {ids: []int64{o.Sep.id}}})
		return nil
	case "TemplateProcessing":
		step, err := parseTemplate(section)
		p.steps = append(p.steps, step)
		return err
	case "Sequence":
		var o struct {
			List []json.RawMessage `json:"processors"`
		}
		if err := section.into(what, &o); err != nil {
			return err
		}
		if depth == maxNested {
			return fmt.Errorf("sequences of post-processors are nested more than %d deep", maxNested)
		}
		for _, raw := range o.List {
			if err := p.parse(raw, depth+1); err != nil {
				return err
			}
		}
		return nil
	}
	return notRead(what, section.Type, knownPosts)
}

// special is a token as ["[CLS]", 101].
type special struct {
	name string
	id   int64
}

// UnmarshalJSON reads the pair.
func (s *special) UnmarshalJSON(data []byte) error {
	var pair []json.RawMessage
	if err := json.Unmarshal(data, &pair); err != nil || len(pair) != 2 {
		return fmt.Errorf(`a special token is %.60s, want ["[CLS]", 101]`, data)
	}
	return errors.Join(json.Unmarshal(pair[0], &s.name), json.Unmarshal(pair[1], &s.id))
}

// parseTemplate reads the template of a single text.
func parseTemplate(section *part) (template, error) {
	var o struct {
		Single []struct {
			Special *struct {
				ID   string `json:"id"`
				Type int64  `json:"type_id"`
			} `json:"SpecialToken"`
			Sequence *struct {
				ID   string `json:"id"`
				Type int64  `json:"type_id"`
			} `json:"Sequence"`
		} `json:"single"`
		Tokens map[string]struct {
			IDs []int64 `json:"ids"`
		} `json:"special_tokens"`
	}
	if err := section.into("post-processor", &o); err != nil {
		return nil, err
	}
	var t template
	for i, p := range o.Single {
		switch {
		case p.Special != nil:
			token, ok := o.Tokens[p.Special.ID]
			if !ok {
				return nil, fmt.Errorf("the template has the token %q, which special_tokens does not list", p.Special.ID)
			}
			t = append(t, templatePart{ids: token.IDs, kind: p.Special.Type})
		case p.Sequence != nil && p.Sequence.ID == "A":
			t = append(t, templatePart{text: true, kind: p.Sequence.Type})
		default:
			return nil, fmt.Errorf("part %d of the template of a single text is neither a special token nor the text", i)
		}
	}
	if !slices.ContainsFunc(t, func(p templatePart) bool { return p.text }) {
		return nil, errors.New("the template of a single text does not contain the text")
	}
	return t, nil
}
