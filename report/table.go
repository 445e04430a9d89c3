// This file is for console tables.

package report

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"repscope/internal/escape"
)

// Table is an aligned table for the console. Text columns are left-aligned, number columns right-aligned. Invisible
// characters in texts are shown (see package escape). A number with an interval has the digits that the interval
// supports (two digits of its half-width); a number without an interval has four significant digits; none has more
// than six. An undefined number is a dash with a numbered note below the table.
type Table struct {
	title   string
	columns []string
	rows    [][]string
	number  []bool   // the column holds only numbers
	reasons []string // of undefined cells, numbered from 1
	notes   []string
}

// NewTable returns a table with the given title (may be empty) and columns.
func NewTable(title string, columns ...string) *Table {
	t := &Table{title: escape.Line(title), columns: slices.Clone(columns), number: make([]bool, len(columns))}
	for i := range t.number {
		t.columns[i] = escape.Line(columns[i])
		t.number[i] = true
	}
	return t
}

// Row adds a row: strings, integers, booleans, float64, [Value], [Interval],
// [Estimate] or anything fmt can print. Missing cells are blank, cells beyond
// the columns are dropped.
func (t *Table) Row(cells ...any) {
	row := make([]string, len(t.columns))
	for i := range row {
		if i >= len(cells) {
			continue
		}
		text, number := t.cell(cells[i])
		row[i] = escape.Line(text)
		if !number && text != "" {
			t.number[i] = false
		}
	}
	t.rows = append(t.rows, row)
}

// Lacking adds a row that has nothing but its name, and a note that says why.
func (t *Table) Lacking(name, reason string) {
	cells := []any{name}
	for range t.columns[1:] {
		cells = append(cells, Undefined("%s", "not measured: "+reason))
	}
	t.Row(cells...)
}

// Note adds a line below the table.
func (t *Table) Note(format string, args ...any) {
	t.notes = append(t.notes, escape.Sprintf(format, args...))
}

func (t *Table) cell(cell any) (text string, number bool) {
	switch v := cell.(type) {
	case nil:
		return "", true
	case string:
		return v, false
	case int, int8, int16, int32, int64, uint, uint8, uint16, uint32, uint64:
		return fmt.Sprint(v), true
	case float32:
		return t.cell(Number(float64(v)))
	case float64:
		return t.cell(Number(v))
	case Value:
		return t.estimate(v, Interval{}), true
	case Interval:
		if !v.Defined() {
			return t.undefined(v.why()), true
		}
		return formatInterval(v), true
	case Estimate:
		return t.estimate(v.Value, v.CI), true
	case Deviating:
		if !v.Value.Defined() || !v.Deviation.Defined() {
			return t.estimate(v.Value, Interval{}), true
		}
		mean, spread := v.Value.V, v.Deviation.V
		format := digitsFor(Interval{Low: mean - spread, High: mean + spread}, mean)
		return format(mean) + " ± " + format(spread), true
	case Probability:
		if v.Defined() && v.V < leastProbability {
			return fmt.Sprintf("< %g", leastProbability), true
		}
		if v.Defined() {
			return significant(v.V, 4), true
		}
		return t.estimate(Value(v), Interval{}), true
	}
	return fmt.Sprint(cell), false
}

// leastProbability is the smallest p value that tables show: what lies below depends on
// tails that nothing has measured. Result files have all digits.
const leastProbability = 1e-4

func (t *Table) estimate(v Value, i Interval) string {
	if !v.Defined() {
		if v.Reason == "" && math.IsInf(v.V, 0) {
			return strings.Replace(strconv.FormatFloat(v.V, 'g', -1, 64), "+", "", 1)
		}
		return t.undefined(v.why())
	}
	return FormatEstimate(v.V, i)
}

// undefined returns a dash that points to a note; equal reasons share a note.
func (t *Table) undefined(reason string) string {
	reason = escape.Line(reason)
	i := slices.Index(t.reasons, reason)
	if i < 0 {
		i = len(t.reasons)
		t.reasons = append(t.reasons, reason)
	}
	return "–" + mark(i)
}

// mark returns the superscript number of reason i.
func mark(i int) string {
	const digits = "⁰¹²³⁴⁵⁶⁷⁸⁹"
	var b strings.Builder
	for _, d := range strconv.Itoa(i + 1) {
		b.WriteRune([]rune(digits)[d-'0'])
	}
	return b.String()
}

// Write writes the table, however wide it is.
func (t *Table) Write(w io.Writer) error { return t.WriteWidth(w, 0) }

