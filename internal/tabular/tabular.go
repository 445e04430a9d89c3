// Package tabular joins tables by the names of their columns. It is the one rule for every table of text from users:
//
//   - the first line names the columns, whose order does not matter;
//   - a column without a name and two of one name are errors, except for a first column without a
//     name, which pandas writes for the numbers of rows;
//   - a missing column is an error that lists the existing ones, and a similar name; if two tables
//     are compared, columns that only one of them has are errors too;
//   - a first line of numbers is no line of names: such columns are called 0, 1, 2, … as in
//     pandas, so that only tables that both lack names are joined by position.
//
// A reader that knows its columns:
//
//	rows, names, err := tabular.Open("scale.csv", f, tabular.Options{})
//	place, err := tabular.Find(names, tabular.Column{Name: "task"}, tabular.Column{Name: "metric", Optional: true})
//	record, err := rows.Read() // record[place[0]] is the task
package tabular

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"repscope/internal/bound"
	"repscope/internal/gunzip"
	"repscope/internal/text"
)

// Options say how a table is written.
type Options struct {
	Separator  rune // between cells; 0: from the first line, see [Separator]
	LazyQuotes bool // a quote may occur inside a cell
	Unnamed    bool // columns without a name are passed over, where they are errors otherwise
	Exact      bool // white space around names is part of them, as in files that programs write
}

// HeadBytes is the part of a table that determines its separator.
const HeadBytes = 1 << 16

// Rows returns the rows of a table, the first line among them, after a byte order mark; name is the name of its file.
// The record of a row is valid until the next is read.
func Rows(name string, r io.Reader, o Options) *csv.Reader {
	size := 1 << 12
	if o.Separator == 0 {
		size = HeadBytes
	}
	b := bufio.NewReaderSize(r, size)
	if first, _ := b.Peek(len(Mark)); string(first) == Mark {
		_, _ = b.Discard(len(Mark))
	}
	var rows io.Reader = b
	if first, _ := b.Peek(2); string(first) == `{"` || string(first) == "[{" {
		rows = noRows{}
	}
	if o.Separator == 0 {
		head, _ := b.Peek(HeadBytes)
		o.Separator = Separator(name, head)
	}
	reader := csv.NewReader(&shortLines{r: rows, line: 1})
	reader.Comma, reader.ReuseRecord, reader.LazyQuotes = o.Separator, true, o.LazyQuotes
	return reader
}

// noRows are the rows of a table that is written as JSON.
type noRows struct{}

func (noRows) Read([]byte) (int, error) {
	return 0, text.WithHint(errors.New("the file is JSON, want a table of text or .parquet"),
		`convert it: python -c 'import pandas as pd; pd.read_json("FILE").to_csv("FILE.csv", index=False)' `+
			"(JSON Lines: lines=True)")
}

// shortLines passes on lines of at most [bound.Free] bytes; a longer one is an error before it is kept.
type shortLines struct {
	r    io.Reader
	line int // its number, from 1
	size int // bytes of it so far
}

func (l *shortLines) Read(p []byte) (n int, err error) {
	n, err = l.r.Read(p)
	rest := p[:n]
	for {
		i := bytes.IndexByte(rest, '\n')
		if i < 0 {
			break
		}
		if l.size += i; l.size > bound.Free {
			break
		}
		l.line, l.size, rest = l.line+1, 0, rest[i+1:]
	}
	if l.size += len(rest); l.size > bound.Free {
		return 0, fmt.Errorf("line %d has more than %d bytes; want the rows of a table", l.line, bound.Free)
	}
	return n, err
}

