// One side of a product: a set of vectors along the depth, from a matrix, packed once, or written into panels by the
// caller.

package kernel

import (
	"errors"
	"fmt"
	"unsafe"
)

// Float is the element type of a floating-point product.
type Float interface{ float32 | float64 }

// Align divides the index of the first vector of an [Operand] cut from a [Packed]. Every panel width divides Align.
const Align = 96

// A Packer writes part of an operand into panels. It lets a caller feed a
// product from data that never exists as a matrix, for example the patches of
// an image in a convolution.
//
// Pack must write vectors first … first+count−1 at depths k … k+depth−1 into
// dst. The vectors are grouped into panels of width vectors each; panel q holds
// its values depth by depth:
//
//	dst[q·width·depth + d·width + r] = value(first + q·width + r, k + d)
//
// Vectors past first+count−1 in the last panel must be written as zeros; dst has exactly
// ⌈count/width⌉·width·depth elements and first is a multiple of width. depth is at most
// [KC] and k a multiple of it. Pack is called from
// several goroutines at once if the product has several threads, and may be
// called more than once for the same part.
type Packer[T Float] interface {
	Pack(dst []T, width, first, count, k, depth int)
}

type operandKind uint8

const (
	operandNone operandKind = iota
	operandRows
	operandColumns
	operandPacked
	operandPacker
)

// Operand is one side of a [Product]: vectors of length K. The left operand has
// M of them (the rows of A), the right one N (the columns of the result). The zero value is
// not an operand; use [Rows], [Columns], [Packing] or [Packed.Operand].
type Operand[T Float] struct {
	kind   operandKind
	data   []T
	stride int
	first  int // of a packed operand: the vector that counts as the first
	packed *Packed[T]
	packer Packer[T]
}

// Rows is an operand whose vectors lie contiguously: vector i is
// data[i·stride : i·stride+K]. Row-major A in A·B and A·Bᵀ, row-major B in A·Bᵀ.
func Rows[T Float](data []T, stride int) Operand[T] {
	return Operand[T]{kind: operandRows, data: data, stride: stride}
}

// Columns is an operand whose vectors are the columns of a row-major matrix:
// element k of vector j is data[k·stride+j]. Row-major B in A·B, row-major A in Aᵀ·B.
func Columns[T Float](data []T, stride int) Operand[T] {
	return Operand[T]{kind: operandColumns, data: data, stride: stride}
}

// Packing is an operand written into panels by p.
func Packing[T Float](p Packer[T]) Operand[T] {
	return Operand[T]{kind: operandPacker, packer: p}
}

// check reports whether count vectors of length depth can be read from o.
func (o *Operand[T]) check(side string, count, depth, width int) error {
	switch o.kind {
	case operandRows:
		return checkMatrix(side, len(o.data), count, depth, o.stride)
	case operandColumns:
		return checkMatrix(side, len(o.data), depth, count, o.stride)
	case operandPacked:
		p := o.packed
		switch {
		case p.width != width:
			return fmt.Errorf("kernel: operand %s: packed in panels of %d, want %d (packed for the other side or another kernel)",
				side, p.width, width)
		case p.depth != depth:
			return fmt.Errorf("kernel: operand %s: packed with depth %d, want %d", side, p.depth, depth)
		case o.first < 0 || o.first%Align != 0:
			return fmt.Errorf("kernel: operand %s: first packed vector %d is not a multiple of %d", side, o.first, Align)
		case o.first+count > p.count:
			return fmt.Errorf("kernel: operand %s: packed %d vectors, want %d from %d on", side, p.count, count, o.first)
		}
		return nil
	case operandPacker:
		if o.packer == nil {
			return fmt.Errorf("kernel: operand %s: nil Packer", side)
		}
		return nil
	}
	return fmt.Errorf("kernel: operand %s is not set", side)
}

// checkUnpacked is check for an operand that is to be packed.
func (o *Operand[T]) checkUnpacked(side string, count, depth, width int) error {
	if o.kind == operandPacked {
		return fmt.Errorf("kernel: operand %s is packed already", side)
	}
	return o.check(side, count, depth, width)
}

