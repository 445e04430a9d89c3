// Arrays of WebDataset archives: images, .npy files, texts and numbers by their ending.

package dataset

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"repscope/dataset/webdataset"
	"repscope/internal/bound"
	"repscope/internal/dtype"
	"repscope/internal/expand"
	"repscope/internal/format"
	"repscope/internal/mmap"
)

// tarFormat is the name of the format.
const tarFormat = ".tar"

// largestText is the size of the largest member that is a text or a number.
const largestText = 1 << 20

// tarSet is the samples of an archive, or of several shards.
type tarSet struct {
	path    string // in messages: the file, or the pattern
	files   []*mmap.File
	samples []tarSample
	endings []string // of all samples, in order
	size    int64    // of all files
	digest  func() (string, error)
}

// tarSample is a sample and its archive.
type tarSample struct {
	webdataset.Sample
	file *mmap.File
}

func isTar(kind format.Kind, file *mmap.File) (bool, error) {
	return kind == format.Unknown && webdataset.Is(file), nil
}

// add adds the samples of an archive.
func (s *tarSet) add(file *mmap.File) error {
	samples, err := webdataset.Read(file)
	if err != nil {
		return err
	}
	s.files = append(s.files, file)
	s.size += file.Size()
	for _, sample := range samples {
		s.samples = append(s.samples, tarSample{sample, file})
		for _, ending := range sample.Endings {
			if !slices.Contains(s.endings, ending) {
				s.endings = append(s.endings, ending)
			}
		}
	}
	const limit = 1000 // endings
	if len(s.endings) > limit {
		return fmt.Errorf("%s: has more than %d different endings of members", file.Path(), limit)
	}
	return nil
}

func tarIn(file *mmap.File) (*tarSet, error) {
	s := &tarSet{path: file.Path()}
	s.digest = sync.OnceValues(func() (string, error) { return hashFile(file, nil) })
	return s, s.add(file)
}

func listTar(file *mmap.File, l *Listing) error {
	s, err := tarIn(file)
	if err != nil {
		return err
	}
	s.list(l)
	return nil
}

// list lists the endings.
func (s *tarSet) list(l *Listing) {
	for _, ending := range s.endings {
		i := Item{Name: ending, Type: "images", Shape: []int{len(s.samples)}}
		if !isImageEnding(ending) {
			if a, err := s.open(ending, ImageOptions{}); err != nil {
				i.Type, i.Problem = "bytes", strings.TrimPrefix(err.Error(), s.path+":"+ending+": ")
			} else {
				i = itemOf(a)
			}
		}
		l.Items = append(l.Items, i)
	}
}

// shardPattern is a range of numbers in the name of shards: {000..123}.
var shardPattern = regexp.MustCompile(`\{(\d+)\.\.(\d+)\}`)

// shards are the files of a name with a range of numbers; nil for other names, and where a file has the name.
func shards(path string) (files []string, err error) {
	m := shardPattern.FindStringSubmatchIndex(path)
	if m == nil {
		return nil, nil
	}
	if _, err := os.Stat(path); err == nil {
		return nil, nil
	}
	from, to := path[m[2]:m[3]], path[m[4]:m[5]]
	lo, errLo := strconv.Atoi(from)
	hi, errHi := strconv.Atoi(to)
	if errLo != nil || errHi != nil || hi < lo || hi-lo >= expand.Most {
		return nil, fmt.Errorf("%s: the range {%s..%s} is empty or too long; want ascending numbers, at most %d", path,
			from, to, expand.Most)
	}
	for k := lo; k <= hi; k++ {
		files = append(files, path[:m[0]]+fmt.Sprintf("%0*d", len(from), k)+path[m[1]:])
	}
	if shardPattern.MatchString(files[0]) {
		return nil, fmt.Errorf("%s: has several ranges of numbers, want one", path)
	}
	return files, nil
}

// openShards opens archives as one.
func openShards(pattern string, paths []string) (*tarSet, error) {
	s := &tarSet{path: pattern}
	s.digest = sync.OnceValues(func() (string, error) { return hashFiles(paths, false, "") })
	for _, path := range paths {
		file, err := mmap.Open(path)
		if err == nil {
			if err = s.add(file); err != nil {
				file.Close()
			}
		}
		if err != nil {
			s.close()
			return nil, err
		}
	}
	return s, nil
}

// openPattern opens an array of shards; nil for a name without a range of numbers.
func openPattern(path, key string, o ImageOptions) (*Array, error) {
	files, err := shards(path)
	if files == nil {
		return nil, err
	}
	s, err := openShards(path, files)
	if err != nil {
		return nil, err
	}
	a, err := s.open(key, o)
	if err != nil {
		s.close()
	}
	return a, err
}

func (s *tarSet) close() error {
	var errs []error
	for _, f := range s.files {
		errs = append(errs, f.Close())
	}
	return errors.Join(errs...)
}

