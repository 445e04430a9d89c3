// Numbers, texts and bytes of a pickle.

package pickle

import (
	"encoding/binary"
	"errors"
	"io"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// integer reads BININT1, BININT2 and BININT.
func (m *machine) integer(op byte) error {
	v, err := m.in.unsigned(lengths[op])
	if err != nil {
		return err
	}
	if op == 'J' {
		return m.push(int64(int32(uint32(v))), 8)
	}
	return m.push(int64(v), 8)
}

// float reads BINFLOAT, which is big-endian.
func (m *machine) float() error {
	var b [8]byte
	read, err := io.ReadFull(m.in.r, b[:])
	m.in.position += int64(read)
	if err != nil {
		return truncated(err)
	}
	return m.push(math.Float64frombits(binary.BigEndian.Uint64(b[:])), 8)
}

// text reads a str whose length takes size bytes.
func (m *machine) text(size int) error {
	b, err := m.in.counted(size)
	if err != nil {
		return err
	}
	return m.push(string(b), int64(len(b)))
}

// raw reads bytes whose length takes size bytes.
func (m *machine) raw(size int) error {
	b, err := m.in.counted(size)
	if err != nil {
		return err
	}
	return m.push(b, 0)
}

// textValue reads the values that protocol 0 writes as text.
func (m *machine) textValue(op byte) error {
	line, err := m.in.line()
	if err != nil {
		return err
	}
	line = strings.TrimSuffix(line, "\r")
	switch op {
	case 'F':
		v, err := strconv.ParseFloat(line, 64)
		if err != nil && !errors.Is(err, strconv.ErrRange) {
			return corrupt("%.40q is not a float", line)
		}
		return m.push(v, 8)
	case 'S':
		if n := len(line); n >= 2 && (line[0] == '\'' || line[0] == '"') && line[n-1] == line[0] {
			return m.push(unescape(line[1:n-1], false), int64(n))
		}
		return corrupt("the string %.40q has no quotes", line)
	case 'V':
		return m.push(unescape(line, true), int64(len(line)))
	}
	switch {
	case op == 'I' && line == "00":
		return m.push(false, 0)
	case op == 'I' && line == "01":
		return m.push(true, 0)
	}
	line = strings.TrimSuffix(line, "L")
	if len(line) <= maxInteger {
		if v, ok := parseInteger(line); ok {
			return m.push(v, max(8, int64(len(line))))
		}
	}
	return corrupt("%.40q is not an integer", line)
}

// Valid characters after a backslash: one character, or a number of this many hexadecimal digits.
var (
	simple = map[byte]byte{'n': '\n', 't': '\t', 'r': '\r', '\\': '\\', '\'': '\'', '"': '"', 'a': '\a', 'b': '\b',
		'f': '\f', 'v': '\v', '0': 0}
	digitsOf    = map[byte]int{'x': 2}
	digitsOfRaw = map[byte]int{'u': 4, 'U': 8}
)

// unescape resolves the backslash escapes of a quoted Python 2 string, or only
// \uXXXX and \UXXXXXXXX where raw is set. Escapes that are not known stay.
func unescape(s string, raw bool) string {
	if !strings.Contains(s, `\`) {
		return strings.ToValidUTF8(s, "\uFFFD")
	}
	digits := digitsOfRaw
	if !raw {
		digits = digitsOf
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			b.WriteByte(s[i])
			continue
		}
		c := s[i+1]
		if n, ok := digits[c]; ok && i+2+n <= len(s) {
			if v, err := strconv.ParseUint(s[i+2:i+2+n], 16, 32); err == nil {
				if raw {
					b.WriteRune(rune(min(v, utf8.MaxRune+1)))
				} else {
					b.WriteByte(byte(v))
				}
				i += 1 + n
				continue
			}
		}
		if v, ok := simple[c]; ok && !raw {
			b.WriteByte(v)
			i++
			continue
		}
		b.WriteByte('\\')
	}
	return strings.ToValidUTF8(b.String(), "\uFFFD")
}

// long reads a two's complement little-endian integer.
func (m *machine) long(op byte) error {
	size := 1
	if op == 0x8b {
		size = 4
	}
	n, err := m.in.unsigned(size)
	if err != nil {
		return err
	}
	if n > maxInteger {
		return corrupt("an integer of %d bytes", n)
	}
	b, err := m.in.bytes(n)
	if err != nil {
		return err
	}
	return m.push(longOf(b), max(8, int64(n)))
}
