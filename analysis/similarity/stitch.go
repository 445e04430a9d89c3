// Stitching: the front of a model up to a layer, the linear map of predictivity to a layer of another model, and what
// follows that layer there, compared with the outputs of the other model itself.

package similarity

import (
	"context"
	"errors"
	"fmt"
	"math"

	"repscope/internal/text"
	"repscope/measure/similarity"
	"repscope/points"
	"repscope/report"
	"repscope/shard"
	"repscope/stat"
)

// Stage is a layer of a model as stitching needs it.
type Stage struct {
	// Values are the values of the layer before pooling, state by state, and Shape their shape for one state. Channels is
	// the axis of Shape that has the channels of a map or the units of tokens; −1: unknown.
	Values   []float32
	Shape    []int
	Channels int
	// Open opens what follows the layer. Its error is the reason why nothing can be stitched to the layer.
	Open func() (Rest, error)
	// Identity is the content of what follows the layer.
	Identity string
}

// Rest is what follows a layer in a model. It is not used concurrently.
type Rest interface {
	// Outputs are the outputs of the model for values of the layer, n rows of these values each.
	Outputs(ctx context.Context, values []float32, n int) (points.Points, error)
	// Size is the number of values of an output.
	Size() int
	// Classes says that an output is one score for each of several classes.
	Classes() bool
	Close() error
}

// Stitch is the front of a model up to a layer, followed by a linear map and by the rest of another model after a
// layer.
type Stitch struct {
	From      string `json:"from"`
	LayerFrom string `json:"layer_from"`
	To        string `json:"to"`
	LayerTo   string `json:"layer_to"`
	// Positions is the number of positions of a state at which the same map is applied; 1: the map takes all values.
	Positions int `json:"positions"`
	// Error is Σ‖ŷ − y‖²/Σ‖y − ȳ‖² of the outputs ŷ of the stitched model and y of the model To: 0 where they are equal, 1
	// for outputs that are always the mean. Agreement is the share of states with the same class. Intervals are by
	// the same deletions as other scores: maps are fitted again.
	Error     PairScore `json:"error"`
	Agreement PairScore `json:"agreement"`
	// SelfError and SelfAgreement are the same of the model To, stitched to itself at its layer by such a map: what a
	// linear map fitted to that many states can reach.
	SelfError     report.Value `json:"self_error"`
	SelfAgreement report.Value `json:"self_agreement"`
}

// The scores of stitched models, for intervals and nulls.
var (
	stitchError     = similarity.Measure{Name: "stitch_error", Title: "Error", Falls: true, High: math.Inf(1)}
	stitchAgreement = similarity.Measure{Name: "stitch_agreement", Title: "Agreement", Low: 0, High: 1, Same: 1}
)

// seam is a layer that all layers of another model are stitched to: indices into Input.Layers, and of the layer.
type seam struct{ from, to, layer int }

// seams are all of them, in both directions of every two models.
func (in Input) seams() []seam {
	var out []seam
	for from := range in.Layers {
		for to := range in.Layers {
			for layer := range in.Layers[to].Stages {
				if from != to && len(in.Layers[from].Stages) > 0 {
					out = append(out, seam{from, to, layer})
				}
			}
		}
	}
	return out
}

func (in Input) checkStages(n int) error {
	for _, model := range in.Layers {
		if len(model.Stages) > 0 && len(model.Stages) != len(model.Layers) {
			return fmt.Errorf("%s has %d layers and %d of them to stitch", model.Name, len(model.Layers), len(model.Stages))
		}
		for k, s := range model.Stages {
			if size := points.Size(s.Shape); len(s.Values) != n*size || s.Channels >= len(s.Shape) {
				return fmt.Errorf("%s, layer %s has %d values of shape %v, want %d", model.Name, model.Layers[k].Name,
					len(s.Values), s.Shape, n*size)
			}
		}
	}
	return nil
}

// stageDigests are the stages as parts of an identity.
func (in Input) stageDigests() []shard.Field {
	var out []shard.Field
	for _, model := range in.Layers {
		for k, s := range model.Stages {
			values := points.Float32(s.Values, max(points.Size(s.Shape), 1))
			out = append(out, shard.Field{
				Name: "stage " + model.Name + " " + model.Layers[k].Name, Value: shard.Digest(values) + " " + s.Identity,
			})
		}
	}
	return out
}

// StitchScores is a stitched model, with what its error and its agreement are compared by, nil where there is no
// interval.
type StitchScores struct {
	Stitch     Stitch
	Jackknives [2]*stat.Jackknifed
}

