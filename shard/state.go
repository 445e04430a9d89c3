// The state of a task, and its file: a versioned JSON head and the encoded parts.

package shard

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"repscope/internal/regular"
	"repscope/internal/text"
)

// State is the result of one task.
type State struct {
	Identity Identity
	Parts    []Part
	// Origin describes how a state was computed. It is not part of the identity: states of different
	// origins can be merged if they belong to the same work.
	Origin *Origin
	// Source names the state in errors, such as the path of its file.
	Source string
}

// Origin describes how a state was computed. It is no part of the identity: states of other origins merge if they
// compute the same.
type Origin struct {
	// Command is the name of the command, Settings are its options, by name and text in their order, and Config its other
	// settings, as YAML. Settings that change no file of the result, such as the number of threads, are omitted.
	Command  string  `json:"command"`
	Settings []Field `json:"settings"`
	Config   string  `json:"config,omitempty"`
	// Index and Of identify the task: it has units Index, Index + Of, …
	Index int `json:"index"`
	Of    int `json:"of"`
	// Inputs are the files that were read, as the result names them.
	Inputs []Input `json:"inputs"`
	// Folder is the working folder, to which paths are relative.
	Folder string `json:"folder,omitempty"`
	// Version is the version of the program.
	Version string `json:"version"`
}

// Input is a file that was read.
type Input struct {
	Role   string `json:"role"`
	Name   string `json:"name,omitempty"`
	Path   string `json:"path"`
	SHA256 string `json:"sha256,omitempty"`
}

// Part is the encoded outcome of a range of units.
type Part struct {
	Range
	SHA256 string // of the encoded outcome, in hexadecimal digits
	Data   []byte // the encoded outcome; nil in a state of [Open], which leaves it in its file

	from string                 // the state it comes from, for errors
	load func() ([]byte, error) // loads a part left in a file
}

// data is the encoded outcome.
func (p *Part) data() ([]byte, error) {
	if p.load == nil {
		return p.Data, nil
	}
	return p.load()
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

// Sum is the digest of an encoded outcome, as [Part] holds it.
func Sum(data []byte) string { return digestOf(data) }

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
	// mostUnits is the maximum number of units of a work: merging holds a value for each.
	mostUnits = 1 << 26
)

type head struct {
	Identity Identity   `json:"identity"`
	Origin   *Origin    `json:"origin,omitempty"`
	Parts    []headPart `json:"parts"`
}

type headPart struct {
	Range
	Bytes  int    `json:"bytes"`
	SHA256 string `json:"sha256"`
}

