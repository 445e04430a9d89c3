// Integers that are longer than the machine's.

package pickle

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Long is an integer that no int64 holds: the bytes of its two's complement, the lowest first,
// no more than it needs. Package math/big would do, and weigh 0.1 MB in every binary.
type Long string

// longOf is the integer of bytes in two's complement, an int64 where it fits.
func longOf(b []byte) any {
	for len(b) > 1 && (b[len(b)-1] == 0 && b[len(b)-2] < 0x80 || b[len(b)-1] == 0xff && b[len(b)-2] >= 0x80) {
		b = b[:len(b)-1] // only repeats the sign of the next
	}
	if len(b) > 8 {
		return Long(b)
	}
	var full [8]byte
	if len(b) > 0 && b[len(b)-1] >= 0x80 {
		for i := range full {
			full[i] = 0xff
		}
	}
	copy(full[:], b)
	return int64(binary.LittleEndian.Uint64(full[:]))
}

// parseInteger reads decimal digits behind an optional sign.
func parseInteger(text string) (any, bool) {
	digits := strings.TrimPrefix(text, "-")
	negative := len(digits) < len(text)
	if !negative {
		digits = strings.TrimPrefix(digits, "+")
	}
	if digits == "" || strings.Trim(digits, "0123456789") != "" {
		return nil, false
	}
	var words []uint32
	for len(digits) > 0 {
		n := min(9, len(digits))
		part, _ := strconv.ParseUint(digits[:n], 10, 32) // they are digits
		scale := uint64(1)
		for range n {
			scale *= 10
		}
		for i, w := range words {
			part += uint64(w) * scale
			words[i], part = uint32(part), part>>32
		}
		if part > 0 {
			words = append(words, uint32(part))
		}
		digits = digits[n:]
	}
	words = append(words, 0) // space for the sign
	if negative {
		negate(words)
	}
	b := make([]byte, 0, 4*len(words))
	for _, w := range words {
		b = binary.LittleEndian.AppendUint32(b, w)
	}
	return longOf(b), true
}

// String is the integer in decimal digits.
func (l Long) String() string {
	negative := l != "" && l[len(l)-1] >= 0x80
	fill := byte(0)
	if negative {
		fill = 0xff
	}
	b := []byte(l)
	for len(b)%4 != 0 {
		b = append(b, fill)
	}
	words := make([]uint32, len(b)/4)
	for i := range words {
		words[i] = binary.LittleEndian.Uint32(b[4*i:])
	}
	if negative {
		negate(words)
	}
	var parts []string // nine digits each, the lowest first
	for len(words) > 0 {
		rest := uint64(0)
		for i, w := range slices.Backward(words) {
			rest = rest<<32 | uint64(w)
			words[i], rest = uint32(rest/1e9), rest%1e9
		}
		for len(words) > 0 && words[len(words)-1] == 0 {
			words = words[:len(words)-1]
		}
		if len(words) > 0 {
			parts = append(parts, fmt.Sprintf("%09d", rest))
		} else {
			parts = append(parts, strconv.FormatUint(rest, 10))
		}
	}
	if negative {
		parts = append(parts, "-")
	}
	slices.Reverse(parts)
	return strings.Join(parts, "")
}

// negate changes the sign of an integer in two's complement.
func negate(words []uint32) {
	carry := uint64(1)
	for i, w := range words {
		carry += uint64(^w)
		words[i], carry = uint32(carry), carry>>32
	}
}
