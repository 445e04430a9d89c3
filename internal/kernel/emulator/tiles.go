// The tile registers and their instructions.

package emulator

import (
	"encoding/binary"
	"errors"
	"fmt"
)

const (
	tileCount   = 8
	tileRows    = 16
	tileBytes   = 64
	configBytes = 64
)

// tiles is the state that belongs to tiles.
type tiles struct {
	configured bool
	start      int // the row at which an interrupted load or store goes on
	rows       [tileCount]int
	bytes      [tileCount]int // of a row
	data       [tileCount][tileRows][tileBytes]byte
}

// configure is LDTILECFG.
func (t *tiles) configure(c []byte) error {
	*t = tiles{}
	switch c[0] {
	case 0: // the initial state
		return nil
	case 1:
	default:
		return fmt.Errorf("palette %d, want 0 or 1", c[0])
	}
	for i := range configBytes {
		reserved := i >= 2 && i < 16 || i >= 16+2*tileCount && i < 48 || i >= 48+tileCount
		if reserved && c[i] != 0 {
			return fmt.Errorf("byte %d of the configuration is reserved and is %d, want 0", i, c[i])
		}
	}
	t.configured, t.start = true, int(c[1])
	for i := range tileCount {
		t.bytes[i], t.rows[i] = int(binary.LittleEndian.Uint16(c[16+2*i:])), int(c[48+i])
		if t.bytes[i] > tileBytes || t.rows[i] > tileRows || (t.bytes[i] == 0) != (t.rows[i] == 0) {
			return fmt.Errorf("tile %d has %d rows of %d bytes, want at most 16 of 64", i, t.rows[i], t.bytes[i])
		}
	}
	return nil
}

// valid reports whether a tile can be used.
func (t *tiles) valid(list ...int) error {
	if !t.configured {
		return errors.New("tiles are not configured")
	}
	for _, i := range list {
		if t.rows[i] == 0 {
			return fmt.Errorf("tile %d has no rows", i)
		}
	}
	return nil
}

// load is TILELOADD: rows stride bytes apart; the rest of the tile within the configuration becomes zero.
func (t *tiles) load(tile int, base, stride uint64,
	memory func(address uint64, n int, write bool) ([]byte, error)) error {
	if err := t.valid(tile); err != nil {
		return err
	}
	for r := t.start; r < t.rows[tile]; r++ {
		from, err := memory(base+uint64(r)*stride, t.bytes[tile], false)
		if err != nil {
			return err
		}
		t.data[tile][r] = [tileBytes]byte{}
		copy(t.data[tile][r][:], from)
	}
	t.end(tile)
	return nil
}

// end clears the rows beyond the configured ones, as every instruction that writes a tile does.
func (t *tiles) end(tile int) {
	clear(t.data[tile][t.rows[tile]:])
	t.start = 0
}

// store is TILESTORED.
func (t *tiles) store(tile int, base, stride uint64,
	memory func(address uint64, n int, write bool) ([]byte, error)) error {
	if err := t.valid(tile); err != nil {
		return err
	}
	for r := t.start; r < t.rows[tile]; r++ {
		to, err := memory(base+uint64(r)*stride, t.bytes[tile], true)
		if err != nil {
			return err
		}
		copy(to, t.data[tile][r][:])
	}
	t.start = 0
	return nil
}

// zero is TILEZERO.
func (t *tiles) zero(tile int) error {
	if err := t.valid(tile); err != nil {
		return err
	}
	t.data[tile] = [tileRows][tileBytes]byte{}
	t.start = 0
	return nil
}

// multiply is TDPB{SS,SU,US,UU}D: every 32-bit element of the sum takes four products of bytes at each of b's rows,
// modulo 2³².
func (t *tiles) multiply(sum, a, b int, aSigned, bSigned bool) error {
	if err := t.valid(sum, a, b); err != nil {
		return err
	}
	switch {
	case sum == a || sum == b || a == b:
		return fmt.Errorf("tiles %d, %d and %d of a product are not three", sum, a, b)
	case t.bytes[sum]%4 != 0 || t.bytes[a]%4 != 0 || t.bytes[b]%4 != 0:
		return errors.New("rows of a product's tiles are no multiple of four bytes long")
	case t.rows[sum] != t.rows[a] || t.bytes[sum] != t.bytes[b] || t.bytes[a] != 4*t.rows[b]:
		return fmt.Errorf("%d×%d bytes and %d×%d bytes do not multiply to %d×%d bytes",
			t.rows[a], t.bytes[a], t.rows[b], t.bytes[b], t.rows[sum], t.bytes[sum])
	}
	for m := range t.rows[sum] {
		row := &t.data[sum][m]
		for n := 0; n < t.bytes[sum]; n += 4 {
			s := binary.LittleEndian.Uint32(row[n:])
			for k := range t.rows[b] {
				for i := range 4 {
					s += extend(t.data[a][m][4*k+i], aSigned) * extend(t.data[b][k][n+i], bSigned)
				}
			}
			binary.LittleEndian.PutUint32(row[n:], s)
		}
		clear(row[t.bytes[sum]:])
	}
	t.end(sum)
	return nil
}

func extend(b byte, signed bool) uint32 {
	if signed {
		return uint32(int32(int8(b)))
	}
	return uint32(b)
}
