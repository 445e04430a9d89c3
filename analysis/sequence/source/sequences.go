// Package source opens what package sequence evaluates: tables of sequences and of measured variants, what a model
// answered elsewhere, and models that are run. It writes the plans that say what a model that is run elsewhere must
// be shown.
package source

import (
	"fmt"
	"math"
	"strings"

	"repscope/analysis/sequence"
	"repscope/dataset/protein"
	"repscope/internal/text"
	"repscope/measure/token"
)

// FileSequences are the sequences of a table or FASTA file: see [OpenSequences].
type FileSequences struct {
	*protein.File
	alphabet *token.Alphabet
	letters  [256]int32 // the token of a letter
	knows    sequence.Needs
}

// OpenSequences opens a file of sequences. Tokens are the special one that begins a sequence,
// the residues of the heavy and of the light chain, and the one that ends it; special tokens
// that the alphabet lacks are left out, and the others belong to the chain next to
// them. A chain without a CDR mask has no CDR; residues of a chain without a mask of
// non-templated ones are −1 in [sequence.Record].NonTemplated where the other chain has one.
//
// Errors are the errors of [protein.Open]; letters must be tokens of the alphabet. The
// options' Letters are not used.
func OpenSequences(path string, o protein.Options, alphabet *token.Alphabet) (*FileSequences, error) {
	s := &FileSequences{alphabet: alphabet}
	o.Letters = ""
	for id, name := range alphabet.Names {
		if len(name) == 1 && !special(alphabet, id) {
			o.Letters += name
			s.letters[name[0]] = int32(id)
		}
	}
	if o.Letters == "" {
		return nil, fmt.Errorf("%s: the vocabulary has no single-letter tokens, so letter sequences cannot be "+
			"read; use a dump of tokens", path)
	}
	var err error
	if s.File, err = protein.Open(path, o); err != nil {
		return nil, err
	}
	for need, roles := range map[sequence.Needs][2]string{sequence.NeedRegions: {"heavy_cdr", "light_cdr"}, sequence.NeedGermline: {"heavy_non_templated", "light_non_templated"},
		sequence.NeedCoordinates: {"heavy_coords", "light_coords"}} {
		if (s.Has(roles[0]) || s.Has(roles[1])) && !(need == sequence.NeedCoordinates && o.NoCoordinates) {
			s.knows |= need
		}
	}
	if s.Has("heavy") && s.Has("light") {
		s.knows |= sequence.NeedChains
	}
	return s, nil
}

// aminoAcids are the 20 amino acids of proteins.
const aminoAcids = "ACDEFGHIKLMNPQRSTVWY"

// Notes are the notes of the file, and which letters are none of the amino acids and yet tokens of their own.
func (s *FileSequences) Notes() []string {
	notes := s.File.Notes()
	for i := range len(aminoAcids) {
		if s.letters[aminoAcids[i]] == 0 && s.alphabet.Names[0] != aminoAcids[i:i+1] {
			return notes // another alphabet
		}
	}
	var odd []string
	total := 0
	for letter, n := range s.LetterCounts() {
		if n > 0 && !strings.ContainsRune(aminoAcids, rune(letter)) {
			odd, total = append(odd, fmt.Sprintf("%c %d", letter, n)), total+n
		}
	}
	if total > 0 {
		notes = append(notes, fmt.Sprintf(
			"%s: %s outside the 20 amino acids (%s), masked and scored like all other tokens",
			s.Path(), text.Count(total, "residue"), strings.Join(odd, ", ")))
	}
	return notes
}

// special reports whether a token is no residue.
func special(a *token.Alphabet, id int) bool {
	return id == a.CLS || id == a.Pad || id == a.EOS || id == a.Mask
}

// Knows implements [sequence.Sequences].
func (s *FileSequences) Knows() sequence.Needs { return s.knows }

