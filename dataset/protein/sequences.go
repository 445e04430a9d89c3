// Package protein reads files of protein sequences, which are chains of residues with their annotations, and the tables
// and vocabularies of models of them.
package protein

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"repscope/dataset"
	"repscope/internal/gunzip"
	"repscope/internal/tabular"
	"repscope/internal/text"
)

// Sequence is one sequence of a file: up to two chains, heavy and light, as they are written.
type Sequence struct {
	// ID is the id in its column or FASTA header, else the index in the file, from 0.
	ID      string
	Cluster string // empty without such a column
	// Chains are the letters of the residues; empty for a chain that is not there.
	Chains [2]string
	// CDR has a digit per residue: n in CDR n, else 0. NonTemplated has 1 at residues that differ from the germline,
	// else 0. Both are empty if unknown.
	CDR, NonTemplated [2]string
	// Coordinates are three numbers per residue, NaN for one that is not resolved; empty where
	// they are not known.
	Coordinates [2][]float32

	unplaced bool // the CDR columns match no part of a chain, or several
}

// Options say how a file of sequences is read.
type Options struct {
	// Columns are the names of columns by content: see [Roles]. Other columns are found by the names of the
	// published layouts.
	Columns map[string]string
	// Letters are the allowed letters of sequences; empty: capitals, "*", "." and "-".
	Letters string
	// NoCoordinates leaves coordinates out.
	NoCoordinates bool
	// Residues say which letters are read as others, or left out, before they are checked.
	Residues Residues
}

// File is an open file of sequences. It has been checked as a whole; sequences are
// read again as they are needed, from several goroutines if wanted.
type File struct {
	file      dataset.TextFile
	offsets   []int64 // of every sequence and the end
	separator rune    // of a table
	roles     []int   // the column of each of sequenceRoles, −1 for none
	names     []string
	parts     [2][]int // the columns of the parts of each chain; nil with a mask of the CDRs, or without any
	receptors bool     // the table is one of immune receptors, of whose columns most are not used
	skipped   int      // lines before the names
	letters   [256]bool
	options   Options
	clusters  []int
	has       map[string]bool
	counts    [256]int // letters of all chains
	unplaced  int      // sequences whose CDRs match no part of a chain
}

// sequenceRole is a possible content of a column, with its names: its own name, others, or, if none of these exists,
// the first of some names in tables with more columns.
type sequenceRole struct {
	name         string
	found, large []string
}

// The contents of columns.
const (
	roleID = iota
	roleCluster
	roleHeavy
	roleLight
	roleHeavyCDR
	roleLightCDR
	roleHeavyNonTemplated
	roleLightNonTemplated
	roleHeavyCoordinates
	roleLightCoordinates
	roleChain // one chain a row, of a locus
	roleLocus
)

var sequenceRoles = []sequenceRole{
	{"id", []string{"sequence_id", "name"}, []string{"sequence_id_heavy"}},
	{"cluster", nil, nil},
	{"heavy", []string{"heavy_chain", "sequence_aa:0"}, []string{"sequence_alignment_aa_heavy", "sequence_aa_heavy"}},
	{"light", []string{"light_chain", "sequence_aa:1"}, []string{"sequence_alignment_aa_light", "sequence_aa_light"}},
	{"heavy_cdr", []string{"heavy_cdr_mask", "cdr_mask_aa:0"}, nil},
	{"light_cdr", []string{"light_cdr_mask", "cdr_mask_aa:1"}, nil},
	{"heavy_non_templated", []string{"heavy_non_templated_mask", "nongermline_mask_aa:0"}, nil},
	{"light_non_templated", []string{"light_non_templated_mask", "nongermline_mask_aa:1"}, nil},
	{"heavy_coords", nil, nil},
	{"light_coords", nil, nil},
	{"chain", nil, []string{"sequence_alignment_aa", "sequence_aa"}},
	{"locus", nil, nil},
}

// Roles are the keys of [Options].Columns: the possible contents of a column.
func Roles() []string {
	out := make([]string, len(sequenceRoles))
	for i, r := range sequenceRoles {
		out[i] = r.name
	}
	return out
}

