// Mutations as texts, and between sequences.

package variant

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Mutation is the substitution of one residue.
type Mutation struct {
	From     byte // the residue of the wild type, an upper-case letter
	Position int  // counted from 1
	To       byte
}

// String is the mutation as it is written: "A23C".
func (m Mutation) String() string { return string(m.From) + strconv.Itoa(m.Position) + string(m.To) }

// maxPosition bounds positions: the longest known protein has fewer than 50,000 residues.
const maxPosition = 1 << 20

// Parse reads the substitutions of a variant, "A23C:D45E", in any order, and returns them by
// position. "WT" in any case is the wild type: there are none. Errors: anything else, with the
// fault, a substitution of a residue by itself, two at one position.
func Parse(text string) ([]Mutation, error) {
	text = strings.TrimSpace(text)
	if strings.EqualFold(text, "WT") {
		return nil, nil
	}
	if text == "" {
		return nil, errors.New("it is empty; want substitutions such as A23C:D45E, or WT")
	}
	var out []Mutation
	for part := range strings.SplitSeq(text, ":") {
		m, err := parseOne(strings.TrimSpace(part))
		if err != nil {
			return nil, err
		}
		out = append(out, m)
	}
	slices.SortStableFunc(out, func(a, b Mutation) int { return cmp.Compare(a.Position, b.Position) })
	for i := 1; i < len(out); i++ {
		if out[i].Position == out[i-1].Position {
			return nil, fmt.Errorf("%v and %v have the same position", out[i-1], out[i])
		}
	}
	return out, nil
}

// parseOne reads "A23C".
func parseOne(text string) (Mutation, error) {
	if len(text) < 3 || !letter(text[0]) || !letter(text[len(text)-1]) {
		return Mutation{}, fmt.Errorf("%q is not a substitution; want A23C, or several joined by colons", text)
	}
	digits := text[1 : len(text)-1]
	position, err := strconv.Atoi(digits)
	switch {
	case err != nil || digits[0] < '0' || digits[0] > '9':
		return Mutation{}, fmt.Errorf("%q is not a substitution; want A23C, or several joined by colons", text)
	case position < 1 || position > maxPosition:
		return Mutation{}, fmt.Errorf("%q has position %d; want 1 to %d", text, position, maxPosition)
	case text[0] == text[len(text)-1]:
		return Mutation{}, fmt.Errorf("%q replaces %c by itself", text, text[0])
	}
	return Mutation{From: text[0], Position: position, To: text[len(text)-1]}, nil
}

func letter(c byte) bool { return 'A' <= c && c <= 'Z' }

// Format is the text that [Parse] reads; "WT" without mutations.
func Format(mutations []Mutation) string {
	if len(mutations) == 0 {
		return "WT"
	}
	parts := make([]string, len(mutations))
	for i, m := range mutations {
		parts[i] = m.String()
	}
	return strings.Join(parts, ":")
}

// Apply returns the wild type with mutations. Errors: one behind its end, or whose residue differs
// from the wild type.
func Apply(wildType string, mutations []Mutation) (string, error) {
	out := []byte(wildType)
	for _, m := range mutations {
		if m.Position < 1 || m.Position > len(wildType) {
			return "", fmt.Errorf("%v is outside the %d residues of the wild type", m, len(wildType))
		}
		if found := wildType[m.Position-1]; found != m.From {
			return "", fmt.Errorf("%v: the wild type has %c at %d%s", m, found, m.Position, shifted(wildType, mutations))
		}
		out[m.Position-1] = m.To
	}
	return string(out), nil
}

// shifted says by how much positions are off, if one shift of at most 1,000 puts all residues of
// mutations right: the numbering of tables often begins elsewhere than the numbering of sequences. One
// mutation is not enough to tell.
func shifted(wildType string, mutations []Mutation) string {
	if len(mutations) < 2 {
		return ""
	}
	for size := 1; size <= 1000; size++ {
		for _, by := range [2]int{size, -size} {
			if !slices.ContainsFunc(mutations, func(m Mutation) bool {
				i := m.Position - 1 + by
				return i < 0 || i >= len(wildType) || wildType[i] != m.From
			}) {
				return fmt.Sprintf("; its residues are at positions %+d", by)
			}
		}
	}
	return ""
}

// Between returns the substitutions that make a sequence of a wild type, by position. Errors:
// sequences of different lengths, letters that are none.
func Between(wildType, sequence string) ([]Mutation, error) {
	if len(wildType) != len(sequence) {
		return nil, fmt.Errorf("the mutated sequence has %d residues, but the wild type has %d: insertions and "+
			"deletions are not supported",
			len(sequence), len(wildType))
	}
	var out []Mutation
	for i := range len(wildType) {
		if wildType[i] == sequence[i] {
			continue
		}
		if !letter(wildType[i]) || !letter(sequence[i]) {
			return nil, fmt.Errorf(
				"position %d has %q instead of %q; want upper-case letters", i+1, sequence[i], wildType[i])
		}
		out = append(out, Mutation{From: wildType[i], Position: i + 1, To: sequence[i]})
	}
	return out, nil
}