// checkMatrix reports whether a row-major matrix of this shape fits into length elements.
func checkMatrix(name string, length, rows, cols, stride int) error {
	if rows == 0 || cols == 0 {
		return nil
	}
	if stride < cols {
		return fmt.Errorf("kernel: matrix %s: stride %d is less than its %d columns", name, stride, cols)
	}
	// Compared by division, so that absurd shapes cannot overflow.
	if length < cols || (length-cols)/stride < rows-1 {
		return fmt.Errorf("kernel: matrix %s: %d elements do not hold %d rows of %d with stride %d",
			name, length, rows, cols, stride)
	}
	return nil
}

// pack writes this part of the operand into panels; see [Packer].
func (o *Operand[T]) pack(t *tiling[T, T], dst []T, width, first, count, k, depth int) {
	switch o.kind {
	case operandRows:
		t.packRows(dst, width, o.data[first*o.stride+k:], o.stride, count, depth)
	case operandColumns:
		PackColumns(dst, width, o.data[k*o.stride+first:], o.stride, count, depth)
	case operandPacker:
		o.packer.Pack(dst, width, first, count, k, depth)
	}
}

// PackRows writes count vectors that lie in rows into panels, as required by [Packer]: element d of vector r is
// src[r·stride+d].
func PackRows[T Float](dst []T, width int, src []T, stride, count, depth int) {
	floatTiling[T]().packRows(dst, width, src, stride, count, depth)
}

// PackColumns writes count vectors that lie in columns into panels, as required by [Packer]: element d of vector r is
// src[d·stride+r].
func PackColumns[T Float](dst []T, width int, src []T, stride, count, depth int) {
	whole := count / width * width
	// A few rows at a time, whose lines stay in the cache from one panel to the next.
	for from := 0; from < depth; from += columnRows {
		rows := min(columnRows, depth-from)
		for q := 0; q < whole; q += width {
			copyRows(dst[q*depth+from*width:][:rows*width], src[from*stride+q:][:(rows-1)*stride+width], width, stride)
		}
	}
	if n := count - whole; n > 0 {
		panel := dst[whole*depth : whole*depth+width*depth]
		for d := range depth {
			row := panel[d*width : d*width+width]
			copy(row, src[d*stride+whole:d*stride+count])
			clear(row[n:])
		}
	}
}

// columnRows is the number of rows that [PackColumns] copies at a time.
const columnRows = 16

// copyRows copies the first width elements of rows that are stride apart to dst, one after another.
func copyRows[T Float](dst, src []T, width, stride int) {
	if size := width * int(unsafe.Sizeof(dst[0])); size%copyStep == 0 && size/copyStep < len(rowKernels{}.copyRows) {
		if f := active.Load().rows.copyRows[size/copyStep]; f != nil {
			f((*byte)(unsafe.Pointer(&dst[0])), (*byte)(unsafe.Pointer(&src[0])), stride*int(unsafe.Sizeof(dst[0])),
				len(dst)/width)
			return
		}
	}
	for at, d := 0, 0; at < len(dst); at, d = at+width, d+stride {
		copy(dst[at:at+width], src[d:d+width])
	}
}

// packRowsGeneric is the portable PackRows for any 4- or 8-byte element.
func packRowsGeneric[E any](dst []E, width int, src []E, stride, count, depth int) {
	for q := 0; q < count; q += width {
		n := min(width, count-q)
		panel := dst[q*depth : q*depth+width*depth]
		for r := range n {
			row := src[(q+r)*stride : (q+r)*stride+depth]
			for d, v := range row {
				panel[d*width+r] = v
			}
		}
		if n < width {
			for d := range depth {
				clear(panel[d*width+n : d*width+width])
			}
		}
	}
}

// Packed is an operand in panels, packed once and used by many products. It
// belongs to the side it was packed for and to the running process.
type Packed[T Float] struct {
	data                []T
	width, count, depth int
}

// PackLeft packs an operand of count vectors of length depth for use as A.
func PackLeft[T Float](o Operand[T], count, depth int) (*Packed[T], error) {
	return packAll(o, "A", count, depth, floatTiling[T]().mr)
}

// PackRight packs an operand of count vectors of length depth for use as B.
func PackRight[T Float](o Operand[T], count, depth int) (*Packed[T], error) {
	return packAll(o, "B", count, depth, floatTiling[T]().nr)
}

