// Filters of chunks: gzip, shuffle, Fletcher's checksum, LZF.

package hdf5

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"repscope/dataset/chunk"
)

// The filters that are read.
const (
	filterGzip     = 1
	filterShuffle  = 2
	filterFletcher = 3
	filterLZF      = 32000
)

// foreignFilters are the names of filters that are not read.
var foreignFilters = map[int]string{
	4: "szip", 5: "n-bit", 6: "scale-offset", 305: "LZO", 307: "bzip2", 32001: "Blosc", 32004: "LZ4", 32008: "bitshuffle",
	32013: "ZFP", 32015: "Zstandard", 32017: "SZ", 32018: "FCIDECOMP", 32019: "JPEG", 32026: "Blosc2",
	32028: "Granular BitRound",
}

// filter is one step of the pipeline that chunks went through when they were written.
type filter struct {
	id   int
	name string
	data []uint32
}

// readFilters reads a filter pipeline message.
func readFilters(data []byte) ([]filter, error) {
	c := &cursor{data: data}
	version, n := c.uint(1), c.int(1)
	switch version {
	case 1:
		c.skip(6)
	case 2:
	default:
		return nil, fmt.Errorf("version %d of a filter pipeline, want 1 or 2", version)
	}
	if n > 32 {
		return nil, fmt.Errorf("corrupt: %d filters, at most 32", n)
	}
	var list []filter
	for range n {
		f := filter{id: c.int(2)}
		length := 0
		if version == 1 || f.id >= 256 {
			length = c.int(2)
		}
		c.skip(2)
		values := c.int(2)
		name := c.bytes(length)
		if i := bytes.IndexByte(name, 0); i >= 0 {
			name = name[:i]
		}
		f.name = string(name)
		for range values {
			f.data = append(f.data, uint32(c.uint(4)))
			if c.short {
				break
			}
		}
		if version == 1 && values%2 == 1 {
			c.skip(4)
		}
		list = append(list, f)
	}
	return list, c.err("filter pipeline message")
}

// unsupported is the name of a filter that is not read, "" of one that is.
func (f *filter) unsupported() string {
	switch f.id {
	case filterGzip, filterShuffle, filterFletcher, filterLZF:
		return ""
	}
	if name := foreignFilters[f.id]; name != "" {
		return name
	}
	return fmt.Sprintf("filter %d (%.40q)", f.id, f.name)
}

// String names the filter.
func (f *filter) String() string {
	switch f.id {
	case filterGzip:
		return "gzip"
	case filterShuffle:
		return "shuffle"
	case filterFletcher:
		return "fletcher32"
	case filterLZF:
		return "LZF"
	}
	return f.unsupported()
}

// Compression names the filters of a dataset, in the order of writing.
func (d *Dataset) Compression() (names []string) {
	for i := range d.filter {
		names = append(names, d.filter[i].String())
	}
	return names
}

// decoder undoes filters. It belongs to one goroutine.
type decoder struct {
	zlib    chunk.Zlib
	scratch [2][]byte
}

// spare is a buffer of n bytes that is not the one in use.
func (d *decoder) spare(use []byte, n int) []byte {
	for i := range d.scratch {
		if cap(use) > 0 && cap(d.scratch[i]) > 0 && &use[:1][0] == &d.scratch[i][:1][0] {
			continue
		}
		if cap(d.scratch[i]) < n {
			d.scratch[i] = make([]byte, n)
		}
		return d.scratch[i][:n]
	}
	return make([]byte, n)
}

// maxExpansion bounds what a stored chunk may become.
var maxExpansion = map[int]int64{filterGzip: 1040, filterLZF: 300}

