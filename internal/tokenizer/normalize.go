// Normalizers: changes of a text before it is split.

package tokenizer

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"repscope/internal/text"
)

// normalizer changes a text.
type normalizer func(string) string

// part is a part of the file: its type, and all the rest.
type part struct {
	Type string `json:"type"`
	raw  json.RawMessage
}

// partOf reads the type of a part; nil where there is none.
func partOf(what string, raw json.RawMessage) (*part, error) {
	if len(raw) == 0 || string(raw) == "null" {
		return nil, nil
	}
	p := &part{raw: raw}
	if err := json.Unmarshal(raw, p); err != nil || p.Type == "" {
		return nil, fmt.Errorf("the %s has no type: it is %.60s", what, raw)
	}
	return p, nil
}

// into reads the rest of a part.
func (p *part) into(what string, to any) error {
	if err := text.Unmarshal(p.raw, to); err != nil {
		return fmt.Errorf("the %s %s: %w", what, p.Type, err)
	}
	return nil
}

// notRead is the error for a part that is not known.
func notRead(what, kind, known string) error {
	return fmt.Errorf("the %s is %s, want one of %s", what, kind, known)
}

const knownNormalizers = "BertNormalizer, NFC, NFD, NFKC, NFKD, Lowercase, StripAccents, Strip, Replace, Prepend and sequences of them"

// maxNested bounds how deep sequences lie in sequences.
const maxNested = 16

// parseNormalizer reads a normalizer; nil where there is none.
func parseNormalizer(raw json.RawMessage, depth int) (normalizer, error) {
	const what = "normalizer"
	p, err := partOf(what, raw)
	if p == nil || err != nil {
		return nil, err
	}
	switch p.Type {
	case "BertNormalizer":
		o := bertNormalizer{Clean: true, Chinese: true, Lower: true}
		err = p.into(what, &o)
		return o.normalize, err
	case "NFC", "NFD", "NFKC", "NFKD":
		form := map[string]norm.Form{"NFC": norm.NFC, "NFD": norm.NFD, "NFKC": norm.NFKC, "NFKD": norm.NFKD}[p.Type]
		return func(s string) string { return normalForm(s, form) }, nil
	case "Lowercase":
		return lower, nil
	case "StripAccents":
		return func(s string) string { return without(s, unicode.IsMark) }, nil
	case "Strip":
		o := struct {
			Left  bool `json:"strip_left"`
			Right bool `json:"strip_right"`
		}{true, true}
		err = p.into(what, &o)
		return func(s string) string { return strip(s, o.Left, o.Right) }, err
	case "Replace":
		return parseReplace(p)
	case "Prepend":
		var o struct {
			Prepend string `json:"prepend"`
		}
		err = p.into(what, &o)
		return func(s string) string {
			if s == "" {
				return s
			}
			return o.Prepend + s
		}, err
	case "Sequence":
		return parseNormalizers(p, depth)
	}
	return nil, notRead(what, p.Type, knownNormalizers)
}

// strip removes white space at the ends.
func strip(s string, leading, right bool) string {
	if leading {
		s = strings.TrimLeftFunc(s, unicode.IsSpace)
	}
	if right {
		s = strings.TrimRightFunc(s, unicode.IsSpace)
	}
	return s
}

// parseNormalizers reads a sequence.
func parseNormalizers(p *part, depth int) (normalizer, error) {
	var o struct {
		List []json.RawMessage `json:"normalizers"`
	}
	if err := p.into("normalizer", &o); err != nil {
		return nil, err
	}
	if depth == maxNested {
		return nil, fmt.Errorf("sequences of normalizers are nested more than %d deep", maxNested)
	}
	var all []normalizer
	for _, raw := range o.List {
		n, err := parseNormalizer(raw, depth+1)
		if err != nil {
			return nil, err
		}
		if n != nil {
			all = append(all, n)
		}
	}
	return func(s string) string {
		for _, n := range all {
			s = n(s)
		}
		return s
	}, nil
}

// parseReplace reads a replacement of a text or of a regular expression.
func parseReplace(p *part) (normalizer, error) {
	var o struct {
		Pattern json.RawMessage `json:"pattern"`
		Content string          `json:"content"`
	}
	if err := p.into("normalizer", &o); err != nil {
		return nil, err
	}
	find, err := parsePattern(o.Pattern)
	if err != nil {
		return nil, fmt.Errorf("the normalizer Replace: %w", err)
	}
	return func(s string) string {
		var b strings.Builder
		for _, m := range find.matches(s) {
			if m.match {
				b.WriteString(o.Content)
			} else {
				b.WriteString(s[m.lo:m.hi])
			}
		}
		return b.String()
	}, nil
}

// bertNormalizer is the normalizer of BERT.
type bertNormalizer struct {
	Clean   bool  `json:"clean_text"`
	Chinese bool  `json:"handle_chinese_chars"`
	Accents *bool `json:"strip_accents"` // null: as Lower
	Lower   bool  `json:"lowercase"`
}

func (o *bertNormalizer) normalize(s string) string {
	if o.Clean {
		s = strings.Map(cleanRune, s)
	}
	if o.Chinese {
		s = apartChinese(s)
	}
	if o.Accents == nil && o.Lower || o.Accents != nil && *o.Accents {
		s = without(normalForm(s, norm.NFD), func(r rune) bool { return unicode.Is(unicode.Mn, r) })
	}
	if o.Lower {
		s = lower(s)
	}
	return s
}

// cleanRune drops control characters and makes spaces alike.
func cleanRune(r rune) rune {
	switch {
	case r == '\t' || r == '\n' || r == '\r':
		return ' '
	case r == 0 || r == 0xfffd || unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co):
		return -1
	case unicode.IsSpace(r):
		return ' '
	}
	return r
}

// apartChinese puts spaces around Chinese characters.
func apartChinese(s string) string {
	if strings.IndexFunc(s, isChinese) < 0 {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if isChinese(r) {
			b.WriteRune(' ')
			b.WriteRune(r)
			b.WriteRune(' ')
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}
