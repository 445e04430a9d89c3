// The arrays of a dump: which there are, their shapes, and the rows of each sequence.

package source

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"

	"repscope/analysis/sequence"
	"repscope/dataset"
	"repscope/internal/text"
	"repscope/measure/token"
)

// Dump is a file of arrays with a row per sequence, or per pass of a mask plan: both the
// sequences and what a model answered. See [OpenDump].
type Dump struct {
	path     string
	alphabet *token.Alphabet
	beside   sequence.Sequences
	arrays   map[string]*dataset.Array
	rows     int // of every array
	width    int // tokens of a row, padding included
	labels   labelKind
	// order are the rows of each sequence, rows of sequence i from first[i] to first[i+1];
	// nil where they follow each other.
	order    []int32
	first    []int
	clusters []int
	kinds    [sequence.RegionPass + 1]bool // the passes of a mask plan; of a dump without one, nil
	knows    sequence.Needs
	hasPlan  bool // it says what its mask plan was made of
	notes    []string
	buffers  sync.Pool // of *rowBuffers
}

// labelKind says what mask_labels hold.
type labelKind int8

const (
	noLabels     labelKind = iota
	binaryLabels           // 1 where the token is hidden, else 0
	targetLabels           // the true token where it is hidden, else ignoredLabel
)

// ignoredLabel is the label of a token that is not hidden, in the layout of Hugging Face.
const ignoredLabel = -100

// The arrays of a dump: one number per token, and the outputs of a model.
var (
	tokenArrays  = []string{"token_ids", "targets", "chain_ids", "attention_mask", "special_tokens_mask", "cdr_mask", "non_templated_mask", "mask_labels"}
	rowArrays    = []string{"sequence", "pass", "region", "cluster"}
	outputArrays = []string{"logits", "hidden", "attentions", "contact_score"}
)

// checkNames finds out whether the arrays make a dump.
func (d *Dump) checkNames(names []string) error {
	has := func(name string) bool { return d.arrays[name] != nil }
	if !has("token_ids") {
		return d.missing("token_ids", names)
	}
	if !slices.ContainsFunc(outputArrays, has) {
		err := fmt.Errorf("%s: no model output found: want logits, hidden, attentions or contact_score", d.path)
		if has("pass") {
			return text.WithHint(err, "this file is a mask plan: run the model on its token_ids, and save its "+
				"arrays together with the logits")
		}
		return text.WithHint(err, near("logits", names))
	}
	for _, pair := range [][2]string{{"sequence", "pass"}, {"pass", "sequence"}} {
		if has(pair[0]) && !has(pair[1]) {
			return fmt.Errorf(
				"%s: found array %s but no %s; outputs for a mask plan need both", d.path, pair[0], pair[1])
		}
	}
	if has("pass") && !has("mask_labels") {
		return d.missing("mask_labels", names)
	}
	if has("logits") && !has("mask_labels") {
		d.notes = append(d.notes, d.path+": no mask_labels, so the logits are read as logits of unmasked sequences; "+
			"add mask_labels if residues were masked")
	}
	return nil
}

// missing says that an array is not there.
func (d *Dump) missing(name string, names []string) error {
	err := fmt.Errorf("%s: no array %s; the arrays are %s", d.path, name, strings.Join(names, ", "))
	return text.WithHint(err, near(name, names))
}

// near is a hint for an array that is not there.
func near(name string, names []string) string {
	if at := text.Nearest(name, names); at != "" {
		return fmt.Sprintf("is %s the array %s?", at, name)
	}
	return ""
}

