// Cleaning of sequences, and CDRs in columns of text.

package protein

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"repscope/dataset"
	"repscope/internal/tabular"
	"repscope/internal/text"
)

// Residues say which letters of files are read as others, or left out.
type Residues struct {
	Upper bool // lower-case letters are the capital ones
	Stop  bool // a stop, "*", at the end of a chain is left out
	Gaps  bool // gaps of alignments, "-" and ".", are left out
}

// cleaned is a chain with its annotations.
type cleaned struct {
	chain string
	kept  []int // indices in the original chain; nil: all
}

// clean reads a chain as the options say.
func (o Residues) clean(chain string) cleaned {
	if o.Upper {
		chain = strings.Map(func(r rune) rune {
			if r >= 'a' && r <= 'z' {
				return r - 'a' + 'A'
			}
			return r
		}, chain)
	}
	if o.Stop && strings.HasSuffix(chain, "*") || o.Gaps && strings.ContainsAny(chain, "-.") {
		end := len(chain)
		for o.Stop && end > 0 && chain[end-1] == '*' {
			end--
		}
		var b strings.Builder
		c := cleaned{kept: []int{}}
		for i := range end {
			if o.Gaps && (chain[i] == '-' || chain[i] == '.') {
				continue
			}
			b.WriteByte(chain[i])
			c.kept = append(c.kept, i)
		}
		c.chain = b.String()
		return c
	}
	return cleaned{chain: chain}
}

// mask is a mask of the original chain, or of the rest after cleaning.
func (c *cleaned) mask(mask, raw string) string {
	if c.kept == nil || len(mask) != len(raw) {
		return mask
	}
	out := make([]byte, len(c.kept))
	for k, i := range c.kept {
		out[k] = mask[i]
	}
	return string(out)
}

// points are the coordinates of the rest of a chain.
func (c *cleaned) points(list []float32) []float32 {
	if c.kept == nil || len(list) == 3*len(c.kept) {
		return list
	}
	out := make([]float32, 0, 3*len(c.kept))
	for _, i := range c.kept {
		out = append(out, list[3*i:3*i+3]...)
	}
	return out
}

// partNames are the parts of a chain that tables of immune receptors hold as texts, in their order.
var partNames = [7]string{"fwr1", "cdr1", "fwr2", "cdr2", "fwr3", "cdr3", "fwr4"}

// chooseParts finds the columns of the parts of a chain: fwr1_aa … fwr4_aa and cdr1_aa … cdr3_aa, with an ending
// where a row has two chains. nil unless all three CDRs are there.
func chooseParts(names []string, ending string) []int {
	parts := make([]int, len(partNames))
	for i, name := range partNames {
		if parts[i] = slices.Index(names, name+"_aa"+ending); parts[i] < 0 && i%2 == 1 {
			return nil
		}
	}
	return parts
}

// maskOfParts is the mask of the CDRs of a chain from texts. The frameworks between them locate them, or else their
// occurrences in the chain, if these are unique. It is empty if one of the parts is empty, and ok is false if they
// match no part or several.
func maskOfParts(chain string, parts [7]string) (mask string, ok bool) {
	if parts[1] == "" || parts[3] == "" || parts[5] == "" {
		return "", true
	}
	from := [3]int{-1, -1, -1}
	if parts[2] != "" && parts[4] != "" {
		whole := strings.Join(parts[:6], "")
		if start := strings.Index(chain, whole); start >= 0 && strings.LastIndex(chain, whole) == start {
			from[0] = start + len(parts[0])
			from[1] = from[0] + len(parts[1]) + len(parts[2])
			from[2] = from[1] + len(parts[3]) + len(parts[4])
		}
	}
	if from[0] < 0 {
		count := 0
		for a := range occurrences(chain, parts[1], 0) {
			for b := range occurrences(chain, parts[3], a+len(parts[1])) {
				for c := range occurrences(chain, parts[5], b+len(parts[3])) {
					if count++; count > 1 {
						return "", false
					}
					from = [3]int{a, b, c}
				}
			}
		}
		if count == 0 {
			return "", false
		}
	}
	out := []byte(strings.Repeat("0", len(chain)))
	for k, start := range from {
		for i := range parts[2*k+1] {
			out[start+i] = '1' + byte(k)
		}
	}
	return string(out), true
}

// occurrences visits the occurrences of a part in a chain, from an index on.
func occurrences(chain, part string, from int) func(yield func(int) bool) {
	return func(yield func(int) bool) {
		for from <= len(chain)-len(part) {
			index := strings.Index(chain[from:], part)
			if index < 0 || !yield(from+index) {
				return
			}
			from += index + 1
		}
	}
}

// metadataLine is the length of a first line that holds metadata in JSON, as units of the Observed Antibody Space
// have it, quoted as a cell or not; 0 where the first line names columns.
func metadataLine(head []byte) int {
	line, _, whole := strings.Cut(string(head), "\n")
	if !whole || !strings.HasPrefix(strings.TrimLeft(line, `" `), "{") {
		return 0
	}
	cells := line
	if record, err := tabular.Rows("", strings.NewReader(line), tabular.Options{Separator: ','}).Read(); err == nil {
		cells = strings.Join(record, ",")
	}
	for _, object := range []string{line, cells, strings.ReplaceAll(line, `""`, `"`)} {
		object = strings.TrimRight(strings.TrimSpace(object), ",")
		if json.Valid([]byte(object)) || json.Valid([]byte(strings.Trim(object, `"`))) {
			return len(line) + 1
		}
	}
	return 0
}

// behind is a file without its beginning.
type behind struct {
	dataset.TextFile
	skipped int64
}

func (b behind) Size() int64 { return b.TextFile.Size() - b.skipped }

func (b behind) ReadAt(p []byte, offset int64) (int, error) {
	if offset < 0 {
		return 0, fmt.Errorf("offset %d: want at least 0", offset)
	}
	return b.TextFile.ReadAt(p, offset+b.skipped)
}

func (b behind) Use(offset, n int64, fn func(raw []byte) error) error {
	if offset < 0 {
		return fmt.Errorf("offset %d: want at least 0", offset)
	}
	return b.TextFile.Use(offset+b.skipped, n, fn)
}

// locusOf is the chain of a locus: 0 of the heavy one, 1 of a light one.
func locusOf(locus string) (int, error) {
	switch strings.ToUpper(locus) {
	case "IGH", "H", "HEAVY", "VH":
		return 0, nil
	case "IGK", "IGL", "K", "L", "KAPPA", "LAMBDA", "LIGHT", "VL", "VK":
		return 1, nil
	}
	return 0, fmt.Errorf("%.40q is not a locus of an antibody, want IGH, IGK or IGL", locus)
}

// partNotes reports the number of sequences whose CDR columns match no part of the chain, or several; empty if there
// are none.
func (f *File) partNotes() []string {
	if f.unplaced == 0 {
		return nil
	}
	return []string{fmt.Sprintf("%s: CDRs of columns such as cdr3_aa match no or several positions of the chain in %s, which get no regions",
		f.file.Path(), text.Count(f.unplaced, "sequence"))}
}

// LetterCounts are the frequencies of the letters in all chains.
func (f *File) LetterCounts() [256]int { return f.counts }