// decode undoes the filters of a stored chunk, of size bytes before them. The result is valid until the next call.
func (d *decoder) decode(filters []filter, mask uint64, raw []byte, size int) ([]byte, error) {
	extra := 0 // bytes of checksums that are still in the chunk
	bound := int64(len(raw))
	for i := range filters {
		if mask>>i&1 == 1 {
			continue
		}
		if filters[i].id == filterFletcher {
			extra += 4
		}
		if factor := maxExpansion[filters[i].id]; factor > 0 {
			bound = min(bound*factor+1024, 1<<50)
		}
	}
	if int64(size) > bound {
		return nil, fmt.Errorf("corrupt: %d bytes cannot be a chunk of %d bytes", len(raw), size)
	}
	for i := len(filters) - 1; i >= 0; i-- {
		if mask>>i&1 == 1 {
			continue
		}
		var err error
		switch filters[i].id {
		case filterGzip:
			raw, err = d.inflate(raw, size+extra)
		case filterShuffle:
			raw, err = d.unshuffle(raw, filters[i].data)
		case filterFletcher:
			raw, err = unfletcher(raw)
			extra -= 4
		case filterLZF:
			out := d.spare(raw, size+extra)
			var n int
			n, err = lzf(out, raw)
			raw = out[:n]
		}
		if err != nil {
			return nil, fmt.Errorf("%v: %w", &filters[i], err)
		}
	}
	if len(raw) != size {
		return nil, fmt.Errorf("corrupt: a chunk of %d bytes, want %d", len(raw), size)
	}
	return raw, nil
}

func (d *decoder) inflate(raw []byte, size int) ([]byte, error) {
	r, err := d.zlib.Reader(raw)
	if err != nil {
		return nil, fmt.Errorf("corrupt: %w", err)
	}
	out := d.spare(raw, size)
	if n, err := io.ReadFull(r, out); err != nil {
		return nil, fmt.Errorf("corrupt: a chunk ends after %d of %d bytes (%w)", n, size, err)
	}
	var more [1]byte // reading to the end compares the checksum
	switch n, err := io.ReadFull(r, more[:]); {
	case n > 0:
		return nil, fmt.Errorf("corrupt: a chunk expands to more than %d bytes", size)
	case err != io.EOF:
		return nil, fmt.Errorf("corrupt: %w", err)
	}
	return out, nil
}

// unshuffle puts the bytes of elements together again.
func (d *decoder) unshuffle(raw []byte, data []uint32) ([]byte, error) {
	if len(data) < 1 || data[0] == 0 {
		return nil, errors.New("corrupt: no size of elements")
	}
	size := int(data[0])
	n := len(raw) / size
	if size == 1 || n <= 1 {
		return raw, nil
	}
	out := d.spare(raw, len(raw))
	chunk.Unshuffle(out, raw, size)
	return out, nil
}

// unfletcher checks and cuts off the checksum.
func unfletcher(raw []byte) ([]byte, error) {
	n := len(raw) - 4
	if n < 0 {
		return nil, errors.New("corrupt: no checksum")
	}
	sum := binary.LittleEndian.Uint32(raw[n:])
	got := fletcher(raw[:n])
	// HDF5 before 1.6.3 wrote the bytes of each half in the other order.
	swapped := got&0xff00ff<<8 | got>>8&0xff00ff
	if sum != got && sum != swapped {
		return nil, fmt.Errorf("corrupt: checksum %08x, want %08x", got, sum)
	}
	return raw[:n], nil
}

// lzf expands the format of LibLZF: runs of literal bytes, and copies of earlier ones.
func lzf(out, raw []byte) (n int, err error) {
	for i := 0; i < len(raw); {
		control := int(raw[i])
		i++
		if control < 32 {
			if control++; control > len(raw)-i || control > len(out)-n {
				return 0, errors.New("corrupt: literal bytes past the end")
			}
			n += copy(out[n:], raw[i:i+control])
			i += control
			continue
		}
		length := control >> 5
		if length == 7 {
			if i == len(raw) {
				return 0, errors.New("corrupt: ends inside a copy")
			}
			length += int(raw[i])
			i++
		}
		if i == len(raw) {
			return 0, errors.New("corrupt: ends inside a copy")
		}
		from := n - control&31<<8 - int(raw[i]) - 1
		i++
		if length += 2; from < 0 || length > len(out)-n {
			return 0, errors.New("corrupt: a copy from outside")
		}
		for range length { // the copy may overlap itself
			out[n] = out[from]
			n, from = n+1, from+1
		}
	}
	return n, nil
}
