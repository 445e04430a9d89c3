// Tables of substitutions, and which sequences of a dataset they are of.

package source

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"maps"
	"math"
	"slices"
	"strings"

	"repscope/analysis/sequence"
	"repscope/dataset"
	"repscope/dataset/protein"
	"repscope/internal/text"
	"repscope/measure/token"
	"repscope/measure/variant"
)

// SubstitutionFile is a table of variants; see [protein.ReadSubstitutions].
type SubstitutionFile struct {
	Assay string // of rows that do not say theirs
	Spec  string // FILE or FILE:COLUMN, the column of the measurements
}

// assay is an assay that is being read.
type assay struct {
	sequence.Assay
	places [][]frequencyPlace // of each residue of the wild type
	rows   map[string]int     // of variants
}

// substitutionReader puts rows into assays.
type substitutionReader struct {
	index  *residueIndex
	assays []*assay
	byKey  map[assayKey]*assay
}

// row is a row of a table before its wild type is known.
type row struct {
	protein.Substitution
	file      *SubstitutionFile
	mutations []variant.Mutation
}

// wrap adds the file and the row to an error.
func (r *row) wrap(err error) error {
	return fmt.Errorf("%s: row %d (line %d): %w", r.file.Spec, r.Row, r.Line, err)
}

// OpenSubstitutions reads tables of variants and finds their wild types among the sequences of a
// dataset: by id (a column), by residues (a column; or the rest when the mutations of a row are
// taken back from its mutated_sequence), by the name of the assay, which may be the id of a
// sequence, or because there is one sequence only. Positions count from 1 over the residues of both
// chains, or inside the chain of a column; a wild type that is one chain of a sequence
// is found too. Variants of different wild types are assays of their own.
//
// Errors name the file and the row: errors of [protein.ReadSubstitutions] and [variant.Parse]; a wild
// type that is not among the sequences, or ambiguous; mutations that are not mutations of the wild type or
// not of the vocabulary, columns that disagree, and a variant that is there twice.
func OpenSubstitutions(files []SubstitutionFile, sequences sequence.Sequences,
	a *token.Alphabet) (*sequence.Substitutions, error) {
	var rows []row
	var digests []string
	for i := range files {
		read, err := readRows(&files[i])
		if err != nil {
			return nil, err
		}
		rows = append(rows, read...)
		sum, err := dataset.FileSHA256(files[i].Spec)
		if err != nil {
			return nil, err
		}
		digests = append(digests, files[i].Assay, sum, fmt.Sprint(digestOf(read)))
	}
	index, err := scanSequences(sequences, a)
	if err != nil {
		return nil, err
	}
	s := &substitutionReader{index: index, byKey: map[assayKey]*assay{}}
	for i := range rows {
		if err := s.add(&rows[i]); err != nil {
			return nil, rows[i].wrap(err)
		}
	}
	return s.finish(strings.Join(digests, " "))
}

// readRows reads the rows of a table, with the residues of their wild types where the row tells.
func readRows(f *SubstitutionFile) ([]row, error) {
	var rows []row
	texts := map[string]string{} // one copy of each
	err := protein.ReadSubstitutions(f.Spec, func(substitution *protein.Substitution) error {
		r := row{Substitution: *substitution, file: f}
		var err error
		if r.Mutant != "" {
			if r.mutations, err = variant.Parse(r.Mutant); err != nil {
				return fmt.Errorf("column mutant: %w", err)
			}
			if r.Mutated != "" && r.WildType == "" {
				if r.WildType, err = undo(r.Mutated, r.mutations); err != nil {
					return err
				}
				r.Mutated = ""
			}
		} else if r.Mutated == "" {
			return fmt.Errorf("the row names no variant")
		}
		for _, field := range []*string{&r.Mutant, &r.Mutated, &r.SequenceID, &r.WildType,
			&r.Assay, &r.Protein, &r.Function, &r.Cluster, &r.Germline} {
			if _, ok := texts[*field]; !ok {
				texts[*field] = strings.Clone(*field)
			}
			*field = texts[*field]
		}
		if r.Assay == "" {
			r.Assay = f.Assay
		}
		rows = append(rows, r)
		return nil
	})
	return rows, err
}

// digestOf tells columns of measurements of one file apart.
func digestOf(rows []row) uint64 {
	h := fnv.New64a()
	for i := range rows {
		_, _ = h.Write(binary.LittleEndian.AppendUint64(nil, math.Float64bits(rows[i].Measured)))
	}
	return h.Sum64()
}

