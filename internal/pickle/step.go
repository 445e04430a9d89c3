// The instructions of a pickle, and their effects.

package pickle

import (
	"errors"
	"fmt"
)

// lengths is how many bytes the length, or the number itself, takes that follows an instruction.
var lengths = [256]int{'X': 4, 0x8c: 1, 0x8d: 8, 'T': 4, 'U': 1, 'B': 4, 'C': 1, 0x8e: 8, 0x96: 8, 'K': 1, 'M': 2,
	'J': 4}

// step executes one instruction.
func (m *machine) step(op byte) error {
	switch op {
	case 0x80:
		return m.protocol()
	case 0x95:
		return m.frame()
	case '(':
		return m.mark()
	case '0':
		return m.discard()
	case '1':
		_, err := m.popMark()
		return err
	case '2':
		return m.duplicate()

	case 'N':
		return m.push(nil, 0)
	case 0x88:
		return m.push(true, 0)
	case 0x89:
		return m.push(false, 0)
	case 'I', 'L', 'F', 'S', 'V':
		return m.textValue(op)
	case 'K', 'M', 'J':
		return m.integer(op)
	case 0x8a, 0x8b: // LONG1, LONG4
		return m.long(op)
	case 'G':
		return m.float()
	case 'X', 0x8c, 0x8d, 'T', 'U': // str, and str of Python 2
		return m.text(lengths[op])
	case 'B', 'C', 0x8e, 0x96: // bytes, bytearray
		return m.raw(lengths[op])

	case ')':
		return m.push(&Tuple{}, costContainer)
	case 't':
		return m.marked(func(items []any) any { return &Tuple{items} })
	case 0x85, 0x86, 0x87: // TUPLE1..3
		return m.shortTuple(int(op - 0x84))
	case ']':
		return m.push(&List{}, costContainer)
	case 'l':
		return m.marked(func(items []any) any { return &List{items} })
	case 'a', 'e':
		return m.appendItems(op)
	case '}':
		return m.push(NewDict(), costContainer)
	case 'd':
		return m.dict()
	case 's':
		return m.setItem()
	case 'u':
		return m.setMarked()
	case 0x8f: // EMPTY_SET
		return m.push(&Set{}, costContainer)
	case 0x90:
		return m.addItems()
	case 0x91: // FROZENSET
		return m.marked(func(items []any) any { return &Set{items} })

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

// protocol is PROTO, the version.
func (m *machine) protocol() error {
	v, err := m.in.byte()
	if err == nil && v > 5 {
		err = corrupt("protocol %d, want at most 5", v)
	}
	return err
}

// frame is FRAME, the length of the frame that follows.
func (m *machine) frame() error {
	n, err := m.in.unsigned(8)
	if err == nil && (m.in.size < m.in.position || n > uint64(m.in.size-m.in.position)) {
		err = fmt.Errorf("%w: a frame of %d bytes", ErrTruncated, n)
	}
	return err
}

// mark is MARK, where the items of a container begin.
func (m *machine) mark() error {
	m.marks = append(m.marks, len(m.stack))
	return m.in.charge(costValue)
}

// discard is POP, of a value or of a mark.
func (m *machine) discard() error {
	if len(m.marks) > 0 && len(m.stack) == m.floor() {
		m.marks = m.marks[:len(m.marks)-1]
		return nil
	}
	_, err := m.pop()
	return err
}

// duplicate is DUP.
func (m *machine) duplicate() error {
	v, err := m.top()
	if err != nil {
		return err
	}
	return m.push(v, 0)
}
