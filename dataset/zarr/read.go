// Rows of values: chunks from their objects or from shards, with codecs undone and axes in order.

package zarr

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"path"
	"slices"
	"strings"
	"sync"

	"repscope/dataset/chunk"
)

// Prepare checks the array against its chunks, once; [Array.Read] may then be called from several goroutines.
func (a *Array) Prepare() error {
	err := a.reason
	if err == nil && a.reader == nil {
		if err = a.checkSize(); err == nil {
			a.decoders.New = func() any { return new(decoder) }
			a.reader = chunk.New(a.Shape, a.Chunks, a.Type.Size, a.fill, a)
		}
	}
	if err != nil {
		return fmt.Errorf("%s: %w", a.store.label(a.Path), err)
	}
	return nil
}

// Read reads rows lo to hi-1 in C order and the byte order of the type. dst has (hi-lo)·RowBytes bytes.
func (a *Array) Read(dst []byte, lo, hi int) error {
	if lo < 0 || hi < lo || hi > a.Rows() || len(dst) != (hi-lo)*a.RowBytes() {
		return fmt.Errorf("rows %d to %d of %d into %d bytes", lo, hi, a.Rows(), len(dst))
	}
	if a.reader == nil {
		return fmt.Errorf("%s is not prepared", a.Path)
	}
	return a.reader.Read(dst, lo, hi)
}

// ReadBox reads the elements from to to-1 along each axis, which lie in the array; always ok.
func (a *Array) ReadBox(dst []byte, from, to []int) (ok bool, err error) {
	return true, a.reader.ReadBox(dst, from, to)
}

// Plain reports that no chunk is a view of a file.
func (a *Array) Plain(int) bool { return false }

// chunkBytes is the number of bytes of a chunk.
func (a *Array) chunkBytes() int {
	size, _ := product(a.Chunks, a.Type.Size)
	return size
}

// Use calls use with the bytes of a chunk; stored is false if there is none.
func (a *Array) Use(number int, use func(raw []byte)) (stored bool, err error) {
	position := a.reader.Coordinates(number)
	if len(a.Shape) == 0 {
		position = nil
	}
	inside := 0
	if a.shards != nil {
		for i, k := range position {
			inside = inside*a.shards.each[i] + k%a.shards.each[i]
			position[i] = k / a.shards.each[i]
		}
	}
	key := a.key(position)
	o, err := a.store.objects.open(key)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer o.close()
	d := a.decoders.Get().(*decoder)
	defer a.decoders.Put(d)
	size := a.chunkBytes()
	if a.shards == nil {
		d.stored, err = o.read(d.stored, int64(mostStored(size)))
	} else {
		var x *index
		if x, err = a.index(key, o); err != nil {
			return false, err
		}
		offset, n := x.entry(inside)
		if offset == math.MaxUint64 && n == math.MaxUint64 {
			return false, nil
		}
		if n > uint64(mostStored(size)) || offset > math.MaxInt64 {
			return false, fmt.Errorf("corrupt: %d bytes at offset %d of a shard", n, offset)
		}
		d.stored, err = o.part(d.stored, int64(offset), int64(n))
	}
	if err != nil {
		return false, err
	}
	raw, err := d.decode(a.codecs, d.stored, size)
	if err != nil {
		return false, err
	}
	if a.order != nil {
		out := d.spare(size)
		a.reorder(out, raw)
		raw = out
	}
	use(raw)
	return true, nil
}

// reorder copies a stored chunk, whose axes have another order, in C order.
func (a *Array) reorder(out, raw []byte) {
	rank, size := len(a.order), a.Type.Size
	stride := make([]int, rank) // of the axes of the array in the stored chunk
	step := size
	for i := rank - 1; i >= 0; i-- {
		stride[a.order[i]] = step
		step *= a.Chunks[a.order[i]]
	}
	index := make([]int, rank)
	last := rank - 1
	source := 0
	for target := 0; target < len(out); {
		run := out[target:][:a.Chunks[last]*size]
		strided(run, raw[source:], size, stride[last])
		target += len(run)
		for i := last - 1; i >= 0; i-- {
			index[i]++
			source += stride[i]
			if index[i] < a.Chunks[i] {
				break
			}
			source -= index[i] * stride[i]
			index[i] = 0
		}
	}
}