// WriteWidth writes the table for a console of the given number of columns; 0: unlimited. A wider table is split into
// stacked parts, each beginning with the columns that name the rows. Notes are wrapped.
func (t *Table) WriteWidth(w io.Writer, columns int) error {
	var b strings.Builder
	if t.title != "" {
		b.WriteString(t.title + "\n")
	}
	width := make([]int, len(t.columns))
	for i, column := range t.columns {
		width[i] = displayed(column)
		for _, row := range t.rows {
			width[i] = max(width[i], displayed(row[i]))
		}
	}
	rule := make([]string, len(width))
	for i := range rule {
		rule[i] = strings.Repeat("─", width[i])
	}
	for k, part := range t.parts(width, columns) {
		if k > 0 {
			b.WriteByte('\n')
		}
		t.line(&b, part, t.columns, width)
		t.line(&b, part, rule, width)
		for _, row := range t.rows {
			t.line(&b, part, row, width)
		}
	}
	for i, reason := range t.reasons {
		b.WriteString(wrapped(mark(i)+" "+reason, columns) + "\n")
	}
	for _, note := range t.notes {
		b.WriteString(wrapped(note, columns) + "\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// between is the number of spaces between columns.
const between = 2

// parts are the columns of each part of the table.
func (t *Table) parts(width []int, room int) [][]int {
	all := make([]int, len(width))
	total := -between
	for i := range all {
		all[i] = i
		total += width[i] + between
	}
	if room <= 0 || total <= room || len(all) == 0 {
		return [][]int{all}
	}
	names := t.naming()
	var parts [][]int
	used := room + 1 // no part yet
	for _, i := range all[names:] {
		if used += between + width[i]; used > room {
			parts = append(parts, slices.Clone(all[:names]))
			used = width[i]
			for _, name := range all[:names] {
				used += width[name] + between
			}
		}
		last := len(parts) - 1
		parts[last] = append(parts[last], i)
	}
	return parts
}

// naming is the number of first columns that tell the rows apart: at least one, at most
// three, never all. An empty cell repeats the one above.
func (t *Table) naming() int {
	for n := 1; n < min(4, len(t.columns)); n++ {
		seen := map[string]bool{}
		above := make([]string, n)
		for _, row := range t.rows {
			for i := range n {
				if row[i] != "" {
					above[i] = row[i]
				}
			}
			seen[strings.Join(above, "\x00")] = true
		}
		if len(seen) == len(t.rows) {
			return n
		}
	}
	return 1
}

// wrapped breaks a line at spaces so that it is no wider than the room; 0: any.
func wrapped(line string, room int) string {
	if room <= 0 {
		return line
	}
	var b strings.Builder
	used := 0
	for i, word := range strings.Split(line, " ") {
		n := displayed(word)
		switch {
		case i == 0:
		case used+1+n > room:
			b.WriteByte('\n')
			used = 0
		default:
			b.WriteByte(' ')
			used++
		}
		b.WriteString(word)
		used += n
	}
	return b.String()
}

// displayed is the number of columns of a console that s fills: two for each letter of
// East Asian scripts, none for a mark that stands on another letter.
func displayed(s string) int {
	n := 0
	for _, r := range s {
		switch {
		case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf):
		case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul), r >= 0xff01 && r <= 0xff60:
			n += 2
		default:
			n++
		}
	}
	return n
}

// line writes the cells of some columns.
func (t *Table) line(b *strings.Builder, columns []int, cells []string, width []int) {
	var line strings.Builder
	for k, i := range columns {
		cell := cells[i]
		if k > 0 {
			line.WriteString(strings.Repeat(" ", between))
		}
		pad := strings.Repeat(" ", width[i]-displayed(cell))
		if t.number[i] {
			line.WriteString(pad + cell)
		} else {
			line.WriteString(cell + pad)
		}
	}
	b.WriteString(strings.TrimRight(line.String(), " ") + "\n")
}

// rounding is what computing leaves of a zero: numbers below it are shown as 0.
const rounding = 1e-12

// mostDigits is the most significant digits of a number in a table.
const mostDigits = 6

// FormatEstimate formats a number with its interval for display: "0.9134 [0.9102, 0.9167]". All three numbers have
// the decimals of two digits of the half-width, and at most six significant digits. Without an interval the number
// has four significant digits. Absolute values below 1e-12 are written as 0. The result file has all digits.
func FormatEstimate(v float64, i Interval) string {
	if !finite(v) {
		return strconv.FormatFloat(v, 'g', -1, 64)
	}
	if !i.Defined() {
		return significant(cleared(v), 4)
	}
	format := digitsFor(i, v)
	return fmt.Sprintf("%s [%s, %s]", format(v), format(i.Low), format(i.High))
}

func formatInterval(i Interval) string {
	format := digitsFor(i)
	return fmt.Sprintf("[%s, %s]", format(i.Low), format(i.High))
}

// cleared is v without what rounding leaves of a zero.
func cleared(v float64) float64 {
	if math.Abs(v) < rounding {
		return 0
	}
	return v
}

// digitsFor returns a formatter that shows an interval, and values of its size, down
// to the second digit of its half-width, but not beyond the sixth of the largest. An
// interval without width, or without end, leaves four digits.
func digitsFor(i Interval, values ...float64) func(float64) string {
	half := (cleared(i.High) - cleared(i.Low)) / 2
	if !finite(half) || half <= 0 {
		return func(v float64) string { return significant(cleared(v), 4) }
	}
	largest := 0.0
	for _, v := range append(values, i.Low, i.High) {
		largest = max(largest, math.Abs(cleared(v)))
	}
	top := int(math.Floor(math.Log10(largest)))                          // power of ten of the first digit
	last := max(int(math.Floor(math.Log10(half)))-1, top-(mostDigits-1)) // and of the last
	if largest < 1e-3 || largest >= 1e6 {
		return func(v float64) string {
			if v = cleared(v); v == 0 {
				return "0"
			}
			digits := max(int(math.Floor(math.Log10(math.Abs(v))))-last, 0)
			if math.Abs(v) < math.Pow(10, float64(last))/2 {
				return "0"
			}
			return strconv.FormatFloat(v, 'e', min(digits, mostDigits-1), 64)
		}
	}
	return func(v float64) string {
		text := strconv.FormatFloat(cleared(v), 'f', max(-last, 0), 64)
		if strings.Trim(text, "-0.") == "" {
			text = strings.TrimPrefix(text, "-")
		}
		return text
	}
}

// significant formats v with n significant digits, without an exponent for
// ordinary sizes.
func significant(v float64, n int) string {
	if v == 0 {
		return "0"
	}
	if !finite(v) {
		return strconv.FormatFloat(v, 'g', -1, 64)
	}
	exponent := int(math.Floor(math.Log10(math.Abs(v))))
	if exponent < -4 || exponent >= mostDigits {
		return strconv.FormatFloat(v, 'e', n-1, 64)
	}
	return strconv.FormatFloat(v, 'f', max(n-1-exponent, 0), 64)
}
