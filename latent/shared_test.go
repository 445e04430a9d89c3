// Tests of latents shared by concurrent runs.

package latent

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"repscope/internal/share"
)

// counted counts how often each state is read.
type counted struct {
	Source
	reads atomic.Int64
}

func (c *counted) Float32(dst []float32, lo, hi int) error {
	c.reads.Add(int64(hi - lo))
	return c.Source.Float32(dst, lo, hi)
}

// Runs that want the same latents at the same time encode once, with a cache on disk and without; a run that wants
// others encodes by itself.
func TestSharedLatents(t *testing.T) {
	t.Parallel()
	for _, cached := range []bool{false, true} {
		var cache *Cache
		if cached {
			var err error
			if cache, err = OpenCache(t.TempDir()); err != nil {
				t.Fatal(err)
			}
		}
		states := ones(50, 24)
		for i := range states.values {
			states.values[i] = float32(i % 23)
		}
		want, err := Latents(t.Context(), open(t, "mlp_opset17.onnx"), states, EncodeOptions{})
		if err != nil {
			t.Fatal(err)
		}
		store := share.NewStore(1 << 20)
		ctx := share.With(t.Context(), store)
		src := &counted{Source: states}
		var wait sync.WaitGroup
		for i := range 12 {
			wait.Go(func() {
				e := open(t, "mlp_opset17.onnx")
				o := EncodeOptions{Cache: cache, Batch: 1 + i}
				if i%3 == 0 {
					o.Preprocessing = Preprocessing{Scale: ScaleUnit, High: 23}
				}
				z, err := Latents(ctx, e, src, o)
				if err != nil {
					t.Error(err)
				} else if same := slices.Equal(z.F32, want.F32); same != (i%3 != 0) {
					t.Errorf("run %d: the latents are those of one alone: %v", i, same)
				}
			})
		}
		wait.Wait()
		if n := src.reads.Load(); n != 2*50 {
			t.Errorf("cache %v: %d states were read, want each twice", cached, n)
		}
		if computed, taken := store.Counts("latents"); computed != 2 || taken != 10 {
			t.Errorf("cache %v: %d encoded and %d taken", cached, computed, taken)
		}
	}
}

// A run that is stopped while another waits for its latents leaves the work to that.
func TestSharedLatentsStopped(t *testing.T) {
	t.Parallel()
	ctx, stop := context.WithCancel(share.With(t.Context(), share.NewStore(1<<20)))
	src := &stopping{Source: ones(40, 24), stop: stop, waiting: make(chan struct{})}
	var wait sync.WaitGroup
	wait.Go(func() {
		if _, err := Latents(ctx, open(t, "mlp_opset17.onnx"), src, EncodeOptions{Batch: 4}); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
	})
	wait.Go(func() {
		<-src.waiting
		other := context.WithoutCancel(ctx)
		if _, err := Latents(other, open(t, "mlp_opset17.onnx"), ones(40, 24), EncodeOptions{}); err != nil {
			t.Error(err)
		}
	})
	wait.Wait()
}

// stopping stops the run that reads it at the tenth state.
type stopping struct {
	Source
	stop    func()
	waiting chan struct{}
	once    sync.Once
}

func (s *stopping) Float32(dst []float32, lo, hi int) error {
	if hi > 10 {
		s.once.Do(func() {
			close(s.waiting)
			s.stop()
		})
	}
	return s.Source.Float32(dst, lo, hi)
}

// The components of a baseline are fitted once.
func TestSharedPCA(t *testing.T) {
	t.Parallel()
	states := ones(30, 12)
	for i := range states.values {
		states.values[i] = float32(i*i%37) / 7
	}
	alone, err := PCAEncoder(t.Context(), states, PCAOptions{Dim: 4})
	if err != nil {
		t.Fatal(err)
	}
	defer alone.Close()
	store := share.NewStore(1 << 20)
	ctx := share.With(t.Context(), store)
	for _, dim := range []int{4, 4, 3, 4} {
		e, err := PCAEncoder(ctx, states, PCAOptions{Dim: dim})
		if err != nil {
			t.Fatal(err)
		}
		if same := e.Info().Identity == alone.Info().Identity; same != (dim == 4) {
			t.Errorf("dimension %d: the same as alone: %v", dim, same)
		}
		e.Close()
	}
	if computed, taken := store.Counts("pca"); computed != 2 || taken != 2 {
		t.Errorf("%d fitted and %d taken", computed, taken)
	}
}
