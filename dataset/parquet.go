// Arrays and tables of Parquet files, and of folders of them.

package dataset

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"repscope/dataset/parquet"
	"repscope/internal/bound"
	"repscope/internal/dtype"
	"repscope/internal/format"
	"repscope/internal/mmap"
)

// parquetFormat is the name of the format.
const parquetFormat = ".parquet"

// isParquet reports whether a file is one by its name.
func isParquet(path string) bool { return strings.EqualFold(filepath.Ext(path), parquetFormat) }

// parquetSet is a file, or several that are one table.
type parquetSet struct {
	path   string // in messages: the file or the folder
	file   *parquet.File
	files  []*mmap.File
	size   int64 // of all files
	digest func() (string, error)
}

// openParquetFiles opens files as one table under the path of their folder.
func openParquetFiles(folder string, paths []string) (*parquetSet, error) {
	s := &parquetSet{path: folder}
	for i, path := range paths {
		mapped, err := mmap.Open(path)
		if err != nil {
			s.close()
			return nil, err
		}
		s.files = append(s.files, mapped)
		s.size += mapped.Size()
		f, err := parquet.Read(mapped)
		if err == nil && i > 0 {
			if err = s.file.Append(f); err != nil {
				err = fmt.Errorf("%s: %w", path, err)
			}
		} else {
			s.file = f
		}
		if err != nil {
			s.close()
			return nil, err
		}
	}
	s.digest = sync.OnceValues(func() (string, error) { return hashFiles(paths, false, "") })
	return s, nil
}

func (s *parquetSet) close() error {
	var errs []error
	for _, f := range s.files {
		errs = append(errs, f.Close())
	}
	return errors.Join(errs...)
}

// parquetIn is the table of an open file.
func parquetIn(file *mmap.File) (*parquetSet, error) {
	f, err := parquet.Read(file)
	if err != nil {
		return nil, err
	}
	digest := sync.OnceValues(func() (string, error) { return hashFile(file, nil) })
	return &parquetSet{path: file.Path(), file: f, files: []*mmap.File{file}, size: file.Size(), digest: digest}, nil
}

// names are the names of the columns, images by the name of their group.
func (s *parquetSet) names() (names []string) {
	for _, c := range s.file.Columns {
		if group, ok := s.imageGroup(c); ok {
			names = append(names, group)
		} else if !strings.HasSuffix(c.Name, ".path") || !slices.Contains(names, strings.TrimSuffix(c.Name, ".path")) {
			names = append(names, c.Name)
		}
	}
	return names
}

// unnamedIndex is the name of a column that pandas makes of an index without a name, and that other programs keep.
var unnamedIndex = regexp.MustCompile(`^__index_level_\d+__$`)

// isIndex reports whether a column holds the index of a data frame of pandas, which no pattern chooses.
func (s *parquetSet) isIndex(name string) bool {
	if unnamedIndex.MatchString(name) {
		return true
	}
	for _, p := range s.file.Properties {
		if p.Name != "pandas" {
			continue
		}
		var frame struct {
			Index []any `json:"index_columns"`
		}
		return json.Unmarshal([]byte(p.Value), &frame) == nil && slices.Contains(frame.Index, any(name))
	}
	return false
}

// imageGroup is the name of a group with the bytes of images and their paths, as the library datasets of Hugging Face
// writes them.
func (s *parquetSet) imageGroup(c *parquet.Leaf) (string, bool) {
	group, ok := strings.CutSuffix(c.Name, ".bytes")
	return group, ok && c.Binary && c.Lists == 0 && s.file.Column(group+".path") != nil
}

