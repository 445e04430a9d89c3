// What a model answered elsewhere: dumps of arrays.

package source

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"repscope/analysis/sequence"
	"repscope/dataset"
	"repscope/internal/text"
	"repscope/measure/token"
)

// OpenDump opens an .npz or .safetensors file of arrays of N rows of L tokens. token_ids [N, L]
// is always there; chain_ids (0, 1), attention_mask, special_tokens_mask, cdr_mask (0 to 3),
// non_templated_mask (0, 1; −1: not known), mask_labels [N, L], coords [N, L, 3] and cluster [N]
// may be, and of logits [N, L, V], hidden [N, L, D], attentions [N, layers, heads, L, L] and
// contact_score [N, L, L] at least one.
//
// mask_labels are 1 where a token was hidden and 0 elsewhere, and token_ids then the true
// tokens, unless targets [N, L] are; or, as in Hugging Face, the true token where it was hidden
// and −100 elsewhere. Without mask_labels nothing was hidden. Without attention_mask padding is
// found by its token, without special_tokens_mask the alphabet names special tokens.
// hidden, attentions and contact_score stand for outputs of the clean pass, whatever was hidden
// from the model.
//
// A file that answers a mask plan (see [WritePlan]) has its arrays too: sequence, pass and region [N].
//
// beside, which may be nil, says ids, clusters, chains, masks and coordinates of the sequences
// of the dump, in their order; its residues must equal the dump's. What it says takes the
// place of the dump's own.
//
// Errors name the file, array, row and position: arrays that are missing or of other shapes,
// logits of another vocabulary, ids that are no tokens, values that a mask cannot have, hidden
// padding or special tokens, true tokens that cannot be known, other sequences than beside.
func OpenDump(path string, alphabet *token.Alphabet, beside sequence.Sequences) (*Dump, error) {
	d := &Dump{path: path, alphabet: alphabet, beside: beside, arrays: map[string]*dataset.Array{}}
	if err := d.open(); err != nil {
		d.Close()
		return nil, err
	}
	return d, nil
}

func (d *Dump) open() error {
	names, err := dataset.ArrayNames(d.path)
	if err != nil {
		return err
	}
	if len(names) == 0 {
		return fmt.Errorf(
			"%s: contains a single array; want an .npz or .safetensors file with token_ids, logits and others", d.path)
	}
	d.hasPlan = slices.Contains(names, planText)
	arrays := slices.Concat(tokenArrays, rowArrays, outputArrays, []string{"coords"})
	for _, name := range names {
		if !slices.Contains(arrays, name) {
			if near := text.Nearest(name, arrays); near != "" && !slices.Contains(names, near) && name != planText {
				d.notes = append(d.notes, fmt.Sprintf("%s: the array %s is not used; did you mean %s?", d.path, name, near))
			}
			continue
		}
		opens := dataset.Open
		if name == "cluster" {
			opens = dataset.OpenColumn
		}
		if d.arrays[name], err = opens(d.path + ":" + name); err != nil {
			delete(d.arrays, name)
			return err
		}
	}
	if err := d.checkNames(names); err != nil {
		return err
	}
	if err := d.checkShapes(); err != nil {
		return err
	}
	if err := d.checkLabels(); err != nil {
		return err
	}
	if err := d.group(); err != nil {
		return err
	}
	d.know()
	return d.checkRows()
}

// Notes are what whoever made the file may want to know.
func (d *Dump) Notes() []string { return d.notes }

// Concurrent says that the dump answers several goroutines at a time.
func (d *Dump) Concurrent() bool { return true }

// SHA256 is the digest of the file's bytes.
func (d *Dump) SHA256() (string, error) { return dataset.FileSHA256(d.path) }

// Plan is what the mask plan was made of that the dump answers; nil where it says nothing of it.
func (d *Dump) Plan() (*PlanIdentity, error) {
	if d.arrays["pass"] == nil || !d.hasPlan {
		return nil, nil
	}
	stated, err := dataset.ReadText(d.path, planText)
	if err != nil {
		return nil, err
	}
	var p PlanIdentity
	if err := text.Unmarshal([]byte(stated), &p); err != nil {
		return nil, fmt.Errorf("%s:%s: %w", d.path, planText, err)
	}
	return &p, nil
}

// Close releases the file.
func (d *Dump) Close() error {
	var errs []error
	for _, a := range d.arrays {
		errs = append(errs, a.Close())
	}
	return errors.Join(errs...)
}

// Has implements [sequence.Source].
func (d *Dump) Has(kind sequence.PassKind) sequence.Outputs {
	var has sequence.Outputs
	for name, output := range map[string]sequence.Outputs{"logits": sequence.Logits, "hidden": sequence.HiddenStates, "attentions": sequence.Attentions, "contact_score": sequence.ContactScores} {
		if d.arrays[name] != nil {
			has |= output
		}
	}
	masked := sequence.MaskedPass
	if d.labels == noLabels {
		masked = sequence.CleanPass
	}
	switch {
	case d.first != nil && d.kinds[kind], d.first == nil && kind == masked:
		return has
	case kind == sequence.CleanPass && (d.first == nil || d.kinds[sequence.MaskedPass]):
		return has &^ sequence.Logits // logits of the masked pass stand for them
	}
	return 0
}

// Answer implements [sequence.Source]. It is an error where the file has no row for a pass, or one in
// which other positions are hidden.
func (d *Dump) Answer(ctx context.Context, passes []sequence.Pass, want sequence.Outputs,

	visit func(pass int, out *sequence.Output) error) error {
	var buffers outputBuffers
	var rows *sequenceRows
	for i := range passes {
		if err := ctx.Err(); err != nil {
			return err
		}
		p := &passes[i]
		if held, ok := p.Record.Held.(*sequenceRows); ok && held.of == d {
			rows = held
		} else if rows == nil || rows.sequence != p.Record.Index {
			var err error
			if rows, err = d.readRows(p.Record.Index); err != nil {
				return err
			}
		}
		row, err := d.find(rows, p)
		if err != nil {
			return err
		}
		out, err := d.output(&buffers, row, want)
		if err != nil {
			return err
		}
		if err := visit(i, out); err != nil {
			return err
		}
	}
	return nil
}

// checkRows reads all rows once, to find their faults before anything is computed.
func (d *Dump) checkRows() error {
	var r sequence.Record
	unknown := 0
	for i := range d.Len() {
		if err := d.Read(i, &r); err != nil {
			return err
		}
		for k, id := range r.Tokens {
			if !r.Special[k] && int(id) == d.alphabet.Unknown {
				unknown++
			}
		}
	}
	if unknown > 0 {
		d.notes = append(d.notes, fmt.Sprintf(
			"%s: %s %s, for letters outside the vocabulary of the model: masked and scored like all others",
			d.path, text.Count(unknown, "residue"), d.alphabet.Names[d.alphabet.Unknown]))
	}
	return nil
}
