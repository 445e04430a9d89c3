// Digests of the arrays that an analysis computes on.

package shard

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash"
	"math"

	"repscope/points"
)

// Digest is the SHA-256 of points and of lists of integers that belong to them, as
// the value of an input's [Field]: of their type, shape and values, little endian.
// Equal values of unlike types have unlike digests; nil and empty lists too.
func Digest(p points.Points, lists ...[]int) string {
	d := digester{Hash: sha256.New()}
	d.points(p)
	for _, list := range lists {
		d.ints(list)
	}
	return hex.EncodeToString(d.Sum(nil))
}

// digester feeds typed values to a hash through a small buffer.
type digester struct {
	hash.Hash
	buffer []byte
}

// pieceBytes is how much is converted at a time.
const pieceBytes = 1 << 16

func (d *digester) text(s string) { _, _ = d.Write([]byte(s)) } // a hash never fails

func (d *digester) word(v uint64) {
	d.buffer = binary.LittleEndian.AppendUint64(d.buffer, v)
	d.flush(pieceBytes)
}

// flush hashes the buffer if it holds at least least bytes.
func (d *digester) flush(least int) {
	if len(d.buffer) >= least {
		_, _ = d.Write(d.buffer)
		d.buffer = d.buffer[:0]
	}
}

func (d *digester) points(p points.Points) {
	kind := "float64"
	switch {
	case p.U8 != nil:
		kind = "uint8"
	case p.F32 != nil:
		kind = "float32"
	}
	d.text(kind)
	d.word(uint64(p.N))
	d.word(uint64(p.Dim))
	d.flush(0)
	_, _ = d.Write(p.U8)
	for _, v := range p.F32 {
		d.buffer = binary.LittleEndian.AppendUint32(d.buffer, math.Float32bits(v))
		d.flush(pieceBytes)
	}
	for _, v := range p.F64 {
		d.word(math.Float64bits(v))
	}
	d.flush(0)
}

func (d *digester) ints(list []int) {
	length := uint64(len(list))
	if list == nil {
		length = math.MaxUint64
	}
	d.word(length)
	for _, v := range list {
		d.word(uint64(v))
	}
	d.flush(0)
}
