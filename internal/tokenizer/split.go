// Pre-tokenizers: how a text is split before a model sees it.

package tokenizer

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// preTokenizer splits a piece of text.
type preTokenizer func(piece string) []string

const knownSplits = "BertPreTokenizer, ByteLevel, Whitespace, WhitespaceSplit, Punctuation, Digits, Split and sequences of them"

// parseSplit reads a pre-tokenizer; nil where there is none.
func parseSplit(raw json.RawMessage, depth int) (preTokenizer, error) {
	const what = "pre-tokenizer"
	p, err := partOf(what, raw)
	if p == nil || err != nil {
		return nil, err
	}
	switch p.Type {
	case "BertPreTokenizer":
		return chain(splitter(runePattern(unicode.IsSpace), removed), splitter(runePattern(isPunctuation), isolated)), nil
	case "ByteLevel":
		o := byteLevel{Prefix: true, Words: true}
		err = p.into(what, &o)
		return o.split, err
	case "Whitespace":
		return wordsAndSigns, nil
	case "WhitespaceSplit":
		return splitter(runePattern(unicode.IsSpace), removed), nil
	case "Punctuation":
		o := struct {
			Behavior behavior `json:"behavior"`
		}{isolated}
		err = p.into(what, &o)
		return splitter(runePattern(isPunctuation), o.Behavior), err
	case "Digits":
		var o struct {
			Each bool `json:"individual_digits"`
		}
		err = p.into(what, &o)
		if o.Each {
			return splitter(runePattern(unicode.IsNumber), isolated), err
		}
		return splitter(runePattern(unicode.IsNumber), contiguous), err
	case "Split":
		return parsePatternSplit(p)
	case "Sequence":
		return parseSplits(p, depth)
	}
	return nil, notRead(what, p.Type, knownSplits)
}

// parseSplits reads a sequence.
func parseSplits(p *part, depth int) (preTokenizer, error) {
	var o struct {
		List []json.RawMessage `json:"pretokenizers"`
	}
	if err := p.into("pre-tokenizer", &o); err != nil {
		return nil, err
	}
	if depth == maxNested {
		return nil, fmt.Errorf("sequences of pre-tokenizers are nested more than %d deep", maxNested)
	}
	var all []preTokenizer
	for _, raw := range o.List {
		s, err := parseSplit(raw, depth+1)
		if err != nil {
			return nil, err
		}
		if s != nil {
			all = append(all, s)
		}
	}
	return chain(all...), nil
}

// parsePatternSplit reads a split by a pattern.
func parsePatternSplit(p *part) (preTokenizer, error) {
	o := struct {
		Pattern  json.RawMessage `json:"pattern"`
		Behavior behavior        `json:"behavior"`
		Invert   bool            `json:"invert"`
	}{Behavior: isolated}
	if err := p.into("pre-tokenizer", &o); err != nil {
		return nil, err
	}
	find, err := parsePattern(o.Pattern)
	if err != nil {
		return nil, fmt.Errorf("the pre-tokenizer Split: %w", err)
	}
	if o.Invert {
		find = inverse{find}
	}
	return splitter(find, o.Behavior), nil
}

// inverse matches the text between matches of a pattern.
type inverse struct{ pattern }

func (p inverse) matches(s string) []span {
	all := p.pattern.matches(s)
	for i := range all {
		all[i].match = !all[i].match
	}
	return all
}

// chain splits the pieces of the previous splitter.
func chain(all ...preTokenizer) preTokenizer {
	return func(piece string) []string {
		pieces := []string{piece}
		for _, split := range all {
			var next []string
			for _, p := range pieces {
				next = append(next, split(p)...)
			}
			pieces = next
		}
		return pieces
	}
}

// behavior is the treatment of matches of a pattern.
type behavior int

// The behaviors.
const (
	isolated     behavior = iota // a piece of its own
	removed                      // dropped
	contiguous                   // matches that follow each other are a piece
	withPrevious                 // joins the piece before it
	withNext                     // joins the piece after it
)

var behaviors = []string{"Isolated", "Removed", "Contiguous", "MergedWithPrevious", "MergedWithNext"}

// UnmarshalText reads the name of a behavior.
func (b *behavior) UnmarshalText(text []byte) error {
	i := slices.Index(behaviors, string(text))
	if i < 0 {
		return fmt.Errorf("the behavior is %q, want one of %s", text, strings.Join(behaviors, ", "))
	}
	*b = behavior(i)
	return nil
}

