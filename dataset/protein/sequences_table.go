// Sequences in tables and FASTA files.

package protein

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"repscope/internal/tabular"
	"repscope/internal/text"
)

// openTable finds the rows of a table and checks them.
func (f *File) openTable() error {
	reader, names, before, err := openRows(f.file)
	if err != nil {
		return err
	}
	f.separator = reader.Comma
	if err := f.chooseColumns(names); err != nil {
		return err
	}
	f.has["id"], f.has["cluster"] = f.roles[roleID] >= 0, f.roles[roleCluster] >= 0
	check := sequenceCheck{map[string]int{}, map[string]int{}}
	var s Sequence
	for {
		start := before + reader.InputOffset()
		record, err := reader.Read()
		if errors.Is(err, io.EOF) {
			f.offsets = append(f.offsets, start)
			break
		}
		if err != nil {
			return tabular.Error(err)
		}
		i := len(f.offsets)
		f.offsets = append(f.offsets, f.skipBlank(start))
		if err := f.row(record, i, &s); err != nil {
			return err
		}
		if err := check.add(f, i, &s); err != nil {
			return err
		}
	}
	if f.Len() == 0 {
		return errors.New("the table has column names but no rows")
	}
	return nil
}

// skipBlank is the offset after empty lines.
func (f *File) skipBlank(offset int64) int64 {
	var next [1]byte
	for offset < f.file.Size() {
		if _, err := f.file.ReadAt(next[:], offset); err != nil || next[0] != '\n' && next[0] != '\r' {
			break
		}
		offset++
	}
	return offset
}

// parseRow reads the bytes of a row.
func (f *File) parseRow(raw []byte, i int, s *Sequence) error {
	reader := tabular.Rows(f.file.Path(), bytes.NewReader(raw), tabular.Options{Separator: f.separator})
	reader.FieldsPerRecord = len(f.names)
	record, err := reader.Read()
	if err != nil {
		return fmt.Errorf("%s: %w", f.place(i), err)
	}
	return f.row(record, i, s)
}

// row takes a sequence from the cells of row i.
func (f *File) row(record []string, i int, s *Sequence) error {
	cell := func(role int) string {
		if f.roles[role] < 0 {
			return ""
		}
		return strings.TrimSpace(record[f.roles[role]])
	}
	fail := func(role int, err error) error {
		return fmt.Errorf("%s, column %s: %w", f.place(i), f.names[f.roles[role]], err)
	}
	*s = Sequence{ID: strconv.Itoa(i), Cluster: strings.Clone(cell(roleCluster))}
	if f.roles[roleID] >= 0 {
		s.ID = strings.Clone(cell(roleID))
	}
	single := -1 // the chain of a row that has one
	if f.roles[roleChain] >= 0 {
		single = 0
		if f.roles[roleLocus] >= 0 {
			var err error
			if single, err = locusOf(cell(roleLocus)); err != nil {
				return fail(roleLocus, err)
			}
		}
	}
	for k := range s.Chains {
		role := roleHeavy + k
		if single == k {
			role = roleChain
		}
		raw := strings.Clone(cell(role))
		c := f.options.Residues.clean(raw)
		chain := c.chain
		s.Chains[k] = chain
		if at := f.badLetter(chain); at >= 0 {
			return fail(role, f.letterError(chain, at))
		}
		if f.parts[k] != nil && chain != "" {
			mask, found := maskOfParts(chain, f.partsOf(record, f.parts[k]))
			s.CDR[k], s.unplaced = mask, s.unplaced || !found
		}
		for _, mask := range []struct {
			role    int
			highest byte
			to      *string
		}{{roleHeavyCDR + k, '3', &s.CDR[k]}, {roleHeavyNonTemplated + k, '1', &s.NonTemplated[k]}} {
			if f.roles[mask.role] < 0 {
				continue
			}
			*mask.to = c.mask(strings.Clone(cell(mask.role)), raw)
			if err := checkMask(*mask.to, chain, mask.highest); err != nil {
				return fail(mask.role, err)
			}
		}
		if list := cell(roleHeavyCoordinates + k); list != "" && !f.options.NoCoordinates {
			var err error
			if s.Coordinates[k], err = parseCoordinates(list, len(raw)); err != nil {
				return fail(roleHeavyCoordinates+k, err)
			}
			s.Coordinates[k] = c.points(s.Coordinates[k])
		}
	}
	if s.Chains[0] == "" && s.Chains[1] == "" {
		return fmt.Errorf("%s has no residues", f.place(i))
	}
	return nil
}

// partsOf are the parts of a chain of a row, cleaned like chains.
func (f *File) partsOf(record []string, columns []int) (parts [7]string) {
	for i, column := range columns {
		if column >= 0 {
			parts[i] = Residues{Upper: f.options.Residues.Upper, Gaps: f.options.Residues.Gaps}.clean(strings.TrimSpace(record[column])).chain
		}
	}
	return parts
}

// checkMask checks the digits of a mask, if there is one.
func checkMask(mask, chain string, highest byte) error {
	if mask == "" {
		return nil
	}
	for i := range len(mask) {
		if mask[i] < '0' || mask[i] > highest {
			return fmt.Errorf("position %d of the mask is %q, want a digit from 0 to %c", i, []rune(mask[i:])[0], highest)
		}
	}
	if len(mask) == len(chain) {
		return nil
	}
	err := fmt.Errorf("the mask has %s for a chain of %s",
		text.Count(len(mask), "digit"), text.Count(len(chain), "residue"))
	if len(mask) < len(chain) && mask[0] != '0' {
		return text.WithHint(err, "a mask read as a number loses its leading zeros; keep it as text (pandas: dtype=str)")
	}
	return err
}

