// The stack machine that interprets a pickle.

package pickle

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// Bytes that a value is counted as taking, in addition to its content: generous estimates of Go's allocations, so that
// the budget bounds real memory.
const (
	costValue     = 24
	costContainer = 96
	costItem      = 32
	costDictItem  = 128
	costMemo      = 64
	costReduce    = 512
)

const (
	maxLine    = 1 << 20 // a text argument of protocol 0
	maxInteger = 1 << 12 // bytes of an integer
)

// source reads the arguments of instructions and counts their cost.
type source struct {
	r        reader
	position int64
	size     int64
	budget   int64
}

type reader interface {
	io.Reader
	io.ByteReader
}

func (s *source) charge(n int64) error {
	s.budget -= n
	if s.budget < 0 {
		return ErrMemory
	}
	return nil
}

func truncated(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return ErrTruncated
	}
	return err
}

func (s *source) byte() (byte, error) {
	b, err := s.r.ReadByte()
	if err != nil {
		return 0, truncated(err)
	}
	s.position++
	return b, nil
}

// bytes reads n bytes, after checking that the input can hold them.
func (s *source) bytes(n uint64) ([]byte, error) {
	if left := s.size - s.position; left < 0 || n > uint64(left) {
		return nil, fmt.Errorf("%w: it declares %d bytes, at most %d remain", ErrTruncated, n, max(left, 0))
	}
	if err := s.charge(int64(n)); err != nil {
		return nil, err
	}
	b := make([]byte, n)
	read, err := io.ReadFull(s.r, b)
	s.position += int64(read)
	if err != nil {
		return nil, truncated(err)
	}
	return b, nil
}

// unsigned reads a little-endian unsigned integer of 1, 2, 4 or 8 bytes.
func (s *source) unsigned(size int) (uint64, error) {
	var b [8]byte
	read, err := io.ReadFull(s.r, b[:size])
	s.position += int64(read)
	if err != nil {
		return 0, truncated(err)
	}
	return binary.LittleEndian.Uint64(b[:]), nil
}

// counted reads a string whose length comes first, in size bytes.
func (s *source) counted(size int) ([]byte, error) {
	n, err := s.unsigned(size)
	if err != nil {
		return nil, err
	}
	return s.bytes(n)
}

// line reads up to the next newline, which is dropped.
func (s *source) line() (string, error) {
	var b []byte
	for {
		c, err := s.byte()
		if err != nil {
			return "", err
		}
		if c == '\n' {
			break
		}
		if len(b) >= maxLine {
			return "", fmt.Errorf("%w: a text argument is longer than %d bytes", ErrCorrupt, maxLine)
		}
		b = append(b, c)
	}
	return string(b), s.charge(int64(len(b)))
}

type machine struct {
	in      source
	options Options
	stack   []any
	marks   []int
	memo    map[uint64]any
}

func newMachine(r io.Reader, size int64, options Options) *machine {
	br, ok := r.(reader)
	if !ok {
		br = bufio.NewReader(r)
	}
	budget := options.Memory
	if budget <= 0 {
		budget = 1 << 30
	}
	return &machine{in: source{r: br, size: size, budget: budget}, options: options, memo: map[uint64]any{}}
}

func corrupt(format string, args ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{ErrCorrupt}, args...)...)
}

func (m *machine) push(v any, cost int64) error {
	m.stack = append(m.stack, v)
	return m.in.charge(costValue + cost)
}

// floor is the lowest stack position that instructions may pop: values below the
// last mark belong to an unfinished container.
func (m *machine) floor() int {
	if len(m.marks) > 0 {
		return m.marks[len(m.marks)-1]
	}
	return 0
}

func (m *machine) pop() (any, error) {
	if len(m.stack) <= m.floor() {
		return nil, corrupt("the stack is empty")
	}
	v := m.stack[len(m.stack)-1]
	m.stack[len(m.stack)-1] = nil
	m.stack = m.stack[:len(m.stack)-1]
	return v, nil
}

func (m *machine) top() (any, error) {
	if len(m.stack) <= m.floor() {
		return nil, corrupt("the stack is empty")
	}
	return m.stack[len(m.stack)-1], nil
}

// popMark returns a copy of the values above the last mark and removes both.
func (m *machine) popMark() ([]any, error) {
	if len(m.marks) == 0 {
		return nil, corrupt("no mark on the stack")
	}
	mark := m.marks[len(m.marks)-1]
	m.marks = m.marks[:len(m.marks)-1]
	items := append([]any(nil), m.stack[mark:]...)
	clear(m.stack[mark:])
	m.stack = m.stack[:mark]
	return items, m.in.charge(int64(len(items)) * costItem)
}

// run interprets instructions until STOP.
func (m *machine) run() (any, error) {
	for {
		op, err := m.in.byte()
		if err != nil {
			return nil, err
		}
		if op == '.' {
			return m.pop()
		}
		if err := m.step(op); err != nil {
			return nil, err
		}
	}
}

// put stores the top of the stack in the memo.
func (m *machine) put(op byte) error {
	var key uint64
	var err error
	switch op {
	case 'p':
		key, err = m.textIndex()
	case 'q':
		key, err = m.in.unsigned(1)
	case 'r':
		key, err = m.in.unsigned(4)
	default:
		key = uint64(len(m.memo))
	}
	if err != nil {
		return err
	}
	v, err := m.top()
	if err != nil {
		return err
	}
	m.memo[key] = v
	return m.in.charge(costMemo)
}

func (m *machine) get(op byte) error {
	var key uint64
	var err error
	switch op {
	case 'g':
		key, err = m.textIndex()
	case 'h':
		key, err = m.in.unsigned(1)
	default:
		key, err = m.in.unsigned(4)
	}
	if err != nil {
		return err
	}
	v, ok := m.memo[key]
	if !ok {
		return corrupt("no value %d in the memo", key)
	}
	return m.push(v, 0)
}

func (m *machine) textIndex() (uint64, error) {
	line, err := m.in.line()
	if err != nil {
		return 0, err
	}
	key, err := strconv.ParseUint(strings.TrimSuffix(line, "\r"), 10, 64)
	if err != nil {
		return 0, corrupt("%.40q is not a memo index", line)
	}
	return key, nil
}
