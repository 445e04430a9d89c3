// Counts of n-grams against a search.

package operator_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"repscope/model/graph"
)

func TestTfIdfVectorizer(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	for range 100 {
		x := integers(1+r.IntN(3), r.IntN(12))
		for i := range x.I64 {
			x.I64[i] = r.Int64N(4)
		}
		// One-grams, pairs and triples, each once, in any columns.
		pool := [][]int{{0}, {2}, {1, 1}, {0, 3}, {2, 0}, {1, 2, 3}, {0, 0, 0}}
		columns := r.Perm(len(pool) + 2)[:len(pool)]
		var tokens []int
		width := 0
		weights := make([]float32, len(pool))
		for i, gram := range pool {
			tokens, width, weights[i] = append(tokens, gram...), max(width, columns[i]+1), r.Float32()
		}
		low := 1 + r.IntN(3)
		high, skips, mode := low+r.IntN(4-low), r.IntN(4), []string{"TF", "IDF", "TFIDF"}[r.IntN(3)]
		n := x.Shape[1]
		want := make([]float64, x.Shape[0]*width)
		for row := range x.Shape[0] {
			for g, gram := range pool {
				count := 0.0
				for apart := 1; apart <= skips+1; apart++ {
					if len(gram) == 1 && apart > 1 || len(gram) < low || len(gram) > high {
						break
					}
					for first := 0; first+(len(gram)-1)*apart < n; first++ {
						same := true
						for k, token := range gram {
							same = same && x.I64[row*n+first+k*apart] == int64(token)
						}
						if same {
							count++
						}
					}
				}
				if mode == "IDF" {
					count = min(count, 1)
				}
				if mode != "TF" {
					count *= float64(weights[g])
				}
				want[row*width+columns[g]] = count
			}
		}
		attributes := map[string]graph.Attribute{"mode": text(mode), "min_gram_length": integer(int64(low)),
			"max_gram_length": integer(int64(high)), "max_skip_count": integer(int64(skips)), "ngram_counts": graph.IntsAttribute(0, 2, 8), "ngram_indexes": graph.IntsAttribute(columns...),
			"pool_int64s": graph.IntsAttribute(tokens...), "weights": {Kind: graph.AttributeFloats, Floats: weights}}
		y := compute(t, 11, "TfIdfVectorizer", attributes, 1, []*graph.Tensor{x})
		near(t, fmt.Sprint("n-grams of ", x.Shape, low, high, skips, mode), y[0], want, 1e-6, x.Shape[0], width)
	}
}

func TestTfIdfVectorizerErrors(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		counts, columns, pool []int
		want                  string
	}{
		{[]int{0, 1}, []int{0, 1}, []int{1, 2, 3}, ""},
		{[]int{0, 1}, []int{0, 0}, []int{1, 2, 3}, "ngram_indexes has 0 twice"},
		{[]int{0, 2}, []int{0, 1, 2}, []int{1, 2, 3}, "ngram_counts [0 2] for a pool of 3"},
		{[]int{0, 1}, []int{0}, []int{1, 2, 3}, "2 n-grams and 1 indices"},
		{[]int{0, 9}, []int{0, 1}, []int{1, 2, 3}, "ngram_counts [0 9] for a pool of 3"},
	} {
		attributes := map[string]graph.Attribute{"mode": text("TF"), "max_gram_length": integer(2),
			"ngram_counts": graph.IntsAttribute(c.counts...), "ngram_indexes": graph.IntsAttribute(c.columns...), "pool_int64s": graph.IntsAttribute(c.pool...)}
		_, err := attempt(11, "TfIdfVectorizer", attributes, 1, []*graph.Tensor{integers(2, 4)})
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%v: error %v, want %q", c, err, c.want)
		}
	}
}