// undo takes mutations back from a mutated sequence.
func undo(mutated string, mutations []variant.Mutation) (string, error) {
	back := make([]variant.Mutation, len(mutations))
	for i, m := range mutations {
		back[i] = variant.Mutation{From: m.To, Position: m.Position, To: m.From}
	}
	out, err := variant.Apply(mutated, back)
	if err != nil {
		return "", fmt.Errorf("mutated_sequence differs from the sequence of mutant %s", variant.Format(mutations))
	}
	return out, nil
}

// place is a sequence, or a chain of one, of a dataset.
type place struct{ sequence, chain int } // chain −1: all residues

// residueIndex finds sequences by id and by residues.
type residueIndex struct {
	sequences   sequence.Sequences
	alphabet    *token.Alphabet
	tokens      [256]int // of letters, −1 for none
	ids         map[string]int
	byHash      map[uint64]place
	several     map[uint64]bool // chains of different sequences
	frequencies variant.Frequencies[frequencyPlace]
}

// frequencyPlace is where residues of different sequences are counted together: the offset in a
// region, or in a chain where regions are not known.
type frequencyPlace struct {
	region token.Region
	chain  int8
	offset int
}

// scanSequences reads all sequences once.
func scanSequences(sequences sequence.Sequences, a *token.Alphabet) (*residueIndex, error) {
	x := &residueIndex{sequences: sequences, alphabet: a, ids: map[string]int{}, byHash: map[uint64]place{}, several: map[uint64]bool{}}
	for i := range x.tokens {
		x.tokens[i] = -1
	}
	for id, name := range a.Names {
		if len(name) == 1 && !special(a, id) {
			x.tokens[name[0]] = id
		}
	}
	for i := range sequences.Len() {
		var r sequence.Record
		if err := x.read(i, &r); err != nil {
			return nil, err
		}
		x.ids[r.ID] = i
		for chain := range 3 {
			letters, _ := x.letters(&r, chain-1)
			if len(letters) == 0 {
				continue
			}
			h := hashOf(letters, chain-1)
			if _, ok := x.byHash[h]; ok {
				x.several[h] = x.several[h] || chain > 0
				continue
			}
			x.byHash[h] = place{i, chain - 1}
		}
		places := frequencyPlaces(&r)
		letters, _ := x.letters(&r, -1)
		for k, letter := range letters {
			for _, at := range places[k] {
				x.frequencies.Add(at, letter)
			}
		}
	}
	return x, nil
}

// read reads a sequence with its regions.
func (x *residueIndex) read(i int, r *sequence.Record) error {
	if err := x.sequences.Read(i, r); err != nil {
		return err
	}
	if r.CDR != nil && r.Regions == nil {
		r.Regions = token.Label(r.Chains, r.Special, r.CDR)
	}
	return nil
}

// letters are the residues of a chain, or of all for −1, with the positions of their tokens.
// Tokens that are no letter are "?".
func (x *residueIndex) letters(r *sequence.Record, chain int) (letters []byte, positions []int) {
	for _, i := range r.Residues() {
		if chain >= 0 && int(r.Chains[i]) != chain {
			continue
		}
		letter := byte('?')
		if name := x.alphabet.Names[r.Tokens[i]]; len(name) == 1 {
			letter = name[0]
		}
		letters, positions = append(letters, letter), append(positions, i)
	}
	return letters, positions
}

// hashOf tells residues apart; residues found by it are compared.
func hashOf(letters []byte, chain int) uint64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte{byte(chain + 1)})
	_, _ = h.Write(letters)
	return h.Sum64()
}

// find is the sequence, or the chain of one, with these residues.
func (x *residueIndex) find(letters []byte, chain int) (place, bool, error) {
	h := hashOf(letters, chain)
	residue, ok := x.byHash[h]
	if !ok {
		return place{}, false, nil
	}
	var r sequence.Record
	if err := x.read(residue.sequence, &r); err != nil {
		return place{}, false, err
	}
	if own, _ := x.letters(&r, chain); string(own) != string(letters) {
		return place{}, false, nil
	}
	if chain >= 0 && x.several[h] {
		return place{}, false, fmt.Errorf(
			"the wild type is a chain of several sequences, such as %s; choose one with a column sequence_id", r.ID)
	}
	return residue, true, nil
}

