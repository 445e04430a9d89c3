// Arrays: their metadata, and the keys of their chunks.

package zarr

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/bits"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"

	"repscope/dataset/chunk"
	"repscope/internal/dtype"
	"repscope/internal/text"
)

// Array is an array of a store.
type Array struct {
	Path       string
	Shape      []int
	Chunks     []int    // shape of chunks; of those inside shards, if there are shards
	Dimensions []string // names of the axes; nil: none are known
	Type       ElementType
	Attributes []Property
	Version    int // of the format
	// Fill is the fill value of version 2 as it is written, which xarray takes for missing values.
	Fill any

	store     *Store
	metadata  json.RawMessage
	codecs    []codec // bytes to bytes, in the order of writing
	order     []int   // the axis of the array that each axis of a stored chunk is; nil: the same
	shards    *shards // nil: none
	prefix    string  // of the keys of chunks
	separator string
	fill      []byte // of one element; nil: zeros
	reason    error  // why values cannot be read

	reader   *chunk.Reader
	decoders sync.Pool
}

// shards are chunks that hold chunks.
type shards struct {
	shape     []int
	each      []int // chunks of a shard along each axis
	start     bool  // the index is at the start, otherwise at the end
	checked   bool  // the index has a checksum
	bigEndian bool

	lock   sync.Mutex
	recent []*index // from the least recently used on
}

const (
	mostAxes     = 32
	largestChunk = 2 << 30 // bytes
)

// array reads the metadata of an array.
func (s *Store) array(name string, n *node) (*Array, error) {
	a := &Array{Path: name, Version: n.version, store: s, metadata: n.array}
	var err error
	if n.version == 2 {
		err = a.read2(n.array)
	} else {
		err = a.read3(n.array)
	}
	if err != nil {
		return nil, err
	}
	if a.Attributes, err = attributes(n.attributes); err != nil {
		return nil, err
	}
	if n.version == 2 {
		a.Dimensions = a.dimensions2()
	}
	if err := a.checkShape(); err != nil {
		return nil, err
	}
	if a.Type.DType == dtype.Invalid {
		a.reason = fmt.Errorf("elements are of type %.60s, want numbers, truth values, times or texts of fixed length",
			a.Type.name)
	}
	return a, nil
}

// dimensions2 are the names of axes that xarray gives an array of version 2.
func (a *Array) dimensions2() (names []string) {
	i := slices.IndexFunc(a.Attributes, func(t Property) bool { return t.Name == "_ARRAY_DIMENSIONS" })
	if i < 0 {
		return nil
	}
	list, _ := a.Attributes[i].Value.([]any)
	a.Attributes = slices.Delete(a.Attributes, i, i+1)
	for _, v := range list {
		name, _ := v.(string)
		names = append(names, name)
	}
	if len(names) != len(a.Shape) {
		return nil
	}
	return names
}

func (a *Array) read2(raw json.RawMessage) error {
	var m struct {
		Format     int             `json:"zarr_format"`
		Shape      []int           `json:"shape"`
		Chunks     []int           `json:"chunks"`
		DType      json.RawMessage `json:"dtype"`
		Compressor *codec2         `json:"compressor"`
		Filters    []codec2        `json:"filters"`
		Fill       json.RawMessage `json:"fill_value"`
		Order      string          `json:"order"`
		Separator  string          `json:"dimension_separator"`
	}
	if err := text.Unmarshal(raw, &m); err != nil {
		return fmt.Errorf("corrupt: %w", err)
	}
	if m.Format != 2 {
		return fmt.Errorf("zarr_format %d, want 2", m.Format)
	}
	a.Shape, a.Chunks, a.separator = m.Shape, m.Chunks, "."
	if m.Separator != "" {
		a.separator = m.Separator
	}
	if a.separator != "." && a.separator != "/" {
		return fmt.Errorf("dimension_separator %.20q, want . or /", a.separator)
	}
	if m.Order != "C" && m.Order != "F" {
		return fmt.Errorf("order %.20q, want C or F", m.Order)
	}
	if m.Order == "F" && len(a.Shape) > 1 {
		for i := range a.Shape {
			a.order = append(a.order, len(a.Shape)-1-i)
		}
	}
	var err error
	if a.Type, err = type2(m.DType); err != nil {
		return err
	}
	if a.fill, err = a.Type.fill(m.Fill); err != nil {
		return err
	}
	if len(m.Fill) > 0 {
		if err := unmarshal(m.Fill, &a.Fill); err != nil {
			return fmt.Errorf("fill_value: %w", err)
		}
	}
	for _, c := range m.Filters {
		a.add(c.ID, c.Size)
	}
	if m.Compressor != nil {
		a.add(m.Compressor.ID, m.Compressor.Size)
	}
	return nil
}

