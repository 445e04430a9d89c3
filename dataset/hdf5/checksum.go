// The checksums of HDF5: Jenkins' lookup3 of metadata, Fletcher's of chunks.

package hdf5

import (
	"encoding/binary"
	"math/bits"
)

// checksum is lookup3 of Bob Jenkins ("hashlittle" with initial value 0).
func checksum(data []byte) uint32 {
	a := 0xdeadbeef + uint32(len(data))
	b, c := a, a
	for len(data) > 12 {
		a += binary.LittleEndian.Uint32(data)
		b += binary.LittleEndian.Uint32(data[4:])
		c += binary.LittleEndian.Uint32(data[8:])
		a, b, c = mix(a, b, c)
		data = data[12:]
	}
	if len(data) == 0 {
		return c
	}
	var tail [12]byte
	copy(tail[:], data)
	a += binary.LittleEndian.Uint32(tail[:])
	b += binary.LittleEndian.Uint32(tail[4:])
	c += binary.LittleEndian.Uint32(tail[8:])
	c = (c ^ b) - bits.RotateLeft32(b, 14)
	a = (a ^ c) - bits.RotateLeft32(c, 11)
	b = (b ^ a) - bits.RotateLeft32(a, 25)
	c = (c ^ b) - bits.RotateLeft32(b, 16)
	a = (a ^ c) - bits.RotateLeft32(c, 4)
	b = (b ^ a) - bits.RotateLeft32(a, 14)
	return (c ^ b) - bits.RotateLeft32(b, 24)
}

func mix(a, b, c uint32) (x, y, z uint32) {
	a = (a - c) ^ bits.RotateLeft32(c, 4)
	c += b
	b = (b - a) ^ bits.RotateLeft32(a, 6)
	a += c
	c = (c - b) ^ bits.RotateLeft32(b, 8)
	b += a
	a = (a - c) ^ bits.RotateLeft32(c, 16)
	c += b
	b = (b - a) ^ bits.RotateLeft32(a, 19)
	a += c
	c = (c - b) ^ bits.RotateLeft32(b, 4)
	b += a
	return a, b, c
}

// fletcher is Fletcher's checksum of 32 bits over words of 16 bits, big-endian.
func fletcher(data []byte) uint32 {
	var low, high uint32
	for len(data) > 1 {
		n := min(len(data)/2, 360) // sums of 360 words fit
		for i := range n {
			low += uint32(data[2*i])<<8 | uint32(data[2*i+1])
			high += low
		}
		data = data[2*n:]
		low, high = low&0xffff+low>>16, high&0xffff+high>>16
	}
	if len(data) == 1 {
		low += uint32(data[0]) << 8
		high += low
		low, high = low&0xffff+low>>16, high&0xffff+high>>16
	}
	low, high = low&0xffff+low>>16, high&0xffff+high>>16
	return high<<16 | low
}
