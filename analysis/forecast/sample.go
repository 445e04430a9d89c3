// One sample of one model: what families see.

package forecast

import (
	"fmt"
	"math"

	"repscope/measure/ensemble"
	"repscope/measure/verification"
)

// setting is what all samples share.
type setting struct {
	o             Options
	variables     []string
	height, width int
	regions       []string    // the first is the whole grid
	weights       [][]float64 // of the cells of every region, with the sum 1
	limits        [][]float64 // of every event and variable: the value that it begins at
	anomalies     bool        // there is a climatology to take them from
	waves         waves
	equal         []bool      // whether the weights of a region are all the same
	masked        []int       // cells that have no weight
	wide          [][]float64 // weights of all variables, one after the other; nil where equal
}

// size is the number of cells of a variable.
func (s *setting) size() int { return s.height * s.width }

// grid is the shape of a field as package verification takes it.
func (s *setting) grid() verification.Grid {
	return verification.Grid{Height: s.height, Width: s.width, Wrap: s.o.Wrap}
}

// fields is the shape of that many fields as package ensemble takes it.
func (s *setting) fields(variables int) ensemble.Grid {
	return ensemble.Grid{Variables: variables, Height: s.height, Width: s.width, Wrap: s.o.Wrap}
}

// sample is a sample of a model. Fields are [V,H,W], ensembles [S,V,H,W].
type sample struct {
	*setting
	index   int // of the sample in the input
	lead    float64
	members int
	truth   []float64
	// ensemble holds the members one after the other, mean their mean.
	ensemble, mean []float64
	climate        []float64 // the climatology of the sample; nil without

	scratch [][]float64
	// climateField holds a climatology of the sample's own, rest a row of an array of
	// which a part is taken.
	climateField, rest []float64
	verifying          verifying
}

// truthOf is the true field of a variable [H·W].
func (c *sample) truthOf(v int) []float64 { return c.truth[v*c.size() : (v+1)*c.size()] }

// meanOf is the ensemble mean of a variable [H·W].
func (c *sample) meanOf(v int) []float64 { return c.mean[v*c.size() : (v+1)*c.size()] }

// climateOf is the climatology of a variable [H·W]; nil without.
func (c *sample) climateOf(v int) []float64 {
	if c.climate == nil {
		return nil
	}
	return c.climate[v*c.size() : (v+1)*c.size()]
}

// member is the field of a variable of a member [H·W].
func (c *sample) member(k, v int) []float64 {
	at := (k*len(c.variables) + v) * c.size()
	return c.ensemble[at : at+c.size()]
}

// membersOf are the fields of a variable of all members.
func (c *sample) membersOf(v int) [][]float64 {
	out := make([][]float64, c.members)
	for k := range out {
		out[k] = c.member(k, v)
	}
	return out
}

// ofVariable is a variable in a region, as package ensemble takes it.
func (c *sample) ofVariable(v, region int) (ensemble.Sample[float64], error) {
	d := len(c.truth)
	s, err := ensemble.NewSample(c.truth, c.ensemble[:c.members*d])
	if err != nil {
		return s, err
	}
	s = s.Range(v*c.size(), (v+1)*c.size())
	if c.equal[region] {
		return s, nil
	}
	return s.Weighted(c.weights[region])
}

// ofAll are all variables in a region.
func (c *sample) ofAll(region int) (ensemble.Sample[float64], error) {
	s, err := ensemble.NewSample(c.truth, c.ensemble[:c.members*len(c.truth)])
	if err != nil {
		return s, err
	}
	return s.Weighted(c.wide[region])
}

// cells are k fields of scratch memory.
func (c *sample) cells(k int) [][]float64 {
	for len(c.scratch) < k {
		c.scratch = append(c.scratch, make([]float64, c.size()))
	}
	return c.scratch[:k]
}

// newSample is the scratch memory of a worker, for up to that many members.
func newSample(s *setting, members int) *sample {
	d := len(s.variables) * s.size()
	return &sample{setting: s, truth: make([]float64, d), ensemble: make([]float64, members*d), mean: make([]float64, d)}
}

// begin takes the members of another model.
func (c *sample) begin(members int) {
	c.members = members
	d := len(c.mean)
	copy(c.mean, c.ensemble[:d])
	for k := 1; k < members; k++ {
		for i, x := range c.ensemble[k*d : (k+1)*d] {
			c.mean[i] += x
		}
	}
	for i := range c.mean {
		c.mean[i] /= float64(members)
	}
}

// NonFiniteError is NaN or infinity in an array.
type NonFiniteError struct {
	Role  string // of the array: target, forecast NAME, …
	Array string // its file and key
	Index []int
	Value float64
}

func (e *NonFiniteError) Error() string {
	return fmt.Sprintf("%s: %s: element %v is %v, want finite numbers", e.Role, e.Array, e.Index, e.Value)
}

// CheckFinite finds NaN or infinity in a row of an array.
func CheckFinite(role string, a Array, row int, values []float64) *NonFiniteError {
	for i, v := range values {
		if v-v == 0 {
			continue
		}
		shape := stored(a)
		index := make([]int, len(shape))
		rest := row*len(values) + i
		for axis := len(shape) - 1; axis > 0; axis-- {
			index[axis] = rest % shape[axis]
			rest /= shape[axis]
		}
		index[0] = rest
		return &NonFiniteError{Role: role, Array: a.Name(), Index: index, Value: v}
	}
	return nil
}

// undefined are n numbers that are not there.
func undefined(n int) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = math.NaN()
	}
	return out
}