// stitch computes all layers of one model with what follows a layer of another.
func (a *analyzer) stitch(ctx context.Context, s seam) ([]StitchScores, error) {
	from, to := a.in.Layers[s.from], a.in.Layers[s.to]
	target := to.Stages[s.layer]
	out := make([]StitchScores, len(from.Stages))
	for k := range out {
		out[k].Stitch = Stitch{From: from.Name, LayerFrom: from.Layers[k].Name, To: to.Name,
			LayerTo: to.Layers[s.layer].Name}
	}
	lack := func(reason string) ([]StitchScores, error) {
		for k := range out {
			out[k].Stitch = report.Lack(out[k].Stitch, "%s", reason)
		}
		return out, nil
	}
	rest, err := target.Open()
	if err != nil {
		return lack(err.Error())
	}
	if need := 28 * int64(a.states()) * int64(rest.Size()); need > a.memory() { // of the model and of the stitched one
		_, err := lack(fmt.Sprintf("outputs of %d values of %s need %s, more than the %s of --memory", rest.Size(),
			text.Count(a.states(), "state"), text.Bytes(need), text.Bytes(a.memory())))
		return out, errors.Join(err, rest.Close())
	}
	whole, err := rest.Outputs(ctx, target.Values, a.states())
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		_, err = lack(err.Error())
		return out, errors.Join(err, rest.Close())
	}
	w := &stitcher{a: a, to: target, rest: rest, whole: whole}
	if w.fold, err = a.folds(); err != nil {
		return nil, errors.Join(err, rest.Close())
	}
	self, err := w.scores(ctx, &target, false)
	for k := 0; k < len(out) && err == nil; k++ {
		one := &out[k].Stitch
		var scores stitched
		if scores, err = w.scores(ctx, &from.Stages[k], true); err != nil {
			break
		}
		one.Positions, one.Error, one.Agreement = scores.positions, scores.error, scores.agreement
		out[k].Jackknives = scores.jackknives
		one.SelfError, one.SelfAgreement = self.error.Value.Value, self.agreement.Value.Value
	}
	return out, errors.Join(err, rest.Close())
}

// folds are the folds of the maps.
func (a *analyzer) folds() ([]int, error) {
	episode := a.in.Episode
	if episode == nil {
		episode = make([]int, a.states())
	}
	return similarity.MappingFolds(episode)
}

func (a *analyzer) states() int { return a.in.Models[0].Latents.N }

// fewestEpisodes leave five for folds of whole episodes when one is deleted. With fewer, intervals hold too rarely; see
// TestLevel_Stitched.
const fewestEpisodes = 6

// deletes reports whether deleting blocks gives intervals of stitched models.
func (a *analyzer) deletes() bool {
	_, count := points.Numbered(a.in.Episode)
	return count >= fewestEpisodes
}

// memory is the number of bytes that the map and the outputs of a stitched model may take.
func (a *analyzer) memory() int64 {
	if a.o.Memory > 0 {
		return a.o.Memory
	}
	return 1 << 30
}

// stitcher stitches layers to one layer of a model.
type stitcher struct {
	a     *analyzer
	to    Stage
	rest  Rest
	whole points.Points // outputs of the model itself
	fold  []int         // of each state, also where others are deleted or cut: other folds would be other maps
}

// stitched are the scores of a stitched model.
type stitched struct {
	positions        int
	error, agreement PairScore
	jackknives       [2]*stat.Jackknifed
}

// scores are the scores of a front; null adds intervals and those in other orders.
func (w *stitcher) scores(ctx context.Context, from *Stage, null bool) (stitched, error) {
	n := w.a.states()
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	var orders [][]int
	if null {
		orders = w.a.orders[:min(len(w.a.orders), w.a.o.StitchPermutations)]
	}
	out := stitched{}
	values, err := w.series(ctx, from, all, orders, &out.positions)
	if err != nil {
		return out, err
	}
	if null && w.a.blocks != nil && w.a.deletes() && !math.IsNaN(values[0].Value) {
		if err := w.delete(ctx, from, &values); err != nil {
			return out, err
		}
	}
	under := values
	if null && w.a.cropped != nil {
		if under, err = w.series(ctx, from, w.a.cropped, orders, &out.positions); err != nil {
			return out, err
		}
	}
	for k, to := range []*PairScore{&out.error, &out.agreement} {
		if *to, out.jackknives[k], err = w.a.score(values[k], under[k], n); err != nil {
			return out, err
		}
		if w.a.blocks != nil && to.Value.Defined() && !w.a.deletes() {
			to.Value.CI = report.NoInterval("intervals of stitched models need %d episodes", fewestEpisodes)
		}
	}
	return out, nil
}