// frequencyPlaces are those where every residue is counted.
func frequencyPlaces(r *sequence.Record) [][]frequencyPlace {
	var out [][]frequencyPlace
	chains, regions := map[int8]int{}, map[token.Region]int{}
	for _, i := range r.Residues() {
		places := []frequencyPlace{{chain: r.Chains[i], offset: chains[r.Chains[i]]}}
		chains[r.Chains[i]]++
		if r.Regions != nil && r.Regions[i] != token.NoRegion {
			places = append(places, frequencyPlace{r.Regions[i], r.Chains[i], regions[r.Regions[i]]})
			regions[r.Regions[i]]++
		}
		out = append(out, places)
	}
	return out
}

// assayKey tells assays apart: measurements made together, of one wild type.
type assayKey struct {
	name     string
	sequence int
}

// add puts a row into its assay.
func (s *substitutionReader) add(r *row) error {
	x := s.index
	residue, err := x.wildType(r)
	if err != nil {
		return err
	}
	key := assayKey{r.Assay, residue.sequence}
	a := s.byKey[key]
	if a == nil {
		a = &assay{Assay: sequence.Assay{Name: r.Assay, Protein: r.Protein, Function: r.Function}, rows: map[string]int{}}
		if err := x.read(residue.sequence, &a.WildType); err != nil {
			return err
		}
		a.WildType = clone(&a.WildType)
		a.WildType.Index = residue.sequence
		a.Letters, _ = x.letters(&a.WildType, -1)
		a.places = frequencyPlaces(&a.WildType)
		s.byKey[key] = a
		s.assays = append(s.assays, a)
	}
	if r.Protein != a.Protein || r.Function != a.Function {
		return fmt.Errorf("assay %s has protein %q and function %q here, but %q and %q in an earlier row",
			a.Name, r.Protein, r.Function, a.Protein, a.Function)
	}
	return a.add(r, residue, x)
}

// clone is a copy that shares nothing, without coordinates and masks.
func clone(r *sequence.Record) sequence.Record {
	c := *r
	c.Tokens, c.Chains, c.Special, c.Regions = slices.Clone(r.Tokens), slices.Clone(r.Chains), slices.Clone(r.Special), slices.Clone(r.Regions)
	c.CDR, c.NonTemplated, c.Coordinates, c.Masked, c.Held = slices.Clone(r.CDR), slices.Clone(r.NonTemplated), nil, nil, nil
	return c
}

// wildType finds the sequence that a row is a variant of.
func (x *residueIndex) wildType(r *row) (place, error) {
	if r.SequenceID != "" {
		i, ok := x.ids[r.SequenceID]
		if !ok {
			return place{}, text.WithHint(fmt.Errorf("no sequence has the id %q", r.SequenceID),
				text.DidYouMean("", r.SequenceID, slices.Sorted(maps.Keys(x.ids))))
		}
		return place{i, r.Chain}, nil
	}
	if r.WildType != "" {
		chains := []int{r.Chain}
		if r.Chain < 0 {
			chains = []int{-1, 0, 1}
		}
		for _, chain := range chains {
			if at, ok, err := x.find([]byte(r.WildType), chain); ok || err != nil {
				return at, err
			}
		}
		return place{}, text.WithHint(fmt.Errorf("its wild type (%s: %.12s…) is not among the sequences",
			text.Count(len(r.WildType), "residue"), r.WildType),
			"add the wild type to the sequences, or name one in a column sequence_id")
	}
	if i, ok := x.ids[r.Assay]; ok {
		return place{i, r.Chain}, nil
	}
	if x.sequences.Len() == 1 {
		return place{0, r.Chain}, nil
	}
	return place{}, text.WithHint(fmt.Errorf("its wild type among the %d sequences is unknown", x.sequences.Len()),
		"add a column sequence_id or wild_type", "or name the assay as the sequence: --substitutions ID=FILE")
}

