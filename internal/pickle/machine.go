// The stack machine that interprets a pickle.

package pickle

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"math/big"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Bytes that a value is counted as taking, beside its content: generous
// estimates of what Go allocates, so that the budget bounds real memory.
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

// source reads the arguments of instructions and counts what they cost.
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
		return nil, fmt.Errorf("%w: %d bytes announced, at most %d left", ErrTruncated, n, max(left, 0))
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
	at := m.marks[len(m.marks)-1]
	m.marks = m.marks[:len(m.marks)-1]
	items := append([]any(nil), m.stack[at:]...)
	clear(m.stack[at:])
	m.stack = m.stack[:at]
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

// step executes one instruction.
func (m *machine) step(op byte) error {
	switch op {
	case 0x80: // PROTO
		v, err := m.in.byte()
		if err == nil && v > 5 {
			err = corrupt("protocol %d, the newest known is 5", v)
		}
		return err
	case 0x95: // FRAME
		n, err := m.in.unsigned(8)
		if err == nil && (m.in.size < m.in.position || n > uint64(m.in.size-m.in.position)) {
			err = fmt.Errorf("%w: a frame of %d bytes", ErrTruncated, n)
		}
		return err
	case '(': // MARK
		m.marks = append(m.marks, len(m.stack))
		return m.in.charge(costValue)
	case '0': // POP
		if len(m.marks) > 0 && len(m.stack) == m.floor() {
			m.marks = m.marks[:len(m.marks)-1]
			return nil
		}
		_, err := m.pop()
		return err
	case '1': // POP_MARK
		_, err := m.popMark()
		return err
	case '2': // DUP
		v, err := m.top()
		if err != nil {
			return err
		}
		return m.push(v, 0)

	case 'N':
		return m.push(nil, 0)
	case 0x88:
		return m.push(true, 0)
	case 0x89:
		return m.push(false, 0)
	case 'I', 'L', 'F', 'S', 'V':
		return m.textValue(op)
	case 'K', 'M', 'J':
		size := map[byte]int{'K': 1, 'M': 2, 'J': 4}[op]
		v, err := m.in.unsigned(size)
		if err != nil {
			return err
		}
		if op == 'J' {
			return m.push(int64(int32(uint32(v))), 8)
		}
		return m.push(int64(v), 8)
	case 0x8a, 0x8b: // LONG1, LONG4
		return m.long(op)
	case 'G': // BINFLOAT, big-endian
		var b [8]byte
		read, err := io.ReadFull(m.in.r, b[:])
		m.in.position += int64(read)
		if err != nil {
			return truncated(err)
		}
		return m.push(math.Float64frombits(binary.BigEndian.Uint64(b[:])), 8)

	case 'X', 0x8c, 0x8d, 'T', 'U': // str, and str of Python 2
		size := map[byte]int{'X': 4, 0x8c: 1, 0x8d: 8, 'T': 4, 'U': 1}[op]
		b, err := m.in.counted(size)
		if err != nil {
			return err
		}
		return m.push(string(b), int64(len(b)))
	case 'B', 'C', 0x8e, 0x96: // bytes, bytearray
		size := map[byte]int{'B': 4, 'C': 1, 0x8e: 8, 0x96: 8}[op]
		b, err := m.in.counted(size)
		if err != nil {
			return err
		}
		return m.push(b, 0)

	case ')':
		return m.push(&Tuple{}, costContainer)
	case 't':
		items, err := m.popMark()
		if err != nil {
			return err
		}
		return m.push(&Tuple{items}, costContainer)
	case 0x85, 0x86, 0x87: // TUPLE1..3
		n := int(op - 0x84)
		if len(m.stack)-m.floor() < n {
			return corrupt("a tuple of %d with %d values on the stack", n, len(m.stack)-m.floor())
		}
		items := append([]any(nil), m.stack[len(m.stack)-n:]...)
		m.stack = m.stack[:len(m.stack)-n]
		return m.push(&Tuple{items}, costContainer+int64(n)*costItem)
	case ']':
		return m.push(&List{}, costContainer)
	case 'l':
		items, err := m.popMark()
		if err != nil {
			return err
		}
		return m.push(&List{items}, costContainer)
	case 'a', 'e':
		return m.appendItems(op)
	case '}':
		return m.push(NewDict(), costContainer)
	case 'd':
		items, err := m.popMark()
		if err != nil {
			return err
		}
		d := NewDict()
		if err := m.setItems(d, items); err != nil {
			return err
		}
		return m.push(d, costContainer)
	case 's':
		value, err := m.pop()
		if err != nil {
			return err
		}
		key, err := m.pop()
		if err != nil {
			return err
		}
		target, err := m.top()
		if err != nil {
			return err
		}
		return m.setItems(target, []any{key, value})
	case 'u':
		items, err := m.popMark()
		if err != nil {
			return err
		}
		target, err := m.top()
		if err != nil {
			return err
		}
		return m.setItems(target, items)
	case 0x8f: // EMPTY_SET
		return m.push(&Set{}, costContainer)
	case 0x90: // ADDITEMS
		items, err := m.popMark()
		if err != nil {
			return err
		}
		target, err := m.top()
		if err != nil {
			return err
		}
		set, ok := target.(*Set)
		if !ok {
			return corrupt("adding items to a %s, not a set", TypeName(target))
		}
		set.Items = append(set.Items, items...)
		return m.in.charge(int64(len(items)) * costItem)
	case 0x91: // FROZENSET
		items, err := m.popMark()
		if err != nil {
			return err
		}
		return m.push(&Set{items}, costContainer)

	case 'p', 'q', 'r', 0x94: // PUT, BINPUT, LONG_BINPUT, MEMOIZE
		return m.put(op)
	case 'g', 'h', 'j': // GET, BINGET, LONG_BINGET
		return m.get(op)

	case 'c', 0x93: // GLOBAL, STACK_GLOBAL
		return m.global(op)
	case 'R', 'b', 0x81, 0x92, 'i', 'o':
		return m.object(op)
	case 'P', 'Q':
		return m.persistent(op)

	case 0x82, 0x83, 0x84:
		return errors.New("refers to the extension registry, which is not supported")
	case 0x97, 0x98:
		return errors.New("refers to out-of-band buffers, which are not supported")
	}
	return corrupt("unknown instruction %#02x", op)
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
			return corrupt("%.40q is no float", line)
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
	if v, err := strconv.ParseInt(line, 10, 64); err == nil {
		return m.push(v, 8)
	}
	if len(line) <= maxInteger {
		if v, ok := new(big.Int).SetString(line, 10); ok {
			return m.push(v, int64(len(line)))
		}
	}
	return corrupt("%.40q is no integer", line)
}