// open opens a column, or the only one.
func (s *parquetSet) open(key string, o ImageOptions) (*Array, error) {
	names := s.names()
	c := s.file.Column(key)
	if c == nil && isSelection(key) {
		return s.matrix(key)
	}
	if key == "" || c == nil {
		data := slices.DeleteFunc(slices.Clone(names), s.isIndex)
		name, err := chooseData(s.path, "column", key, names, data)
		if err != nil {
			return nil, err
		}
		key = name
		if c = s.file.Column(key); c == nil {
			c = s.file.Column(key + ".bytes")
		}
	}
	name := s.path + ":" + key
	if err := c.Prepare(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	_, grouped := s.imageGroup(c)
	if grouped || c.Binary && s.holdsImages(c) {
		return s.images(c, key, o)
	}
	if c.Text {
		return s.texts(c, key)
	}
	shape := append([]int{c.Rows}, c.Shape...)
	if _, err := dtype.ArraySize(shape, c.DType); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	a := newArray(name, s.path, key, shape, c.DType, dtype.LittleEndian, rowsOf{c})
	a.time = c.Time
	s.own(a)
	return a, nil
}

// matrix opens columns of one value per row as a matrix.
func (s *parquetSet) matrix(key string) (*Array, error) {
	asked := strings.Split(key, ",")
	columns, err := s.columns(func(name string) bool { return s.isIndex(name) && !slices.Contains(asked, name) })
	if err != nil {
		return nil, err
	}
	a, err := arrayOf(s.path, key, columns)
	if err == nil {
		a.path, a.key = s.path, key
		s.own(a)
	}
	return a, err
}

// own gives an array the digest of the files, and closes them with it.
func (s *parquetSet) own(a *Array) {
	a.verified, a.close = true, s.close
	a.identify(s.digest, func() error { return unchangedFiles(s.files) })
}

// holdsImages reports whether the first row of bytes begins like an image.
func (s *parquetSet) holdsImages(c *parquet.Leaf) bool {
	if c.Rows == 0 || c.Lists > 0 {
		return false
	}
	first, err := c.Bytes(0, 1)
	if err != nil || len(first[0]) < 12 {
		return false
	}
	kind := format.Of(first[0][:min(len(first[0]), format.HeadSize)])
	return kind == format.Image || kind == format.TIFF || isWebP(string(first[0][:12]))
}

// texts presents texts as an array of bytes, for [OpenColumn].
func (s *parquetSet) texts(c *parquet.Leaf, key string) (*Array, error) {
	cells, err := s.cells(c)
	if err != nil {
		return nil, err
	}
	a, err := textArray(s.files[0], key, []int{c.Rows}, cells)
	if err != nil {
		return nil, err
	}
	a.name, a.path = s.path+":"+key, s.path
	s.own(a)
	return a, nil
}

// cells are the rows of a column of texts, empty for null.
func (s *parquetSet) cells(c *parquet.Leaf) ([]string, error) {
	list, err := c.Bytes(0, c.Rows)
	if err != nil {
		return nil, fmt.Errorf("%s:%s: %w", s.path, c.Name, err)
	}
	total := int64(0)
	cells := make([]string, len(list))
	for i, b := range list {
		if total += int64(len(b)) + 16; total > bound.Free {
			if err := bound.Check(s.path+":"+c.Name, total, s.size); err != nil {
				return nil, err
			}
		}
		cells[i] = string(b)
	}
	return cells, nil
}

// parquetImage is the content of an image in a row.
type parquetImage struct{ *bytes.Reader }

func (parquetImage) Close() error { return nil }

// images presents the images in the rows of a column as frames.
func (s *parquetSet) images(c *parquet.Leaf, key string, o ImageOptions) (*Array, error) {
	name := s.path + ":" + key
	if c.Rows == 0 {
		return nil, fmt.Errorf("%s: has no rows", name)
	}
	if err := bound.Check(name, int64(c.Rows)*64, s.size); err != nil {
		return nil, err
	}
	files := make([]imageFile, c.Rows)
	for i := range files {
		files[i] = imageFile{path: fmt.Sprintf("%s: row %d", name, i), open: func(string) (imageContent, error) {
			list, err := c.Bytes(i, i+1)
			if err == nil && list[0] == nil {
				err = errors.New("is null, want the bytes of an image; images in separate files are not supported")
			}
			if err != nil {
				return nil, fmt.Errorf("%s: row %d: %w", name, i, err)
			}
			return parquetImage{bytes.NewReader(list[0])}, nil
		}}
	}
	a, err := imageArray(name, files, o)
	if err != nil {
		return nil, err
	}
	a.path, a.key = s.path, key
	s.own(a)
	return a, nil
}

// allParquet opens the columns of numbers.
func allParquet(file *mmap.File) ([]*Array, error) {
	s, err := parquetIn(file)
	if err != nil {
		return nil, err
	}
	var arrays []*Array
	for _, c := range s.file.Columns {
		if c.Problem != nil || c.Text {
			continue
		}
		a, err := s.open(c.Name, ImageOptions{})
		if err != nil {
			return nil, err
		}
		arrays = append(arrays, a)
	}
	return arrays, nil
}

func listParquet(file *mmap.File, l *Listing) error {
	s, err := parquetIn(file)
	if err != nil {
		return err
	}
	s.list(l)
	return nil
}

// list lists the columns.
func (s *parquetSet) list(l *Listing) {
	for _, name := range s.names() {
		c := s.file.Column(name)
		i := Item{Name: name}
		if c == nil {
			c = s.file.Column(name + ".bytes")
			i.Type = "images"
		} else if i.Type = c.Type(); c.Time != "" {
			i.Type, _ = timeType(c.Time, nil)
		}
		if c.Problem == nil && c.Lists > 0 {
			c.Problem = c.Prepare()
		}
		i.Shape, i.Storage = append([]int{c.Rows}, c.Shape...), c.Codecs
		if c.Problem != nil {
			i.Problem = c.Problem.Error()
		}
		l.Items = append(l.Items, i)
	}
	for _, p := range s.file.Properties {
		if len(p.Value) < 200 { // schemas of other programs are longer
			l.Attributes = append(l.Attributes, Property{p.Name, p.Value})
		}
	}
}

// columns are the columns of one value per row, as columns of a table, without those that are skipped.
func (s *parquetSet) columns(skipped func(name string) bool) ([]Column, error) {
	var columns []Column
	for _, c := range s.file.Columns {
		if c.Lists > 0 || c.Binary || skipped(c.Name) || strings.Contains(c.Name, ".") && strings.HasSuffix(c.Name, ".path") {
			continue
		}
		column, err := s.column(c)
		if err != nil {
			return nil, err
		}
		columns = append(columns, column)
	}
	if len(columns) == 0 {
		return nil, fmt.Errorf("%s: has no columns of one value per row", s.path)
	}
	if s.file.Rows == 0 {
		return nil, fmt.Errorf("%s: the table has column names but no rows", s.path)
	}
	return columns, nil
}

// column is a column of a table.
func (s *parquetSet) column(c *parquet.Leaf) (out Column, err error) {
	if err := c.Prepare(); err != nil {
		return out, fmt.Errorf("%s:%s: %w", s.path, c.Name, err)
	}
	if c.Text {
		cells, err := s.cells(c)
		if err != nil {
			return out, err
		}
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		out = newTexts(cells)
		out.Name = c.Name
		return out, nil
	}
	out.Name = c.Name
	if err := bound.Check(s.path+":"+c.Name, 9*int64(c.Rows), s.size); err != nil {
		return out, err
	}
	raw, null := make([]byte, c.Rows*c.RowBytes()), make([]bool, c.Rows)
	if err := c.ReadNull(raw, null, 0, c.Rows); err != nil {
		return out, fmt.Errorf("%s:%s: %w", s.path, c.Name, err)
	}
	out.Whole, out.Bool = !c.DType.IsFloat(), c.DType == dtype.Bool
	if out.Whole && !slices.Contains(null, true) {
		out.Ints = make([]int64, c.Rows)
		err = dtype.Int64s(out.Ints, raw, c.DType, dtype.LittleEndian)
		if c.Time == "" || err != nil || !slices.Contains(out.Ints, math.MinInt64) {
			return out, err
		}
	}
	out.Floats = make([]float64, c.Rows)
	if err = dtype.Float64s(out.Floats, raw, c.DType, dtype.LittleEndian); err != nil {
		return out, err
	}
	for i := range null {
		if null[i] || out.Ints != nil && out.Ints[i] == math.MinInt64 {
			out.Floats[i] = math.NaN()
		}
	}
	out.Ints = nil
	return out, nil
}

// readParquetTable is [ReadTable] of a Parquet file.
func readParquetTable(path string) ([]Column, error) {
	s, err := openParquetFiles(path, []string{path})
	if err != nil {
		return nil, err
	}
	defer s.close()
	return s.columns(unnamedIndex.MatchString)
}

// inMemory is a file in memory.
type inMemory struct {
	*bytes.Reader
	path string
	data []byte
}

func (m inMemory) Path() string { return m.path }

func (m inMemory) Use(offset, n int64, fn func(raw []byte) error) error {
	if offset < 0 || n < 0 || offset > int64(len(m.data))-n {
		return io.ErrUnexpectedEOF
	}
	return fn(m.data[offset : offset+n])
}

// TableText is the content of a table as text: the columns of one value per row of a Parquet file as lines of CSV with
// a first line of their names, and data of other files unchanged. Null is an empty cell.
func TableText(name string, data []byte) ([]byte, error) {
	if !bytes.HasPrefix(data, []byte("PAR1")) {
		return data, nil
	}
	f, err := parquet.Read(inMemory{bytes.NewReader(data), name, data})
	if err != nil {
		return nil, err
	}
	s := &parquetSet{path: name, file: f, size: int64(len(data))}
	return s.text()
}

// text writes the columns as CSV.
func (s *parquetSet) text() ([]byte, error) {
	columns, err := s.columns(unnamedIndex.MatchString)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	record := make([]string, len(columns))
	for i := range columns {
		record[i] = columns[i].Name
	}
	err = w.Write(record)
	for row := range s.file.Rows {
		for i := range columns {
			record[i] = columns[i].cell(row)
		}
		if err = errors.Join(err, w.Write(record)); err != nil {
			return nil, err
		}
		if b.Len() > bound.Free {
			if err := bound.Check(s.path, int64(b.Len()), s.size); err != nil {
				return nil, err
			}
		}
	}
	w.Flush()
	return b.Bytes(), w.Error()
}

// cell is a value as text, empty for none.
func (c *Column) cell(row int) string {
	switch {
	case c.Texts != nil:
		return c.Texts[row]
	case c.Ints != nil && c.Bool:
		return strconv.FormatBool(c.Ints[row] == 1)
	case c.Ints != nil:
		return strconv.FormatInt(c.Ints[row], 10)
	case math.IsNaN(c.Floats[row]):
		return ""
	}
	return strconv.FormatFloat(c.Floats[row], 'g', -1, 64)
}