// checkShapes holds the arrays against token_ids.
func (d *Dump) checkShapes() error {
	ids := d.arrays["token_ids"]
	if len(ids.Shape()) != 2 {
		return fmt.Errorf("%s has shape %v, want [N,L]", ids.Name(), ids.Shape())
	}
	d.rows, d.width = ids.Shape()[0], ids.Shape()[1]
	if d.rows == 0 || d.width == 0 {
		return fmt.Errorf("%s has shape %v, which has no tokens", ids.Name(), ids.Shape())
	}
	n, l := d.rows, d.width
	wants := map[string][]int{"logits": {n, l, d.alphabet.Size()}, "hidden": {n, l, -1}, "attentions": {n, -1, -1, l, l},
		"contact_score": {n, l, l}, "coords": {n, l, 3}}
	for _, name := range tokenArrays {
		wants[name] = []int{n, l}
	}
	for _, name := range rowArrays {
		wants[name] = []int{n}
	}
	for _, name := range slices.Sorted(func(yield func(string) bool) {
		for name := range d.arrays {
			if !yield(name) {
				return
			}
		}
	}) {
		a, want := d.arrays[name], wants[name]
		fits := slices.EqualFunc(a.Shape(), want, func(got, want int) bool { return got == want || want < 0 && got > 0 })
		if fits {
			continue
		}
		shape := a.Shape()
		if name == "logits" && len(shape) == 3 && shape[0] == n && shape[1] == l {
			err := fmt.Errorf("%s has shape %v: logits of %d tokens, but the vocabulary has %d",
				a.Name(), shape, shape[2], d.alphabet.Size())
			return text.WithHint(err, "give the model's tokens with --vocabulary FILE.json")
		}
		return fmt.Errorf(
			"%s has shape %v, want %s to match token_ids %v", a.Name(), shape, shapeText(want), ids.Shape())
	}
	return nil
}

// shapeText is a shape with letters for lengths that are free.
func shapeText(want []int) string {
	letters := []string{"D"}
	if len(want) == 5 {
		letters = []string{"layers", "heads"}
	}
	var parts []string
	for _, n := range want {
		if n >= 0 {
			parts = append(parts, strconv.Itoa(n))
			continue
		}
		parts = append(parts, letters[0])
		letters = letters[1:]
	}
	return "[" + strings.Join(parts, ",") + "]"
}

