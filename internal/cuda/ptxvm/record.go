// Launches written to files, to run them again with other PTX.

package ptxvm

import (
	"bytes"
	"encoding/gob"
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

// A Recording is a launch with the memory that it touched: before, in Launch.Memory, and after.
type Recording struct {
	Module       string // its name
	Launch       Launch
	After        [][]byte
	Instructions int // of all warps
}

// A Recorder keeps launches that execute what no launch before did: an instruction, or a
// branch in a direction; and the first few of each kernel.
type Recorder struct {
	Folder string
	seen   map[*program][]byte
	kept   map[string]int
}

const (
	keptAnyway   = 6
	keptBytes    = 2 << 20
	keptCommands = 4 << 20 // instructions
)

// What a launch has done with an instruction.
const (
	executed byte = 1 << iota
	taken
	passed
)

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

// after writes the launch to a file if it is worth it.
func (r *Recorder) after(m *Machine, p *program, l *Launch, before []Region, instructions int) error {
	known := r.seen[p]
	if known == nil {
		known = make([]byte, len(p.code))
		r.seen[p] = known
	}
	fresh := false
	for i, s := range m.seen {
		fresh = fresh || s&^known[i] != 0
	}
	if before == nil || instructions > keptCommands || !fresh && r.kept[p.name] >= keptAnyway {
		return nil
	}
	rec := Recording{Module: p.module.name, Launch: *l, Instructions: instructions}
	rec.Launch.Memory = nil
	n := 0
	for _, s := range m.spaces {
		if s.shadow == nil {
			continue // not touched
		}
		i := slices.IndexFunc(before, func(b Region) bool { return b.Base == s.base })
		rec.Launch.Memory = append(rec.Launch.Memory, before[i])
		rec.After = append(rec.After, bytes.Clone(s.data))
		n += len(s.data)
	}
	if n > keptBytes {
		return nil
	}
	for i, s := range m.seen {
		known[i] |= s
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

// Recordings reads what recorders have written to a folder.
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
	return &Recorder{Folder: folder, seen: map[*program][]byte{}, kept: map[string]int{}}
}
