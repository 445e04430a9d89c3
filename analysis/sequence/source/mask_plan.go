// Mask plans: what a model that is run elsewhere must be shown.

package source

import (
	"bufio"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"

	"repscope/analysis/sequence"
	"repscope/dataset"
	"repscope/measure/token"
	"repscope/points"
)

// MaskPlan is a mask plan: every look that a model must take at the sequences of a dataset. It is
// read again for each array that is written, and never held.
type MaskPlan struct {
	Alphabet  *token.Alphabet
	Sequences sequence.Sequences
	Mask      sequence.Masker // of [MaskedPass]
	// Kinds are the passes of every sequence; of those that Wants says, if it is not nil.
	Kinds []sequence.PassKind
	Wants func(kind sequence.PassKind, sequence int) bool
	// Identity says what the plan is made of; it is written as JSON.
	Identity PlanIdentity
}

// PlanIdentity says what a mask plan was made of.
type PlanIdentity struct {
	Sequences string `json:"sequences"` // SHA-256 of the file
	Masking   string `json:"masking"`
	Seed      uint64 `json:"seed"`
	Alphabet  string `json:"alphabet"` // the tokens by id, with blanks between
}

// planWriter writes the arrays of a plan, one after the other.
type planWriter struct {
	*MaskPlan
	clusters    []int // numbered as they begin
	rows, width int
}

// planArray is an array of a plan: what it holds of a pass.
type planArray struct {
	name string
	kind dataset.DType
	wide bool // [M, L], else [M]
	// of is the value of token i of a pass, or of the pass; pad is the value of padding.
	of  func(w *planWriter, p *sequence.Pass, i int) int
	pad func(w *planWriter) int
}

// WritePlan writes a mask plan as an .npz file with a row for every pass: token_ids [M, L] int32
// with the mask token where the model must not see, targets [M, L] int32 the true tokens,
// chain_ids, attention_mask, special_tokens_mask and mask_labels [M, L] uint8; cdr_mask and
// non_templated_mask [M, L] int8 where they are known; sequence and cluster [M] int32, pass [M]
// uint8 (0 masked, 1 clean, 2 single, 3 region), region [M] uint8 (the number of a
// [token.Region]; 0 where none); and the text plan. Padding is the pad token. A model's answer
// is the same arrays and its outputs: see [OpenDump].
//
// Errors: an alphabet without a mask token, no passes, errors of reading.
func WritePlan(ctx context.Context, w io.Writer, p *MaskPlan) error {
	if p.Alphabet.Mask < 0 {
		return errors.New("the vocabulary has no mask token to replace masked residues")
	}
	clusters, _ := points.Numbered(p.Sequences.Clusters())
	writer := &planWriter{MaskPlan: p, clusters: clusters}
	err := writer.each(ctx, func(pass *sequence.Pass) error {
		writer.rows++
		writer.width = max(writer.width, len(pass.Record.Tokens))
		return nil
	})
	if err != nil {
		return err
	}
	if writer.rows == 0 {
		return errors.New("the plan has no passes")
	}
	var identity strings.Builder
	encoder := json.NewEncoder(&identity)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(p.Identity); err != nil {
		return err
	}
	fields := []dataset.StreamedField{dataset.TextField(planText, strings.TrimSpace(identity.String()))}
	for _, a := range planArrays() {
		if a.name == "cdr_mask" && p.Sequences.Knows()&sequence.NeedRegions == 0 || a.name == "non_templated_mask" && p.Sequences.Knows()&sequence.NeedGermline == 0 {
			continue
		}
		shape := []int{writer.rows}
		if a.wide {
			shape = append(shape, writer.width)
		}
		fields = append(fields, dataset.StreamedField{Name: a.name, DType: a.kind, Shape: shape,
			Write: func(to io.Writer) error { return writer.write(ctx, to, a) }})
	}
	return dataset.StreamNPZ(w, fields...)
}

