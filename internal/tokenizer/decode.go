// Decoders: how tokens become text.

package tokenizer

import (
	"encoding/json"
	"fmt"
	"strings"
)

// decoder changes tokens, which are joined afterwards.
type decoder func(tokens []string) []string

// joinTokens is the text of tokens.
func joinTokens(d decoder, tokens []string) string {
	if d == nil {
		return strings.Join(tokens, " ")
	}
	return strings.Join(d(tokens), "")
}

const knownDecoders = "WordPiece, ByteLevel, BPEDecoder, Fuse, Replace, Strip and sequences of them"

// parseDecoder reads a decoder; nil where there is none.
func parseDecoder(raw json.RawMessage, depth int) (decoder, error) {
	const what = "decoder"
	p, err := partOf(what, raw)
	if p == nil || err != nil {
		return nil, err
	}
	switch p.Type {
	case "WordPiece":
		o := wordPieceDecoder{Prefix: "##", Cleanup: true}
		err = p.into(what, &o)
		return o.decode, err
	case "ByteLevel":
		return decodeBytes, nil
	case "BPEDecoder":
		o := suffixDecoder{Suffix: "</w>"}
		err = p.into(what, &o)
		return o.decode, err
	case "Fuse":
		return func(tokens []string) []string { return []string{strings.Join(tokens, "")} }, nil
	case "Replace":
		replace, err := parseReplace(p)
		return func(tokens []string) []string {
			for i := range tokens {
				tokens[i] = replace(tokens[i])
			}
			return tokens
		}, err
	case "Strip":
		var o stripDecoder
		err = p.into(what, &o)
		return o.decode, err
	case "Sequence":
		return parseDecoders(p, depth)
	}
	return nil, notRead(what, p.Type, knownDecoders)
}

// parseDecoders reads a sequence.
func parseDecoders(p *part, depth int) (decoder, error) {
	var o struct {
		List []json.RawMessage `json:"decoders"`
	}
	if err := p.into("decoder", &o); err != nil {
		return nil, err
	}
	if depth == maxNested {
		return nil, fmt.Errorf("sequences of decoders are nested more than %d deep", maxNested)
	}
	var all []decoder
	for _, raw := range o.List {
		d, err := parseDecoder(raw, depth+1)
		if err != nil {
			return nil, err
		}
		if d != nil {
			all = append(all, d)
		}
	}
	return func(tokens []string) []string {
		for _, d := range all {
			tokens = d(tokens)
		}
		return tokens
	}, nil
}

// wordPieceDecoder joins continuations to their word, and signs to the word before them.
type wordPieceDecoder struct {
	Prefix  string `json:"prefix"`
	Cleanup bool   `json:"cleanup"`
}

// untidy are the spaces that are dropped, one kind after the other.
var untidy = []string{" .", ".", " ?", "?", " !", "!", " ,", ",", " ' ", "'", " n't", "n't", " 'm", "'m", " do not", " don't",
	" 's", "'s", " 've", "'ve", " 're", "'re"}

func (d *wordPieceDecoder) decode(tokens []string) []string {
	for i, token := range tokens {
		if i > 0 {
			if rest, ok := strings.CutPrefix(token, d.Prefix); ok {
				token = rest
			} else {
				token = " " + token
			}
		}
		if d.Cleanup {
			for k := 0; k < len(untidy); k += 2 {
				token = strings.ReplaceAll(token, untidy[k], untidy[k+1])
			}
		}
		tokens[i] = token
	}
	return tokens
}

// suffixDecoder ends words.
type suffixDecoder struct {
	Suffix string `json:"suffix"`
}

func (d *suffixDecoder) decode(tokens []string) []string {
	for i, token := range tokens {
		space := " "
		if i == len(tokens)-1 {
			space = ""
		}
		tokens[i] = strings.ReplaceAll(token, d.Suffix, space)
	}
	return tokens
}

// stripDecoder drops a character at the ends of tokens.
type stripDecoder struct {
	Content string `json:"content"`
	Start   int    `json:"start"`
	Stop    int    `json:"stop"`
}

func (d *stripDecoder) decode(tokens []string) []string {
	for i, token := range tokens {
		for range d.Start {
			rest, ok := strings.CutPrefix(token, d.Content)
			if !ok || d.Content == "" {
				break
			}
			token = rest
		}
		for range d.Stop {
			rest, ok := strings.CutSuffix(token, d.Content)
			if !ok || d.Content == "" {
				break
			}
			token = rest
		}
		tokens[i] = token
	}
	return tokens
}

// decodeBytes decodes characters that represent bytes; a token with another character keeps its own bytes.
func decodeBytes(tokens []string) []string {
	var data []byte
	for _, token := range tokens {
		start := len(data)
		for _, r := range token {
			b, ok := runeBytes[r]
			if !ok {
				data = append(data[:start], token...)
				break
			}
			data = append(data, b)
		}
	}
	return []string{valid(data)}
}

// checkDecoder keeps the error of a decoder until it is needed: text can be encoded without.
func (t *Tokenizer) checkDecoder(name string, raw json.RawMessage) {
	d, err := parseDecoder(raw, 0)
	if err != nil {
		t.noDecoder = fmt.Errorf("%s: %w", name, err)
		return
	}
	t.decode = d
}
