// The state of a task, and its file: a versioned JSON head and the encoded parts.

package shard

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
)

// State is what one task computed.
type State struct {
	Identity Identity
	Parts    []Part
	// Source is what errors call the state, such as the path of its file.
	Source string
}

// Part is the encoded outcome of a range of units.
type Part struct {
	Range
	SHA256 string // of Data, in hexadecimal digits
	Data   []byte

	from string // the state it comes from, for errors
}

// add encodes the outcome of a range.
func (s *State) add(r Range, outcome any) error {
	data, err := Encode(outcome)
	if err != nil {
		return fmt.Errorf("%s: %w", r, err)
	}
	s.Parts = append(s.Parts, Part{Range: r, SHA256: digestOf(data), Data: data})
	return nil
}

func digestOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// check finds parts that overlap.
func (s *State) check() error {
	sorted := slices.Clone(s.Parts)
	slices.SortFunc(sorted, func(a, b Part) int { return a.Range.compare(b.Range) })
	for i := 1; i < len(sorted); i++ {
		if p, q := sorted[i-1], sorted[i]; q.Lo < p.Hi {
			return fmt.Errorf("%s overlap %s", q.Range, p.Range)
		}
	}
	return nil
}

// The file: magic, the length of the head (8 bytes, little endian), the head's
// SHA-256 (32 bytes), the head in JSON, the data of all parts in the head's order.
const (
	magic   = "repscope-shard/1\n"
	maxHead = 64 << 20
)

type head struct {
	Identity Identity   `json:"identity"`
	Parts    []headPart `json:"parts"`
}

type headPart struct {
	Range
	Bytes  int    `json:"bytes"`
	SHA256 string `json:"sha256"`
}

// Has says of every one of so many units whether the state has it; parts beyond them are passed
// over.
func (s *State) Has(units int) []bool {
	has := make([]bool, units)
	for _, part := range s.Parts {
		for u := max(part.Lo, 0); u < min(part.Hi, units); u++ {
			has[u] = true
		}
	}
	return has
}

// Write writes the state in the form that [Read] takes. Equal states have equal
// bytes.
func (s *State) Write(w io.Writer) error {
	h := head{Identity: s.Identity, Parts: []headPart{}}
	for _, p := range s.Parts {
		h.Parts = append(h.Parts, headPart{p.Range, len(p.Data), p.SHA256})
	}
	text, err := json.Marshal(h)
	if err != nil {
		return err
	}
	sum := sha256.Sum256(text)
	front := binary.LittleEndian.AppendUint64([]byte(magic), uint64(len(text)))
	front = append(append(front, sum[:]...), text...)
	if _, err := w.Write(front); err != nil {
		return err
	}
	for _, p := range s.Parts {
		if _, err := w.Write(p.Data); err != nil {
			return err
		}
	}
	return nil
}

// ErrDamaged is what errors of [Read] wrap that tell of a file cut short or changed.
var ErrDamaged = errors.New("the shard is damaged")

// Read reads a state. source is what errors call it. Errors: no shard, one of a
// later form, and [ErrDamaged].
func Read(r io.Reader, source string) (*State, error) {
	fail := func(format string, args ...any) (*State, error) {
		return nil, fmt.Errorf("%s: %w", source, fmt.Errorf(format, args...))
	}
	front := make([]byte, len(magic)+8+sha256.Size)
	n, err := io.ReadFull(r, front)
	if k := min(n, len(magic)); string(front[:k]) != magic[:k] || n == 0 {
		if bytes.HasPrefix(front, []byte("repscope-shard/")) {
			return fail("this is a shard of another version of repscope, want %q", magic[:len(magic)-1])
		}
		return fail("this is no shard: it does not begin with %q", magic[:len(magic)-1])
	}
	if err != nil {
		return fail("%w: it ends after %d bytes", ErrDamaged, n)
	}
	size := binary.LittleEndian.Uint64(front[len(magic):])
	if size > maxHead {
		return fail("%w: its head claims %d bytes", ErrDamaged, size)
	}
	text, err := readUpTo(r, int(size))
	if err != nil {
		return fail("%w: its head of %d bytes: %w", ErrDamaged, size, err)
	}
	if sum := sha256.Sum256(text); !bytes.Equal(sum[:], front[len(magic)+8:]) {
		return fail("%w: its head has another digest than it claims", ErrDamaged)
	}
	var h head
	if err := json.Unmarshal(text, &h); err != nil {
		return fail("%w: its head: %w", ErrDamaged, err)
	}
	state := &State{Identity: h.Identity, Source: source}
	for _, p := range h.Parts {
		if p.Lo < 0 || p.Lo >= p.Hi || p.Hi > h.Identity.Units || p.Bytes < 0 {
			return fail("%w: a part of units %d to %d of %d", ErrDamaged, p.Lo, p.Hi-1, h.Identity.Units)
		}
		data, err := readUpTo(r, p.Bytes)
		if err != nil {
			return fail("%w: %s: %w", ErrDamaged, p.Range, err)
		}
		if digestOf(data) != p.SHA256 {
			return fail("%w: %s have another digest than the head says", ErrDamaged, p.Range)
		}
		state.Parts = append(state.Parts, Part{Range: p.Range, SHA256: p.SHA256, Data: data})
	}
	if n, _ := io.ReadFull(r, make([]byte, 1)); n > 0 {
		return fail("%w: it goes on after its last part", ErrDamaged)
	}
	if err := state.check(); err != nil {
		return fail("%w: %w", ErrDamaged, err)
	}
	return state, nil
}

// readUpTo reads n bytes without trusting n before they are there.
func readUpTo(r io.Reader, n int) ([]byte, error) {
	var b bytes.Buffer
	read, err := io.CopyN(&b, r, int64(n))
	if errors.Is(err, io.EOF) {
		err = fmt.Errorf("%d of %d bytes are there", read, n)
	}
	return b.Bytes(), err
}