// parseCoordinates reads a JSON list of n points [x, y, z]; NaN and null are NaN, as a coordinate or as a whole point.
// A residue with any of them is not resolved: all three are NaN.
func parseCoordinates(list string, n int) ([]float32, error) {
	p := coordinateParser{text.Cursor{Text: list}}
	out := make([]float32, 0, 3*n)
	if err := p.want('['); err != nil {
		return nil, err
	}
	for first := true; !p.Next(']'); first = false {
		if !first {
			if err := p.want(','); err != nil {
				return nil, err
			}
		}
		if len(out) == 3*n {
			return nil, fmt.Errorf("there are more points than the %d residues of the chain", n)
		}
		point, err := p.point(len(out) / 3)
		if err != nil {
			return nil, err
		}
		out = append(out, point[:]...)
	}
	if p.Skip(); p.At < len(list) {
		return nil, fmt.Errorf("%.20q follows the list", list[p.At:])
	}
	if len(out) != 3*n {
		return nil, fmt.Errorf("the list has %s for a chain of %s", text.Count(len(out)/3, "point"), text.Count(n, "residue"))
	}
	return out, nil
}

// coordinateParser reads lists of lists of numbers.
type coordinateParser struct{ text.Cursor }

func (p *coordinateParser) want(c byte) error {
	if p.Next(c) {
		return nil
	}
	if p.At == len(p.Text) {
		return fmt.Errorf("the list ends where %q was expected; want a JSON list of points [x, y, z]", c)
	}
	return fmt.Errorf("found %.20q where %q was expected; want a JSON list of points [x, y, z]", p.Text[p.At:], c)
}

// point reads point i.
func (p *coordinateParser) point(i int) (out [3]float32, err error) {
	nan := float32(math.NaN())
	unresolved := [3]float32{nan, nan, nan}
	if p.null() {
		return unresolved, nil
	}
	resolved := true
	for k := range out {
		opening := byte(',')
		if k == 0 {
			opening = '['
		}
		if err := p.want(opening); err != nil {
			return out, fmt.Errorf("point %d: %w", i, err)
		}
		p.Skip()
		end := p.At
		for end < len(p.Text) && strings.IndexByte(",] \t\r\n", p.Text[end]) < 0 {
			end++
		}
		word := p.Text[p.At:end]
		p.At = end
		if word == "null" || strings.EqualFold(word, "nan") {
			resolved = false
			continue
		}
		v, err := strconv.ParseFloat(word, 32)
		if err != nil || math.IsInf(v, 0) {
			return out, fmt.Errorf("point %d contains %.20q, want a finite number, or NaN for an unresolved residue", i, word)
		}
		out[k] = float32(v)
	}
	if err := p.want(']'); err != nil {
		return out, fmt.Errorf("point %d: %w", i, err)
	}
	if !resolved {
		return unresolved, nil
	}
	return out, nil
}

// null skips a null or NaN in place of a whole point.
func (p *coordinateParser) null() bool {
	p.Skip()
	rest := p.Text[p.At:]
	end := strings.IndexAny(rest, ",] \t\r\n")
	if end < 0 || rest[:end] != "null" && !strings.EqualFold(rest[:end], "nan") {
		return false
	}
	p.At += end
	return true
}

// openFASTA finds the records of a FASTA file and checks them.
func (f *File) openFASTA() error {
	reader := bufio.NewReaderSize(io.NewSectionReader(f.file, 0, f.file.Size()), 1<<16)
	offset, lineStart := int64(0), true
	for {
		part, err := reader.ReadSlice('\n')
		line := bytes.TrimLeft(bytes.TrimPrefix(part, []byte("\ufeff")), " \t")
		if lineStart && len(line) > 0 && line[0] == '>' {
			f.offsets = append(f.offsets, offset)
		}
		offset += int64(len(part))
		lineStart = err == nil
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			return err
		}
	}
	f.offsets = append(f.offsets, offset)
	f.has["id"] = true
	check := sequenceCheck{map[string]int{}, map[string]int{}}
	var s Sequence
	for i := range f.Len() {
		err := f.file.Use(f.offsets[i], f.offsets[i+1]-f.offsets[i],
			func(raw []byte) error { return f.parseRecord(raw, i, &s) })
		if err != nil {
			return err
		}
		if err := check.add(f, i, &s); err != nil {
			return err
		}
	}
	return nil
}

// parseRecord reads the bytes of a FASTA record.
func (f *File) parseRecord(raw []byte, i int, s *Sequence) error {
	header, body, _ := strings.Cut(strings.TrimPrefix(string(raw), "\ufeff"), "\n")
	*s = Sequence{}
	if words := strings.Fields(strings.TrimLeft(header, " \t>")); len(words) > 0 {
		s.ID = words[0]
	}
	chains := strings.Split(strings.Join(strings.Fields(body), ""), ":")
	if len(chains) > 2 {
		return fmt.Errorf("%s has %d chains, want one, or a heavy and a light chain separated by a colon",
			f.place(i), len(chains))
	}
	for k, chain := range chains {
		chain = f.options.Residues.clean(chain).chain
		s.Chains[k] = chain
		if at := f.badLetter(chain); at >= 0 {
			return fmt.Errorf("%s, %s chain: %w", f.place(i), [...]string{"heavy", "light"}[k], f.letterError(chain, at))
		}
	}
	if s.Chains[0] == "" && s.Chains[1] == "" {
		return fmt.Errorf("%s has no residues", f.place(i))
	}
	return nil
}
