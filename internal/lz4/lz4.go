// Package lz4 expands blocks of LZ4, without a frame around them.
//
//	dst := make([]byte, 1<<20) // the size is stored elsewhere
//	err := lz4.Block(dst, []byte("\x50hello…"))
package lz4

import (
	"errors"
	"fmt"
)

// short is a length that is copied as a whole, whatever is needed of it.
const short = 16

var errShort = errors.New("the block of LZ4 ends too early")

// Block expands a block that fills dst. A block of another size, or one that refers to bytes before the first, is an
// error.
func Block(dst, src []byte) error {
	written := 0
	for {
		if len(src) == 0 {
			return errShort
		}
		token := src[0]
		literals, rest, err := length(int(token>>4), src[1:])
		if err != nil {
			return err
		}
		switch {
		case literals <= short && len(rest) >= short && len(dst)-written >= short: // most are short
			copy(dst[written:written+short], rest[:short])
		case literals > len(rest):
			return errShort
		case literals > len(dst)-written:
			return fmt.Errorf("the block of LZ4 has more than %d bytes", len(dst))
		default:
			copy(dst[written:], rest[:literals])
		}
		written += literals
		if src = rest[literals:]; len(src) == 0 { // the last sequence has literals alone
			break
		}
		if len(src) < 2 {
			return errShort
		}
		distance := int(src[0]) | int(src[1])<<8
		n, rest, err := length(int(token&15), src[2:])
		if err != nil {
			return err
		}
		n += 4
		src = rest
		if distance >= short && distance <= written && n <= short && len(dst)-written >= short {
			copy(dst[written:written+short], dst[written-distance:written-distance+short])
			written += n
			continue
		}
		switch {
		case distance == 0 || distance > written:
			return fmt.Errorf("the block of LZ4 refers to byte %d", written-distance)
		case n > len(dst)-written:
			return fmt.Errorf("the block of LZ4 has more than %d bytes", len(dst))
		}
		for from := written - distance; n > 0; { // copied bytes may be copied again
			k := copy(dst[written:written+n], dst[from:written])
			written, n = written+k, n-k
		}
	}
	if written < len(dst) {
		return fmt.Errorf("the block of LZ4 has %d bytes, want %d", written, len(dst))
	}
	return nil
}

// length is a length whose first four bits are known.
func length(n int, src []byte) (int, []byte, error) {
	if n < 15 {
		return n, src, nil
	}
	for len(src) > 0 {
		b := src[0]
		src = src[1:]
		if n += int(b); n > 1<<40 {
			break
		}
		if b < 255 {
			return n, src, nil
		}
	}
	return 0, nil, errShort
}
