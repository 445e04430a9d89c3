// Tests of the loops: every index once, the lowest error, an early end.

package parallel

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"
)

func TestEveryIndexOnce(t *testing.T) {
	t.Parallel()
	for _, n := range []int{0, 1, 2, 7, 64, 1000, 4097} {
		for _, threads := range []int{-1, 0, 1, 2, 3, 64} {
			visits := make([]atomic.Int32, n)
			workers := Workers(threads, n)
			inside := make([]atomic.Int32, workers)
			count := func(worker, i int) {
				if inside[worker].Add(1) != 1 {
					t.Errorf("n %d, threads %d: worker %d works twice at once", n, threads, worker)
				}
				visits[i].Add(1)
				inside[worker].Add(-1)
			}
			check := func(loop string, err error) {
				t.Helper()
				if err != nil {
					t.Fatal(err)
				}
				for i := range visits {
					if got := visits[i].Swap(0); got != 1 {
						t.Fatalf("%s, n %d, threads %d: index %d visited %d times", loop, n, threads, i, got)
					}
				}
			}
			check("For", For(t.Context(), threads, n, count))
			check("Try", Try(t.Context(), threads, n, func(w, i int) error { count(w, i); return nil }))
			var made atomic.Int32
			check("With", With(t.Context(), threads, n, func() func(int) error {
				w := int(made.Add(1)) - 1
				return func(i int) error { count(w, i); return nil }
			}))
			if int(made.Load()) != workers {
				t.Errorf("n %d, threads %d: %d workers made, want %d", n, threads, made.Load(), workers)
			}
		}
	}
}

func TestLowestErrorWins(t *testing.T) {
	t.Parallel()
	const n, lowest = 3000, 1234
	for _, threads := range []int{1, 2, 5} {
		for range 20 {
			var below, above atomic.Int32
			err := Try(t.Context(), threads, n, func(_, i int) error {
				switch {
				case i < lowest:
					below.Add(1)
				case i == lowest:
					time.Sleep(100 * time.Microsecond) // later ones fail first
					return fmt.Errorf("index %d", i)
				default:
					above.Add(1)
					return fmt.Errorf("index %d", i)
				}
				return nil
			})
			if err == nil || err.Error() != fmt.Sprint("index ", lowest) {
				t.Fatalf("threads %d: got %v, want that of index %d", threads, err, lowest)
			}
			if below.Load() != lowest {
				t.Fatalf("threads %d: %d indices below the failed one were visited, want %d", threads, below.Load(), lowest)
			}
			if above.Load() >= int32(threads) {
				t.Fatalf("threads %d: %d indices above the failed one were started", threads, above.Load())
			}
		}
	}
}

func TestContextEndsTheLoop(t *testing.T) {
	t.Parallel()
	for _, threads := range []int{1, 4} {
		ctx, cancel := context.WithCancel(t.Context())
		var visited atomic.Int32
		err := For(ctx, threads, 1<<20, func(int, int) {
			if visited.Add(1) == 10 {
				cancel()
			}
		})
		if !errors.Is(err, context.Canceled) {
			t.Errorf("threads %d: got %v", threads, err)
		}
		if visited.Load() > 1<<19 {
			t.Errorf("threads %d: %d indices visited after the end", threads, visited.Load())
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := For(ctx, 2, 0, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("an empty loop of a context that ended: %v", err)
	}
	failed := errors.New("failed")
	ctx, cancel = context.WithCancel(t.Context())
	err := Try(ctx, 2, 100, func(_, i int) error {
		if i == 3 {
			cancel()
			return failed
		}
		return nil
	})
	if err != failed && !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}
