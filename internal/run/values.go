// The values of flags: lists, choices, sizes and counts.

package run

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"repscope/internal/text"
)

// A flag.Value of another package may have these methods, which say how the
// configuration file sets it.
type (
	// repeater: true for a flag that may be given several times; it takes a list,
	// or a mapping of names to values, in a configuration.
	repeater interface{ Repeats() bool }
	// joiner: true for a flag that repeats and takes a list as one value.
	joiner interface{ Joins() bool }
	// lister: a flag whose mapping may have lists of values.
	lister interface{ Lists() }
)

// integers says what an element of a list of integers is.
const integers = "an integer"

// list is a comma-separated list.
type list[T any] struct {
	values *[]T
	parse  func(string) (T, error)
	what   string // what an element is, for messages; empty: parse's error says it
	unique bool
}

func (l *list[T]) String() string {
	if l.values == nil {
		return "" // the zero value, which package flag asks for
	}
	parts := make([]string, len(*l.values))
	for i, v := range *l.values {
		parts[i] = fmt.Sprint(v)
	}
	return strings.Join(parts, ",")
}

func (l *list[T]) Get() any { return *l.values }

func (l *list[T]) Set(text string) error {
	var values []T
	seen := map[string]bool{}
	for part := range strings.SplitSeq(text, ",") {
		part = strings.TrimSpace(part)
		v, err := l.parse(part)
		switch {
		case errors.Is(err, strconv.ErrRange) && l.what == integers:
			return fmt.Errorf("%q is too large: want integers from -2^63 to 2^63-1", part)
		case err != nil && l.what != "":
			return fmt.Errorf("%q is not %s", part, l.what)
		case err != nil:
			return err
		case l.unique && seen[part]:
			return fmt.Errorf("%q is given twice", part)
		}
		seen[part] = true
		values = append(values, v)
	}
	*l.values = values
	return nil
}

func integerList(values *[]int) *list[int] {
	return &list[int]{values: values, parse: strconv.Atoi, what: integers}
}

func numberList(values *[]float64) *list[float64] {
	return &list[float64]{values: values, parse: ParseFloat, what: "a number"}
}

// choiceList is a list of distinct choices.
func choiceList(values *[]string, choices []string) *list[string] {
	return &list[string]{values: values, unique: true, parse: func(s string) (string, error) {
		return s, text.CheckChoice(s, choices)
	}}
}

// ParseFloat reads a finite number.
func ParseFloat(s string) (float64, error) {
	v, err := strconv.ParseFloat(s, 64)
	if err == nil && (math.IsNaN(v) || math.IsInf(v, 0)) {
		err = strconv.ErrRange
	}
	return v, err
}

// checked is a text that must pass a check.
type checked struct {
	value *string
	check func(string) error
}

func (c *checked) String() string {
	if c.value == nil {
		return ""
	}
	return *c.value
}

func (c *checked) Get() any { return *c.value }

func (c *checked) Set(text string) error {
	if err := c.check(text); err != nil {
		return err
	}
	*c.value = text
	return nil
}

// OneOf returns the check that a text is one of the choices.
func OneOf(choices ...string) func(string) error {
	return func(value string) error { return text.CheckChoice(value, choices) }
}

// size is a number of bytes.
type size int64