// splitter splits at matches of a pattern; empty pieces are dropped.
func splitter(find pattern, b behavior) preTokenizer {
	return func(piece string) []string {
		var out []string
		for _, m := range b.join(find.matches(piece)) {
			if m.lo < m.hi {
				out = append(out, piece[m.lo:m.hi])
			}
		}
		return out
	}
}

// join makes the pieces from matches.
func (b behavior) join(all []span) []span {
	var out []span
	before := false
	switch b {
	case removed:
		return slices.DeleteFunc(all, func(m span) bool { return m.match })
	case contiguous, withPrevious:
		for _, m := range all {
			joins := m.match && !before
			if b == contiguous {
				joins = m.match == before
			}
			if joins && len(out) > 0 {
				out[len(out)-1].hi = m.hi
			} else {
				out = append(out, m)
			}
			before = m.match
		}
		return out
	case withNext:
		for _, m := range slices.Backward(all) {
			if m.match && !before && len(out) > 0 {
				out[len(out)-1].lo = m.lo
			} else {
				out = append(out, m)
			}
			before = m.match
		}
		slices.Reverse(out)
		return out
	}
	return all
}

// wordsAndSigns splits into runs of letters and of signs, without white space.
func wordsAndSigns(piece string) []string {
	kind := func(r rune) int {
		switch {
		case isWord(r):
			return 1
		case unicode.IsSpace(r):
			return 0
		}
		return 2
	}
	var out []string
	start, last := 0, 0
	for i, r := range piece {
		k := kind(r)
		if k != last {
			if last != 0 {
				out = append(out, piece[start:i])
			}
			start, last = i, k
		}
	}
	if last != 0 {
		out = append(out, piece[start:])
	}
	return out
}

// byteLevel writes every byte as a character that can be seen.
type byteLevel struct {
	Prefix bool `json:"add_prefix_space"`
	Words  bool `json:"use_regex"`
}

func (o *byteLevel) split(piece string) []string {
	if o.Prefix && !strings.HasPrefix(piece, " ") {
		piece = " " + piece
	}
	if !o.Words {
		return []string{visible(piece)}
	}
	var out []string
	for len(piece) > 0 {
		n := wordLength(piece)
		out = append(out, visible(piece[:n]))
		piece = piece[n:]
	}
	return out
}

// wordLength is the length of the first word of a text that is not empty: a clitic, a run of letters, of numbers or of
// other signs, each with one space before it, or white space without its last character if a word follows. It is the
// pattern of Radford et al. 2019: 's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
func wordLength(s string) int {
	for _, clitic := range []string{"'s", "'t", "'re", "'ve", "'m", "'ll", "'d"} {
		if strings.HasPrefix(s, clitic) {
			return len(clitic)
		}
	}
	from := 0
	if s[0] == ' ' {
		from = 1
	}
	first, _ := utf8.DecodeRuneInString(s[from:])
	if from < len(s) && !unicode.IsSpace(first) {
		kind := wordKind(first)
		if n := strings.IndexFunc(s[from:], func(r rune) bool { return wordKind(r) != kind }); n >= 0 {
			return from + n
		}
		return len(s)
	}
	n := strings.IndexFunc(s, func(r rune) bool { return !unicode.IsSpace(r) })
	if n < 0 {
		return len(s)
	}
	if _, last := utf8.DecodeLastRuneInString(s[:n]); n > last {
		n -= last
	}
	return n
}

// wordKind is the kind of a character: letter, number, white space or other.
func wordKind(r rune) int {
	switch {
	case unicode.IsLetter(r):
		return 1
	case unicode.IsNumber(r):
		return 2
	case unicode.IsSpace(r):
		return 3
	}
	return 0
}

// byteRunes are the characters that represent bytes: visible ones represent themselves, the others follow each other
// from U+0100 on.
var byteRunes = func() (table [256]rune) {
	next := rune(256)
	for b := range table {
		if b >= '!' && b <= '~' || b >= 0xa1 && b <= 0xac || b >= 0xae {
			table[b] = rune(b)
		} else {
			table[b] = next
			next++
		}
	}
	return table
}()

// runeBytes are the bytes represented by characters.
var runeBytes = func() map[rune]byte {
	table := map[rune]byte{}
	for b, r := range byteRunes {
		table[r] = byte(b)
	}
	return table
}()

// visible writes the bytes of a text as characters.
func visible(s string) string {
	var b strings.Builder
	for i := range len(s) {
		b.WriteRune(byteRunes[s[i]])
	}
	return b.String()
}
