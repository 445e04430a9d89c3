// Layers of models: a score of every layer of one model with every layer of another, the best pair with the null of the
// best pair, and the path that matches the layers in their order.

package similarity

import (
	"context"
	"fmt"
	"math"
	"slices"

	"repscope/analysis/internal/results"
	"repscope/measure/similarity"
	"repscope/neighbors"
	"repscope/points"
	"repscope/report"
	"repscope/shard"
)

// Layered is a model with the latents of its layers, in their order.
type Layered struct {
	Name   string
	Layers []Encoded
	// Stages are the same layers as [Options.Stitch] needs them; nil without.
	Stages []Stage
}

// DefaultLayerMeasures are the measures of pairs of layers where none is named.
var DefaultLayerMeasures = []string{"cka_debiased", "mutual_knn"}

// LayerPair is one score of all layers of two models. Its states are the states of the null.
type LayerPair struct {
	A       string   `json:"a"`
	B       string   `json:"b"`
	Score   string   `json:"score"`
	States  int      `json:"states"`
	LayersA []string `json:"layers_a"`
	LayersB []string `json:"layers_b"`
	// Best is the pair of layers that is most alike. Its null is the best score over all pairs in each order, so that
	// the search for the pair is part of its p value.
	Best LayerScore `json:"best"`
	// MatchesA has for each layer of A the layer of B that is most like it, MatchesB the reverse.
	MatchesA []LayerMatch `json:"matches_a"`
	MatchesB []LayerMatch `json:"matches_b"`
	// Path begins at the first layers and ends at the last ones. Each step goes on by a layer of A, of B, or of both. Of
	// all such paths it has the least sum of distances, 1 − adjusted score.
	Path []LayerStep  `json:"path"`
	Map  []LayerScore `json:"map"` // row by row: all layers of B for the first layer of A, …
}

// LayerScore is the score of a pair of layers.
type LayerScore struct {
	LayerA string       `json:"layer_a"`
	LayerB string       `json:"layer_b"`
	Value  report.Value `json:"value"`
	Null   *LayerNull   `json:"null,omitempty"`
}

// LayerNull is a score under the null; see [ScoreNull]. PBest is the share of orders in which some pair of layers
// scores at least as much: p corrected for the number of pairs.
type LayerNull struct {
	results.Chance
	PBest    report.Value `json:"p_best"`
	Adjusted report.Value `json:"adjusted"`
	Gated    report.Value `json:"gated"`
}

// LayerMatch is the layer of the other model that is most like a layer.
type LayerMatch struct {
	Layer string       `json:"layer"`
	Best  string       `json:"best"`
	Value report.Value `json:"value"`
}

// LayerStep is a pair of layers on a path.
type LayerStep struct {
	LayerA string `json:"layer_a"`
	LayerB string `json:"layer_b"`
}

// At is the score of layer i of A and layer j of B.
func (p *LayerPair) At(i, j int) LayerScore { return p.Map[i*len(p.LayersB)+j] }

func (l Layered) names() []string { return results.Names(l.Layers) }

func (in Input) checkLayers(n int) error {
	for _, model := range in.Layers {
		if len(model.Layers) == 0 {
			return fmt.Errorf("%s has no layers", model.Name)
		}
		for _, layer := range model.Layers {
			name := model.Name + ", layer " + layer.Name
			if layer.Latents.N != n {
				return fmt.Errorf("%s has %d latents, want %d", name, layer.Latents.N, n)
			}
			if err := neighbors.Check(name, layer.Latents, neighbors.Euclidean); err != nil {
				return err
			}
		}
	}
	return nil
}

// layerDigests are the layers as parts of an identity.
func (in Input) layerDigests() []shard.Field {
	var out []shard.Field
	for _, model := range in.Layers {
		for _, layer := range model.Layers {
			out = append(out, shard.Field{
				Name: "layer " + model.Name + " " + layer.Name, Value: shard.Digest(layer.Latents),
			})
		}
	}
	return out
}

// layerSpaces are the layers of a model at the states of the null.
func (a *analyzer) layerSpaces(model Layered) ([]*similarity.Prepared, error) {
	var out []*similarity.Prepared
	for _, layer := range model.Layers {
		z := layer.Latents
		if a.cropped != nil {
			z = z.Select(a.cropped)
		}
		p, err := similarity.Prepare(z)
		if err != nil {
			return nil, fmt.Errorf("%s, layer %s: %w", model.Name, layer.Name, err)
		}
		out = append(out, p.Named(model.Name+", layer "+layer.Name))
	}
	return out, nil
}

// compareLayers computes all scores of the layers of two models.
func (a *analyzer) compareLayers(ctx context.Context, couple [2]int) ([]LayerPair, error) {
	models := [2]Layered{a.in.Layers[couple[0]], a.in.Layers[couple[1]]}
	first, err := a.layerSpaces(models[0])
	if err != nil {
		return nil, err
	}
	second, err := a.layerSpaces(models[1])
	if err != nil {
		return nil, err
	}
	o := a.options()
	o.Measures, o.Blocks = a.o.LayerMeasures, nil
	if a.cropped != nil {
		o.Episode = points.Pick(o.Episode, a.cropped)
	}
	series, err := similarity.ScoreLayers(ctx, first, second, o)
	if err != nil {
		return nil, fmt.Errorf("layers of %s and %s: %w", models[0].Name, models[1].Name, err)
	}
	var out []LayerPair
	for s := range series[0][0] {
		out = append(out, a.layerPair(models, series, s, first[0].Len()))
	}
	return out, nil
}