// strided copies elements that lie a stride apart.
func strided(dst, src []byte, size, stride int) {
	switch {
	case stride == size:
		copy(dst, src)
	case size == 4:
		for i := 0; i < len(dst)/4; i++ {
			binary.LittleEndian.PutUint32(dst[4*i:], binary.LittleEndian.Uint32(src[i*stride:]))
		}
	default:
		for i := 0; i < len(dst)/size; i++ {
			copy(dst[i*size:][:size], src[i*stride:])
		}
	}
}

// index says where the chunks of a shard are.
type index struct {
	key       string
	once      sync.Once
	raw       []byte
	bigEndian bool
	err       error
}

// entry is the offset and the size of a chunk; both are the largest number for one that is not stored.
func (x *index) entry(i int) (offset, size uint64) {
	if x.bigEndian {
		return binary.BigEndian.Uint64(x.raw[16*i:]), binary.BigEndian.Uint64(x.raw[16*i+8:])
	}
	return binary.LittleEndian.Uint64(x.raw[16*i:]), binary.LittleEndian.Uint64(x.raw[16*i+8:])
}

// mostIndexes bounds the indexes in memory, in bytes.
const mostIndexes = 16 << 20

// index reads the index of a shard, or finds it.
func (a *Array) index(key string, o *object) (*index, error) {
	s := a.shards
	count := 1
	for _, n := range s.each {
		count *= n
	}
	x := s.keep(key, 16*count)
	x.once.Do(func() {
		n := int64(16 * count)
		if s.checked {
			n += 4
		}
		offset := int64(0)
		if !s.start {
			offset = o.size - n
		}
		if x.raw, x.err = o.part(nil, offset, n); x.err != nil {
			return
		}
		if s.checked {
			x.raw, x.err = checked(x.raw)
		}
	})
	if x.err != nil {
		return nil, fmt.Errorf("index of shard %s: %w", key, x.err)
	}
	return x, nil
}

// keep returns the memory of an index, which later calls find again.
func (s *shards) keep(key string, size int) *index {
	s.lock.Lock()
	defer s.lock.Unlock()
	for i, x := range s.recent {
		if x.key == key {
			s.recent = append(append(s.recent[:i:i], s.recent[i+1:]...), x)
			return x
		}
	}
	x := &index{key: key, bigEndian: s.bigEndian}
	s.recent = append(s.recent, x)
	if limit := max(1, mostIndexes/size); len(s.recent) > limit {
		s.recent = s.recent[len(s.recent)-limit:]
	}
	return x
}

// Hash calls write with the metadata of the array and with the keys and bytes of all its objects, in the order of keys.
func (a *Array) Hash(write func(raw []byte)) error {
	write(a.metadata)
	keys, err := a.store.keys(a.Path, 0)
	if err != nil {
		return err
	}
	slices.Sort(keys)
	var buffer []byte
	for _, key := range keys {
		o, err := a.store.objects.open(key)
		if err != nil {
			return err
		}
		write(fmt.Appendf(nil, "%s %d\n", strings.TrimPrefix(key, a.Path), o.size))
		for offset := int64(0); offset < o.size && err == nil; offset += 1 << 20 {
			if buffer, err = o.part(buffer, offset, min(1<<20, o.size-offset)); err == nil {
				write(buffer)
			}
		}
		o.close()
		if err != nil {
			return fmt.Errorf("%s: %w", key, err)
		}
	}
	return nil
}

// keys are the objects below a prefix.
func (s *Store) keys(prefix string, depth int) (keys []string, err error) {
	err = s.objects.list(prefix, func(name string, dir bool) error {
		key := path.Join(prefix, name)
		if !dir {
			keys = append(keys, key)
		} else if depth < deepest {
			below, err := s.keys(key, depth+1)
			keys = append(keys, below...)
			return err
		}
		return nil
	})
	return keys, err
}