// Has reports, for each of n units, whether the state contains it; parts beyond n are ignored.
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
	h := head{Identity: s.Identity, Origin: s.Origin, Parts: []headPart{}}
	for i := range s.Parts {
		p := &s.Parts[i]
		data, err := p.data()
		if err != nil {
			return err
		}
		h.Parts = append(h.Parts, headPart{p.Range, len(data), p.SHA256})
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
	for i := range s.Parts {
		data, err := s.Parts[i].data()
		if err == nil {
			_, err = w.Write(data)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// ErrDamaged is wrapped by errors of [Read] for truncated or modified files.
var ErrDamaged = errors.New("the shard is damaged")

// Read reads a state. source is its name in error messages. Errors: not a shard, a shard of a later
// format, and [ErrDamaged].
func Read(r io.Reader, source string) (*State, error) {
	return read(r, source, func(p *Part, bytes int) (digest string, err error) {
		p.Data, err = readUpTo(r, bytes)
		return digestOf(p.Data), err
	})
}

// Open reads the state of a file, checks all of it as [Read] does, and leaves the parts where
// they are until they are merged: it takes memory for the head alone.
func Open(path string) (*State, error) {
	f, err := regular.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	buffered := bufio.NewReaderSize(f, pieceBytes)
	counted := &counter{r: buffered}
	return read(counted, path, func(p *Part, bytes int) (string, error) {
		begin, h := counted.n, sha256.New()
		n, err := io.CopyN(h, counted, int64(bytes))
		if errors.Is(err, io.EOF) {
			err = fmt.Errorf("found %d of %d bytes", n, bytes)
		}
		p.load = func() ([]byte, error) { return reload(path, begin, bytes, p.Range, p.SHA256) }
		return hex.EncodeToString(h.Sum(nil)), err
	})
}

// reload reads a part that was left in its file.
func reload(path string, offset int64, size int, units Range, digest string) ([]byte, error) {
	f, err := regular.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data := make([]byte, size)
	if _, err := f.ReadAt(data, offset); err != nil || digestOf(data) != digest {
		return nil, fmt.Errorf("%s: %w: %s changed while they were merged", path, ErrDamaged, units)
	}
	return data, nil
}

// counter counts the bytes read.
type counter struct {
	r io.Reader
	n int64
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	return n, err
}

// read reads a state; take reads the data of a part and returns its digest.
func read(r io.Reader, source string, take func(p *Part, bytes int) (digest string, err error)) (*State, error) {
	fail := func(format string, args ...any) (*State, error) {
		return nil, fmt.Errorf("%s: %w", source, fmt.Errorf(format, args...))
	}
	h, err := readHead(r)
	if err != nil {
		return fail("%w", err)
	}
	state := &State{Identity: h.Identity, Origin: h.Origin, Source: source, Parts: make([]Part, len(h.Parts))}
	for i, p := range h.Parts {
		if p.Lo < 0 || p.Lo >= p.Hi || p.Hi > h.Identity.Units || p.Bytes < 0 {
			return fail("%w: a part of units %d to %d of %d", ErrDamaged, p.Lo, p.Hi-1, h.Identity.Units)
		}
		part := &state.Parts[i]
		part.Range, part.SHA256 = p.Range, p.SHA256
		digest, err := take(part, p.Bytes)
		if err != nil {
			return fail("%w: %s: %w", ErrDamaged, p.Range, err)
		}
		if digest != p.SHA256 {
			return fail("%w: the digest of %s differs from the digest in the header", ErrDamaged, p.Range)
		}
	}
	if n, _ := io.ReadFull(r, make([]byte, 1)); n > 0 {
		return fail("%w: it continues after its last part", ErrDamaged)
	}
	if err := state.check(); err != nil {
		return fail("%w: %w", ErrDamaged, err)
	}
	return state, nil
}

// readHead reads the head, before the parts.
func readHead(r io.Reader) (*head, error) {
	front := make([]byte, len(magic)+8+sha256.Size)
	n, err := io.ReadFull(r, front)
	if k := min(n, len(magic)); string(front[:k]) != magic[:k] || n == 0 {
		if bytes.HasPrefix(front, []byte("repscope-shard/")) {
			return nil, fmt.Errorf(
				"the shard was written by another version of repscope, want %q", magic[:len(magic)-1])
		}
		return nil, fmt.Errorf("not a shard: the file does not start with %q", magic[:len(magic)-1])
	}
	if err != nil {
		return nil, fmt.Errorf("%w: it ends after %d bytes", ErrDamaged, n)
	}
	size := binary.LittleEndian.Uint64(front[len(magic):])
	if size > maxHead {
		return nil, fmt.Errorf("%w: its header claims %d bytes", ErrDamaged, size)
	}
	data, err := readUpTo(r, int(size))
	if err != nil {
		return nil, fmt.Errorf("%w: its header of %d bytes: %w", ErrDamaged, size, err)
	}
	if sum := sha256.Sum256(data); !bytes.Equal(sum[:], front[len(magic)+8:]) {
		return nil, fmt.Errorf("%w: the digest of its header does not match", ErrDamaged)
	}
	h := &head{}
	if err := text.Unmarshal(data, h); err != nil {
		return nil, fmt.Errorf("%w: its header: %w", ErrDamaged, err)
	}
	if n := h.Identity.Units; n < 0 || n > mostUnits {
		return nil, fmt.Errorf("%w: its header claims %d units, want at most %d", ErrDamaged, n, mostUnits)
	}
	return h, nil
}

// readUpTo reads n bytes without trusting n before they are there.
func readUpTo(r io.Reader, n int) ([]byte, error) {
	var b bytes.Buffer
	read, err := io.CopyN(&b, r, int64(n))
	if errors.Is(err, io.EOF) {
		err = fmt.Errorf("found %d of %d bytes", read, n)
	}
	return b.Bytes(), err
}
