// The time of scores under the null, by measure:
//
//	go test ./measure/similarity -run NONE -bench Orders -benchtime 1x

package similarity

import (
	"math/rand/v2"
	"slices"
	"testing"

	"repscope/points"
	"repscope/stat"
)

// BenchmarkOrders is for 10,000 points of 512 dimensions in 20 orders, but where its name says another number.
func BenchmarkOrders(b *testing.B) {
	const n, dim, orders = 10_000, 512, 20
	random := rand.New(rand.NewPCG(1, 2))
	draw := func() *Prepared {
		data := make([]float32, n*dim)
		for i := range data {
			data[i] = float32(random.NormFloat64())
		}
		p, err := Prepare(points.Float32(data, dim))
		if err != nil {
			b.Fatal(err)
		}
		return p
	}
	x, y := draw(), draw()
	for _, one := range []struct {
		title  string
		names  []string
		orders int
	}{
		{"cka", []string{"cka", "cka_debiased"}, orders}, {"procrustes", []string{"procrustes"}, orders},
		{"svcca", []string{"svcca"}, orders}, {"pwcca", []string{"pwcca"}, orders},
		{"mutual_knn", []string{"mutual_knn"}, orders}, {"cknna", []string{"cknna"}, orders},
		{"rsa_spearman", []string{"rsa_spearman", "rsa_pearson"}, orders},
		{"predictivity", []string{"predictivity"}, orders},
		{"information_imbalance", []string{"information_imbalance"}, orders},
		{"11 measures", withoutMatrices("predictivity"), orders}, {"12 measures", withoutMatrices(), orders},
		{"12 measures in 200 orders", withoutMatrices(), 200},
	} {
		b.Run(one.title, func(b *testing.B) {
			o := Options{Measures: one.names}
			for range one.orders {
				o.Orders = append(o.Orders, random.Perm(n))
			}
			for b.Loop() {
				x, y := prepare(x.points), prepare(y.points)
				if _, err := Score(b.Context(), x, y, o); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkDeletions is for the same spaces without each of 50 episodes.
func BenchmarkDeletions(b *testing.B) {
	const n, dim, episodes = 10_000, 512, 50
	random := rand.New(rand.NewPCG(1, 2))
	var spaces [2]points.Points
	for s := range spaces {
		data := make([]float32, n*dim)
		for i := range data {
			data[i] = float32(random.NormFloat64())
		}
		spaces[s] = points.Float32(data, dim)
	}
	episode := make([]int, n)
	for i := range episode {
		episode[i] = i * episodes / n
	}
	blocks, err := stat.NewBlocks(n, episode, stat.BlockSpec{Kind: stat.EpisodeBlocks})
	if err != nil {
		b.Fatal(err)
	}
	for title, names := range map[string][]string{
		"cka": {"cka", "cka_debiased"}, "cknna": {"cknna"}, "predictivity": {"predictivity"},
		"12 measures": withoutMatrices(),
	} {
		b.Run(title, func(b *testing.B) {
			for b.Loop() {
				o := Options{Measures: names, Episode: episode, Blocks: blocks}
				if _, err := Score(b.Context(), prepare(spaces[0]), prepare(spaces[1]), o); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// withoutMatrices are the measures that need no n × n matrix and no assignment of units, but some.
func withoutMatrices(but ...string) []string {
	return slices.DeleteFunc(Names(), func(name string) bool {
		return slices.Contains(append(but, "cka_rbf", "distance_correlation", "unit_match"), name)
	})
}

// BenchmarkLayers is for 24 × 24 layers of 5,000 points of 256 dimensions in 200 orders.
func BenchmarkLayers(b *testing.B) {
	const n, dim, layers, orders = 5_000, 256, 24, 200
	random := rand.New(rand.NewPCG(1, 2))
	draw := func() []*Prepared {
		var out []*Prepared
		for range layers {
			data := make([]float32, n*dim)
			for i := range data {
				data[i] = float32(random.NormFloat64())
			}
			p, err := Prepare(points.Float32(data, dim))
			if err != nil {
				b.Fatal(err)
			}
			out = append(out, p)
		}
		return out
	}
	x, y := draw(), draw()
	o := Options{Memory: 4 << 30}
	for range orders {
		o.Orders = append(o.Orders, random.Perm(n))
	}
	for _, name := range []string{"cka_debiased", "mutual_knn"} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				o.Measures = []string{name}
				if _, err := ScoreLayers(b.Context(), x, y, o); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
