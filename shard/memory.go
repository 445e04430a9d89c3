// Computed parts of single models, kept for runs together with other models.

package shard

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"repscope/internal/entries"
	"repscope/internal/gunzip"
)

// Memory keeps parts of work in a folder, keyed by everything they depend on: the analysis, the content of one model,
// the data and the options. Names of models or files and the other models of a run are not part of the key. Entries end
// with the SHA-256 of their key and content. Damaged entries count as absent, as do entries that another user may have
// written ([Memory.Foreign]). Several processes may share the folder.
type Memory struct {
	Dir      string
	Program  string // the version that computes: another one remembers nothing of this one
	MaxBytes int64  // size after [Memory.Trim]; 0: 2 GiB

	computed, taken atomic.Int64
	foreign         atomic.Pointer[error]
}

// defaultMemory bounds a memory that does not say.
const defaultMemory = 2 << 30

// memoryEnding is the ending of its files.
const memoryEnding = ".part"

type memoryKey struct{}

// In is a context in which [Remember] keeps and finds parts.
func (m *Memory) In(ctx context.Context) context.Context {
	return context.WithValue(ctx, memoryKey{}, m)
}

// Counts are how many parts were computed, and how many were taken from the folder.
func (m *Memory) Counts() (computed, taken int) { return int(m.computed.Load()), int(m.taken.Load()) }

// Remember returns the result of compute for the inputs named by identity, in a type that [Encode] supports: from the
// memory of the context if present, and else computed and kept. Without a memory, or with an identity that lacks the
// digest of an input, it is computed. A part that cannot be kept is no error.
func Remember[P any](ctx context.Context, identity func() Identity, compute func() (P, error)) (P, error) {
	identity = sync.OnceValue(identity)
	if p, ok := Recall[P](ctx, identity); ok {
		return p, nil
	}
	p, err := compute()
	if err == nil {
		Keep(ctx, identity, p)
	}
	return p, err
}

// RememberEach is [Remember] of n parts that are computed together, such as parts of models on the same data. compute
// receives the indices not in memory, ascending, and returns their parts in that order; it is not called if there are
// none. Parts of equal identity are computed once if they can be kept. keep selects the parts to keep; nil: all.
func RememberEach[P any](ctx context.Context, n int, identity func(i int) Identity, compute func(missing []int) ([]*P, error),
	keep func(*P) bool) ([]*P, error) {
	parts, identities := make([]*P, n), make([]func() Identity, n)
	rest := make([]int, n)
	for i := range n {
		rest[i], identities[i] = i, sync.OnceValue(func() Identity { return identity(i) })
	}
	for {
		var missing, later []int
		computing := map[string]bool{}
		for _, i := range rest {
			_, key := memoryOf(ctx, identities[i])
			if key != "" && computing[key] {
				later = append(later, i) // it is in memory when the first one is computed
			} else if p, ok := Recall[P](ctx, identities[i]); ok {
				parts[i] = &p
			} else {
				missing, computing[key] = append(missing, i), true
			}
		}
		if len(missing) == 0 {
			return parts, nil
		}
		computed, err := compute(missing)
		if err != nil {
			return nil, err
		}
		for index, i := range missing {
			if parts[i] = computed[index]; keep == nil || keep(parts[i]) {
				Keep(ctx, identities[i], *parts[i])
			}
		}
		if rest = later; len(rest) == 0 {
			return parts, nil
		}
	}
}

// Remembers reports whether a context has a memory.
func Remembers(ctx context.Context) bool {
	_, ok := ctx.Value(memoryKey{}).(*Memory)
	return ok
}

// Recall returns the remembered part of an identity.
func Recall[P any](ctx context.Context, identity func() Identity) (p P, ok bool) {
	m, key := memoryOf(ctx, identity)
	if m == nil {
		return p, false
	}
	if data := m.load(key); data == nil || Decode(data, &p) != nil {
		var none P
		return none, false
	}
	m.taken.Add(1)
	return p, true
}

// Keep remembers a part, where that is possible.
func Keep[P any](ctx context.Context, identity func() Identity, p P) {
	m, key := memoryOf(ctx, identity)
	if m == nil {
		return
	}
	m.computed.Add(1)
	if data, err := Encode(p); err == nil {
		m.store(key, data)
	}
}

// memoryOf is the memory of a context with the key of an identity; nil without one, and where inputs are not known.
func memoryOf(ctx context.Context, identity func() Identity) (*Memory, string) {
	m, ok := ctx.Value(memoryKey{}).(*Memory)
	if !ok {
		return nil, ""
	}
	id := identity()
	if slices.ContainsFunc(id.Inputs, func(f Field) bool { return f.Value == "" || strings.HasPrefix(f.Value, "unknown") }) {
		return nil, ""
	}
	key, err := m.key(id)
	if err != nil {
		return nil, ""
	}
	return m, key
}

// key is the name of an entry.
func (m *Memory) key(id Identity) (string, error) {
	text, err := json.Marshal(struct {
		Program string
		Identity
	}{m.Program, id})
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:]), err
}

func (m *Memory) folder() *entries.Folder {
	return &entries.Folder{Dir: m.Dir, Ending: memoryEnding, MaxBytes: m.limit()}
}

// load returns the content of an entry, or nil.
func (m *Memory) load(key string) []byte {
	data, err := m.folder().Load(key)
	if err != nil {
		m.foreign.CompareAndSwap(nil, &err)
	}
	expanded, damaged := gunzip.Bytes(data)
	if damaged != nil {
		return nil
	}
	return expanded
}

// Foreign is the first error of an entry that was not used because another user may have written it; nil if there is
// none.
func (m *Memory) Foreign() error {
	if err := m.foreign.Load(); err != nil {
		return *err
	}
	return nil
}

// store keeps an entry, where that is possible.
func (m *Memory) store(key string, data []byte) {
	if int64(len(data)) > m.limit()/4 || os.MkdirAll(m.Dir, 0o755) != nil {
		return
	}
	_ = m.folder().Store(key, func(w io.Writer) error {
		z := gunzip.NewWriter(w, 0)
		if _, err := z.Write(data); err != nil {
			return err
		}
		return z.Close()
	})
}

func (m *Memory) limit() int64 {
	if m.MaxBytes > 0 {
		return m.MaxBytes
	}
	return defaultMemory
}

// Trim removes the entries that were not used for the longest time until the rest is within the bound.
func (m *Memory) Trim() { _ = m.folder().Trim() }

// OfModel returns the identity of the part of one model: the data and options of the whole work, and
// the content of the model. Additional fields name further inputs of the part, such as blocks.
func (a Identity) OfModel(content string, more ...Field) Identity {
	a.Inputs = append(slices.Clip(a.Inputs), Field{"model", content})
	a.Options = append(slices.Clip(a.Options), more...)
	return a
}