func isImageEnding(ending string) bool {
	last := ending[strings.LastIndexByte(ending, '.')+1:]
	return slices.Contains(imageEndings, "."+last)
}

// open opens the members of an ending, or the images.
func (s *tarSet) open(key string, o ImageOptions) (a *Array, err error) {
	if key == "" && slices.ContainsFunc(s.endings, isImageEnding) {
		a, err = s.images("", o)
	} else {
		ending, rest := key, ""
		if after, ok := strings.CutPrefix(key, "json."); ok && !slices.Contains(s.endings, key) {
			ending, rest = "json", after
		}
		if ending, err = chooseName(s.path, "ending", ending, s.endings); err != nil {
			return nil, err
		}
		switch {
		case isImageEnding(ending):
			a, err = s.images(ending, o)
		case ending == "npy" || strings.HasSuffix(ending, ".npy"):
			a, err = s.arrays(ending)
		case ending == "json":
			a, err = s.numbers(rest)
		default:
			a, err = s.texts(ending)
		}
	}
	if err != nil {
		return nil, err
	}
	a.path, a.key, a.verified, a.close = s.path, key, true, s.close
	a.identify(s.digest, func() error { return unchangedFiles(s.files) })
	return a, nil
}

// name is the name of a member in messages.
func (s *tarSet) name(i int, ending string) string {
	return fmt.Sprintf("%s: %s.%s", s.samples[i].file.Path(), s.samples[i].Key, ending)
}

// part is the member of a sample.
func (s *tarSet) part(i int, ending string) (webdataset.Part, error) {
	p, ok := s.samples[i].Parts[ending]
	if !ok {
		return p, fmt.Errorf("%s: %s: sample %q has no member .%s (it has %s)", s.path, ending,
			s.samples[i].Key, ending, list(s.samples[i].Endings))
	}
	return p, nil
}

// images presents images as frames: of an ending, or the one image of each sample.
func (s *tarSet) images(ending string, o ImageOptions) (*Array, error) {
	files := make([]imageFile, len(s.samples))
	for i := range s.samples {
		one := ending
		if one == "" {
			var images []string
			for _, e := range s.samples[i].Endings {
				if isImageEnding(e) {
					images = append(images, e)
				}
			}
			if len(images) != 1 {
				return nil, fmt.Errorf("%s: sample %q has %d images, want one; name an ending as %s:%s (there are %s)",
					s.path, s.samples[i].Key, len(images),
					s.path, s.endings[0], list(s.endings))
			}
			one = images[0]
		}
		p, err := s.part(i, one)
		if err != nil {
			return nil, err
		}
		file := s.samples[i].file
		files[i] = imageFile{path: s.name(i, one), open: func(string) (imageContent, error) {
			return tarMember{io.NewSectionReader(file, p.Offset, p.Size)}, nil
		}}
	}
	name := s.path
	if ending != "" {
		name += ":" + ending
	}
	return imageArray(name, files, o)
}

// tarMember is the content of an image.
type tarMember struct{ *io.SectionReader }

func (tarMember) Close() error { return nil }

// arrays presents .npy files of one shape as rows.
func (s *tarSet) arrays(ending string) (*Array, error) {
	var first npyHeader
	rows := &tarRows{set: s, ending: ending}
	for i := range s.samples {
		p, err := s.part(i, ending)
		if err != nil {
			return nil, err
		}
		h, err := readNPYHeader(io.NewSectionReader(s.samples[i].file, p.Offset, p.Size), p.Size)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s.name(i, ending), err)
		}
		if i == 0 {
			first = h
		} else if h.dtype != first.dtype || h.order != first.order || h.code != first.code ||
			!slices.Equal(h.shape, first.shape) {
			return nil, fmt.Errorf("%s: has %v %v, but %s has %v %v: all must agree",
				s.name(i, ending), h.dtype, h.shape, s.name(0, ending), first.dtype, first.shape)
		}
	}
	name := s.path + ":" + ending
	shape := append([]int{len(s.samples)}, first.shape...)
	if _, err := dtype.ArraySize(shape, first.dtype); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	rows.row = rowBytes(shape, first.dtype)
	a := newArray(name, s.path, ending, shape, first.dtype, first.order, rows)
	a.time = first.code
	return a, nil
}

// tarRows are .npy files as a source of rows.
type tarRows struct {
	set    *tarSet
	ending string
	row    int
}

