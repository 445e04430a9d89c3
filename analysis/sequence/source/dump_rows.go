// The rows of a dump: tokens, hidden positions, and outputs.

package source

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"repscope/analysis/sequence"
	"repscope/internal/text"
	"repscope/measure/token"
)

// dumpRow is a row of a dump without its padding.
type dumpRow struct {
	row, start int // the place of its first token
	tokens     []int32
	known      bool // tokens are the true ones, also where they were hidden
	special    []bool
	hidden     []int
	kind       sequence.PassKind
	region     token.Region
	buffers    *rowBuffers // while it is read: see borrow
}

// rowBuffers lend memory for the rows of arrays until all of it is given back.
type rowBuffers struct {
	all  [][]int64
	lent int
}

func (b *rowBuffers) lend(n int) []int64 {
	if b.lent == len(b.all) {
		b.all = append(b.all, nil)
	}
	out := &b.all[b.lent]
	if cap(*out) < n {
		*out = make([]int64, n)
	}
	b.lent++
	return (*out)[:n]
}

// borrow lets values of a row be read until the function that it returns is called.
func (d *Dump) borrow(r *dumpRow) (giveBack func()) {
	b, ok := d.buffers.Get().(*rowBuffers)
	if !ok {
		b = new(rowBuffers)
	}
	r.buffers = b
	return func() {
		r.buffers, b.lent = nil, 0
		d.buffers.Put(b)
	}
}

// values reads the row of an array of integers; nil where there is none. They are valid until what the row
// has borrowed is given back.
func (d *Dump) values(name string, r *dumpRow) ([]int64, error) {
	a := d.arrays[name]
	if a == nil {
		return nil, nil
	}
	out := r.buffers.lend(max(a.RowLen(), 1))
	return out, a.ReadInt64(out, r.row, r.row+1)
}

// bad is an error of one element.
func (d *Dump) bad(name string, row, position int, v int64, want string) error {
	return fmt.Errorf("%s: row %d, position %d is %d, want %s", d.arrays[name].Name(), row, position, v, want)
}

// readRow reads what a row says of its tokens.
func (d *Dump) readRow(row int) (*dumpRow, error) {
	r := &dumpRow{row: row, kind: sequence.MaskedPass}
	defer d.borrow(r)()
	ids, err := d.values("token_ids", r)
	if err != nil {
		return nil, err
	}
	if d.labels == noLabels {
		r.kind = sequence.CleanPass
	}
	end, err := d.extent(r, ids)
	if err != nil {
		return nil, err
	}
	r.tokens = make([]int32, end-r.start) // padding may hold anything
	for i := range r.tokens {
		id := ids[r.start+i]
		if id < 0 || id >= int64(d.alphabet.Size()) {
			return nil, d.bad("token_ids", row, r.start+i, id,
				fmt.Sprintf("a token id of the vocabulary, 0 to %d", d.alphabet.Size()-1))
		}
		r.tokens[i] = int32(id)
	}
	if err := d.readHidden(r); err != nil {
		return nil, err
	}
	if err := d.readSpecial(r); err != nil {
		return nil, err
	}
	return r, d.readPass(r)
}

// extent finds the tokens of a row between its padding.
func (d *Dump) extent(r *dumpRow, ids []int64) (end int, err error) {
	mask, err := d.values("attention_mask", r)
	if err != nil {
		return 0, err
	}
	if mask == nil {
		end = len(ids)
		pad := int64(d.alphabet.Pad)
		for end > 0 && ids[end-1] == pad {
			end--
		}
		for r.start < end && ids[r.start] == pad {
			r.start++
		}
	} else {
		for i, v := range mask {
			if v != 0 && v != 1 {
				return 0, d.bad("attention_mask", r.row, i, v, "0 or 1")
			}
		}
		r.start = max(slices.Index(mask, 1), 0)
		for end = r.start; end < len(mask) && mask[end] == 1; end++ {
		}
		if i := slices.Index(mask[end:], 1); i >= 0 {
			return 0, fmt.Errorf("%s: row %d has padding between tokens, at position %d",
				d.arrays["attention_mask"].Name(), r.row, end)
		}
	}
	if r.start == end {
		return 0, fmt.Errorf("%s: row %d has no tokens", d.path, r.row)
	}
	return end, nil
}