func packAll[T Float](o Operand[T], side string, count, depth, width int) (*Packed[T], error) {
	p := new(Packed[T])
	if err := p.fill(o, side, count, depth, width); err != nil {
		return nil, err
	}
	return p, nil
}

// Left replaces p by another operand packed for use as A, and allocates only if p is too small for it. p may be zero.
func (p *Packed[T]) Left(o Operand[T], count, depth int) error {
	return p.fill(o, "A", count, depth, floatTiling[T]().mr)
}

// Right replaces p by another operand packed for use as B, and allocates only if p is too small for it. p may be zero.
func (p *Packed[T]) Right(o Operand[T], count, depth int) error {
	return p.fill(o, "B", count, depth, floatTiling[T]().nr)
}

func (p *Packed[T]) fill(o Operand[T], side string, count, depth, width int) error {
	if count < 0 || depth < 0 {
		return fmt.Errorf("kernel: operand %s: cannot pack %d vectors of length %d", side, count, depth)
	}
	if err := o.checkUnpacked(side, count, depth, width); err != nil {
		return err
	}
	p.reset(count, depth, width)
	if count == 0 {
		return nil
	}
	t := floatTiling[T]()
	for k := 0; k < depth; k += KC {
		kc := min(KC, depth-k)
		o.pack(t, p.block(0, k, kc)[:roundUp(count, width)*kc], width, 0, count, k, kc)
	}
	return nil
}

func (p *Packed[T]) reset(count, depth, width int) {
	p.data, p.width, p.count, p.depth = grow(p.data, roundUp(count, width)*depth), width, count, depth
}

// NewRight allocates count vectors of length depth for use as B, all to be written by [Packed.Put].
func NewRight[T Float](count, depth int) (*Packed[T], error) {
	if count < 0 || depth < 0 {
		return nil, fmt.Errorf("kernel: no room for %d vectors of length %d", count, depth)
	}
	p := new(Packed[T])
	p.reset(count, depth, floatTiling[T]().nr)
	return p, nil
}

// Put writes part of the packed operand, so that a matrix can be packed that is never
// in memory as a whole: vectors first … first+count−1 at depths k … k+depth−1 become
// o's vectors 0 … count−1 at its depths 0 … depth−1. o is one of [Rows] or [Columns]. first is
// a multiple of [ColumnAlign], and so is count unless the part includes the last vector.
func (p *Packed[T]) Put(o Operand[T], first, count, k, depth int) error {
	if first < 0 || count < 0 || first+count > p.count || k < 0 || depth < 0 || k+depth > p.depth {
		return fmt.Errorf("kernel: vectors %d to %d at depths %d to %d do not lie in %d vectors of length %d",
			first, first+count, k, k+depth, p.count, p.depth)
	}
	if end := first + count; first%ColumnAlign != 0 || end%ColumnAlign != 0 && end != p.count {
		return fmt.Errorf("kernel: vectors %d to %d do not begin and end at multiples of %d", first, end, ColumnAlign)
	}
	if o.kind == operandPacker {
		return errors.New("kernel: a Packer packs all of an operand")
	}
	if err := o.checkUnpacked("part", count, depth, p.width); err != nil {
		return err
	}
	t := floatTiling[T]()
	for d := 0; d < depth; {
		block := (k + d) / KC * KC
		kc := min(KC, p.depth-block)
		n := min(depth-d, block+kc-k-d)
		// The depths of one panel are contiguous.
		for v := 0; v < count; v += p.width {
			panel := p.block(first+v, block, kc)[(k+d-block)*p.width:]
			o.pack(t, panel[:n*p.width], p.width, v, min(p.width, count-v), d, n)
		}
		d += n
	}
	return nil
}

// Operand is the packed operand from vector first on; first must be a multiple of [Align].
func (p *Packed[T]) Operand(first int) Operand[T] {
	return Operand[T]{kind: operandPacked, packed: p, first: first}
}

// Count is the number of packed vectors, Depth their length.
func (p *Packed[T]) Count() int { return p.count }

// Depth is the length of each packed vector.
func (p *Packed[T]) Depth() int { return p.depth }

// block is the panel that holds vector first at the depth block k … k+depth−1.
func (p *Packed[T]) block(first, k, depth int) []T {
	return p.data[k*roundUp(p.count, p.width)+first*depth:]
}

func roundUp(n, multiple int) int { return (n + multiple - 1) / multiple * multiple }
