//go:build amd64 && !noasm

// Products of bytes on the tile registers of AMX: permission, a check of the numbers, panels.

package kernel

import (
	"encoding/binary"
	"fmt"
	"os"

	"golang.org/x/sys/cpu"
)

const (
	// tilePanel is the number of vectors of a panel of either side.
	tilePanel = 32
	// tileChunk is the depth in bytes that one product of tiles sums up.
	tileChunk = 64
)

// tilesUint8 multiplies chunks of 64 depths; the panels hold whole chunks only, the last padded with zeros.
func tilesUint8() *uint8Tiling {
	return &uint8Tiling{
		tiling: tiling[uint32, int32]{
			mr: tilePanel, nr: tilePanel, rowStep: [3]int{16, tilePanel, tilePanel}, colStep: [2]int{16, tilePanel},
			micro: [3][2]microKernel[uint32, int32]{
				{uint8AMXR16V1, uint8AMXR16V2}, {uint8AMXR32V1, uint8AMXR32V2}, {uint8AMXR32V1, uint8AMXR32V2}},
			block: tileBlock,
		},
		group:  4,
		groups: tileChunk / 4,
		pack:   packUint8Tiles,
	}
}

// amxImplementation is AVX-512 with products of bytes on tiles, or nil and the reason why it is unavailable. Tiles are
// not tried if the user selected another implementation.
func amxImplementation(avx512 *implementation) (*implementation, string) {
	x := &cpu.X86
	const state = 1<<17 | 1<<18 // the configuration and the data of tiles
	switch request := os.Getenv(Environment); {
	case request == "generic" || request == "avx2" || request == "avx512":
		return nil, ""
	case !x.HasOSXSAVE || !x.HasAMXTile || !x.HasAMXInt8:
		return nil, ""
	case enabledState()&state != state:
		return nil, "the system does not keep the state of tiles"
	}
	if err := permitTiles(); err != nil {
		return nil, fmt.Sprintf("the system does not permit tiles: %v", err)
	}
	tiles := tilesUint8()
	if err := checkTiles(tiles); err != nil {
		return nil, err.Error()
	}
	amx := *avx512
	amx.name, amx.uint8, amx.quads = "amx", tiles, nil
	return &amx, ""
}

// checkTiles runs every micro-kernel, with both of its ways to end, and compares the numbers with plain loops.
func checkTiles(t *uint8Tiling) error {
	for _, depth := range []int{tileChunk, 3 * tileChunk} {
		var x, y [tilePanel * 3 * tileChunk]uint8
		state := uint32(1)
		for i := range x {
			state = 1664525*state + 1013904223
			x[i], y[i] = uint8(state>>24)|uint8(state>>16)&0x80, uint8(state>>8)
		}
		a, b := make([]uint32, tilePanel*depth/4), make([]uint32, tilePanel*depth/4)
		t.pack(a, tilePanel, x[:], depth, tilePanel, depth, false)
		t.pack(b, tilePanel, y[:], depth, tilePanel, depth, true)
		var want [tilePanel][tilePanel]int32
		for i := range want {
			for j := range want[i] {
				for k := range depth {
					want[i][j] += int32(x[i*depth+k]) * int32(y[j*depth+k])
				}
			}
		}
		for r := range 2 {
			for v := range 2 {
				if err := checkTile(t.tiling.micro[r][v], 16*(r+1), 16*(v+1), a, b, &want); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// checkTile multiplies twice and adds, into rows that lie further apart than they are long.
func checkTile(micro microKernel[uint32, int32], rows, columns int, a, b []uint32,
	want *[tilePanel][tilePanel]int32) error {
	const stride = tilePanel + 5
	var c [tilePanel * stride]int32
	for i := range c {
		c[i] = -1
	}
	for times, add := range []bool{false, true} {
		micro(len(a)/tilePanel, &a[0], &b[0], &c[0], stride, 0, add)
		for i, got := range c {
			r, j := i/stride, i%stride
			expected := int32(-1)
			if r < rows && j < columns {
				expected = int32(times+1) * want[r][j]
			}
			if got != expected {
				return fmt.Errorf("tiles of %d×%d give %d at row %d, column %d, want %d", rows, columns, got, r, j, expected)
			}
		}
	}
	return nil
}

// packUint8Tiles packs the left side as chunks of the depth, each of them 32 rows of 64 bytes, and the right side as
// groups of four depths of 32 columns.
func packUint8Tiles(dst []uint32, width int, src []uint8, stride, count, length int, right bool) {
	if count == 0 || length == 0 {
		return
	}
	depth := roundUp(length, tileChunk) / 4
	if right {
		packQuads(dst, width, src, stride, count, length, depth, 0)
		return
	}
	for q := 0; q < count; q += width {
		n := min(width, count-q)
		panel := dst[q*depth : q*depth+width*depth]
		if n < width {
			clear(panel)
		}
		for r := range n {
			row := src[(q+r)*stride:][:length]
			for at := r * tileChunk / 4; len(row) > 0; at += width * tileChunk / 4 {
				packChunk((*[tileChunk / 4]uint32)(panel[at:]), row)
				row = row[min(tileChunk, len(row)):]
			}
		}
	}
}

// packChunk copies the first chunk of a row, filled up with zeros.
func packChunk(dst *[tileChunk / 4]uint32, row []uint8) {
	var last [tileChunk]uint8
	if len(row) < tileChunk {
		copy(last[:], row)
		row = last[:]
	}
	chunk := row[:tileChunk]
	for i := range dst {
		dst[i] = binary.LittleEndian.Uint32(chunk[4*i:])
	}
}
