// A tally: the sums of one model and family over the samples that are left.

package forecast

import (
	"math"

	"repscope/stat"
)

// tally holds the sums of a model and family, of all samples that are left.
type tally struct {
	*setting
	family  *family
	model   source
	members int
	n       int
	kept    []int        // of the samples in the input
	blocks  *stat.Blocks // nil without intervals
	// values are by sample, variable, region and sum.
	values                   []float64
	variables, regions, sums int
}

// all stands for all variables.
const all = -1

// column are the values of a sum of all samples: of a variable, or the means over all
// variables, in a region (0: the whole grid).
func (t *tally) column(variable, region, k int) []float64 {
	out := make([]float64, t.n)
	for i := range out {
		row := t.values[i*t.variables*t.regions*t.sums:]
		if variable == all && t.family.joint != nil {
			variable = t.variables - 1
		}
		if variable != all {
			out[i] = row[(variable*t.regions+region)*t.sums+k]
			continue
		}
		for v := range t.variables {
			out[i] += row[(v*t.regions+region)*t.sums+k]
		}
		out[i] /= float64(t.variables)
	}
	return out
}

// columns are the columns of all sums.
func (t *tally) columns(variable, region int) [][]float64 {
	out := make([][]float64, t.sums)
	for k := range out {
		out[k] = t.column(variable, region, k)
	}
	return out
}

// means are the means of all sums over samples.
func (t *tally) means(variable, region int) []float64 {
	out := t.columns(variable, region)
	means := make([]float64, len(out))
	for k, c := range out {
		means[k] = stat.Mean(c)
	}
	return means
}

// jackknife jackknifes size functions of the means of all sums; nil without blocks.
func (t *tally) jackknife(variable, region, size int,
	statistic func(means, dst []float64)) ([]*stat.Jackknifed, error) {
	if t.blocks == nil {
		return make([]*stat.Jackknifed, size), nil
	}
	return jackknife(t.blocks, t.columns(variable, region), nil, size, statistic)
}

// jackknife jackknifes functions of the means of columns over the samples whose share is
// 1; nil: all.
func jackknife(blocks *stat.Blocks, columns [][]float64, share []float64, size int,
	statistic func(means, dst []float64)) ([]*stat.Jackknifed, error) {
	terms := columns
	if share != nil {
		terms = make([][]float64, 0, len(columns)+1)
		for _, c := range columns {
			part := make([]float64, len(c))
			for i, v := range c {
				part[i] = float64(v * share[i])
			}
			terms = append(terms, part)
		}
		terms = append(terms, share)
	}
	means := make([]float64, len(columns))
	return stat.JackknifeSums(blocks, terms, size, func(n float64, sums, dst []float64) {
		if share != nil {
			n = sums[len(columns)]
		}
		for k := range means {
			means[k] = sums[k] / n
		}
		statistic(means, dst)
		for i, v := range dst {
			if math.IsInf(v, 0) {
				dst[i] = math.NaN()
			}
		}
	})
}