// series are the error and the agreement of some states, as they are, in orders of them where there are as many, and
// without blocks of all states.
func (w *stitcher) series(ctx context.Context, from *Stage, index []int, orders [][]int, positions *int,
) ([2]similarity.Series, error) {
	out := [2]similarity.Series{
		{Name: stitchError.Name, Measure: stitchError, Value: math.NaN()},
		{Name: stitchAgreement.Name, Measure: stitchAgreement, Value: math.NaN()},
	}
	refuse := func(reason string) ([2]similarity.Series, error) {
		out[0].Reason, out[1].Reason = reason, reason
		return out, nil
	}
	form, unfit := newJoint(from, &w.to)
	if *positions = form.positions; unfit != "" {
		return refuse(unfit)
	}
	rows := len(index) * form.positions
	if need := similarity.MappingBytes(rows, form.first, form.second); need > w.a.memory() {
		return refuse(fmt.Sprintf("a map from %d to %d values at %s of a state needs %s, more than the %s of --memory",
			form.first, form.second, text.Count(form.positions, "position"), text.Bytes(need), text.Bytes(w.a.memory())))
	}
	x, y := form.rows(from, index), form.rows(&w.to, index)
	mapping, err := similarity.NewMappingOf(x, points.Pick(w.fold, index))
	if err != nil {
		return refuse(err.Error())
	}
	reference := newOutputs(w.whole.Select(index))
	if reference.total == 0 {
		return refuse("the outputs of the model are constant")
	}
	if len(orders) > 0 && len(orders[0]) != len(index) { // of fewer states
		orders = nil
	}
	for row := range 1 + len(orders) {
		var order, expanded []int
		if row > 0 {
			order = orders[row-1]
			expanded = form.expanded(order)
		}
		predicted, err := mapping.Predict(ctx, y, expanded, w.a.o.Threads)
		if err != nil {
			return out, err
		}
		got, err := w.rest.Outputs(ctx, form.values(predicted.F32, &w.to), len(index))
		switch {
		case ctx.Err() != nil:
			return out, ctx.Err()
		case err != nil && row == 0:
			return refuse("stitched: " + err.Error())
		case err != nil:
			out[0].Null, out[1].Null = append(out[0].Null, math.NaN()), append(out[1].Null, math.NaN())
			continue
		}
		lost, same := reference.compare(got, order)
		if row > 0 {
			out[0].Null = append(out[0].Null, lost/reference.total)
			out[1].Null = append(out[1].Null, same)
			continue
		}
		out[0].Value, out[1].Value = lost/reference.total, same
	}
	if !w.rest.Classes() {
		out[1] = similarity.Series{Name: out[1].Name, Measure: stitchAgreement, Value: math.NaN(),
			Reason: "the output is not one score for each class: it is not named logits or probabilities, and no softmax " +
				"makes it"}
	}
	return out, nil
}

// delete enters the scores without each block, from maps that are fitted to the states that remain.
func (w *stitcher) delete(ctx context.Context, from *Stage, out *[2]similarity.Series) error {
	label := w.a.blocks.Labels()
	for block := range w.a.blocks.Count() {
		var kept []int
		for i, b := range label {
			if b != block {
				kept = append(kept, i)
			}
		}
		var positions int
		rest, err := w.series(ctx, from, kept, nil, &positions)
		if err != nil {
			return err
		}
		for k := range out {
			out[k].Without = append(out[k].Without, rest[k].Value)
		}
	}
	return nil
}

// outputs are the outputs of a model: centered, with their classes.
type outputs struct {
	values []float64
	dim    int
	mean   []float64
	total  float64 // Σ ‖y − ȳ‖²
	class  []int
}

func newOutputs(y points.Points) *outputs {
	out := &outputs{values: make([]float64, y.N*y.Dim), dim: y.Dim, mean: make([]float64, y.Dim)}
	for i := range y.N {
		row := y.Row(i, out.row(i))
		copy(out.row(i), row)
		out.class = append(out.class, highest(row))
		for k, v := range row {
			out.mean[k] += v / float64(y.N)
		}
	}
	for i := range y.N {
		row := out.row(i)
		for k := range row {
			row[k] -= out.mean[k]
			out.total += float64(row[k] * row[k])
		}
	}
	return out
}

func (o *outputs) row(i int) []float64 { return o.values[i*o.dim : (i+1)*o.dim : (i+1)*o.dim] }

// highest is the first of the classes with the largest score.
func highest(row []float64) int {
	best := 0
	for k, v := range row {
		if v > row[best] {
			best = k
		}
	}
	return best
}

// compare returns the sum of the squared errors of outputs from the outputs of the states order[i], and the share of
// outputs of the same class.
func (o *outputs) compare(got points.Points, order []int) (lost, same float64) {
	row := make([]float64, got.Dim)
	for i := range got.N {
		j := i
		if order != nil {
			j = order[i]
		}
		sum, want := 0.0, o.row(j)
		row = got.Row(i, row)
		for k, v := range row {
			d := v - o.mean[k] - want[k]
			sum += float64(d * d)
		}
		if lost += sum; highest(row) == o.class[j] {
			same++
		}
	}
	return lost, same / float64(got.N)
}
