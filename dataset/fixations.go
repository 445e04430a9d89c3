// Fixations: points of a picture that people looked at, in tables, binary images and arrays.

package dataset

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"repscope/internal/tabular"
)

// Fixations are points in pixels, X to the right and Y downward from the top left corner: pixel (i, j) is i ≤ x < i+1,
// j ≤ y < j+1. They may lie outside the picture.
type Fixations struct {
	// Width and Height are the size of the image, 0 if the file does not record it.
	Width, Height int
	X, Y          []float64
	// Samples are the pictures of the fixations; nil for a file of one picture.
	Samples []string
	// Missing is the number of table rows without a point: an empty cell or nan, as eye trackers write blinks. They are in
	// neither list.
	Missing int
}

// fixationColumns are the columns of tables.
var fixationColumns = []tabular.Column{
	{Name: "x", Found: []string{"fixation_x", "x_px", "pos_x", "column", "col"}, Ordered: true},
	{Name: "y", Found: []string{"fixation_y", "y_px", "pos_y", "row"}, Ordered: true},
	{Name: "sample", Found: []string{"id", "gid", "image"}, Ordered: true, Optional: true},
}

// ParseFixations reads fixations in data; name is the name of the file, for errors. It is
//   - a table of text, cells separated by commas, semicolons or tabs: x and y in pixels, two columns
//     without a header, or any columns with one that names x and y (also fixation_x, x_px, pos_x,
//     column, col; likewise for y, and row), in any case, and after a # if the file was written by
//     numpy.savetxt. A column sample (id, gid, image) names the picture of a row. A
//     header alone is a file without fixations.
//   - an image or .npy array of the size of the picture, as [ParsePlane] reads them, in which 0
//     and one other number occur: every other pixel is one fixation, at its center;
//   - a .npy array [N, 2] of x and y.
//
// Errors: an empty file, cells that are no numbers or infinite (with their line), a header without x or y, a picture of
// more than two numbers, such as a blurred one.
func ParseFixations(name string, data []byte) (*Fixations, error) {
	switch {
	case len(bytes.TrimSpace(data)) == 0:
		return nil, fmt.Errorf("%s: the file is empty; want rows x,y", name)
	case bytes.HasPrefix(data, []byte(npyMagic)):
		a, err := parseNPY(name, data)
		if err != nil {
			return nil, err
		}
		if shape := a.Shape(); len(shape) == 2 && shape[1] == 2 {
			return pointFixations(name, a)
		}
	case isText(data):
		f := &Fixations{}
		if err := f.readTable(name, data); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		return f, nil
	}
	p, err := ParsePlane(name, data)
	if err != nil {
		return nil, err
	}
	return planeFixations(name, p)
}

// isText reports whether data begins as text does, which no image and no array does.
func isText(data []byte) bool {
	head := data[:min(len(data), 512)]
	return !bytes.ContainsFunc(head, func(r rune) bool { return r < ' ' && r != '\t' && r != '\n' && r != '\r' })
}

// pointFixations are the fixations of an array [N, 2].
func pointFixations(name string, a *Array) (*Fixations, error) {
	values := make([]float64, 2*a.Len())
	if err := a.ReadFloat64(values, 0, a.Len()); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	f := &Fixations{}
	for i := range a.Len() {
		if err := f.add(values[2*i], values[2*i+1]); err != nil {
			return nil, fmt.Errorf("%s: row %d: %w", name, i, err)
		}
	}
	return f, nil
}

// add appends a point, unless it is missing.
func (f *Fixations) add(x, y float64) error {
	switch {
	case math.IsInf(x, 0) || math.IsInf(y, 0):
		return fmt.Errorf("the point (%v, %v), want finite numbers", x, y)
	case math.IsNaN(x) || math.IsNaN(y):
		f.Missing++
	default:
		f.X, f.Y = append(f.X, x), append(f.Y, y)
	}
	return nil
}

// planeFixations are the pixels of a picture that are not 0.
func planeFixations(name string, p *Plane) (*Fixations, error) {
	f := &Fixations{Width: p.Width, Height: p.Height}
	mark := 0.0
	for i, v := range p.Values {
		switch {
		case v == 0:
			continue
		case mark == 0:
			mark = v
		}
		if v != mark { // NaN too
			return nil, fmt.Errorf("%s: found %v and %v at column %d, row %d; want an image of 0 and one other number, which marks fixations",
				name, mark, v, i%p.Width, i/p.Width)
		}
		f.X, f.Y = append(f.X, float64(i%p.Width)+0.5), append(f.Y, float64(i/p.Width)+0.5)
	}
	return f, nil
}

// readTable reads rows of text.
func (f *Fixations) readTable(name string, data []byte) error {
	reader := tabular.Rows(name, bytes.NewReader(data), tabular.Options{})
	reader.TrimLeadingSpace = true
	first, err := tabular.First(reader)
	if err != nil {
		return err
	}
	for i := range first {
		first[i] = strings.TrimSpace(first[i])
	}
	x, y, sample := 0, 1, -1
	if first[0] = strings.TrimSpace(strings.TrimPrefix(first[0], "#")); slices.ContainsFunc(first, isName) {
		names, err := tabular.Options{Unnamed: true}.Names(first)
		if err != nil {
			return err
		}
		columns, err := tabular.Find(names, fixationColumns...)
		if err != nil {
			return err
		}
		x, y, sample = columns[0], columns[1], columns[2]
	} else {
		if len(first) != 2 {
			return fmt.Errorf("rows of %d numbers without a header, want x,y", len(first))
		}
		if err := f.addRow(first, x, y, sample); err != nil {
			return fmt.Errorf("line 1: %w", err)
		}
	}
	for {
		record, err := reader.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return tabular.Error(err)
		}
		if err := f.addRow(record, x, y, sample); err != nil {
			line, _ := reader.FieldPos(0)
			return fmt.Errorf("line %d: %w", line, err)
		}
	}
}

// isName reports whether a cell is no number and not empty.
func isName(cell string) bool {
	_, err := strconv.ParseFloat(cell, 64)
	return err != nil && cell != ""
}

// addRow appends the point of a row.
func (f *Fixations) addRow(record []string, x, y, sample int) error {
	var point [2]float64
	for i, k := range []int{x, y} {
		cell := strings.TrimSpace(record[k])
		v, err := strconv.ParseFloat(cell, 64)
		if cell == "" {
			v, err = math.NaN(), nil
		}
		if err != nil {
			return fmt.Errorf("%.40q is not a number", cell)
		}
		point[i] = v
	}
	before := len(f.X)
	if err := f.add(point[0], point[1]); err != nil {
		return err
	}
	if sample >= 0 && len(f.X) > before {
		f.Samples = append(f.Samples, strings.TrimSpace(record[sample]))
	} else if sample >= 0 && f.Samples == nil {
		f.Samples = []string{}
	}
	return nil
}