// layerPair is score s of all pairs of layers.
func (a *analyzer) layerPair(models [2]Layered, series [][][]similarity.Series, s, n int) LayerPair {
	measure := series[0][0][s].Measure
	p := LayerPair{
		A: models[0].Name, B: models[1].Name, Score: series[0][0][s].Name, States: n,
		LayersA: models[0].names(), LayersB: models[1].names(),
	}
	sign := 1.0
	if measure.Falls {
		sign = -1
	}
	grid := newScoreGrid(series, s, sign)
	// The best score of all pairs in each order; NaN where a score is.
	var best []float64
	if a.null != nil {
		best = make([]float64, len(a.orders))
		for k := range best {
			best[k] = -sign * math.Inf(1)
			for _, row := range series {
				for _, scores := range row {
					if null := scores[s].Null; null != nil {
						best[k] = sign * max(sign*best[k], sign*null[k])
					}
				}
			}
		}
	}
	same := measure.SameScore(n)
	for i := range series {
		for j := range series[i] {
			one := series[i][j][s]
			score := LayerScore{p.LayersA[i], p.LayersB[j], report.NumberOr(one.Value, one.Reason), nil}
			if a.null != nil && score.Value.Defined() {
				score.Null = a.layerNull(one.Value, one.Null, best, same, measure.Falls)
			}
			p.Map = append(p.Map, score)
		}
	}
	i, j, ok := grid.best()
	if !ok {
		p.Best.Value = report.Undefined("no pair of layers has a score")
	} else {
		p.Best = p.At(i, j)
		if a.null != nil {
			p.Best.Null = a.layerNull(p.Best.Value.Float(), best, best, same, measure.Falls)
		}
	}
	for i, layer := range p.LayersA {
		p.MatchesA = append(p.MatchesA, grid.match(layer, p.LayersB, func(j int) float64 { return grid[i][j] }, sign))
	}
	for j, layer := range p.LayersB {
		p.MatchesB = append(p.MatchesB, grid.match(layer, p.LayersA, func(i int) float64 { return grid[i][j] }, sign))
	}
	for _, step := range matchingPath(len(p.LayersA), len(p.LayersB), p.distance(same)) {
		p.Path = append(p.Path, LayerStep{p.LayersA[step[0]], p.LayersB[step[1]]})
	}
	return p
}

func (a *analyzer) layerNull(value float64, null, best []float64, same float64, falls bool) *LayerNull {
	chance := a.null.ChanceOf(value, null, a.near, falls)
	overall := results.ChanceOf(a.null.ChanceOf(value, best, a.near, falls))
	return &LayerNull{
		Chance: results.ChanceOf(chance), PBest: overall.P,
		Adjusted: fraction(value, chance.Mean, same, math.Inf(-1)),
		Gated:    fraction(value, chance.Threshold, same, 0),
	}
}

// distance is 1 − adjusted score, or without a null the distance of the score from same; pairs without a score are as
// far as unrelated ones.
func (p *LayerPair) distance(same float64) func(i, j int) float64 {
	return func(i, j int) float64 {
		d := math.NaN()
		switch s := p.At(i, j); {
		case s.Null != nil:
			d = 1 - s.Null.Adjusted.Float()
		case s.Value.Defined():
			d = math.Abs(same - s.Value.Float())
		}
		if math.IsNaN(d) {
			return 1
		}
		return d
	}
}

// scoreGrid holds a score of all pairs of layers, negative for measures that fall with likeness.
type scoreGrid [][]float64

func newScoreGrid(series [][][]similarity.Series, s int, sign float64) scoreGrid {
	var out scoreGrid
	for _, row := range series {
		var values []float64
		for _, scores := range row {
			values = append(values, sign*scores[s].Value)
		}
		out = append(out, values)
	}
	return out
}

// best is the first of the pairs with the largest number.
func (g scoreGrid) best() (i, j int, ok bool) {
	highest := math.Inf(-1)
	for r, row := range g {
		for c, v := range row {
			if v > highest {
				i, j, ok, highest = r, c, true, v
			}
		}
	}
	return i, j, ok
}

// match is the best layer of the others.
func (g scoreGrid) match(layer string, others []string, score func(int) float64, sign float64) LayerMatch {
	out := LayerMatch{Layer: layer, Value: report.Undefined("no layer has a score with it")}
	highest := math.Inf(-1)
	for k, other := range others {
		if v := score(k); v > highest {
			highest = v
			out.Best, out.Value = other, report.Number(sign*v)
		}
	}
	return out
}

// matchingPath is the path from (0, 0) to (rows−1, columns−1) in steps (1, 1), (1, 0) and (0, 1) with the least sum of
// distances; of equal ones, the first step in this order from its end.
func matchingPath(rows, columns int, distance func(i, j int) float64) [][2]int {
	sum := make([]float64, rows*columns)
	from := make([][2]int, rows*columns)
	for i := range rows {
		for j := range columns {
			least := math.Inf(1)
			for _, step := range [][2]int{{1, 1}, {1, 0}, {0, 1}} {
				if u, v := i-step[0], j-step[1]; u >= 0 && v >= 0 && sum[u*columns+v] < least {
					least, from[i*columns+j] = sum[u*columns+v], [2]int{u, v}
				}
			}
			if i+j == 0 {
				least = 0
			}
			sum[i*columns+j] = least + distance(i, j)
		}
	}
	i, j := rows-1, columns-1
	path := [][2]int{{i, j}}
	for i+j > 0 {
		i, j = from[i*columns+j][0], from[i*columns+j][1]
		path = append(path, [2]int{i, j})
	}
	slices.Reverse(path)
	return path
}
