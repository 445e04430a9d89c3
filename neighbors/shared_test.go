// Tests of lists of neighbors that are searched once.

package neighbors

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"sync"
	"testing"

	"repscope/internal/share"
	"repscope/points"
)

// Shared lists equal a separate search, and only searches of the same points under the same options share.
func TestSharedLists(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	const n, dim = 120, 6
	f64, f32, u8 := make([]float64, n*dim), make([]float32, n*dim), make([]uint8, n*dim)
	for i := range f64 {
		f64[i] = random.NormFloat64()
		f32[i], u8[i] = float32(f64[i]), uint8(random.IntN(9))
	}
	episode, time := make([]int, n), make([]int, n)
	for i := range episode {
		episode[i], time[i] = i/40, 2*i
	}
	other := slices.Clone(f64)
	other[n*dim-1]++
	searches := []struct {
		points points.Points
		k      int
		o      Options
	}{
		{points.Float64(f64, dim), 5, Options{}},
		{points.Float64(other, dim), 5, Options{}},
		{points.Float64(f64, 2*dim), 5, Options{}},
		{points.Float32(f32, dim), 5, Options{}},
		{points.Uint8(u8, dim), 5, Options{}},
		{points.Float64(f64, dim), 6, Options{}},
		{points.Float64(f64, dim), 5, Options{Metric: Cosine}},
		{points.Float64(f64, dim), 5, Options{ExcludeWindow: 2}},
		{points.Float64(f64, dim), 5, Options{ExcludeWindow: 2, Episode: episode}},
		{points.Float64(f64, dim), 5, Options{ExcludeWindow: 2, Time: time}},
	}
	store := share.NewStore(1 << 20)
	ctx := share.With(t.Context(), store)
	var wait sync.WaitGroup
	for i, s := range searches {
		alone, err := KNearest(t.Context(), s.points, s.k, s.o)
		if err != nil {
			t.Fatal(err)
		}
		for threads := range 3 {
			wait.Go(func() {
				o := s.o
				o.Threads, o.Memory = threads, int64(threads)<<20
				p := s.points
				p.U8, p.F32, p.F64 = slices.Clone(p.U8), slices.Clone(p.F32), slices.Clone(p.F64)
				if got, err := KNearest(ctx, p, s.k, o); err != nil || !reflect.DeepEqual(got, alone) {
					t.Errorf("search %d: %v, another result than alone", i, err)
				}
			})
		}
	}
	wait.Wait()
	if computed, taken := store.Counts("neighbors"); computed != len(searches) || taken != 2*len(searches) {
		t.Errorf("%d lists were searched and %d taken, want %d and %d", computed, taken, len(searches), 2*len(searches))
	}
}