// readHidden finds the positions that were hidden and the true tokens there.
func (d *Dump) readHidden(r *dumpRow) error {
	targets, err := d.values("targets", r)
	if err != nil {
		return err
	}
	labels, err := d.values("mask_labels", r)
	if err != nil {
		return err
	}
	r.hidden = make([]int, 0, len(labels)/4)
	for i, label := range labels {
		if hidden := d.labels == targetLabels && label != ignoredLabel || d.labels == binaryLabels && label == 1; !hidden {
			continue
		}
		k := i - r.start
		if k < 0 || k >= len(r.tokens) {
			return fmt.Errorf(
				"%s: row %d masks position %d, which is padding", d.arrays["mask_labels"].Name(), r.row, i)
		}
		r.hidden = append(r.hidden, k)
		if d.labels == targetLabels {
			r.tokens[k] = int32(label)
		}
	}
	r.known = true
	for i := range r.tokens {
		if targets != nil {
			v := targets[r.start+i]
			if v < 0 || v >= int64(d.alphabet.Size()) {
				return d.bad("targets", r.row, r.start+i, v,
					fmt.Sprintf("a token id of the vocabulary, 0 to %d", d.alphabet.Size()-1))
			}
			r.tokens[i] = int32(v)
		}
		if int(r.tokens[i]) == d.alphabet.Mask {
			r.known = false
		}
	}
	return nil
}

// readSpecial finds the tokens that are no residues.
func (d *Dump) readSpecial(r *dumpRow) error {
	mask, err := d.values("special_tokens_mask", r)
	if err != nil {
		return err
	}
	r.special = make([]bool, len(r.tokens))
	for i, id := range r.tokens {
		if mask == nil {
			r.special[i] = special(d.alphabet, int(id)) && int(id) != d.alphabet.Mask
			continue
		}
		if v := mask[r.start+i]; v != 0 && v != 1 {
			return d.bad("special_tokens_mask", r.row, r.start+i, v, "0 or 1")
		}
		r.special[i] = mask[r.start+i] == 1
	}
	for _, i := range r.hidden {
		if id := int(r.tokens[i]); r.special[i] || special(d.alphabet, id) && id != d.alphabet.Mask {
			return fmt.Errorf("%s: row %d masks position %d, which is a special token (%s)",
				d.arrays["mask_labels"].Name(), r.row, r.start+i, d.alphabet.Names[r.tokens[i]])
		}
	}
	return nil
}

// readPass finds the pass of a row of a mask plan.
func (d *Dump) readPass(r *dumpRow) error {
	pass, err := d.values("pass", r)
	if err != nil || pass == nil {
		return err
	}
	r.kind = sequence.PassKind(pass[0])
	region, err := d.values("region", r)
	if err != nil {
		return err
	}
	if region != nil {
		if region[0] < 0 || region[0] > int64(token.LightFWR4) {
			return fmt.Errorf("%s: row %d is %d, want the index of a region, 0 to %d",
				d.arrays["region"].Name(), r.row, region[0], token.LightFWR4)
		}
		r.region = token.Region(region[0])
	}
	wrong := ""
	switch {
	case r.kind == sequence.CleanPass && len(r.hidden) > 0:
		wrong = fmt.Sprintf("a clean pass masks %s, want none", text.Count(len(r.hidden), "position"))
	case r.kind == sequence.SinglePass && len(r.hidden) != 1:
		wrong = fmt.Sprintf("a single pass masks %s, want one", text.Count(len(r.hidden), "position"))
	case r.kind == sequence.RegionPass && r.region == token.NoRegion:
		wrong = "the pass of a region names no region"
	}
	if wrong != "" {
		return fmt.Errorf("%s: row %d: %s", d.path, r.row, wrong)
	}
	return nil
}

// sequenceRows are the rows of a sequence by their hidden positions.
type sequenceRows struct {
	of            *Dump
	sequence      int
	masked, clean *dumpRow
	single        map[int]*dumpRow
	region        map[token.Region]*dumpRow
	all           []*dumpRow
}

// readRows reads the rows of a sequence. The true tokens are put into all of them.
func (d *Dump) readRows(i int) (*sequenceRows, error) {
	s := &sequenceRows{of: d, sequence: i, single: map[int]*dumpRow{}, region: map[token.Region]*dumpRow{}}
	for _, row := range d.rowsOf(i) {
		r, err := d.readRow(int(row))
		if err != nil {
			return nil, err
		}
		var twice *dumpRow
		switch r.kind {
		case sequence.MaskedPass:
			twice, s.masked = s.masked, r
		case sequence.CleanPass:
			twice, s.clean = s.clean, r
		case sequence.SinglePass:
			twice, s.single[r.hidden[0]] = s.single[r.hidden[0]], r
		case sequence.RegionPass:
			twice, s.region[r.region] = s.region[r.region], r
		}
		if twice != nil {
			return nil, fmt.Errorf("%s: rows %d and %d are the same pass of sequence %d", d.path, twice.row, r.row, i)
		}
		s.all = append(s.all, r)
	}
	return s, d.settle(s)
}