// Open opens a table (.csv; .tsv has tabs) whose first line names the columns, or a FASTA file, recognized by
// its first character ">".
//
// A table has a column of the heavy chain, the light chain, or both, and may have the others of [Roles]. It may
// instead have a column of a single chain, whose locus column (IGH, IGK, IGL) identifies it; without one it is the
// heavy chain. Names are the names of two published layouts and of AIRR Rearrangement and units of the Observed
// Antibody Space, whose first line may be metadata in JSON. Without a mask of CDRs the columns cdr1_aa, cdr2_aa and
// cdr3_aa (of paired rows cdr1_aa_heavy …) locate them. A file may be compressed by gzip. Masks are one digit per
// residue, coordinates a JSON list [L, 3] in ångström in which NaN and null are not resolved. A chain, mask or list may
// be missing in single rows (an empty cell). The id of a FASTA record is the first word of its header, and a colon
// separates the heavy chain from the light one ("EVQL…:DIQM…"); without a colon it is the heavy chain.
//
// Errors name the file, the row from 0 with its line, and the column: no sequences, no column of a chain, a missing
// named column, a sequence without residues, a letter outside the options' (with its position), masks and coordinates
// of another length than the chain or of other values, an infinite coordinate, an empty id or cluster, equal ids.
func Open(path string, o Options) (*File, error) {
	file, err := dataset.OpenText(path)
	if err != nil {
		return nil, err
	}
	f := &File{file: file, options: o, has: map[string]bool{}}
	letters := o.Letters
	if letters == "" {
		letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ*.-"
	}
	for i := range len(letters) {
		f.letters[letters[i]] = true
	}
	if err := f.open(path); err != nil {
		file.Close()
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return f, nil
}

// open finds where the sequences are and checks them.
func (f *File) open(path string) error {
	first := make([]byte, min(f.file.Size(), 4096))
	if _, err := f.file.ReadAt(first, 0); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	start := strings.TrimLeft(strings.TrimPrefix(string(first), "\ufeff"), " \t\r\n")
	switch {
	case f.file.Size() == 0 || start == "" && int64(len(first)) == f.file.Size():
		return errors.New("the file is empty; want a table with a line of column names, or FASTA records")
	case strings.HasPrefix(start, ">"):
		return f.openFASTA()
	case strings.HasPrefix(start, "\xff\xfe"), strings.HasPrefix(start, "\xfe\xff"):
		return errors.New("the text is encoded as UTF-16, want UTF-8")
	case slices.Contains([]string{".fasta", ".fa", ".faa"}, strings.ToLower(filepath.Ext(gunzip.Name(path)))):
		return errors.New("it does not begin with a FASTA record: want a line with > and an id")
	}
	if n := metadataLine(first); n > 0 {
		f.file, f.skipped = behind{f.file, int64(n)}, 1
		if err := f.openTable(); err != nil {
			return fmt.Errorf("after a first line of metadata: %w", err)
		}
		return nil
	}
	return f.openTable()
}

// Path is the name of the file.
func (f *File) Path() string { return f.file.Path() }

// Len is the number of sequences.
func (f *File) Len() int { return len(f.offsets) - 1 }

// Read reads sequence i.
func (f *File) Read(i int, s *Sequence) error {
	if i < 0 || i >= f.Len() {
		return fmt.Errorf("%s: sequence %d of %d", f.file.Path(), i, f.Len())
	}
	size := f.offsets[i+1] - f.offsets[i]
	err := f.file.Use(f.offsets[i], size, func(raw []byte) error {
		if f.roles == nil {
			return f.parseRecord(raw, i, s)
		}
		return f.parseRow(raw, i, s)
	})
	if err != nil {
		return fmt.Errorf("%s: %w", f.file.Path(), err)
	}
	return nil
}

// Clusters numbers the clusters of all sequences in the order of their appearance; without
// such a column every sequence is one.
func (f *File) Clusters() []int { return f.clusters }

// Has reports whether any sequence has a value of this key of [Roles].
func (f *File) Has(role string) bool { return f.has[role] }

// Column is the name of the column of a key of [Roles]; empty if there is none, as in FASTA files.
func (f *File) Column(role string) string {
	for i, r := range sequenceRoles {
		if r.name == role && f.roles != nil && f.roles[i] >= 0 {
			return f.names[f.roles[i]]
		}
	}
	return ""
}

// SHA256 is the digest of the file's bytes, in hexadecimal digits.
func (f *File) SHA256() (string, error) { return f.file.SHA256() }

// Close releases the file.
func (f *File) Close() error { return f.file.Close() }

// sequenceCheck is the state of the checks while a file is opened.
type sequenceCheck struct{ ids, clusters map[string]int }

// add checks sequence i against earlier ones, and records its contents.
func (c *sequenceCheck) add(f *File, i int, s *Sequence) error {
	for _, chain := range s.Chains {
		for k := range len(chain) {
			f.counts[chain[k]]++
		}
	}
	if s.unplaced {
		f.unplaced++
	}
	if f.has["id"] {
		if s.ID == "" {
			return fmt.Errorf("%s has no id", f.place(i))
		}
		if other, ok := c.ids[s.ID]; ok {
			return fmt.Errorf("%s has the same id %q as %s; want unique ids", f.place(i), s.ID, f.place(other))
		}
		c.ids[s.ID] = i
	}
	cluster := i
	if f.has["cluster"] {
		if s.Cluster == "" {
			return fmt.Errorf("%s, column %s: the cluster is empty", f.place(i), f.Column("cluster"))
		}
		var ok bool
		if cluster, ok = c.clusters[s.Cluster]; !ok {
			cluster = len(c.clusters)
			c.clusters[s.Cluster] = cluster
		}
	}
	f.clusters = append(f.clusters, cluster)
	for k, chain := range [...]string{"heavy", "light"} {
		f.has[chain] = f.has[chain] || s.Chains[k] != ""
		f.has[chain+"_cdr"] = f.has[chain+"_cdr"] || s.CDR[k] != ""
		f.has[chain+"_non_templated"] = f.has[chain+"_non_templated"] || s.NonTemplated[k] != ""
		f.has[chain+"_coords"] = f.has[chain+"_coords"] || s.Coordinates[k] != nil
	}
	return nil
}

// place describes the position of a sequence in the file.
func (f *File) place(i int) string {
	what := "row"
	if f.roles == nil {
		what = "record"
	}
	line := 1 + f.skipped
	for offset := int64(0); offset < f.offsets[i]; {
		size := min(f.offsets[i]-offset, 1<<20)
		_ = f.file.Use(offset, size, func(raw []byte) error { line += bytes.Count(raw, []byte{'\n'}); return nil })
		offset += size
	}
	return fmt.Sprintf("%s %d (line %d)", what, i, line)
}

// badLetter finds the first letter that is not allowed, −1 for none.
func (f *File) badLetter(chain string) int {
	for i := range len(chain) {
		if !f.letters[chain[i]] {
			return i
		}
	}
	return -1
}

// letterError is the error of an invalid letter.
func (f *File) letterError(chain string, i int) error {
	letter := []rune(chain[i:])[0]
	var allowed []byte
	for b, ok := range f.letters {
		if ok {
			allowed = append(allowed, byte(b))
		}
	}
	err := fmt.Errorf("position %d is %q, want one of the letters %s", i, letter, allowed)
	switch {
	case letter >= 'a' && letter <= 'z' && f.letters[letter-'a'+'A']:
		return text.WithHint(err, "residues are upper-case letters; --residues upper converts lower-case letters")
	case letter == '*':
		return text.WithHint(err, "--residues stop drops a stop at the end")
	case letter == '-' || letter == '.':
		return text.WithHint(err, "--residues gaps drops gaps")
	}
	return err
}

// chooseColumns finds the columns.
func (f *File) chooseColumns(names []string) error {
	f.names = names
	f.roles = make([]int, len(sequenceRoles))
	for key := range f.options.Columns {
		if !slices.Contains(Roles(), key) {
			return fmt.Errorf("%q is not the meaning of a column: want one of %s", key, strings.Join(Roles(), ", "))
		}
	}
	for i, role := range sequenceRoles {
		f.roles[i] = -1
		if name, ok := f.options.Columns[role.name]; ok {
			if f.roles[i] = slices.Index(names, name); f.roles[i] < 0 {
				return tabular.Missing(name, names)
			}
			continue
		}
		for _, name := range append([]string{role.name}, role.found...) {
			column := f.free(names, name)
			if column >= 0 && f.roles[i] >= 0 && i >= roleHeavy {
				return text.WithHint(fmt.Errorf("the columns %s and %s both contain %s", names[f.roles[i]], name, role.name),
					fmt.Sprintf("choose one with --columns %s=…", role.name))
			}
			if column >= 0 && f.roles[i] < 0 {
				f.roles[i] = column
			}
		}
		for _, name := range role.large {
			if f.roles[i] < 0 {
				f.roles[i] = f.free(names, name)
				f.receptors = f.receptors || f.roles[i] >= 0
			}
		}
	}
	if f.roles[roleHeavy] >= 0 || f.roles[roleLight] >= 0 {
		f.roles[roleChain] = -1
	}
	f.chooseParts(names)
	if f.roles[roleHeavy] < 0 && f.roles[roleLight] < 0 && f.roles[roleChain] < 0 {
		err := fmt.Errorf("no column contains a chain (%s); the columns are %s",
			strings.Join(slices.Concat(sequenceRoles[roleHeavy].found, sequenceRoles[roleLight].found), ", "),
			strings.Join(names, ", "))
		if len(names) == 1 && strings.ContainsAny(names[0], ",;|\t") {
			return text.WithHint(err, "the cells of a .tsv file are separated by tabs")
		}
		return text.WithHint(err, "name them with --columns heavy=NAME,light=NAME; a single chain is heavy=NAME")
	}
	return f.checkUses()
}

// free is the column of a name that no option uses otherwise; −1 if there is none.
func (f *File) free(names []string, name string) int {
	for _, taken := range f.options.Columns {
		if taken == name {
			return -1
		}
	}
	return slices.Index(names, name)
}

// chooseParts finds the columns of CDRs of chains that have no mask.
func (f *File) chooseParts(names []string) {
	for k, ending := range [2]string{"_heavy", "_light"} {
		switch {
		case f.roles[roleHeavyCDR+k] >= 0:
		case f.roles[roleChain] >= 0:
			f.parts[k] = chooseParts(names, "")
		case f.roles[roleHeavy+k] >= 0:
			if f.parts[k] = chooseParts(names, ending); f.parts[k] == nil && f.roles[roleHeavy+1-k] < 0 {
				f.parts[k] = chooseParts(names, "")
			}
		}
	}
}

// Notes are columns that are not used and have nearly the name of one that is not there, and sequences without regions
// whose CDRs are known.
func (f *File) Notes() []string {
	notes := f.partNotes()
	if f.receptors {
		return notes
	}
	var missing []string
	for i, column := range f.roles {
		if column < 0 && i < roleChain {
			missing = append(missing, sequenceRoles[i].found...)
		}
	}
	for k, name := range f.names {
		if near := text.Nearest(name, missing); near != "" && !slices.Contains(f.roles, k) {
			notes = append(notes, fmt.Sprintf("%s: the column %s is not used; did you mean %s?", f.file.Path(), name, near))
		}
	}
	return notes
}

// checkUses finds a column with two contents, and one that belongs to an absent chain.
func (f *File) checkUses() error {
	users := map[int]string{}
	for i, column := range f.roles {
		if column < 0 {
			continue
		}
		if other, ok := users[column]; ok {
			return fmt.Errorf("the column %s cannot contain both %s and %s", f.names[column], other, sequenceRoles[i].name)
		}
		users[column] = sequenceRoles[i].name
	}
	for i := roleHeavyCDR; i <= roleLightCoordinates; i++ {
		chain := roleHeavy + (i-roleHeavyCDR)%2
		if f.roles[i] >= 0 && f.roles[chain] < 0 {
			return fmt.Errorf("there is a column %s but no column of the %s chain",
				f.names[f.roles[i]], sequenceRoles[chain].name)
		}
	}
	return nil
}
