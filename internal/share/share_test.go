// Tests of values that are computed once.

package share

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

func size(b []byte) int64 { return int64(len(b)) }

func TestOnce(t *testing.T) {
	t.Parallel()
	s := NewStore(1 << 20)
	ctx := With(t.Context(), s)
	var computed atomic.Int64
	var wait sync.WaitGroup
	for i := range 64 {
		wait.Go(func() {
			want := fmt.Sprint("value ", i%4)
			got, err := Do(ctx, "kind "+want, func() ([]byte, error) {
				computed.Add(1)
				return []byte(want), nil
			}, size)
			if err != nil || string(got) != want {
				t.Errorf("got %q, %v, want %q", got, err, want)
			}
		})
	}
	wait.Wait()
	if c, taken := s.Counts("kind"); computed.Load() != 4 || c != 4 || taken != 60 || s.Held() != 4*int64(len("value 0")) {
		t.Errorf("%d computed, counted %d and %d taken, %d bytes", computed.Load(), c, taken, s.Held())
	}
}

// Without a store or a key everybody computes.
func TestNothingShared(t *testing.T) {
	t.Parallel()
	n := 0
	for _, c := range []struct {
		ctx context.Context
		key string
	}{{t.Context(), "a"}, {t.Context(), "a"}, {With(t.Context(), NewStore(1)), ""}, {With(t.Context(), NewStore(1)), ""}} {
		if _, err := Do(c.ctx, c.key, func() ([]byte, error) { n++; return nil, nil }, size); err != nil {
			t.Error(err)
		}
	}
	if n != 4 {
		t.Errorf("computed %d times", n)
	}
}

// The bound holds, the value that was not used for longest goes, and one that is too large is not kept.
func TestBound(t *testing.T) {
	t.Parallel()
	s := NewStore(100)
	ctx := With(t.Context(), s)
	n := map[string]int{}
	get := func(key string, bytes int) {
		t.Helper()
		if _, err := Do(ctx, key, func() ([]byte, error) { n[key]++; return make([]byte, bytes), nil }, size); err != nil {
			t.Error(err)
		}
		if s.Held() > 100 {
			t.Errorf("%d bytes are held", s.Held())
		}
	}
	for _, key := range []string{"a", "b", "a", "c"} {
		get(key, 40) // b goes
	}
	get("a", 40)
	get("b", 40)
	get("large", 101)
	get("large", 101)
	get("b", 40)
	if n["a"] != 1 || n["b"] != 2 || n["c"] != 1 || n["large"] != 2 {
		t.Errorf("computed %v", n)
	}
}

// An error goes to its caller, and so does a panic; waiting callers try themselves, or end with their context.
func TestFailures(t *testing.T) {
	t.Parallel()
	s := NewStore(100)
	ctx := With(t.Context(), s)
	begun, end := make(chan struct{}), make(chan struct{})
	var wait sync.WaitGroup
	wait.Go(func() {
		defer func() {
			if p := recover(); p == nil || !strings.Contains(fmt.Sprint(p), "boom") {
				t.Errorf("recovered %v", p)
			}
		}()
		_, _ = Do(ctx, "k", func() ([]byte, error) { close(begun); <-end; panic("boom") }, size)
	})
	<-begun
	short, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := Do(short, "k", func() ([]byte, error) { return nil, nil }, size); !errors.Is(err, context.Canceled) {
		t.Errorf("waiting ended with %v", err)
	}
	wait.Go(func() {
		if got, err := Do(ctx, "k", func() ([]byte, error) { return []byte("second"), nil }, size); err != nil || string(got) != "second" {
			t.Errorf("got %q, %v", got, err)
		}
	})
	close(end)
	wait.Wait()
	wrong := errors.New("wrong")
	if _, err := Do(ctx, "e", func() ([]byte, error) { return nil, wrong }, size); !errors.Is(err, wrong) {
		t.Errorf("got %v", err)
	}
}
