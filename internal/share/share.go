// Package share lets the parts of one process that need the same value at the same time compute it once:
//
//	ctx := share.With(context.Background(), share.NewStore(1<<30))
//	z, err := share.Do(ctx, "squares of 9", func() ([]float32, error) { return []float32{81}, nil },
//		func(z []float32) int64 { return 4 * int64(len(z)) })
//
// The first caller computes; others wait and get the same value, which must not be changed. Without a store in the
// context every caller computes its own. The store is bounded: the least recently used values are dropped first. A
// value larger than the bound goes to the waiting callers and is not kept.
package share

import (
	"context"
	"errors"
	"strings"
	"sync"

	"repscope/internal/memory"
	"repscope/internal/parallel"
)

// Store keeps values by key.
type Store struct {
	mu       sync.Mutex
	most     int64 // bytes
	held     int64
	clock    int64
	values   map[string]*entry
	computed map[string]int // by kind
	taken    map[string]int
}

// entry is a value that is kept, or on its way.
type entry struct {
	done  chan struct{} // closed when value or err is known
	value any
	size  int64
	used  int64 // by the store's clock
	err   error
}

// NewStore returns a store that keeps this many bytes, an eighth of the machine's memory if it is 0.
func NewStore(limit int64) *Store {
	if limit <= 0 {
		limit = max(memory.Available()/8, 64<<20)
	}
	return &Store{most: limit, values: map[string]*entry{}, computed: map[string]int{}, taken: map[string]int{}}
}

// Counts are how many values of a kind, which is the first word of their keys, were computed and how many were taken
// from others.
func (s *Store) Counts(kind string) (computed, taken int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.computed[kind], s.taken[kind]
}

// Held is how many bytes are kept.
func (s *Store) Held() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.held
}

// kind is the first word of a key.
func kind(key string) string {
	word, _, _ := strings.Cut(key, " ")
	return word
}

// errPanic is the error of a computation that panicked.
var errPanic = errors.New("the computation panicked")

type keyOfStore struct{}

// With is a context with a store, shared by all work started with it.
func With(ctx context.Context, s *Store) context.Context {
	return context.WithValue(ctx, keyOfStore{}, s)
}

// In reports whether there is a store in the context.
func In(ctx context.Context) bool { return of(ctx) != nil }

func of(ctx context.Context) *Store {
	s, _ := ctx.Value(keyOfStore{}).(*Store)
	return s
}

// Do returns the value of a key, calling compute if it is missing; size is its size in bytes. Keys identify everything
// that a value depends on; an empty one is never shared. An error of compute goes to its caller only: waiting ones try
// themselves. Waiting ends with ctx.
func Do[T any](ctx context.Context, key string, compute func() (T, error), size func(T) int64) (T, error) {
	s := of(ctx)
	if s == nil || key == "" {
		return compute()
	}
	var none T
	for {
		e, mine := s.enter(key)
		if mine {
			value, err := none, errPanic
			defer func() { s.leave(key, e, value, err, func() int64 { return size(value) }) }()
			value, err = compute()
			return value, err
		}
		parallel.Idle(func() {
			select {
			case <-e.done:
			case <-ctx.Done():
			}
		})
		if ctx.Err() != nil {
			return none, ctx.Err()
		}
		if value, ok := e.value.(T); ok && e.err == nil {
			s.mu.Lock()
			s.taken[kind(key)]++
			s.mu.Unlock()
			return value, nil
		}
	}
}

// enter returns the entry of a key, and whether the caller is to make its value.
func (s *Store) enter(key string) (e *entry, mine bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.clock++
	if e = s.values[key]; e != nil {
		e.used = s.clock
		return e, false
	}
	e = &entry{done: make(chan struct{}), used: s.clock}
	s.values[key] = e
	return e, true
}

// leave passes a value, or an error, to the waiting callers, and keeps a value if it fits.
func (s *Store) leave(key string, e *entry, value any, err error, size func() int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.computed[kind(key)]++
	e.value, e.err = value, err
	close(e.done)
	if err == nil {
		e.size = size()
	}
	if err != nil || e.size > s.most {
		delete(s.values, key)
		return
	}
	s.held += e.size
	for s.held > s.most {
		s.drop(e)
	}
}

// drop lets the value go that was not used for the longest time, but not the newest.
func (s *Store) drop(newest *entry) {
	var oldest *entry
	var victim string
	for key, e := range s.values {
		if e != newest && e.size > 0 && (oldest == nil || e.used < oldest.used) {
			oldest, victim = e, key
		}
	}
	if oldest == nil {
		return
	}
	s.held -= oldest.size
	delete(s.values, victim)
}