func (r *tarRows) use(lo, hi int, fn func(raw []byte) error) error {
	out := make([]byte, (hi-lo)*r.row)
	for i := lo; i < hi; i++ {
		p, err := r.set.part(i, r.ending)
		if err == nil {
			err = r.set.samples[i].file.Use(p.Offset, p.Size, func(raw []byte) error {
				h, err := readNPYHeader(bytes.NewReader(raw), p.Size)
				if err != nil || h.size != int64(r.row) {
					return errors.Join(err, fmt.Errorf("%d bytes of values, want %d", h.size, r.row))
				}
				whole := h.array("", "", "", h.in(memory(raw), 0))
				return whole.source.use(0, whole.rows, func(values []byte) error {
					copy(out[(i-lo)*r.row:(i-lo+1)*r.row], values)
					return nil
				})
			})
		}
		if err != nil {
			return fmt.Errorf("%s: %w", r.set.name(i, r.ending), err)
		}
	}
	return fn(out)
}

// read calls fn with the text of each member.
func (s *tarSet) read(ending string, fn func(i int, text []byte) error) error {
	total := int64(0)
	for i := range s.samples {
		p, err := s.part(i, ending)
		if err != nil {
			return err
		}
		if p.Size > largestText {
			return fmt.Errorf("%s: has %d bytes, want a text or a number of at most %d", s.name(i, ending), p.Size, largestText)
		}
		if total += p.Size + 64; total > bound.Free {
			if err := bound.Check(s.path, total, s.size); err != nil {
				return err
			}
		}
		err = s.samples[i].file.Use(p.Offset, p.Size, func(raw []byte) error { return fn(i, raw) })
		if err != nil {
			return fmt.Errorf("%s: %w", s.name(i, ending), err)
		}
	}
	return nil
}

// texts presents members that are a number or a text each, such as .cls and .txt.
func (s *tarSet) texts(ending string) (*Array, error) {
	cells := make([]string, len(s.samples))
	err := s.read(ending, func(i int, raw []byte) error {
		if bytes.IndexByte(raw, 0) >= 0 {
			return errors.New("is neither a text nor a number, want an image, .npy, .json, .cls or .txt")
		}
		cells[i] = strings.TrimSpace(string(raw))
		return nil
	})
	if err != nil {
		return nil, err
	}
	return s.column(ending, cells)
}

// column presents cells as numbers, or as texts.
func (s *tarSet) column(key string, cells []string) (*Array, error) {
	c := newColumn(key, cells, false)
	if c.Texts != nil {
		return textArray(s.files[0], key, []int{len(cells)}, cells)
	}
	return c.Array(s.path)
}

// numbers presents the value of each .json file, or the one at a path of names joined by points: a number, a text, or
// a list of numbers of one length.
func (s *tarSet) numbers(place string) (*Array, error) {
	key := "json"
	if place != "" {
		key += "." + place
	}
	cells := make([]string, len(s.samples))
	var rows []float64
	width := -1
	err := s.read("json", func(i int, raw []byte) error {
		value, err := jsonAt(raw, place)
		if err != nil {
			return err
		}
		items, isList := value.([]any)
		if n := len(items); i == 0 && isList {
			width = n
		} else if isList != (width >= 0) || isList && n != width {
			return fmt.Errorf("its value differs from the first sample's: "+
				"want a list of %d numbers in all, or one value in all", width)
		}
		for k, item := range items {
			number, ok := item.(json.Number)
			v, err := number.Float64()
			if !ok || err != nil {
				return fmt.Errorf("element %d of its list is %v, want a number", k, item)
			}
			rows = append(rows, v)
		}
		switch v := value.(type) {
		case string:
			cells[i] = v
		case bool:
			cells[i] = strconv.FormatBool(v)
		case json.Number:
			cells[i] = v.String()
		}
		return nil
	})
	switch {
	case err != nil:
		return nil, err
	case width >= 0:
		return NewArray(s.path+":"+key, []int{len(s.samples), width}, rows)
	}
	return s.column(key, cells)
}

// jsonAt is the value at a path of a JSON text.
func jsonAt(raw []byte, place string) (any, error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var value any
	if err := d.Decode(&value); err != nil {
		return nil, JSONError(err)
	}
	for place != "" {
		fields, ok := value.(map[string]any)
		if !ok {
			return nil, fmt.Errorf("has no %q", place)
		}
		name, rest := place, ""
		if _, ok := fields[place]; !ok {
			name, rest, _ = strings.Cut(place, ".")
		}
		if value, ok = fields[name]; !ok && len(fields) == 0 {
			return nil, fmt.Errorf("has no %q: the object is empty", name)
		} else if !ok {
			return nil, fmt.Errorf("has no %q (there are %s)", name, list(slices.Sorted(maps.Keys(fields))))
		}
		place = rest
	}
	switch v := value.(type) {
	case map[string]any:
		return nil, fmt.Errorf("is an object, want a number, a text or a list; name a member as json.NAME (there are %s)",
			list(slices.Sorted(maps.Keys(v))))
	case json.Number:
		if f, err := v.Float64(); err != nil || math.IsInf(f, 0) {
			return nil, fmt.Errorf("the number %v is too large", v)
		}
	}
	return value, nil
}