// add puts a row into the assay.
func (a *assay) add(r *row, first place, x *residueIndex) error {
	letters, positions := x.letters(&a.WildType, first.chain)
	mutations := r.mutations
	if r.Mutant == "" {
		var err error
		if mutations, err = variant.Between(string(letters), r.Mutated); err != nil {
			return err
		}
	} else if _, err := variant.Apply(string(letters), mutations); err != nil {
		return fmt.Errorf("column mutant: %w, sequence %s", err, a.WildType.ID)
	} else if r.Mutated != "" {
		if made, _ := variant.Apply(string(letters), mutations); made != r.Mutated {
			return fmt.Errorf("mutated_sequence differs from the sequence of mutant %s", variant.Format(mutations))
		}
	}
	v := sequence.MeasuredVariant{Mutations: mutations, Sequence: -1}
	residues := a.WildType.Residues()
	for _, m := range mutations {
		from, to := x.tokens[m.From], x.tokens[m.To]
		if from < 0 || to < 0 {
			return fmt.Errorf("%v: one of its letters is not in the vocabulary", m)
		}
		position := positions[m.Position-1]
		residue, _ := slices.BinarySearch(residues, position)
		v.Sites = append(v.Sites, sequence.Site{Position: position, Residue: residue, From: from, To: to})
	}
	name := fmt.Sprint(v.Sites)
	if before, ok := a.rows[name]; ok {
		return fmt.Errorf("variant %s of assay %s is already in row %d; average repeated measurements",
			variant.Format(mutations), a.Name, before)
	}
	a.rows[name] = r.Row
	if math.IsNaN(r.Measured) {
		a.Unmeasured++
		return nil
	}
	return a.keep(r, v, first, string(letters), x)
}

// keep appends a measured variant.
func (a *assay) keep(r *row, v sequence.MeasuredVariant, residue place, letters string, x *residueIndex) error {
	first := len(a.Variants) == 0
	if !first && r.Classed != (a.Fit != nil) {
		return fmt.Errorf("some variants of assay %s have a class (fit or not) and others have none", a.Name)
	}
	if r.Classed {
		a.Fit = append(a.Fit, r.Fit)
	}
	distance := r.GermlineDistance
	if math.IsNaN(distance) && r.Germline != "" {
		mutated, err := variant.Apply(letters, v.Mutations)
		if err != nil {
			return err
		}
		from, err := variant.Between(r.Germline, mutated)
		if err != nil {
			return fmt.Errorf(
				"column germline: has %s, but the variant has %d", text.Count(len(r.Germline), "residue"), len(mutated))
		}
		distance = float64(len(from))
	}
	a.Germline = append(a.Germline, distance)
	full := slices.Clone(a.Letters)
	score := 0.0
	for k, site := range v.Sites {
		m := v.Mutations[k]
		full[site.Residue] = m.To
		at := a.places[site.Residue]
		score += x.frequencies.LogRatio(at[len(at)-1], m.From, m.To)
	}
	index, ok, err := x.find(full, -1)
	if err != nil {
		return err
	}
	if ok {
		v.Sequence = index.sequence
	}
	a.Clustered = a.Clustered || r.Cluster != ""
	cluster := r.Cluster
	if cluster == "" && len(v.Sites) > 0 {
		cluster = fmt.Sprintf("%d:%d", a.WildType.Index, v.Sites[0].Position)
	}
	a.Variants, a.Measured = append(a.Variants, v), append(a.Measured, r.Measured)
	a.Frequencies, a.Cluster = append(a.Frequencies, score), append(a.Cluster, cluster)
	return nil
}

// finish names assays of several wild types, and enters what answers are needed of.
func (s *substitutionReader) finish(digest string) (*sequence.Substitutions, error) {
	out := &sequence.Substitutions{At: map[int][]int{}, Wanted: map[int]bool{}, Digest: digest}
	wildTypes := map[string]int{}
	for _, a := range s.assays {
		wildTypes[a.Name]++
	}
	s.assays = slices.DeleteFunc(s.assays, func(a *assay) bool { return len(a.Variants) == 0 })
	if len(s.assays) == 0 {
		return nil, fmt.Errorf("no table of substitutions has a measured variant")
	}
	slices.SortStableFunc(s.assays, func(a, b *assay) int { return cmp.Compare(a.Name, b.Name) })
	for i, a := range s.assays {
		if wildTypes[a.Name] > 1 {
			a.Name += "/" + a.WildType.ID
		}
		a.Protein = cmp.Or(a.Protein, a.WildType.ID)
		if slices.ContainsFunc(a.Germline, math.IsNaN) {
			a.Germline = nil
		}
		index := a.WildType.Index
		out.At[index] = append(out.At[index], i)
		out.Wanted[index] = true
		for _, v := range a.Variants {
			if v.Sequence >= 0 {
				out.Wanted[v.Sequence] = true
			}
		}
		out.Assays = append(out.Assays, &a.Assay)
	}
	return out, nil
}