var sizeUnits = []struct {
	suffix string
	factor float64
}{
	{"KIB", 1 << 10}, {"MIB", 1 << 20}, {"GIB", 1 << 30}, {"TIB", 1 << 40},
	{"KB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"TB", 1e12},
	{"K", 1e3}, {"M", 1e6}, {"G", 1e9}, {"T", 1e12}, {"B", 1},
}

func (s *size) String() string {
	v := int64(*s)
	if v == 0 {
		return "0"
	}
	for i := len(sizeUnits) - 1; i >= 0; i-- {
		u := sizeUnits[i]
		name := strings.Replace(u.suffix, "IB", "iB", 1)
		if len(u.suffix) >= 2 && v%int64(u.factor) == 0 && v/int64(u.factor) < 1000 {
			return strconv.FormatInt(v/int64(u.factor), 10) + name
		}
	}
	return strconv.FormatInt(v, 10)
}

func (s *size) Get() any { return int64(*s) }

func (s *size) Set(text string) error {
	number, factor := strings.ToUpper(strings.TrimSpace(text)), 1.0
	for _, u := range sizeUnits {
		if rest, ok := strings.CutSuffix(number, u.suffix); ok {
			number, factor = strings.TrimSpace(rest), u.factor
			break
		}
	}
	v, err := ParseFloat(number)
	if err != nil || v < 0 || v*factor > math.MaxInt64/2 {
		return fmt.Errorf("%q is not a size such as 450MB or 2GiB", text)
	}
	*s = size(v * factor)
	return nil
}

// anyInt is the lower bound of a count without one.
const anyInt = math.MinInt

// count is a whole number with a lower bound.
type count struct {
	value *int
	least int
}

func (c *count) String() string {
	if c.value == nil {
		return "0"
	}
	return strconv.Itoa(*c.value)
}
func (c *count) Get() any { return *c.value }
func (c *count) Set(text string) error {
	v, err := strconv.Atoi(text)
	switch {
	case errors.Is(err, strconv.ErrRange) && v > 0:
		return errors.New("want a whole number below 2^63")
	case err == nil && v >= c.least:
	case c.least == anyInt:
		return errors.New("want a whole number")
	default:
		return fmt.Errorf("want a whole number from %d", c.least)
	}
	*c.value = v
	return nil
}

// length is a length in millimetres: 89mm, 8.9cm, 3.5in or 252pt; a number alone is in millimetres.
type length float64

// lengthUnits are in millimetres.
var lengthUnits = []struct {
	suffix string
	factor float64
}{{"mm", 1}, {"cm", 10}, {"in", 25.4}, {"pt", 25.4 / 72}, {"", 1}}

// leastLength and mostLength bound the width of a figure.
const leastLength, mostLength = 20, 1000

func (l *length) String() string {
	if *l == 0 {
		return ""
	}
	return strconv.FormatFloat(float64(*l), 'g', -1, 64) + "mm"
}

// Width is --width as it is written, empty without.
func (o *Options) Width() string { return (*length)(&o.WidthMM).String() }

func (l *length) Get() any { return float64(*l) }
func (l *length) Set(text string) error {
	for _, u := range lengthUnits {
		number, ok := strings.CutSuffix(strings.ToLower(strings.TrimSpace(text)), u.suffix)
		if !ok {
			continue
		}
		v, err := ParseFloat(strings.TrimSpace(number))
		if err != nil {
			break
		}
		if v *= u.factor; !(v >= leastLength && v <= mostLength) {
			return fmt.Errorf("%q: want a length from %dmm to %dmm", text, leastLength, mostLength)
		}
		*l = length(v)
		return nil
	}
	return fmt.Errorf("%q is not a length such as 89mm, 18.3cm or 3.5in", text)
}

// natural is a whole number from 0.
type natural uint64

func (n *natural) String() string { return strconv.FormatUint(uint64(*n), 10) }
func (n *natural) Get() any       { return uint64(*n) }
func (n *natural) Set(text string) error {
	v, err := strconv.ParseUint(text, 10, 64)
	switch {
	case errors.Is(err, strconv.ErrRange):
		return errors.New("want a whole number below 2^64")
	case err != nil:
		return errors.New("want a whole number from 0")
	}
	*n = natural(v)
	return nil
}

// number is a finite number.
type number float64

func (n *number) String() string { return strconv.FormatFloat(float64(*n), 'g', -1, 64) }
func (n *number) Get() any       { return float64(*n) }
func (n *number) Set(text string) error {
	v, err := ParseFloat(text)
	if err != nil {
		return errors.New("want a finite number")
	}
	*n = number(v)
	return nil
}

// yes is true or false.
type yes bool

func (y *yes) IsBoolFlag() bool { return true }
func (y *yes) String() string   { return strconv.FormatBool(bool(*y)) }
func (y *yes) Get() any         { return bool(*y) }
func (y *yes) Set(text string) error {
	v, err := strconv.ParseBool(text)
	if err != nil {
		return errors.New("want true or false")
	}
	*y = yes(v)
	return nil
}

// filePath is a file or folder.
type filePath string

func (p *filePath) String() string { return string(*p) }
func (p *filePath) Get() any       { return string(*p) }
func (p *filePath) Set(text string) error {
	*p = filePath(Expand(text))
	return nil
}

// Expand puts the user's home folder in the place of a leading ~/, where no shell does:
// after the equals sign of NAME=~/file and of --out=~/folder, and in a configuration.
func Expand(path string) string {
	rest, ok := strings.CutPrefix(path, "~")
	if !ok || rest != "" && !os.IsPathSeparator(rest[0]) {
		return path
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return path
	}
	return filepath.Join(home, rest)
}
