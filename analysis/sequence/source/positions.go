// Tables of positions: what a model predicted elsewhere, without logits.

package source

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"repscope/analysis/sequence"
	"repscope/dataset/protein"
	"repscope/internal/text"
	"repscope/measure/token"
)

// Positions is a table of predictions, both the sequences and what a model answered. See
// [OpenPositions].
type Positions struct {
	*protein.PositionFile
	path     string
	alphabet *token.Alphabet
	tokens   map[string]int // by name
	beside   sequence.Sequences
	rows     []int // of the table's sequences, rows of beside in its order; nil without
	has      map[string]bool
	clusters []int
}

// positionModes are the values of region_mode by the pass that they come from.
var positionModes = map[string]sequence.PassKind{sequence.RegionStandard: sequence.MaskedPass, sequence.RegionPerPosition: sequence.SinglePass, sequence.RegionLevel: sequence.RegionPass}

// OpenPositions opens a table of positions: see [protein.OpenPositions] for its columns.
// target and pred are names of tokens ("A"), or their ids. A prediction has no Confidence,
// Entropy, Brier and Rank, which are NaN and −1.
//
// beside, which may be nil, are the sequences. seq is then the id of one of them, or its number
// from 0 where none of the values is an id; every one of them must be in the table, and its
// tokens be the targets. Without beside a sequence has the tokens that are targets; the others
// are not known, and are special ones.
//
// Errors name the file and row: errors of protein.OpenPositions, tokens outside the alphabet, a
// position behind the end or twice in one mode, targets that are not the sequence's, other
// sequences.
func OpenPositions(path string, alphabet *token.Alphabet, beside sequence.Sequences) (*Positions, error) {
	file, err := protein.OpenPositions(path, sequence.RegionModes())
	if err != nil {
		return nil, err
	}
	p := &Positions{PositionFile: file, path: path, alphabet: alphabet, beside: beside, tokens: map[string]int{}, has: map[string]bool{}}
	for id, name := range alphabet.Names {
		p.tokens[name] = id
	}
	if err := p.open(); err != nil {
		p.Close()
		return nil, err
	}
	return p, nil
}

// open matches the sequences and reads all of them once.
func (p *Positions) open() error {
	n := len(p.IDs())
	if p.beside != nil {
		if err := p.match(); err != nil {
			return err
		}
		p.clusters = p.beside.Clusters()
	} else {
		for i := range n {
			p.clusters = append(p.clusters, i)
		}
	}
	for i := range p.Len() {
		var r sequence.Record
		rows, err := p.read(i, &r)
		if err != nil {
			return err
		}
		for mode := range rows {
			p.has[mode] = true
		}
	}
	return nil
}

// match finds the sequences of the table among the sequences of the other file.
func (p *Positions) match() error {
	byID := map[string]int{}
	var r sequence.Record
	for i := range p.beside.Len() {
		if err := p.beside.Read(i, &r); err != nil {
			return err
		}
		byID[r.ID] = i
	}
	place := func(name string) int {
		if i, ok := byID[name]; ok {
			return i
		}
		return -1
	}
	if !slices.ContainsFunc(p.IDs(), func(name string) bool { return place(name) >= 0 }) {
		place = func(name string) int {
			i, err := strconv.Atoi(name)
			if err != nil || i >= p.beside.Len() {
				return -1
			}
			return i
		}
	}
	p.rows = make([]int, p.beside.Len())
	for i := range p.rows {
		p.rows[i] = -1
	}
	for i, name := range p.IDs() {
		k := place(name)
		if k < 0 {
			return fmt.Errorf("%s: seq %q is neither the id nor the index of any of the %s of "+
				"--sequences", p.path, name, text.Count(p.beside.Len(), "sequence"))
		}
		if p.rows[k] >= 0 {
			return fmt.Errorf("%s: seq %q and %q are the same sequence", p.path, p.IDs()[p.rows[k]], name)
		}
		p.rows[k] = i
	}
	if k := slices.Index(p.rows, -1); k >= 0 {
		if err := p.beside.Read(k, &r); err != nil {
			return err
		}
		return fmt.Errorf("%s: no row for sequence %s of --sequences", p.path, r.ID)
	}
	return nil
}

// token is the id of a token that is given by its name or id; −1 if there is none.
func (p *Positions) token(text string) int {
	if id, ok := p.tokens[text]; ok {
		return id
	}
	if id, err := strconv.Atoi(text); err == nil && id >= 0 && id < p.alphabet.Size() {
		return id
	}
	return -1
}

// read reads a sequence and its predictions by mode, in the order of positions.
func (p *Positions) read(i int, r *sequence.Record) (map[string][]token.Prediction, error) {
	index := i
	if p.rows != nil {
		index = p.rows[i]
	}
	rows, err := p.PositionFile.Read(index)
	if err != nil {
		return nil, err
	}
	if p.beside != nil {
		if err := p.beside.Read(i, r); err != nil {
			return nil, err
		}
	} else {
		p.bare(i, r, rows)
	}
	out := map[string][]token.Prediction{}
	for _, row := range rows {
		q, err := p.prediction(r, row)
		if err != nil {
			return nil, fmt.Errorf("%s: row %d: %w", p.path, row.Row, err)
		}
		out[row.Mode] = append(out[row.Mode], q)
	}
	for mode, predictions := range out {
		slices.SortStableFunc(predictions, func(a, b token.Prediction) int { return a.Position - b.Position })
		for k := range predictions[1:] {
			if predictions[k].Position == predictions[k+1].Position {
				return nil, fmt.Errorf("%s: seq %q has position %d twice with region_mode %s", p.path, p.IDs()[index],
					predictions[k].Position, mode)
			}
		}
	}
	r.Masked = []int{}
	for _, q := range out[sequence.RegionStandard] {
		r.Masked = append(r.Masked, q.Position)
	}
	return out, nil
}