// settle finds the true tokens of a sequence.
func (d *Dump) settle(s *sequenceRows) error {
	k := slices.IndexFunc(s.all, func(r *dumpRow) bool { return r.known })
	if k < 0 {
		r := s.all[0]
		i := slices.Index(r.tokens, int32(d.alphabet.Mask))
		return hintTargets(fmt.Errorf("%s: row %d, position %d is the mask token, so the true token is unknown",
			d.arrays["token_ids"].Name(), r.row, r.start+i))
	}
	truth := s.all[k]
	for _, r := range s.all {
		if len(r.tokens) != len(truth.tokens) {
			return fmt.Errorf("%s: rows %d and %d are of sequence %d, but have %d and %d tokens",
				d.path, truth.row, r.row, s.sequence, len(truth.tokens), len(r.tokens))
		}
		for i, id := range r.tokens {
			if id != truth.tokens[i] && (r.known || int(id) != d.alphabet.Mask) {
				return fmt.Errorf("%s: rows %d and %d are of sequence %d, but have the true tokens %s and %s at "+
					"position %d", d.path, truth.row, r.row, s.sequence,
					d.alphabet.Names[truth.tokens[i]], d.alphabet.Names[id], r.start+i)
			}
		}
		r.tokens, r.special = truth.tokens, truth.special
	}
	return nil
}

// Read implements [sequence.Sequences].
func (d *Dump) Read(i int, r *sequence.Record) error {
	if i < 0 || i >= d.Len() {
		return fmt.Errorf("%s: sequence %d of %d", d.path, i, d.Len())
	}
	rows, err := d.readRows(i)
	if err != nil {
		return err
	}
	from := rows.all[0]
	*r = sequence.Record{Index: i, ID: strconv.Itoa(i), Cluster: d.clusters[i], Tokens: from.tokens, Special: from.special, Masked: []int{}, Held: rows}
	switch {
	case rows.masked != nil:
		r.Masked = append(r.Masked, rows.masked.hidden...)
	case d.kinds[sequence.MaskedPass]: // of other sequences
		return fmt.Errorf("%s: sequence %d has no row of the masked pass, but other sequences have one", d.path, i)
	}
	defer d.borrow(from)()
	if r.Chains, err = d.small("chain_ids", from, 0, 1); err != nil {
		return err
	}
	if r.Chains == nil {
		r.Chains = make([]int8, len(r.Tokens))
	}
	if at := brokenChain(r); at >= 0 {
		return fmt.Errorf("%s: row %d, position %d returns to chain %d after the other chain",
			d.arrays["chain_ids"].Name(), from.row, from.start+at, r.Chains[at])
	}
	if r.CDR, err = d.small("cdr_mask", from, 0, 3); err != nil {
		return err
	}
	if r.NonTemplated, err = d.small("non_templated_mask", from, -1, 1); err != nil {
		return err
	}
	if err := d.coordinates(from, r); err != nil {
		return err
	}
	if d.beside == nil {
		return nil
	}
	return annotate(r, d.beside, d.arrays["chain_ids"] == nil, fmt.Sprintf("%s: row %d", d.path, from.row))
}

// brokenChain is the first residue of a chain that goes on behind the other one; −1 if both are whole.
func brokenChain(r *sequence.Record) int {
	changes, last := 0, int8(-1)
	for _, i := range r.Residues() {
		if last >= 0 && r.Chains[i] != last {
			if changes++; changes > 1 {
				return i
			}
		}
		last = r.Chains[i]
	}
	return -1
}

// small reads the values of a row that lie between two bounds; nil where there are none.
func (d *Dump) small(name string, from *dumpRow, low, high int64) ([]int8, error) {
	values, err := d.values(name, from)
	if err != nil || values == nil {
		return nil, err
	}
	out := make([]int8, len(from.tokens))
	for i := range out {
		v := values[from.start+i]
		if v < low || v > high {
			return nil, d.bad(name, from.row, from.start+i, v, fmt.Sprintf("%d to %d", low, high))
		}
		out[i] = int8(v)
	}
	return out, nil
}