// Separator is the separator of the cells of a table that begins with head: tabs in a file .tsv (also .tsv.gz), else
// the most frequent of commas, semicolons, tabs and bars in its first line, outside of quotes.
func Separator(name string, head []byte) rune {
	if strings.EqualFold(filepath.Ext(gunzip.Name(name)), ".tsv") {
		return '\t'
	}
	line, _, _ := bytes.Cut(head, []byte("\n"))
	const separators = ",;\t|"
	var counts [len(separators)]int
	quoted := false
	for _, c := range line {
		if c == '"' {
			quoted = !quoted
		} else if k := strings.IndexByte(separators, c); k >= 0 && !quoted {
			counts[k]++
		}
	}
	highest := 0
	for k, n := range counts {
		if n > counts[highest] {
			highest = k
		}
	}
	return rune(separators[highest])
}

// Open reads the first line and returns the rows that follow and the names of the columns. Errors: an empty file, the
// errors of [Names] and of package csv (see [Error]).
func Open(name string, r io.Reader, o Options) (*csv.Reader, []string, error) {
	rows := Rows(name, r, o)
	header, err := First(rows)
	if err != nil {
		return nil, nil, err
	}
	names, err := o.Names(header)
	return rows, names, err
}

// First is the first line of a table. Errors: an empty file, text in UTF-16, and files that are no text.
func First(rows *csv.Reader) ([]string, error) {
	header, err := rows.Read()
	if errors.Is(err, io.EOF) {
		return nil, errors.New("the table is empty; want a line of column names and rows")
	}
	if err == nil {
		err = isText(strings.Join(header, ""))
	}
	if err != nil {
		return nil, Error(err)
	}
	return slices.Clone(header), nil
}

// isText is an error where the first line of a table is no text in UTF-8: no other text has characters of number 0.
func isText(line string) error {
	switch {
	case strings.HasPrefix(line, "\xff\xfe"), strings.HasPrefix(line, "\xfe\xff"):
		return errors.New("the table is text in UTF-16; save it in UTF-8")
	case strings.Contains(line, "\x00"):
		return errors.New("the file is not a table of text")
	}
	return nil
}

// Mark is the byte order mark that some programs write before text in UTF-8.
const Mark = "\ufeff"

// Error is the error of a line of text that is no table.
func Error(err error) error {
	var parse *csv.ParseError
	if !errors.As(err, &parse) {
		return err
	}
	if errors.Is(err, csv.ErrFieldCount) {
		return fmt.Errorf("line %d does not have the same number of cells as the first line", parse.Line)
	}
	return fmt.Errorf("line %d: %w", parse.Line, parse.Err)
}

// ErrName is that the first line names no columns.
var ErrName = errors.New("the first line names no columns")

// nameError is an [ErrName].
type nameError struct{ error }

func (nameError) Is(target error) bool { return target == ErrName }

// Names are the names of the columns in a first line, without the white space around them; the
// first of several may be empty. Errors: another column without a name, two of one name.
func Names(header []string) ([]string, error) { return Options{}.Names(header) }

// Names is [Names] for a table that is written in this way.
func (o Options) Names(header []string) ([]string, error) {
	names := make([]string, len(header))
	for i, name := range header {
		if names[i] = strings.Clone(name); !o.Exact {
			names[i] = strings.TrimSpace(names[i])
		}
		switch {
		case names[i] == "" && !o.Unnamed && (i > 0 || len(header) == 1):
			return nil, nameError{fmt.Errorf("column %d has no name in the first line", i+1)}
		case names[i] != "" && slices.Contains(names[:i], names[i]):
			return nil, nameError{fmt.Errorf("two columns are named %q", names[i])}
		}
	}
	return names, nil
}

// ErrNamesOrRow is that a first line of whole numbers may name columns or be a row.
var ErrNamesOrRow = errors.New("the first line has only whole numbers, which can be column names or a row of values")