// bare makes a sequence of the targets of a table.
func (p *Positions) bare(i int, r *sequence.Record, rows []protein.Position) {
	*r = sequence.Record{Index: i, ID: p.IDs()[i], Cluster: i}
	n := 0
	for _, row := range rows {
		n = max(n, min(row.At, longest-1)+1)
	}
	r.Tokens, r.Chains, r.Special = make([]int32, n), make([]int8, n), make([]bool, n)
	for k := range n {
		r.Tokens[k], r.Special[k] = int32(max(p.alphabet.Unknown, 0)), true
	}
	for _, row := range rows {
		if id := p.token(row.Target); id >= 0 && row.At < n {
			r.Tokens[row.At], r.Special[row.At] = int32(id), special(p.alphabet, id)
		}
	}
}

// longest is the largest number of tokens of a sequence that only a table of positions tells.
const longest = 1 << 20

// prediction is what a row says.
func (p *Positions) prediction(r *sequence.Record, row protein.Position) (token.Prediction, error) {
	q := token.Prediction{Position: row.At, Target: p.token(row.Target), Predicted: p.token(row.Predicted), Rank: -1, NLL: row.NLL, Prob: row.Prob,
		Confidence: math.NaN(), Entropy: math.NaN(), Brier: math.NaN()}
	for _, residue := range []struct {
		column, text string
		id           int
	}{{"target", row.Target, q.Target}, {"pred", row.Predicted, q.Predicted}} {
		if residue.id < 0 {
			err := fmt.Errorf("column %s: %q is neither a token of the vocabulary nor a token id, 0 to "+
				"%d", residue.column, residue.text, p.alphabet.Size()-1)
			if len(residue.text) == 1 && !slices.Contains(p.alphabet.Names, strings.ToUpper(residue.text)) {
				return q, err // every letter is as near as any other
			}
			return q, text.WithHint(err, text.DidYouMean("", residue.text, p.alphabet.Names))
		}
	}
	switch {
	case row.At >= longest:
		return q, fmt.Errorf("column pos: %d, want less than %d", row.At, longest)
	case row.At >= len(r.Tokens):
		return q, fmt.Errorf("column pos: %d, but sequence %s has %s", row.At, r.ID, text.Count(len(r.Tokens), "token"))
	case int(r.Tokens[row.At]) != q.Target:
		err := fmt.Errorf("column target: %s, but sequence %s has %s at position %d",
			row.Target, r.ID, p.alphabet.Names[r.Tokens[row.At]], row.At)
		return q, text.WithHint(err, "positions count tokens from 0, including special tokens: the first residue "+
			"after "+strings.Join(p.leading(), "")+" is at "+strconv.Itoa(len(p.leading())))
	case r.Special[row.At]:
		return q, fmt.Errorf("column pos: position %d of sequence %s is the special token %s",
			row.At, r.ID, p.alphabet.Names[q.Target])
	}
	return q, nil
}

// leading are the special tokens that begin a sequence.
func (p *Positions) leading() []string {
	if p.alphabet.CLS < 0 {
		return nil
	}
	return []string{p.alphabet.Names[p.alphabet.CLS]}
}

// Len implements [sequence.Sequences].
func (p *Positions) Len() int { return len(p.clusters) }

// Clusters implements [sequence.Sequences].
func (p *Positions) Clusters() []int { return p.clusters }

// Knows implements [sequence.Sequences].
func (p *Positions) Knows() sequence.Needs {
	if p.beside == nil {
		return 0
	}
	return p.beside.Knows()
}

// Read implements [sequence.Sequences].
func (p *Positions) Read(i int, r *sequence.Record) error {
	_, err := p.read(i, r)
	return err
}

// Has implements [sequence.Source].
func (p *Positions) Has(kind sequence.PassKind) sequence.Outputs {
	for mode, kinds := range positionModes {
		if kinds == kind && p.has[mode] {
			return sequence.Predicted
		}
	}
	return 0
}

// Concurrent says that the table answers several goroutines at a time.
func (p *Positions) Concurrent() bool { return true }

// Answer implements [sequence.Source]. It is an error where a hidden position has no row.
func (p *Positions) Answer(ctx context.Context, passes []sequence.Pass, _ sequence.Outputs,
	visit func(pass int, out *sequence.Output) error) error {
	var rows map[string][]token.Prediction
	last := -1
	for i := range passes {
		if err := ctx.Err(); err != nil {
			return err
		}
		pass := &passes[i]
		if pass.Record.Index != last {
			var r sequence.Record
			var err error
			if rows, err = p.read(pass.Record.Index, &r); err != nil {
				return err
			}
			last = pass.Record.Index
		}
		var out sequence.Output
		for mode, kind := range positionModes {
			if kind != pass.Kind {
				continue
			}
			for _, position := range pass.Hidden {
				k, ok := slices.BinarySearchFunc(rows[mode], position, func(q token.Prediction,
					at int) int {
					return q.Position - at
				})
				if !ok {
					return hintPlan(fmt.Errorf("%s: sequence %s has no row of position %d with region_mode %s", p.path,
						pass.Record.ID, position, mode))
				}
				out.Predictions = append(out.Predictions, rows[mode][k])
			}
		}
		if err := visit(i, &out); err != nil {
			return err
		}
	}
	return nil
}
