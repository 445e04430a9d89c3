// The metric reconstruction: intersection over union of grids and of their reconstructions,
// them.

package generation

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"math"
	"strconv"

	"repscope/points"
	"repscope/shard"
	"repscope/stat"
)

// Reconstruction is how well samples are reconstructed. IoU is |A∧B|/|A∨B| of the cells that
// are set in the original and those whose probability is above the threshold, from 0 to 1:
// 1 for a whole grid where both are empty, undefined for a channel where both are.
type Reconstruction struct {
	Mean     Estimate
	SD       float64 // over samples
	Median   Estimate
	Exact    Estimate // share of samples without a wrong cell
	Channels []ChannelIoU
	ByLabel  []LabelIoU
	N        int
	Both     int // samples with an empty original and reconstruction
	Draws    int // that each was reconstructed from; 0: decoded at the mean
	// Threshold is the probability above which a cell is set.
	Threshold float64
	// IoU of each sample, and of each of its channels, NaN where undefined.
	IoU        []float64
	ChannelIoU [][]float64 // [channel][sample]
	Groups     []int
	Labels     []int
	// Alike is the correlation of the IoU of neighboring samples without groups, where it is more than independent
	// samples have; else 0.
	Alike float64

	limit float64 `shard:"-"` // Threshold in the type of the probabilities
}

// ChannelIoU is the IoU of one channel.
type ChannelIoU struct {
	Name     string
	Mean     Estimate
	Excluded int // samples with an empty original and reconstruction
}

// LabelIoU is the IoU of the samples of one label.
type LabelIoU struct {
	Label, N int
	Mean     Estimate
	SD       float64
}

// reconstructionMetric is its row of the registry.
var reconstructionMetric = Metric{
	Name: "reconstruction", Needs: []Need{needReconstruction}, Reads: []string{inReconstruction},
	compute:   computeReconstruction,
	Estimates: func(m *Model) []Estimate { return m.Reconstruction.estimates() },
}

// computeReconstruction reads the pairs in pieces and compares them.
func computeReconstruction(ctx context.Context, a *analyzer, g *Generator, m *Model) error {
	p := g.Reconstruction
	r := &Reconstruction{N: p.N, Draws: p.Draws, Threshold: a.o.Threshold, IoU: make([]float64, p.N), Groups: p.Groups,
		Labels: p.Labels, limit: a.o.Threshold}
	if p.Round != nil {
		r.limit = p.Round(r.limit)
	}
	channels := 0
	if len(p.Shape) > 1 {
		channels = p.Shape[0]
	}
	r.ChannelIoU = make([][]float64, channels)
	for c := range r.ChannelIoU {
		r.ChannelIoU[c] = make([]float64, p.N)
	}
	exact := make([]bool, p.N)
	items, err := r.read(ctx, p, exact)
	if err != nil {
		return err
	}
	groups := p.Groups
	if groups == nil && !a.o.independent() {
		if r.Alike = alikeScores(r.IoU, p.Labels); r.Alike > 0 {
			groups = tenths(p.N)
		}
	}
	blocks, err := a.blocks(p.N, p.Labels, groups, 0)
	r.Mean = mean("reconstruction.mean_iou", r.IoU, blocks, err)
	r.Mean.Shared, r.Mean.Items = shared(r.Mean), items+shard.Digest(points.Points{}, p.Labels, groups)
	r.SD = deviation(r.IoU)
	r.Exact = a.share("reconstruction.exact_share", exact, groups, blocks, err)
	r.Median = median("reconstruction.median_iou", r.IoU, blocks, err)
	for c := range channels {
		name := strconv.Itoa(c)
		if c < len(p.Channels) {
			name = p.Channels[c]
		}
		channel := ChannelIoU{Name: name, Mean: mean("reconstruction.per_channel_iou."+name, r.ChannelIoU[c], blocks, err)}
		for _, v := range r.ChannelIoU[c] {
			if math.IsNaN(v) {
				channel.Excluded++
			}
		}
		r.Channels = append(r.Channels, channel)
	}
	present := DistinctLabels(p.Labels)
	for k, index := range members(present, p.Labels) {
		values := chosen(r.IoU, index)
		own, err := a.blocks(len(index), nil, chosen(groups, index), 0)
		r.ByLabel = append(r.ByLabel, LabelIoU{Label: present[k], N: len(index), Mean: mean("", values, own, err).within(0, 1),
			SD: deviation(values)})
	}
	m.Reconstruction = r
	return nil
}

// median is the median of scores of samples.
func median(path string, values []float64, blocks *stat.Blocks, err error) Estimate {
	e := estimate(path, stat.Median(values), nil, err)
	if blocks == nil || err != nil {
		return e
	}
	j, err := stat.JackknifeQuantiles(blocks, values, 0.5)
	if err != nil {
		return estimate(path, e.Value.V, nil, err)
	}
	return estimate(path, e.Value.V, j[0], nil)
}

// read fills in the scores of all samples; items is the digest of the originals.
func (r *Reconstruction) read(ctx context.Context, p *Pairs, exact []bool) (items string, err error) {
	size := 1
	for _, k := range p.Shape {
		size *= k
	}
	rows := max(1, min(p.N, (1<<20)/max(size, 1)))
	original, probability := make([]float64, rows*size), make([]float64, rows*size)
	bits := make([]byte, rows*size)
	sum := sha256.New()
	for lo := 0; lo < p.N; lo += rows {
		hi := min(lo+rows, p.N)
		n := (hi - lo) * size
		if err := p.Read(ctx, original[:n], probability[:n], lo, hi); err != nil {
			return "", err
		}
		for k, v := range original[:n] {
			bits[k] = byte(v)
		}
		sum.Write(bits[:n])
		for i := lo; i < hi; i++ {
			at := (i - lo) * size
			exact[i] = r.score(i, original[at:at+size], probability[at:at+size])
		}
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// score compares one sample, and says whether no cell is wrong.
func (r *Reconstruction) score(i int, original, probability []float64) bool {
	channels := max(len(r.ChannelIoU), 1)
	size := len(original) / channels
	all, either := 0, 0
	for c := range channels {
		both, any := 0, 0
		for k := c * size; k < (c+1)*size; k++ {
			real, reconstructed := original[k] != 0, probability[k] > r.limit
			if real && reconstructed {
				both++
			}
			if real || reconstructed {
				any++
			}
		}
		if len(r.ChannelIoU) > 0 {
			r.ChannelIoU[c][i] = float64(both) / float64(any) // NaN for none
		}
		all, either = all+both, either+any
	}
	r.IoU[i] = 1
	if either > 0 {
		r.IoU[i] = float64(all) / float64(either)
	} else {
		r.Both++
	}
	return all == either
}

func (r *Reconstruction) estimates() []Estimate {
	if r == nil {
		return nil
	}
	return []Estimate{r.Mean}
}