// NamesOrPlaces are the names in a first line or, if it is a row of numbers, the indices 0, 1, 2, … of its columns, as
// pandas names them; row reports that. Whole numbers are names if they count the columns from 0 or 1. Errors: the
// errors of [Names], other whole numbers ([ErrNamesOrRow]).
func NamesOrPlaces(header []string) (names []string, row bool, err error) {
	whole, broken := 0, 0
	for _, cell := range header {
		switch cell = strings.TrimSpace(cell); {
		case cell == "":
		case isWhole(cell):
			whole++
		case isNumber(cell):
			broken++
		default:
			names, err = Names(header)
			return names, false, err
		}
	}
	switch {
	case broken > 0:
		return places(len(header), 0), true, nil
	case whole > 0 && !isCount(header, 0) && !isCount(header, 1) && !(header[0] == "" && isCount(header[1:], 0)):
		return nil, false, text.WithHint(fmt.Errorf("%w: %s", ErrNamesOrRow, strings.Join(header, ", ")),
			"write a line of column names before the rows")
	}
	names, err = Names(header)
	return names, false, err
}

func isWhole(cell string) bool {
	_, err := strconv.ParseInt(cell, 10, 64)
	return err == nil
}

// ParseFloat is strconv.ParseFloat of a cell; comma says that it may have a decimal comma: one comma and no point.
func ParseFloat(cell string, comma bool) (float64, error) {
	if comma && strings.Count(cell, ",") == 1 && !strings.Contains(cell, ".") {
		cell = strings.Replace(cell, ",", ".", 1)
	}
	return strconv.ParseFloat(cell, 64)
}

// ParseTruth reads True and False, in any case, as 1 and 0.
func ParseTruth(cell string) (float64, error) {
	switch {
	case strings.EqualFold(cell, "true"):
		return 1, nil
	case strings.EqualFold(cell, "false"):
		return 0, nil
	}
	return 0, strconv.ErrSyntax
}

// ParseScore is [ParseFloat] of a cell of scores, where True is 1 and False is 0.
func ParseScore(cell string, comma bool) (float64, error) {
	if v, err := ParseTruth(cell); err == nil {
		return v, nil
	}
	return ParseFloat(cell, comma)
}

// ErrDecimals is that points of a table may be of decimals or of thousands.
var ErrDecimals = errors.New("points may be of decimals or of thousands")

// Decimals reads the numbers of a table, or of a column; the columns of numbers are joined then.
type Decimals struct {
	Comma bool // they may have decimal commas

	comma, grouped string // the first with a decimal comma, and the first with points as of thousands
}

var grouped = regexp.MustCompile(`^[+-]?[1-9][0-9]{0,2}(\.[0-9]{3})+$`)

// Float is [ParseFloat]. Where numbers have decimal commas, one such as 1.234 is [ErrDecimals].
func (d *Decimals) Float(cell string) (float64, error) {
	v, err := ParseFloat(cell, d.Comma)
	if err != nil || !d.Comma {
		return v, err
	}
	seen := Decimals{}
	if strings.Contains(cell, ",") {
		seen.comma = cell
	} else if grouped.MatchString(cell) {
		seen.grouped = cell
	}
	if err := d.Join(&seen); err != nil {
		return 0, err
	}
	return v, nil
}

// Score is [ParseScore], with the errors of Float.
func (d *Decimals) Score(cell string) (float64, error) {
	if v, err := ParseTruth(cell); err == nil {
		return v, nil
	}
	return d.Float(cell)
}

// Join adds what another column holds; [ErrDecimals] if the numbers of both do not go together.
func (d *Decimals) Join(column *Decimals) error {
	if d.comma == "" {
		d.comma = strings.Clone(column.comma)
	}
	if d.grouped == "" {
		d.grouped = strings.Clone(column.grouped)
	}
	if d.comma != "" && d.grouped != "" {
		return fmt.Errorf("%w: %q next to %q", ErrDecimals, d.grouped, d.comma)
	}
	return nil
}

// isNumber reports whether a cell is a number or nan; inf may be a word.
func isNumber(cell string) bool {
	_, err := ParseFloat(cell, true)
	return err == nil && strings.ContainsAny(cell, "0123456789") || strings.EqualFold(cell, "nan")
}

// places are the numbers of n columns, from first on.
func places(n, first int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = strconv.Itoa(first + i)
	}
	return out
}

