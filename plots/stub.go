package plots

import "io"

type environment struct{}
type content interface{}
type scene struct{ warnings []string }

func (f *Figure) render(w io.Writer, format string) (*scene, error) {
	if _, err := checkFormat(format); err != nil {
		return nil, err
	}
	return &scene{}, nil
}
func (*Scatter) prepare(*environment) (content, error)     { return nil, nil }
func (*BoxPlot) prepare(*environment) (content, error)     { return nil, nil }
func (*GroupedBars) prepare(*environment) (content, error) { return nil, nil }
func (*Bars) prepare(*environment) (content, error)        { return nil, nil }
func (*Curves) prepare(*environment) (content, error)      { return nil, nil }
func (*Spectrum) prepare(*environment) (content, error)    { return nil, nil }
func (*Table) prepare(*environment) (content, error)       { return nil, nil }
func (*ImageGrid) prepare(*environment) (content, error)   { return nil, nil }
func (*Text) prepare(*environment) (content, error)        { return nil, nil }