// coordinates reads the coordinates of a row. Special tokens have none.
func (d *Dump) coordinates(from *dumpRow, r *sequence.Record) error {
	a := d.arrays["coords"]
	if a == nil {
		return nil
	}
	all := make([]float32, a.RowLen())
	if err := a.ReadFloat32(all, from.row, from.row+1); err != nil {
		return err
	}
	r.Coordinates = all[3*from.start:][:3*len(from.tokens)]
	nan := float32(math.NaN())
	for i := range from.tokens {
		point := r.Coordinates[3*i:][:3]
		for _, v := range point {
			if math.IsInf(float64(v), 0) && !from.special[i] {
				return fmt.Errorf("%s: row %d, position %d is %v, want a finite number, or NaN for an unresolved "+
					"residue", a.Name(), from.row, from.start+i, v)
			}
		}
		if sum := point[0] + point[1] + point[2]; sum != sum || from.special[i] {
			copy(point, []float32{nan, nan, nan})
		}
	}
	return nil
}

// find is the row that answers a pass.
func (d *Dump) find(rows *sequenceRows, p *sequence.Pass) (*dumpRow, error) {
	var r *dumpRow
	what := ""
	switch p.Kind {
	case sequence.MaskedPass:
		r, what = rows.masked, "masked pass"
	case sequence.CleanPass:
		if r, what = rows.clean, "clean pass"; r == nil && !d.kinds[sequence.CleanPass] && rows.masked != nil {
			return rows.masked, nil // see Has
		}
	case sequence.SinglePass:
		position := -1
		if len(p.Hidden) == 1 {
			position = p.Hidden[0]
		}
		r, what = rows.single[position], fmt.Sprintf("pass that masks position %d alone", position)
	case sequence.RegionPass:
		r, what = rows.region[p.Region], "pass that masks the region "+p.Region.String()
	}
	if r == nil {
		return nil, hintPlan(fmt.Errorf("%s: sequence %s has no row of the %s", d.path, p.Record.ID, what))
	}
	if !slices.Equal(r.hidden, p.Hidden) {
		return nil, hintPlan(fmt.Errorf("%s: row %d, the %s of sequence %s, masks positions %s, want %s",
			d.path, r.row, what, p.Record.ID, positionsText(r.hidden), positionsText(p.Hidden)))
	}
	return r, nil
}

// positionsText lists the first positions.
func positionsText(positions []int) string {
	if len(positions) > 6 {
		return fmt.Sprintf("%d: %d %d %d …", len(positions), positions[0], positions[1], positions[2])
	}
	return fmt.Sprintf("%d: %v", len(positions), positions)
}

// outputBuffers are where outputs of rows are read to.
type outputBuffers struct {
	out                                 sequence.Output
	logits, hidden, attention, contacts []float32
}

// output reads the outputs of a row that are wanted.
func (d *Dump) output(b *outputBuffers, r *dumpRow, want sequence.Outputs) (*sequence.Output, error) {
	b.out = sequence.Output{}
	n := len(r.tokens)
	read := func(output sequence.Outputs, name string, to *[]float32) ([]float32, error) {
		a := d.arrays[name]
		if want&output == 0 || a == nil {
			return nil, nil
		}
		if *to == nil {
			*to = make([]float32, a.RowLen())
		}
		return *to, a.ReadFloat32(*to, r.row, r.row+1)
	}
	// perToken keeps the part of an array [L, …] that belongs to tokens.
	perToken := func(all []float32) []float32 {
		each := len(all) / d.width
		return all[r.start*each:][:n*each]
	}
	all, err := read(sequence.Logits, "logits", &b.logits)
	if err != nil {
		return nil, err
	}
	b.out.Logits = perToken(all)
	if all, err = read(sequence.HiddenStates, "hidden", &b.hidden); err != nil {
		return nil, err
	}
	b.out.Hidden = perToken(all)
	if all, err = read(sequence.ContactScores, "contact_score", &b.contacts); err != nil {
		return nil, err
	}
	b.out.ContactScores = squares(all, d.width, r.start, n)
	if all, err = read(sequence.Attentions, "attentions", &b.attention); err != nil {
		return nil, err
	}
	if all != nil {
		b.out.Attentions = squares(all, d.width, r.start, n)
		shape := d.arrays["attentions"].Shape()
		b.out.Layers, b.out.Heads = shape[1], shape[2]
	}
	return &b.out, nil
}

// squares moves the part [n, n] at (start, start) of every matrix [width, width] together.
func squares(all []float32, width, start, n int) []float32 {
	filled := 0
	for m := 0; m < len(all); m += width * width {
		for i := range n {
			copy(all[filled:], all[m+(start+i)*width+start:][:n])
			filled += n
		}
	}
	return all[:filled]
}
