// Values that look as if something went wrong before: fill values left in, other units than in the
// truth.

package forecast

import (
	"fmt"
	"math"
	"slices"

	"repscope/internal/text"
	"repscope/stat"
)

// fills are numbers that stand for missing ones in files: of NetCDF, GRIB, GEOS and others, and the
// ends of types.
var fills = []float64{
	-999, -9999, -99999, -32767, -32768, -2147483647, -2147483648, 1e15, 9.969209968386869e36, 1e20, 9.999e20,
	1e30, 1e33, 1e34, 1e35, 1e36, 1e37, math.MaxFloat32, math.MaxFloat64,
}

// isFill reports whether a value is one of them, of either sign where it is large, also as float32.
func isFill(v float64) bool {
	if v > -999 && v < 1e15 {
		return false
	}
	return slices.ContainsFunc(fills, func(fill float64) bool {
		return v == fill || fill > 0 && (v == -fill || float32(math.Abs(v)) == float32(fill) && fill < math.MaxFloat32)
	})
}

// The sums of what values a variable has: of the truth, then of the members.
const (
	valueMean   = iota // over cells that have a weight
	valueSquare        // mean square
	fillCount          // of values that look like fill values
	fillPlace          // the first of them: its place behind the member and the variable
	fillValue
	valueProduct    // mean product of the ensemble mean and the truth
	valueMeanSquare // mean square of the ensemble mean
	valueSums
)

// valueFamily looks at values. It has no scores.
func valueFamily() family {
	return family{
		name: "values", grid: true,
		sums: func(*setting, int) []string {
			var names []string
			for _, source := range []string{"truth", "members"} {
				for _, sum := range []string{"mean", "mean square", "fill values", "place of the first", "its value", "product", "square of the mean"} {
					names = append(names, sum+" of "+source)
				}
			}
			return names
		},
		count: func(*setting, int) int { return 2 * valueSums },
		field: func(c *sample, v, _ int, out []float64) error {
			clear(out)
			c.addValues(out[:valueSums], c.truthOf(v), 1)
			for k := range c.members {
				c.addValues(out[valueSums:], c.member(k, v), float64(c.members))
			}
			truth, n := c.truthOf(v), float64(c.size()-len(c.masked))
			for i, m := range c.meanOf(v) { // 0 in masked cells
				out[valueSums+valueProduct] += float64(m*truth[i]) / n
				out[valueSums+valueMeanSquare] += float64(m*m) / n
			}
			return nil
		},
		scores: func(*setting, int) []Formula { return nil },
		warn:   func(t *tally) []string { return slices.Concat(t.fillWarnings(), t.unitWarnings()) },
	}
}

// addValues adds the values of one of that many members.
func (c *sample) addValues(out, field []float64, members float64) {
	weights := c.weights[0]
	sum, squares := 0.0, 0.0
	for i, v := range field {
		if weights[i] == 0 {
			continue
		}
		sum += v
		squares += float64(v * v)
		if (v <= -999 || v >= 1e15) && isFill(v) {
			if out[fillCount] == 0 {
				out[fillPlace], out[fillValue] = float64(i), v
			}
			out[fillCount]++
		}
	}
	n := float64(len(field)-len(c.masked)) * members
	out[valueMean] += sum / n
	out[valueSquare] += squares / n
}

// owner is the name of what sums from at on are of.
func (t *tally) owner(column int) string {
	if column == 0 {
		return "target"
	}
	return t.model.name
}

// fillWarnings name values that look like fill values. Every model has the same ones of the truth.
func (t *tally) fillWarnings() []string {
	var out []string
	for v, name := range t.setting.variables {
		for _, start := range []int{0, valueSums} {
			counts := t.column(v, 0, start+fillCount)
			count := stat.Sum(counts)
			if count == 0 {
				continue
			}
			first := slices.IndexFunc(counts, func(n float64) bool { return n > 0 })
			place, value := int(t.column(v, 0, start+fillPlace)[first]), t.column(v, 0, start+fillValue)[first]
			out = append(out, fmt.Sprintf("%s: %s of %s in cells with weight look like a fill value (%g; first in "+
				"row %d, column %d of sample %d) and are scored as data; set their weight to 0 with --weights, or "+
				"replace them by NaN",
				t.owner(start), text.Count(int(count), "value"), name, value, place/t.width, place%t.width, t.kept[first]))
		}
	}
	return out
}

// unitWarnings name variables whose values are of another unit than the truth, as it seems.
func (t *tally) unitWarnings() []string {
	var out []string
	for v, name := range t.setting.variables {
		mean := func(k int) float64 { return stat.Mean(t.column(v, 0, k)) }
		if mean(fillCount)+mean(valueSums+fillCount) > 0 {
			continue
		}
		truth, members := mean(valueMean), mean(valueSums+valueMean)
		if kelvin(truth, members) || kelvin(members, truth) {
			out = append(out, fmt.Sprintf("%s: the mean of %s is %.4g, in the target %.4g: one looks like °C, the "+
				"other like K. The offset counts as error; convert both to one unit",
				t.model.name, name, members, truth))
			continue
		}
		square, total := mean(valueSquare), mean(valueSums+valueSquare)
		ratio := math.Sqrt(total / square)
		alike := (mean(valueSums+valueProduct) - truth*members) /
			math.Sqrt((square-truth*truth)*(mean(valueSums+valueMeanSquare)-members*members))
		if square > 0 && ratio > otherUnit || ratio > 0 && ratio < 1/otherUnit && alike > fairlyAlike {
			out = append(out, fmt.Sprintf("%s: the root mean square of %s is %.3g times the target's: the "+
				"unit or the standardization may differ, which counts as error; convert both to one unit",
				t.model.name, name, ratio))
		}
	}
	return out
}

// otherUnit is the ratio of root mean squares above which another unit is likely. Small values may
// belong to a forecast that knows little and stays near the mean: it is as much smaller as its correlation
// with the truth is, and one whose correlation is above fairlyAlike is not so small.
const (
	otherUnit   = 50.0
	fairlyAlike = 0.2
)

// kelvin reports whether two means are a temperature in °C and in K.
func kelvin(celsius, k float64) bool {
	return celsius > -95 && celsius < 65 && k > 178 && k < 338 && math.Abs(k-celsius-273.15) < 20
}

// rareShare is the share of cells below which scores of an event depend on few of them.
const rareShare = 0.005

// rare warns of events that occur in a few cells; base is the share of a variable.
func (t *tally) rare(base func(k int, means []float64) float64) []string {
	var out []string
	for k, e := range t.o.events() {
		for v, name := range t.setting.variables {
			share := base(k, t.means(v, 0))
			if share > 0 && share < rareShare {
				value := number(e.Value)
				if e.OfQuantile() {
					value = "quantile " + value
				}
				out = append(out, fmt.Sprintf("the event %s %s %s occurs in only %.2g %% of cells: its scores "+
					"depend on few cells; choose a more frequent event or use more samples",
					name, e.of(0).Sign(), value, 100*share))
			}
		}
	}
	return out
}