// unescape resolves the backslash escapes of a quoted Python 2 string, or only
// \uXXXX and \UXXXXXXXX where raw is set. Escapes that are not known stay.
func unescape(s string, raw bool) string {
	if !strings.Contains(s, `\`) {
		return strings.ToValidUTF8(s, "\uFFFD")
	}
	simple := map[byte]byte{'n': '\n', 't': '\t', 'r': '\r', '\\': '\\', '\'': '\'', '"': '"', 'a': '\a', 'b': '\b', 'f': '\f', 'v': '\v', '0': 0}
	digits := map[byte]int{'u': 4, 'U': 8}
	if !raw {
		digits = map[byte]int{'x': 2}
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
	if n <= 8 {
		var full [8]byte
		if n > 0 && b[n-1]&0x80 != 0 {
			for i := range full {
				full[i] = 0xff
			}
		}
		copy(full[:], b)
		return m.push(int64(binary.LittleEndian.Uint64(full[:])), 8)
	}
	negative := b[n-1]&0x80 != 0
	for i, j := 0, len(b)-1; i < j; i, j = i+1, j-1 {
		b[i], b[j] = b[j], b[i]
	}
	v := new(big.Int).SetBytes(b)
	if negative {
		v.Sub(v, new(big.Int).Lsh(big.NewInt(1), uint(8*n)))
	}
	if v.IsInt64() {
		return m.push(v.Int64(), 8)
	}
	return m.push(v, int64(n))
}

// appendItems is APPEND ('a') and APPENDS ('e').
func (m *machine) appendItems(op byte) error {
	var items []any
	var err error
	if op == 'a' {
		var v any
		v, err = m.pop()
		items = []any{v}
	} else {
		items, err = m.popMark()
	}
	if err != nil {
		return err
	}
	target, err := m.top()
	if err != nil {
		return err
	}
	list, ok := target.(*List)
	if !ok {
		return corrupt("appending to a %s, not a list", TypeName(target))
	}
	list.Items = append(list.Items, items...)
	return m.in.charge(int64(len(items)) * costItem)
}

// setItems stores alternating keys and values in a dict.
func (m *machine) setItems(target any, items []any) error {
	d, ok := target.(*Dict)
	if !ok {
		return corrupt("setting items of a %s, not a dict", TypeName(target))
	}
	if len(items)%2 != 0 {
		return corrupt("a dict key without a value")
	}
	if err := m.in.charge(int64(len(items)/2) * costDictItem); err != nil {
		return err
	}
	for i := 0; i < len(items); i += 2 {
		if t, ok := items[i].(*Tuple); ok {
			if err := m.in.charge(int64(len(t.Items)) * costDictItem); err != nil {
				return err
			}
		}
		if err := d.Set(items[i], items[i+1]); err != nil {
			return err
		}
	}
	return nil
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
		return 0, corrupt("%.40q is no memo index", line)
	}
	return key, nil
}

// global looks a name up; it is a value like any other.
func (m *machine) global(op byte) error {
	var module, name string
	var err error
	if op == 'c' {
		if module, err = m.in.line(); err == nil {
			name, err = m.in.line()
		}
	} else {
		var a, b any
		if b, err = m.pop(); err == nil {
			a, err = m.pop()
		}
		if err == nil {
			var ok1, ok2 bool
			module, ok1 = a.(string)
			name, ok2 = b.(string)
			if !ok1 || !ok2 {
				err = corrupt("a global named by a %s and a %s", TypeName(a), TypeName(b))
			}
		}
	}
	if err != nil {
		return err
	}
	g, err := m.find(module, name)
	if err != nil {
		return err
	}
	return m.push(g, costValue)
}

func (m *machine) find(module, name string) (Global, error) {
	if m.options.Find == nil {
		return nil, fmt.Errorf("refers to %q, and no names are allowed", module+"."+name)
	}
	return m.options.Find(module, name)
}

// object is REDUCE, BUILD, NEWOBJ, NEWOBJ_EX, INST and OBJ: all make or fill an
// instance, and all go through the Global or the StateSetter.
func (m *machine) object(op byte) error {
	if err := m.in.charge(costReduce); err != nil {
		return err
	}
	switch op {
	case 'b':
		state, err := m.pop()
		if err != nil {
			return err
		}
		target, err := m.top()
		if err != nil {
			return err
		}
		switch t := target.(type) {
		case *Dict:
			t.Attributes = state
			return nil
		case StateSetter:
			return t.SetState(state)
		}
		return corrupt("setting the state of a %s", TypeName(target))
	case 'i', 'o':
		items, err := m.popInstance(op)
		if err != nil {
			return err
		}
		return m.call(items[0], items[1:])
	}
	var keywords any
	var err error
	if op == 0x92 {
		if keywords, err = m.pop(); err != nil {
			return err
		}
	}
	args, err := m.pop()
	if err != nil {
		return err
	}
	function, err := m.pop()
	if err != nil {
		return err
	}
	tuple, ok := args.(*Tuple)
	if !ok {
		return corrupt("the arguments of a call are a %s, not a tuple", TypeName(args))
	}
	items := tuple.Items
	if d, ok := keywords.(*Dict); keywords != nil && (!ok || d.Len() > 0) {
		items = append(append([]any(nil), items...), keywords)
	}
	return m.call(function, items)
}

// popInstance returns a class and its arguments, as INST and OBJ leave them.
func (m *machine) popInstance(op byte) ([]any, error) {
	var class Global
	if op == 'i' {
		module, err := m.in.line()
		if err != nil {
			return nil, err
		}
		name, err := m.in.line()
		if err != nil {
			return nil, err
		}
		if class, err = m.find(module, name); err != nil {
			return nil, err
		}
	}
	items, err := m.popMark()
	if err != nil {
		return nil, err
	}
	if op == 'i' {
		return append([]any{class}, items...), nil
	}
	if len(items) == 0 {
		return nil, corrupt("an instance without a class")
	}
	return items, nil
}

func (m *machine) call(function any, args []any) error {
	g, ok := function.(Global)
	if !ok {
		return corrupt("calling a %s", TypeName(function))
	}
	// A call may copy its arguments, and they may be shared with other calls.
	cost := int64(len(args)) * costItem
	for _, a := range args {
		switch a := a.(type) {
		case *List:
			cost += int64(len(a.Items)) * costDictItem
		case *Tuple:
			cost += int64(len(a.Items)) * costDictItem
		case *Dict:
			cost += int64(a.Len()) * costDictItem
		case []byte:
			cost += int64(len(a))
		case string:
			cost += int64(len(a))
		}
	}
	if err := m.in.charge(cost); err != nil {
		return err
	}
	v, err := g.Call(args)
	if err != nil {
		return err
	}
	return m.push(v, costReduce)
}

func (m *machine) persistent(op byte) error {
	if err := m.in.charge(costReduce); err != nil {
		return err
	}
	var id any
	var err error
	if op == 'P' {
		id, err = m.in.line()
	} else {
		id, err = m.pop()
	}
	if err != nil {
		return err
	}
	if m.options.Persistent == nil {
		return errors.New("refers to an object outside the pickle")
	}
	v, err := m.options.Persistent(id)
	if err != nil {
		return err
	}
	return m.push(v, costValue)
}
