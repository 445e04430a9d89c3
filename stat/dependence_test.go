// Tests that autocovariances are the sums of their definition, whatever their order of events.

package stat

import (
	"fmt"
	"math"
	"testing"
)

// slowCovariance lists the products at a lag and sums them.
func slowCovariance(x episodeIndex, values []float64, lag int) float64 {
	var products []float64
	mean := Mean(values)
	for e := range x.count() {
		for i := x.start[e]; i+lag < x.start[e+1]; i++ {
			products = append(products, (values[x.order[i]]-mean)*(values[x.order[i+lag]]-mean))
		}
	}
	if len(products) == 0 {
		return 0
	}
	return Sum(products) / float64(len(products))
}

func TestRawCovariances(t *testing.T) {
	t.Parallel()
	random := NewRandom(NewKey(6))
	for _, n := range []int{3, 64, 65, 191, 700, 5200} {
		values := make([]float64, n)
		for i := range values {
			values[i] = random.Normal()
			if i > 0 {
				values[i] += 0.99 * values[i-1]
			}
		}
		for name, label := range map[string]func(i int) int{
			"one":       func(int) int { return 7 },
			"many":      func(i int) int { return i / 23 },
			"unequal":   func(i int) int { return int(math.Sqrt(float64(i))) },
			"scattered": func(i int) int { return i % 5 },
		} {
			episodes := make([]int, n)
			for i := range episodes {
				episodes[i] = label(i)
			}
			x, err := newEpisodeIndex("test", n, episodes)
			if err != nil {
				t.Fatal(err)
			}
			covariance := x.rawCovariances(values)
			ahead := covariancesAhead(covariance, 1<<16, n-1)
			for lag := 0; lag < n; lag++ {
				want := slowCovariance(x, values, lag)
				if got := covariance(lag); got != want {
					t.Fatalf("%d values, %s, lag %d: %v, want %v", n, name, lag, got, want)
				}
				if lag > 0 {
					if got := ahead(lag); got != want {
						t.Fatalf("%d values, %s, lag %d: %v beside others, want %v", n, name, lag, got, want)
					}
				}
				if lag > 300 && lag < n-100 && n > 1000 {
					lag += 1000
				}
			}
		}
	}
}

func BenchmarkIntegratedAutocorrelationTime(b *testing.B) {
	for _, episodes := range []int{1, 100} {
		b.Run(fmt.Sprintf("n=10000/episodes=%d", episodes), func(b *testing.B) {
			random := NewRandom(NewKey(6))
			values, label := make([]float64, 10000), make([]int, 10000)
			for i := range values {
				values[i], label[i] = random.Normal(), i*episodes/len(values)
				if i > 0 {
					values[i] += values[i-1]
				}
			}
			for b.Loop() {
				if _, err := IntegratedAutocorrelationTime(values, label); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