// codec2 is a codec of version 2.
type codec2 struct {
	ID   string `json:"id"`
	Size int    `json:"elementsize"`
}

func (a *Array) read3(raw json.RawMessage) error {
	var m struct {
		Shape  []int             `json:"shape"`
		Type   json.RawMessage   `json:"data_type"`
		Grid   extension         `json:"chunk_grid"`
		Keys   json.RawMessage   `json:"chunk_key_encoding"`
		Fill   json.RawMessage   `json:"fill_value"`
		Codecs []json.RawMessage `json:"codecs"`
		Names  []*string         `json:"dimension_names"`
		Others []json.RawMessage `json:"storage_transformers"`
	}
	if err := text.Unmarshal(raw, &m); err != nil {
		return fmt.Errorf("corrupt: %w", err)
	}
	a.Shape = m.Shape
	if m.Grid.Name != "regular" {
		return fmt.Errorf("chunk_grid %.40q, want regular", m.Grid.Name)
	}
	if len(m.Others) > 0 {
		return errors.New("storage_transformers, which are not supported")
	}
	var grid struct {
		Shape []int `json:"chunk_shape"`
	}
	if err := m.Grid.configure(&grid); err != nil {
		return err
	}
	a.Chunks = grid.Shape
	if err := a.readKeys(m.Keys); err != nil {
		return err
	}
	if len(m.Names) == len(a.Shape) && len(m.Names) > 0 {
		for _, name := range m.Names {
			if name == nil {
				name = new(string)
			}
			a.Dimensions = append(a.Dimensions, *name)
		}
	}
	var err error
	if a.Type, err = type3(m.Type); err != nil {
		return err
	}
	if err := a.readCodecs(m.Codecs, false); err != nil {
		return err
	}
	a.fill, err = a.Type.fill(m.Fill)
	return err
}

// readKeys reads how the keys of chunks are made.
func (a *Array) readKeys(raw json.RawMessage) error {
	e, err := extensionOf(raw)
	if err != nil {
		return fmt.Errorf("chunk_key_encoding: %w", err)
	}
	var c struct {
		Separator string `json:"separator"`
	}
	if err := e.configure(&c); err != nil {
		return err
	}
	switch e.Name {
	case "default":
		a.prefix, a.separator = "c", "/"
	case "v2":
		a.separator = "."
	default:
		return fmt.Errorf("chunk_key_encoding %.40q, want default or v2", e.Name)
	}
	if c.Separator != "" {
		a.separator = c.Separator
	}
	if a.separator != "." && a.separator != "/" {
		return fmt.Errorf("separator %.20q, want . or /", a.separator)
	}
	return nil
}