// eachRow visits the rows of an array of integers in their order.
func (d *Dump) eachRow(name string, visit func(row int, values []int64) error) error {
	a := d.arrays[name]
	length := max(a.RowLen(), 1)
	step := max(1, 1<<16/length)
	buffer := make([]int64, step*length)
	for lo := 0; lo < d.rows; lo += step {
		hi := min(lo+step, d.rows)
		if err := a.ReadInt64(buffer[:(hi-lo)*length], lo, hi); err != nil {
			return err
		}
		for row := lo; row < hi; row++ {
			if err := visit(row, buffer[(row-lo)*length:][:length]); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkLabels finds out what mask_labels hold.
func (d *Dump) checkLabels() error {
	if d.arrays["mask_labels"] == nil {
		return nil
	}
	other := [2]int{-1, -1} // of the first that is neither 0 nor 1
	ignored := false
	size := int64(d.alphabet.Size())
	err := d.eachRow("mask_labels", func(row int, values []int64) error {
		for i, v := range values {
			if v == ignoredLabel {
				ignored = true
			} else if v < 0 || v >= size {
				return fmt.Errorf("%s: row %d, position %d is %d, want 0 or 1, or the true token (0 to %d) at "+
					"masked positions and −100 elsewhere",
					d.arrays["mask_labels"].Name(), row, i, v, size-1)
			} else if v > 1 && other[0] < 0 {
				other = [2]int{row, i}
			}
		}
		return nil
	})
	switch {
	case err != nil:
		return err
	case ignored:
		d.labels = targetLabels
	case other[0] >= 0:
		return fmt.Errorf(
			"%s: row %d, position %d is neither 0 nor 1, and no label is −100, the label of unmasked tokens",
			d.arrays["mask_labels"].Name(), other[0], other[1])
	default:
		d.labels = binaryLabels
	}
	return nil
}

// group finds the rows of each sequence, and the passes that there are.
func (d *Dump) group() error {
	n := d.rows
	if d.arrays["sequence"] != nil {
		sequences := make([]int32, 0, d.rows)
		err := d.eachRow("sequence", func(row int, v []int64) error {
			if v[0] < 0 || v[0] > math.MaxInt32-1 {
				return fmt.Errorf(
					"%s: row %d is %d, want the index of a sequence, from 0", d.arrays["sequence"].Name(), row, v[0])
			}
			sequences = append(sequences, int32(v[0]))
			return nil
		})
		if err != nil {
			return err
		}
		if err := d.eachRow("pass", func(row int, v []int64) error {
			if v[0] < 0 || v[0] > int64(sequence.RegionPass) {
				return fmt.Errorf("%s: row %d is %d, want 0 (masked), 1 (clean), 2 (single) or 3 (region)",
					d.arrays["pass"].Name(), row, v[0])
			}
			d.kinds[v[0]] = true
			return nil
		}); err != nil {
			return err
		}
		if n, err = d.sort(sequences); err != nil {
			return err
		}
	}
	if d.beside != nil && d.beside.Len() != n {
		return fmt.Errorf("%s has %s, but --sequences has %d", d.path, text.Count(n, "sequence"), d.beside.Len())
	}
	return d.cluster(n)
}

// sort orders the rows by their sequence.
func (d *Dump) sort(sequences []int32) (n int, err error) {
	n = int(slices.Max(sequences)) + 1
	if n > d.rows {
		return 0, fmt.Errorf("%s: the largest index is %d, but there are %s; every sequence needs a row",
			d.arrays["sequence"].Name(), n-1, text.Count(d.rows, "row"))
	}
	d.first = make([]int, n+1)
	for _, s := range sequences {
		d.first[s+1]++
	}
	for i := range n {
		if d.first[i+1] == 0 {
			return 0, fmt.Errorf("%s: no row for sequence %d", d.arrays["sequence"].Name(), i)
		}
		d.first[i+1] += d.first[i]
	}
	if slices.IsSorted(sequences) {
		return n, nil
	}
	d.order = make([]int32, d.rows)
	next := slices.Clone(d.first[:n])
	for row, s := range sequences {
		d.order[next[s]] = int32(row)
		next[s]++
	}
	return n, nil
}

// cluster reads the cluster of every sequence.
func (d *Dump) cluster(n int) error {
	switch {
	case d.beside != nil:
		d.clusters = d.beside.Clusters()
		return nil
	case d.arrays["cluster"] == nil:
		d.clusters = make([]int, n)
		for i := range d.clusters {
			d.clusters[i] = i
		}
		return nil
	}
	names := make([]int64, d.rows)
	if err := d.arrays["cluster"].ReadInt64(names, 0, d.rows); err != nil {
		return err
	}
	numbers := map[int64]int{}
	for i := range n {
		name := names[d.rowsOf(i)[0]]
		for _, row := range d.rowsOf(i) {
			if names[row] != name {
				return fmt.Errorf("%s: row %d is %d, but another row of sequence %d is %d",
					d.arrays["cluster"].Name(), row, names[row], i, name)
			}
		}
		if _, ok := numbers[name]; !ok {
			numbers[name] = len(numbers)
		}
		d.clusters = append(d.clusters, numbers[name])
	}
	return nil
}

// rowsOf are the rows of a sequence.
func (d *Dump) rowsOf(i int) []int32 {
	if d.first == nil {
		return []int32{int32(i)}
	}
	if d.order != nil {
		return d.order[d.first[i]:d.first[i+1]]
	}
	out := make([]int32, d.first[i+1]-d.first[i])
	for k := range out {
		out[k] = int32(d.first[i] + k)
	}
	return out
}

// know finds the annotations of the sequences.
func (d *Dump) know() {
	if d.beside != nil {
		d.knows = d.beside.Knows()
	}
	for name, need := range map[string]sequence.Needs{"cdr_mask": sequence.NeedRegions, "non_templated_mask": sequence.NeedGermline, "coords": sequence.NeedCoordinates, "chain_ids": sequence.NeedChains} {
		if d.arrays[name] != nil {
			d.knows |= need
		}
	}
}

// Len implements [sequence.Sequences].
func (d *Dump) Len() int { return len(d.clusters) }

// Clusters implements [sequence.Sequences].
func (d *Dump) Clusters() []int { return d.clusters }

// Knows implements [sequence.Sequences].
func (d *Dump) Knows() sequence.Needs { return d.knows }