// Numbered reports whether columns have no names but their indices 0, 1, 2, ….
func Numbered(names []string) bool { return isCount(names, 0) }

// isCount reports whether cells number the columns.
func isCount(cells []string, first int) bool {
	return slices.EqualFunc(cells, places(len(cells), first), func(cell,
		place string) bool {
		return strings.TrimSpace(cell) == place
	})
}

// Column is a column that a reader wants.
type Column struct {
	Name     string   // its name in messages, and its first name
	Found    []string // other names
	Optional bool
	// Ordered takes the first of the names that is there, where others may hold something else;
	// without it two columns of these names are an error.
	Ordered bool
}

// Find returns where each of the columns is among the names, upper and lower case alike; −1 for
// an optional one that is not there. Errors: a column that is missing (the names are listed, and
// the one that may be meant), two that could be it.
func Find(names []string, wanted ...Column) ([]int, error) {
	columns := make([]int, len(wanted))
	for k, c := range wanted {
		columns[k] = -1
		for _, spelled := range append([]string{c.Name}, c.Found...) {
			for i, name := range names {
				first := columns[k]
				switch {
				case !strings.EqualFold(name, spelled) || c.Ordered && first >= 0 && !strings.EqualFold(names[first], spelled):
				case first >= 0:
					return nil, fmt.Errorf("the columns %s and %s both contain %s; want one of them", names[first], name, c.Name)
				default:
					columns[k] = i
				}
			}
		}
	}
	for k, c := range wanted {
		if columns[k] < 0 && !c.Optional {
			return nil, c.missing(names, wanted)
		}
	}
	return columns, nil
}

// missing is the error for a column that a table does not have.
func (c *Column) missing(names []string, wanted []Column) error {
	var list []string
	for _, w := range wanted {
		if !w.Optional {
			list = append(list, w.Name)
		}
	}
	err := fmt.Errorf("there is no column %q; the columns are %s, want %s", c.Name, strings.Join(names, ", "),
		strings.Join(list, ", "))
	near := text.Nearest(c.Name, names)
	if near == "" || slices.ContainsFunc(wanted, func(w Column) bool { return strings.EqualFold(near, w.Name) }) {
		return err
	}
	return text.WithHint(err, fmt.Sprintf("is %s the column %s?", near, c.Name))
}

// Missing is the error for a requested column that does not exist.
func Missing(name string, names []string) error {
	err := fmt.Errorf("there is no column %q; the columns are %s", name, strings.Join(names, ", "))
	if near := text.Nearest(name, names); near != "" {
		return text.WithHint(err, "did you mean "+near+"?")
	}
	return err
}

// Pair returns the order of the columns of one table in another: column order[k] of names is column k of like. Errors:
// other names, with the missing and the extra ones; what and whose describe the tables.
func Pair(what string, names []string, whose string, like []string) (order []int, err error) {
	var lacks, extra []string
	for _, name := range like {
		k := slices.Index(names, name)
		if order = append(order, k); k < 0 {
			lacks = append(lacks, name)
		}
	}
	for _, name := range names {
		if !slices.Contains(like, name) {
			extra = append(extra, name)
		}
	}
	if lacks == nil && extra == nil {
		return order, nil
	}
	message := what + " does not have the same columns as " + whose + ":"
	for _, table := range []struct {
		what  string
		names []string
	}{{"missing", lacks}, {"extra", extra}} {
		if table.names != nil {
			message += " " + table.what + " " + strings.Join(table.names, ", ") + ";"
		}
	}
	err = errors.New(strings.TrimSuffix(message, ";"))
	const unnamed = " has no line of column names, or only numbers in it"
	switch {
	case isCount(names, 0) == isCount(like, 0):
		return nil, err
	case isCount(names, 0):
		return nil, text.WithHint(err, what+unnamed)
	}
	return nil, text.WithHint(err, whose+unnamed)
}