// Read implements [sequence.Sequences].
func (s *FileSequences) Read(i int, r *sequence.Record) error {
	var read protein.Sequence
	if err := s.File.Read(i, &read); err != nil {
		return err
	}
	*r = sequence.Record{Index: i, ID: read.ID, Cluster: s.Clusters()[i]}
	n := len(read.Chains[0]) + len(read.Chains[1]) + 2
	r.Tokens, r.Chains, r.Special = make([]int32, 0, n), make([]int8, 0, n), make([]bool, 0, n)
	if read.CDR[0] != "" || read.CDR[1] != "" {
		r.CDR = make([]int8, 0, n)
	}
	if read.NonTemplated[0] != "" || read.NonTemplated[1] != "" {
		r.NonTemplated = make([]int8, 0, n)
	}
	if read.Coordinates[0] != nil || read.Coordinates[1] != nil {
		r.Coordinates = make([]float32, 0, 3*n)
	}
	first, last := int8(0), int8(1)
	if read.Chains[0] == "" {
		first = 1
	}
	if read.Chains[1] == "" {
		last = 0
	}
	if s.alphabet.CLS >= 0 {
		add(r, int32(s.alphabet.CLS), first, true, 0, 0, nil)
	}
	for k, letters := range read.Chains {
		for i := range len(letters) {
			var point []float32
			if read.Coordinates[k] != nil {
				point = read.Coordinates[k][3*i : 3*i+3]
			}
			add(r, s.letters[letters[i]], int8(k), false, digit(read.CDR[k], i, 0), digit(read.NonTemplated[k], i, -1), point)
		}
	}
	if s.alphabet.EOS >= 0 {
		add(r, int32(s.alphabet.EOS), last, true, 0, 0, nil)
	}
	return nil
}

// digit is the i-th of a mask, or what stands for one that is not known.
func digit(mask string, i int, unknown int8) int8 {
	if mask == "" {
		return unknown
	}
	return int8(mask[i] - '0')
}

// add appends a token to the lists that there are.
func add(r *sequence.Record, id int32, chain int8, special bool, cdr, nonTemplated int8, point []float32) {
	r.Tokens, r.Chains, r.Special = append(r.Tokens, id), append(r.Chains, chain), append(r.Special, special)
	if r.CDR != nil {
		r.CDR = append(r.CDR, cdr)
	}
	if r.NonTemplated != nil {
		r.NonTemplated = append(r.NonTemplated, nonTemplated)
	}
	if r.Coordinates != nil {
		if point == nil {
			nan := float32(math.NaN())
			point = []float32{nan, nan, nan}
		}
		r.Coordinates = append(r.Coordinates, point...)
	}
}

// annotate enters what another source knows of the sequence: its residues are the ones of the
// record, whose special tokens may be others. chains says that the chains are taken too.
func annotate(r *sequence.Record, from sequence.Sequences, chains bool, place string) error {
	var other sequence.Record
	if err := from.Read(r.Index, &other); err != nil {
		return err
	}
	residues := other.Residues()
	letters := r.Residues()
	if len(letters) != len(residues) {
		return fmt.Errorf(
			"%s has %d residues, but sequence %s of --sequences has %d", place, len(letters), other.ID, len(residues))
	}
	for k, i := range letters {
		if r.Tokens[i] != other.Tokens[residues[k]] {
			return fmt.Errorf("%s: the residue at position %d is token %d, but sequence %[5]s of --sequences has "+
				"token %[4]d", place, i, r.Tokens[i], other.Tokens[residues[k]], other.ID)
		}
	}
	r.ID, r.Cluster = other.ID, other.Cluster
	take := func(to *[]int8, from []int8) {
		if from == nil {
			return
		}
		*to = make([]int8, len(r.Tokens))
		for k, i := range letters {
			(*to)[i] = from[residues[k]]
		}
	}
	take(&r.CDR, other.CDR)
	take(&r.NonTemplated, other.NonTemplated)
	if chains {
		take(&r.Chains, other.Chains)
		chainSpecial(r, letters)
	}
	if other.Coordinates != nil {
		r.Coordinates = make([]float32, 3*len(r.Tokens))
		for i := range r.Coordinates {
			r.Coordinates[i] = float32(math.NaN())
		}
		for k, i := range letters {
			copy(r.Coordinates[3*i:3*i+3], other.Coordinates[3*residues[k]:])
		}
	}
	return nil
}

// chainSpecial gives special tokens the chain of the residue before them, the first ones that
// of the residue behind.
func chainSpecial(r *sequence.Record, residues []int) {
	if len(residues) == 0 {
		return
	}
	chain := r.Chains[residues[0]]
	for i, special := range r.Special {
		if special {
			r.Chains[i] = chain
		}
		chain = r.Chains[i]
	}
}

// hintTargets says how true tokens are given.
func hintTargets(err error) error {
	return text.WithHint(err, "add targets [N,L] with the true tokens, or labels as in Hugging Face: the true "+
		"token at masked positions, −100 elsewhere")
}

// hintPlan says how answers and questions come together.
func hintPlan(err error) error {
	return text.WithHint(err, "write the mask plan with the same --region-mode, --regions and --metrics as this run")
}
