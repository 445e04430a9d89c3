// Launches written to files, to run them again with other PTX.

package ptxvm

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/gob"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
)

// A Recording is a launch with the memory that it touched: before, in Launch.Memory, and after.
type Recording struct {
	Module       string // its name
	Launch       Launch
	After        [][]byte
	Fault, What  string // the kind of mistake by which it ends, and its text; there is no memory after it
	Instructions int    // of all warps
}

// A Recorder keeps launches in which an instruction has an effect that is new: it is executed, or skipped for a lane, a
// branch goes in a direction, a comparison sees an order. It also keeps the first few different launches of each
// kernel.
type Recorder struct {
	Folder string
	seen   map[*program][]byte
	kept   map[string]int
	known  map[[sha256.Size]byte]bool // digests of launches
}

const (
	keptAnyway   = 2000
	keptBytes    = 2 << 20
	keptCommands = 4 << 20 // instructions
)

// The effects of an instruction in a launch.
const (
	executed byte = 1 << iota
	taken
	passed
	less
	equal
	greater
	unordered
)

// observed are the effects of an instruction in the lanes m of the active ones.
func (w *warp) observed(in *instruction, m uint32) byte {
	var s byte
	if in.guard >= 0 {
		if m != 0 {
			s |= taken
		}
		if w.active&^m != 0 {
			s |= passed
		}
	}
	if in.compared == 0 {
		return s
	}
	for l := range lanes(m) {
		s |= w.order(in, l)
	}
	return s
}

// order is the order of a comparison's operands.
func (w *warp) order(in *instruction, l int) byte {
	var c int
	switch {
	case in.compared == 'f':
		x, y := w.number(in.class, in.a, l), w.number(in.class, in.b, l)
		if x != x || y != y {
			return unordered
		}
		c = cmp.Compare(x, y)
	case in.compared == 's' && in.class == words:
		c = cmp.Compare(int32(w.r32[in.a][l]), int32(w.r32[in.b][l]))
	case in.compared == 's':
		c = cmp.Compare(int64(w.r64[in.a][l]), int64(w.r64[in.b][l]))
	case in.class == words:
		c = cmp.Compare(w.r32[in.a][l], w.r32[in.b][l])
	default:
		c = cmp.Compare(w.r64[in.a][l], w.r64[in.b][l])
	}
	return [...]byte{less, equal, greater}[c+1]
}

func (w *warp) number(class int, r int32, l int) float64 {
	if class == words {
		return float64(float(w.r32[r][l]))
	}
	return math.Float64frombits(w.r64[r][l])
}

// digest is the same for launches of the same kernel with the same memory.
func (r *Recording) digest() [sha256.Size]byte {
	h := sha256.New()
	fmt.Fprint(h, r.Launch.Kernel, r.Launch.Grid, r.Launch.Block, r.Launch.First, r.Launch.Blocks, r.Launch.Shared)
	for i, m := range r.Launch.Memory {
		fmt.Fprint(h, len(m.Data))
		h.Write(m.Data)
		if r.Fault == "" {
			h.Write(r.After[i])
		}
	}
	return [sha256.Size]byte(h.Sum(nil))
}

// before copies memory of a launch that may be kept.
func (r *Recorder) before(l *Launch) []Region {
	n := 0
	for _, m := range l.Memory {
		n += len(m.Data)
	}
	if n > 4*keptBytes {
		return nil
	}
	all := make([]Region, 0, len(l.Memory)+1)
	for _, m := range l.Memory {
		all = append(all, Region{m.Base, bytes.Clone(m.Data), bytes.Clone(m.Known)})
	}
	return all
}

// after writes the launch to a file if it has new effects.
func (r *Recorder) after(m *Machine, p *program, l *Launch, before []Region, instructions int, err error) error {
	recorded := r.seen[p]
	if recorded == nil {
		recorded = make([]byte, len(p.code))
		r.seen[p] = recorded
	}
	fresh := false
	for i, s := range m.seen {
		fresh = fresh || s&^recorded[i] != 0
	}
	if before == nil || instructions > keptCommands || !fresh && (r.kept[p.name] >= keptAnyway || instructions > keptCommands/8) {
		return nil
	}
	rec := Recording{Module: p.module.name, Launch: *l, Instructions: instructions}
	rec.Launch.Memory = nil
	if fault, ok := err.(*Fault); ok {
		rec.Fault, rec.What = fault.Kind, fault.What
	}
	n := 0
	for _, s := range m.spaces {
		if s.shadow == nil && rec.Fault == "" {
			continue // not touched
		}
		i := slices.IndexFunc(before, func(b Region) bool { return b.Base == s.base })
		rec.Launch.Memory = append(rec.Launch.Memory, before[i])
		rec.After = append(rec.After, bytes.Clone(s.data))
		n += len(s.data)
	}
	digest := rec.digest()
	if n > keptBytes || r.known[digest] && !fresh {
		return nil
	}
	r.known[digest] = true
	for i, s := range m.seen {
		recorded[i] |= s
	}
	r.kept[p.name]++
	f, err := os.CreateTemp(r.Folder, fmt.Sprintf("%s-%04d-*.launch", p.name, r.kept[p.name]))
	if err != nil {
		return err
	}
	if err := gob.NewEncoder(f).Encode(&rec); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}

// Recordings reads the files of recorders in a folder.
func Recordings(folder string) ([]*Recording, error) {
	files, err := filepath.Glob(filepath.Join(folder, "*.launch"))
	if err != nil {
		return nil, err
	}
	var all []*Recording
	for _, file := range files {
		f, err := os.Open(file)
		if err != nil {
			return nil, err
		}
		r := &Recording{}
		err = gob.NewDecoder(f).Decode(r)
		f.Close()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		all = append(all, r)
	}
	return all, nil
}

// NewRecorder makes a recorder that writes to a folder.
func NewRecorder(folder string) *Recorder {
	return &Recorder{Folder: folder, seen: map[*program][]byte{}, kept: map[string]int{}, known: map[[sha256.Size]byte]bool{}}
}
