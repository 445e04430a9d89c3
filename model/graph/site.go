// The queries of kernels' constructors about a step, on any device.

package graph

// Site is a step among the values of its program.
type Site struct {
	Step   *Step
	Values []Value
}

// Has reports whether input i is there.
func (s *Site) Has(i int) bool { return i < len(s.Step.In) && s.Step.In[i] >= 0 }

// HasOut reports whether anybody uses output i.
func (s *Site) HasOut(i int) bool { return i < len(s.Step.Out) && s.Step.Out[i] >= 0 }

// DType and Shape return the type and shape of input i, which must be present.
func (s *Site) DType(i int) DType { return s.Values[s.Step.In[i]].DType }
func (s *Site) Shape(i int) []int { return s.Values[s.Step.In[i]].Shape }

// OutDType and OutShape return the type and shape of output i, which must be used.
func (s *Site) OutDType(i int) DType { return s.Values[s.Step.Out[i]].DType }
func (s *Site) OutShape(i int) []int { return s.Values[s.Step.Out[i]].Shape }

// Constant returns the value of input i if it is known, else nil; a large value is deferred (see [Defer]).
func (s *Site) Constant(i int) *Tensor { return s.Values[s.Step.In[i]].Const }

// Wraps reports whether integers that the step leaves in output 0 must be brought back to its width.
func (s *Site) Wraps() bool {
	return s.Step.Op.Wraps && s.HasOut(0) && s.Values[s.Step.Out[0]].Narrow()
}