// readCodecs reads the codecs of version 3: of arrays, one from an array to bytes, of bytes.
func (a *Array) readCodecs(list []json.RawMessage, inside bool) error {
	bytesNow, sharded := false, false
	for _, raw := range list {
		e, err := extensionOf(raw)
		if err != nil {
			return fmt.Errorf("codecs: %w", err)
		}
		switch {
		case e.Name == "transpose" && !bytesNow:
			err = a.transpose(&e)
		case e.Name == "bytes" && !bytesNow:
			bytesNow = true
			var bigEndian bool
			if bigEndian, err = endian(&e); bigEndian {
				a.Type.Order = dtype.BigEndian
			}
		case e.Name == "sharding_indexed" && !bytesNow:
			bytesNow, sharded = true, true
			if inside || a.order != nil {
				a.refuse("shards inside shards or after transpose")
				return nil
			}
			err = a.shard(&e)
		case sharded:
			a.refuse("shards with the codec " + e.Name)
		default:
			var c struct {
				Size int `json:"elementsize"`
			}
			if err = e.configure(&c); err == nil {
				bytesNow = true
				a.add(strings.TrimPrefix(e.Name, "numcodecs."), c.Size)
			}
		}
		if err != nil {
			return err
		}
	}
	if !bytesNow {
		return errors.New("codecs without one that makes bytes")
	}
	return nil
}

// endian reads the codec of bytes.
func endian(e *extension) (big bool, err error) {
	var c struct {
		Endian string `json:"endian"`
	}
	if err := e.configure(&c); err != nil {
		return false, err
	}
	if c.Endian != "" && c.Endian != "little" && c.Endian != "big" {
		return false, fmt.Errorf("endian %.20q, want little or big", c.Endian)
	}
	return c.Endian == "big", nil
}

// transpose reads an order of axes, after those before it.
func (a *Array) transpose(e *extension) error {
	var c struct {
		Order json.RawMessage `json:"order"`
	}
	if err := e.configure(&c); err != nil {
		return err
	}
	var order []int
	if letter := string(c.Order); letter == `"C"` || letter == `"F"` {
		for i := range a.Shape {
			if letter == `"F"` {
				i = len(a.Shape) - 1 - i
			}
			order = append(order, i)
		}
	} else if err := text.Unmarshal(c.Order, &order); err != nil {
		return fmt.Errorf("transpose: corrupt: %w", err)
	}
	sorted := slices.Sorted(slices.Values(order))
	for i, k := range sorted {
		if i != k {
			sorted = nil
			break
		}
	}
	if len(sorted) != len(a.Shape) {
		return fmt.Errorf("transpose: order %v of %d axes", order, len(a.Shape))
	}
	if a.order != nil {
		for i, k := range order {
			order[i] = a.order[k]
		}
	}
	a.order = order
	return nil
}

// shard reads the configuration of shards.
func (a *Array) shard(e *extension) error {
	var c struct {
		Shape    []int             `json:"chunk_shape"`
		Codecs   []json.RawMessage `json:"codecs"`
		Index    []json.RawMessage `json:"index_codecs"`
		Location string            `json:"index_location"`
	}
	if err := e.configure(&c); err != nil {
		return err
	}
	s := &shards{shape: a.Chunks, start: c.Location == "start"}
	if c.Location != "" && c.Location != "start" && c.Location != "end" {
		return fmt.Errorf("index_location %.20q, want start or end", c.Location)
	}
	if len(c.Shape) != len(a.Chunks) {
		return fmt.Errorf("chunks of shape %v in shards of shape %v", c.Shape, a.Chunks)
	}
	count := uint64(1)
	for i, n := range c.Shape {
		if n < 1 || a.Chunks[i]%n > 0 {
			return fmt.Errorf("chunks of shape %v in shards of shape %v", c.Shape, a.Chunks)
		}
		s.each = append(s.each, a.Chunks[i]/n)
		high, low := bits.Mul64(count, uint64(a.Chunks[i]/n))
		if count = low; high != 0 || count > largestChunk/16 {
			return fmt.Errorf("chunks of shape %v in shards of shape %v: the index has more than %d entries",
				c.Shape, a.Chunks, largestChunk/16)
		}
	}
	for i, raw := range c.Index {
		x, err := extensionOf(raw)
		if err != nil {
			return fmt.Errorf("index_codecs: %w", err)
		}
		switch {
		case i == 0 && x.Name == "bytes":
			if s.bigEndian, err = endian(&x); err != nil {
				return err
			}
		case i == 1 && x.Name == "crc32c":
			s.checked = true
		default:
			return fmt.Errorf("index_codecs: %.40q, want bytes and crc32c", x.Name)
		}
	}
	a.Chunks, a.shards = c.Shape, s
	return a.readCodecs(c.Codecs, true)
}