// planArrays are the arrays of a plan, in the order of the file.
func planArrays() []planArray {
	zero := func(*planWriter) int { return 0 }
	padToken := func(w *planWriter) int { return max(w.Alphabet.Pad, 0) }
	return []planArray{
		{"token_ids", dataset.Int32, true, func(w *planWriter, p *sequence.Pass, i int) int {
			if hides(p, i) {
				return w.Alphabet.Mask
			}
			return int(p.Record.Tokens[i])
		}, padToken},
		{"targets", dataset.Int32, true,
			func(_ *planWriter, p *sequence.Pass, i int) int { return int(p.Record.Tokens[i]) }, padToken},
		{"chain_ids", dataset.Uint8, true,
			func(_ *planWriter, p *sequence.Pass, i int) int { return int(p.Record.Chains[i]) }, zero},
		{"attention_mask", dataset.Uint8, true, func(*planWriter, *sequence.Pass, int) int { return 1 }, zero},
		{"special_tokens_mask", dataset.Uint8, true,
			func(_ *planWriter, p *sequence.Pass, i int) int { return one(p.Record.Special[i]) }, func(*planWriter) int { return 1 }},
		{"cdr_mask", dataset.Int8, true, func(_ *planWriter, p *sequence.Pass, i int) int {
			if p.Record.CDR == nil {
				return 0
			}
			return int(p.Record.CDR[i])
		}, zero},
		{"non_templated_mask", dataset.Int8, true, func(_ *planWriter, p *sequence.Pass, i int) int {
			if p.Record.NonTemplated == nil {
				return -1
			}
			return int(p.Record.NonTemplated[i])
		}, zero},
		{"mask_labels", dataset.Uint8, true,
			func(_ *planWriter, p *sequence.Pass, i int) int { return one(hides(p, i)) }, zero},
		{"sequence", dataset.Int32, false, func(_ *planWriter, p *sequence.Pass, _ int) int { return p.Record.Index }, nil},
		{"cluster", dataset.Int32, false,
			func(w *planWriter, p *sequence.Pass, _ int) int { return w.clusters[p.Record.Index] }, nil},
		{"pass", dataset.Uint8, false, func(_ *planWriter, p *sequence.Pass, _ int) int { return int(p.Kind) }, nil},
		{"region", dataset.Uint8, false, func(_ *planWriter, p *sequence.Pass, _ int) int { return int(p.Region) }, nil},
	}
}

// write writes the values of an array.
func (w *planWriter) write(ctx context.Context, to io.Writer, a planArray) error {
	out := bufio.NewWriterSize(to, 1<<16)
	put := func(v int) error {
		if a.kind != dataset.Int32 {
			return out.WriteByte(byte(v))
		}
		var raw [4]byte
		binary.LittleEndian.PutUint32(raw[:], uint32(v))
		_, err := out.Write(raw[:])
		return err
	}
	err := w.each(ctx, func(p *sequence.Pass) error {
		if !a.wide {
			return put(a.of(w, p, 0))
		}
		for i := range w.width {
			v := 0
			if i < len(p.Record.Tokens) {
				v = a.of(w, p, i)
			} else {
				v = a.pad(w)
			}
			if err := put(v); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return out.Flush()
}

// each visits the passes of all sequences in their order.
func (w *planWriter) each(ctx context.Context, visit func(p *sequence.Pass) error) error {
	var r sequence.Record
	for i := range w.Sequences.Len() {
		if err := ctx.Err(); err != nil {
			return err
		}
		r = sequence.Record{Index: i}
		if err := w.Sequences.Read(i, &r); err != nil {
			return err
		}
		if err := r.Complete(w.Mask); err != nil {
			return err
		}
		for _, kind := range w.Kinds {
			if w.Wants != nil && !w.Wants(kind, i) {
				continue
			}
			passes := sequence.PassesOf(&r, kind)
			if kind == sequence.MaskedPass && len(passes) == 0 {
				passes = []sequence.Pass{{Record: &r, Kind: kind}} // that nothing was hidden is an answer too
			}
			for k := range passes {
				if err := visit(&passes[k]); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// one is 1 for true.
func one(b bool) int {
	if b {
		return 1
	}
	return 0
}

// hides reports whether a position is hidden.
func hides(p *sequence.Pass, at int) bool {
	_, ok := slices.BinarySearch(p.Hidden, at)
	return ok
}

// planText is the name of the text in a mask plan that says what it was made of.
const planText = "plan"