// refuse notes why values cannot be read.
func (a *Array) refuse(what string) {
	if a.reason == nil {
		a.reason = fmt.Errorf("stored with %.80s, which is not supported; rewrite it: %s", what, a.recipe())
	}
}

// unsafe are letters that a shell or Python would read in another way.
const unsafe = "\"'\\`$\n\r"

// recipe is the command that rewrites an array.
func (a *Array) recipe() string {
	name := path.Join(a.store.path, a.Path)
	if strings.ContainsAny(name, unsafe) {
		name = "STORE/NAME"
	}
	return fmt.Sprintf(`python -c 'import zarr; `+
		`zarr.create_array("rewritten.zarr", data=zarr.open_array("%s", mode="r")[...])'`, name)
}

// checkShape checks the shapes of the array and its chunks.
func (a *Array) checkShape() error {
	if len(a.Shape) > mostAxes {
		return fmt.Errorf("%d axes, want at most %d", len(a.Shape), mostAxes)
	}
	if len(a.Chunks) != len(a.Shape) {
		return fmt.Errorf("corrupt: chunks of shape %v in an array of shape %v", a.Chunks, a.Shape)
	}
	element := max(a.Type.Size, 1)
	if size, ok := product(a.Shape, element); !ok || size > 1<<60 {
		return fmt.Errorf("corrupt: shape %v of elements of %d bytes", a.Shape, element)
	}
	for _, n := range a.Chunks {
		if n < 1 {
			return fmt.Errorf("corrupt: chunks of shape %v", a.Chunks)
		}
	}
	if size, ok := product(a.Chunks, element); !ok || size > largestChunk {
		return fmt.Errorf("chunks of shape %v of elements of %d bytes, want at most %d bytes",
			a.Chunks, element, largestChunk)
	}
	if a.shards != nil {
		if _, ok := product(a.shards.shape, element); !ok {
			return fmt.Errorf("corrupt: shards of shape %v", a.shards.shape)
		}
	}
	return nil
}

// product is the number of bytes of a shape; not ok if it is beyond 62 bits or an axis is negative or absurd.
func product(shape []int, element int) (int, bool) {
	total := uint64(element)
	empty := false
	for _, n := range shape {
		if n < 0 || n > 1<<48 {
			return 0, false
		}
		if n == 0 {
			empty = true
			continue
		}
		high, low := bits.Mul64(total, uint64(n))
		if total = low; high != 0 || total > 1<<62 {
			return 0, false
		}
	}
	if empty {
		return 0, true
	}
	return int(total), true
}

// Readable returns the reason why values cannot be read, such as a codec that is not supported; nil if they can.
func (a *Array) Readable() error { return a.reason }

// Metadata are the metadata of the array.
func (a *Array) Metadata() []byte { return a.metadata }

// Codecs are the names of the codecs, in the order of writing.
func (a *Array) Codecs() (names []string) {
	if a.shards != nil {
		names = append(names, fmt.Sprintf("shards of %v", a.shards.shape))
	}
	for _, c := range a.codecs {
		names = append(names, c.name)
	}
	return names
}

// Rows is the length of the first axis; 1 for a single value.
func (a *Array) Rows() int { return chunk.Rows(a.Shape) }

// RowBytes is the number of bytes of a row: of one index of the first axis.
func (a *Array) RowBytes() int { return chunk.RowBytes(a.Shape, a.Type.Size) }

// key is the key of a chunk or shard.
func (a *Array) key(position []int) string {
	names := make([]string, 0, 1+len(position))
	if a.prefix != "" {
		names = append(names, a.prefix)
	}
	for _, k := range position {
		names = append(names, strconv.Itoa(k))
	}
	if len(names) == 0 {
		names = []string{"0"}
	}
	return path.Join(a.Path, strings.Join(names, a.separator))
}
