// The gallery: figures like those in the analyses, for one to twelve models. The tests assert their geometry; with
// PLOTS_GALLERY=DIR they also write them there for inspection.

package plots

import (
	"fmt"
	"image"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
)

var longNames = []string{"jepa", "encoder_decoder", "random_weights", "pixel_pca", "vq_vae_codebook512", "contrastive-simclr", "DreamerV3RecurrentStateSpace",
	"dqn", "byol_momentum_encoder", "masked_autoencoder", "inverse_dynamics", "bisimulation_metric"}

func shortNames(n int) []string {
	var names []string
	for i := range n {
		names = append(names, fmt.Sprintf("m%d", i+1))
	}
	return names
}

func manifoldFigure(names []string) Figure {
	r := rand.New(rand.NewPCG(1, uint64(len(names))))
	var ratio, dimension, usage []Bar
	spectrum, cumulative := []SpectrumSeries{}, []CurveSeries{}
	var rows [][]string
	for i, name := range names {
		size := 128
		decay := 4 + 3*float64(i)
		values := make([]float64, size)
		total, squares := 0.0, 0.0
		for j := range values {
			values[j] = 80 * math.Exp(-float64(j)/decay) * (1 + 0.05*r.Float64())
			if i == 1 && j > 100 {
				values[j] = 0
			}
			total += values[j]
			squares += values[j] * values[j]
		}
		pr := total * total / squares
		id := 4 + 6*r.Float64()
		ratio = append(ratio, Bar{Name: name, Value: pr, Low: pr * 0.93, High: pr * 1.08})
		dimension = append(dimension, Bar{Name: name, Value: id, Low: id - 0.6, High: id + 0.7})
		usage = append(usage, Bar{Name: name, Value: 100 * pr / float64(size), Low: 93 * pr / float64(size), High: 108 * pr / float64(size)})
		spectrum = append(spectrum, SpectrumSeries{Name: name, Values: values})
		c := CurveSeries{Name: name}
		sum := 0.0
		for j, v := range values {
			sum += v
			c.X, c.Y = append(c.X, float64(j+1)), append(c.Y, sum/total)
		}
		cumulative = append(cumulative, c)
		rows = append(rows, []string{name, fmt.Sprint(size), Number(pr, 3), Number(id, 3), Number(100*pr/float64(size), 3)})
	}
	height := 110.0
	if len(names) > 5 {
		height = 150
	}
	return Figure{
		WidthMM: DoubleColumnMM, HeightMM: height, Series: names,
		Tiles: []Tile{
			{Row: 0, Column: 0, Title: "Participation ratio", Panel: &Bars{Y: Axis{Label: "PR"}, Bars: ratio}},
			{Row: 0, Column: 1, Title: "Intrinsic dimension (Two-NN)", Panel: &Bars{Y: Axis{Label: "Dimension"}, Bars: dimension}},
			{Row: 0, Column: 2, Title: "Usage PR/D", Panel: &Bars{Y: Axis{Label: "Usage (%)"}, Bars: usage}},
			{Row: 1, Column: 0, Title: "Eigenvalue spectrum", Panel: &Spectrum{X: Axis{Label: "Index"}, Y: Axis{Label: "Eigenvalue λ_{i}"}, Series: spectrum}},
			{Row: 1, Column: 1, Title: "Cumulative variance", Panel: &Curves{X: Axis{Label: "Dimensions", Log: true}, Y: Axis{Label: "Share of variance", Max: 1.02}, Series: cumulative,
				References: []Reference{{Value: 0.9, Label: "90 %"}, {Value: 0.99, Label: "99 %"}}}},
			{Row: 1, Column: 2, Title: "Summary", Panel: &Table{Header: []string{"Model", "D", "PR", "ID", "Use (%)"}, Rows: rows, Keys: true}},
		},
		Footnote: "n = 5,976 frames of 21 episodes; 95 % intervals: block bootstrap over episodes (1,000 resamples).",
	}
}

// linearFit is the line intercept + slope·x over [low, high] with the band that
// band returns at each x (nil: none).
func linearFit(slope, intercept, low, high float64, band func(x float64) (low, high float64)) *Fit {
	const points = 64
	fit := &Fit{X: make([]float64, points), Y: make([]float64, points)}
	if band != nil {
		fit.Low, fit.High = make([]float64, points), make([]float64, points)
	}
	for i := range points {
		x := low + (high-low)*float64(i)/(points-1)
		fit.X[i], fit.Y[i] = x, intercept+slope*x
		if band != nil {
			fit.Low[i], fit.High[i] = band(x)
		}
	}
	return fit
}

func smoothnessFigure(names []string, points int) Figure {
	r := rand.New(rand.NewPCG(2, uint64(len(names))))
	var series []ScatterSeries
	var boxes []Box
	for i, name := range names {
		slope, intercept := 2e-4*float64(i+1), 0.05*float64(i)
		s := ScatterSeries{Name: name}
		b := Box{Name: name}
		for range points {
			x := 300 + 1800*r.Float64()*r.Float64()
			y := intercept + slope*x + 0.06*r.NormFloat64()
			s.X, s.Y = append(s.X, x), append(s.Y, y)
			b.Values = append(b.Values, math.Abs(y)/x*math.Exp(0.4*r.NormFloat64()))
		}
		s.Fit = linearFit(slope, intercept, 300, 2100, func(x float64) (float64, float64) {
			half := 0.01 + 0.03*math.Abs(x-900)/1200
			return intercept + slope*x - half, intercept + slope*x + half
		})
		series = append(series, s)
		boxes = append(boxes, b)
	}
	return Figure{
		WidthMM: DoubleColumnMM, HeightMM: 75, Series: names,
		Tiles: []Tile{
			{Row: 0, Column: 0, Title: "Consecutive frames", Panel: &Scatter{X: Axis{Label: "Pixel distance d_{s}"}, Y: Axis{Label: "Latent distance d_{z} (RMS units)"}, Series: series}},
			{Row: 0, Column: 1, Title: "Ratio d_{z}/d_{s}", Panel: &BoxPlot{Y: Axis{Label: "d_{z}/d_{s}", Log: true}, Boxes: boxes}},
		},
		ColumnWidths: []float64{1.4, 1},
	}
}

func robustnessFigure(names []string) Figure {
	r := rand.New(rand.NewPCG(3, uint64(len(names))))
	sigma := []float64{0.01, 0.05, 0.1, 0.15, 0.2}
	var series []CurveSeries
	var boxes []Box
	for i, name := range names {
		s := CurveSeries{Name: name, X: sigma}
		for _, x := range sigma {
			y := (1 + 0.4*float64(i)) * (1 - math.Exp(-8*x))
			s.Y, s.Low, s.High = append(s.Y, y), append(s.Low, y*0.95), append(s.High, y*1.05)
		}
		if i == 1 {
			s.Y[2] = math.NaN()
		}
		b := Box{Name: name}
		for range 800 {
			b.Values = append(b.Values, (1+0.4*float64(i))*math.Exp(0.3*r.NormFloat64()))
		}
		series, boxes = append(series, s), append(boxes, b)
	}
	return Figure{
		WidthMM: DoubleColumnMM, HeightMM: 72, Series: names, Legend: LegendRight,
		Tiles: []Tile{
			{Row: 0, Column: 0, Title: "Distance under noise", Panel: &Curves{X: Axis{Label: "Noise level σ", Zero: true}, Y: Axis{Label: "Latent distance ‖φ(x′) − φ(x)‖₂", Zero: true}, Series: series}},
			{Row: 0, Column: 1, Title: "σ = 0.1", Panel: &BoxPlot{Y: Axis{Label: "Latent distance", Zero: true}, Boxes: boxes}},
		},
	}
}

func neighborhoodFigure(names []string, width float64) Figure {
	r := rand.New(rand.NewPCG(4, uint64(len(names))))
	make2 := func() []BarSeries {
		var all []BarSeries
		for i, name := range names {
			s := BarSeries{Name: name}
			for k := range 3 {
				v := 0.95 - 0.03*float64(i)/2 - 0.02*float64(k) - 0.02*r.Float64()
				s.Values, s.Low, s.High = append(s.Values, v), append(s.Low, v-0.01), append(s.High, v+0.012)
			}
			all = append(all, s)
		}
		return all
	}
	chance := []Reference{{Value: 0.5, Label: "chance"}}
	groups := []string{"5", "10", "20"}
	return Figure{
		WidthMM: width, HeightMM: 60, Series: names,
		Tiles: []Tile{
			{Row: 0, Column: 0, Title: "Trustworthiness", Panel: &GroupedBars{X: Axis{Label: "Neighbours k"}, Y: Axis{Label: "T(k)"}, Groups: groups, Series: make2(), References: chance}},
			{Row: 0, Column: 1, Title: "Continuity", Panel: &GroupedBars{X: Axis{Label: "Neighbours k"}, Y: Axis{Label: "C(k)"}, Groups: groups, Series: make2(), References: chance}},
		},
	}
}

func oddFigure() Figure {
	nan, inf := math.NaN(), math.Inf(1)
	gray := func(seed uint64) image.Image {
		r := rand.New(rand.NewPCG(5, seed))
		pixels := make([]uint8, 12*16)
		for i := range pixels {
			pixels[i] = uint8(r.IntN(256))
		}
		m, _ := GrayImage(pixels, 12, 16)
		return m
	}
	planes := make([]uint8, 3*64)
	for i := range 64 {
		planes[i], planes[64+i], planes[128+i] = uint8(4*i), uint8(255-4*i), 128
	}
	color, _ := RGBImage(planes, 8, 8)
	return Figure{
		WidthMM: DoubleColumnMM, HeightMM: 130, Series: []string{"tiny", "huge", "undefined", "constant"}, LegendTitle: "Model", Legend: LegendAbove,
		Tiles: []Tile{
			{Row: 0, Column: 0, Title: "Small values, negative too, NaN, ±Inf", Panel: &Bars{Y: Axis{Label: "Slope (1/pixel)"}, Bars: []Bar{{Name: "tiny", Value: 3e-12, Low: 2e-12, High: 5e-12}, {Name: "huge", Value: -2e-12, Low: -3e-12, High: -1e-12}, {Name: "undefined", Value: nan}, {Name: "constant", Value: inf}}}},
			{Row: 0, Column: 1, Title: "Large values on both axes", Panel: &Curves{X: Axis{Label: "Steps"}, Y: Axis{Label: "Energy"}, Series: []CurveSeries{{Name: "huge", X: []float64{1e7, 2e7, 3e7, 4e7, 5e7}, Y: []float64{1e12, 3e12, nan, 2e12, 5e12}, Low: []float64{0.5e12, 2e12, nan, 1e12, 4e12}, High: []float64{2e12, 4e12, nan, 3e12, 6e12}}, {X: []float64{1e7, 5e7}, Y: []float64{1e12, 1e12}}}}},
			{Row: 0, Column: 2, Title: "One point; log axis with zeros", Panel: &Scatter{X: Axis{Label: "x", Log: true}, Y: Axis{Label: "y"}, Series: []ScatterSeries{{Name: "constant", X: []float64{3, 0, -1}, Y: []float64{7, 1, 1}}}}},
			{Row: 1, Column: 0, Title: "Frames", Panel: &ImageGrid{Images: [][]image.Image{{gray(1), gray(2), gray(3)}, {color, nil, gray(4)}}, RowLabels: []string{"original", "decoded"}, ColumnLabels: []string{"t", "t + 1", "t + 2"}}},
			{Row: 1, Column: 1, Title: "All undefined", Panel: &GroupedBars{X: Axis{Label: "k"}, Y: Axis{Label: "score"}, Groups: []string{"5", "10"}, Series: []BarSeries{{Name: "undefined", Values: []float64{nan, nan}}, {Name: "constant", Values: []float64{0.5, nan}, Low: []float64{0.4, nan}, High: []float64{0.6, nan}}}}},
			{Row: 1, Column: 2, Title: "A note", Panel: &Text{Body: "Retrieval flips count latents whose nearest clean latent is not their own, r^{2} = 0.93, x_{t+1} follows x_{t}.\n\nα, β, λ₁ ≥ λ₂; 10⁻³; encoder_decoder stays whole."}},
			{Row: 2, Column: 0, ColumnSpan: 2, Title: "Long and short", Panel: &BoxPlot{X: Axis{Label: "Model"}, Y: Axis{Label: "Distance (pixels)", Log: true}, Boxes: []Box{{Name: "tiny", Values: []float64{1, 2, 3, 4, 5, 500}}, {Name: "huge", Values: []float64{2}}, {Name: "undefined", Values: []float64{nan}}, {Name: "constant", Values: []float64{4, 4, 4, 0}}}}},
			{Row: 2, Column: 2, Title: "Constant curve", Panel: &Curves{X: Axis{Label: "t"}, Y: Axis{Label: "value"}, Series: []CurveSeries{{Name: "constant", X: []float64{1, 2, 3}, Y: []float64{1e6, 1e6, 1e6}}}}},
		},
	}
}

// geometryFigure has a matrix, and reasons: the last model has collapsed.
func geometryFigure(names []string) Figure {
	const reason = "collapsed: the points are constant"
	r := rand.New(rand.NewPCG(6, uint64(len(names))))
	matrix := &Matrix{Names: names}
	cosine, steps := &Bars{Y: Axis{Label: "Cosine of successive steps"}}, &BoxPlot{Y: Axis{Label: "Step / RMS distance", Log: true}}
	groups := &GroupedBars{Y: Axis{Label: "Score"}, Groups: []string{"Silhouette", "ARI"}}
	memory := &Curves{X: Axis{Label: "Lag", Integer: true}, Y: Axis{Label: "ρ"}, References: []Reference{{Value: 0}}}
	sphere := &Scatter{X: Axis{Label: "Alignment"}, Y: Axis{Label: "Uniformity"}}
	for i, name := range names {
		row := make([]float64, len(names))
		for j := range row {
			row[j] = 2*r.Float64() - 1
		}
		v, why := -0.02-0.4*r.Float64(), ""
		box := Box{Name: name, Values: []float64{0.1, 0.2, 0.3, 0.2 + r.Float64()}}
		curve := CurveSeries{Name: name, X: []float64{0, 1, 2}, Y: []float64{1, 0.5, 0.2 * r.Float64()}}
		bars := BarSeries{Name: name, Values: []float64{0.2 * r.Float64(), 0.3}}
		points := ScatterSeries{Name: name, X: []float64{r.Float64()}, Y: []float64{-3 * r.Float64()}}
		if i == len(names)-1 {
			v, why = math.NaN(), reason
			box.Values, curve.X, curve.Y, points.X, points.Y = nil, nil, nil, nil, nil
			bars.Values = []float64{v, v}
			for j := range row {
				row[j] = v
			}
		}
		box.Reason, curve.Reason, bars.Reason, points.Reason = why, why, why, why
		matrix.Values = append(matrix.Values, row)
		cosine.Bars = append(cosine.Bars, Bar{Name: name, Value: v, Low: v - 0.05, High: v + 0.05, Reason: why})
		steps.Boxes, memory.Series = append(steps.Boxes, box), append(memory.Series, curve)
		groups.Series, sphere.Series = append(groups.Series, bars), append(sphere.Series, points)
	}
	return Figure{
		WidthMM: DoubleColumnMM, HeightMM: 130, Series: names,
		ColumnWidths: []float64{1, 1.1, 1.1},
		Tiles: []Tile{
			{Row: 0, Column: 0, Title: "Unit sphere", Panel: sphere}, {Row: 0, Column: 1, Title: "Groups", Panel: groups},
			{Row: 0, Column: 2, Title: "Similarity", Panel: matrix}, {Row: 1, Column: 0, Title: "Autocorrelation", Panel: memory},
			{Row: 1, Column: 1, Title: "Step size", Panel: steps}, {Row: 1, Column: 2, Title: "Straightness", Panel: cosine},
		},
		Footnote: "Error bars: 95 %.",
		Notes:    []string{"intervals are about these episodes"},
	}
}

// forecastFigure has histograms, heat maps and maps with color bars.
func forecastFigure(names []string) Figure {
	r := rand.New(rand.NewPCG(8, uint64(len(names))))
	grid := &ImageGrid{ColumnLabels: []string{"mean", "spread", "error"}, Bars: []ImageBar{
		{Scale: ColorScale{Low: -12, High: 24, Label: "Temperature (°C)"}},
		{First: 1, Last: 1, Scale: ColorScale{Ramp: RampMagnitude, High: 8e-5, Label: "Standard deviation (kg m⁻² s⁻¹)"}},
		{First: 2, Last: 2, Scale: ColorScale{Ramp: RampDiverging, Low: -12000, High: 12000}},
	}}
	skill := &HeatMap{X: Axis{Label: "Lead (h)"}, Rows: names, Columns: []string{"6", "24", "48", "72", "120", "240"},
		Scale: ColorScale{Ramp: RampDiverging, Low: -1, High: 1, Label: "Skill over persistence"}}
	bare := &HeatMap{Columns: skill.Columns, Scale: ColorScale{High: 1}, Decimals: -1}
	f := Figure{WidthMM: DoubleColumnMM, HeightMM: 110 + 8*float64(len(names)), Series: names, RowHeights: []float64{1, 1 + 0.1*float64(len(names))}}
	for i, name := range names {
		var maps []image.Image
		for _, b := range grid.Bars {
			values := make([]float64, 12*20)
			for k := range values {
				values[k] = b.Scale.Low + (b.Scale.High-b.Scale.Low)*math.Sin(float64(k*(i+1))/40)
			}
			m, _ := b.Scale.Image(values, 12, 20)
			maps = append(maps, m)
		}
		grid.Images, grid.RowLabels = append(grid.Images, maps), append(grid.RowLabels, name)
		var row []float64
		for range skill.Columns {
			row = append(row, 2*r.Float64()-1)
		}
		row[5] = math.NaN()
		skill.Values, bare.Values = append(skill.Values, row), append(bare.Values, row)
		if i < 3 {
			h := &Histogram{X: Axis{Label: "Rank", Integer: true}, Y: Axis{Label: "Share"}, Name: name, Edges: []float64{-0.5}, Low: 0.04, High: 0.06,
				References: []Reference{{Value: 0.05, Label: "uniform"}}}
			for k := range 20 {
				h.Values, h.Edges = append(h.Values, 0.03+0.001*math.Pow(float64(k)-10, 2)), append(h.Edges, float64(k)+0.5)
			}
			f.Tiles = append(f.Tiles, Tile{Panel: h, Title: name, Row: 0, Column: i})
		}
	}
	f.Tiles = append(f.Tiles, Tile{Panel: grid, Row: 1, Column: 0, Title: "Maps"}, Tile{Panel: skill, Row: 1, Column: 1, Title: "Skill"}, Tile{Panel: bare, Row: 1, Column: 2, Title: "Bare"})
	return f
}

func galleryFigures() map[string]Figure {
	figures := map[string]Figure{}
	for _, n := range []int{1, 2, 4, 8, 12} {
		for kind, names := range map[string][]string{"long": longNames[:n], "short": shortNames(n)} {
			add := func(what string, f Figure) { figures[fmt.Sprintf("%s_%02d_%s", what, n, kind)] = f }
			add("manifold", manifoldFigure(names))
			add("smoothness", smoothnessFigure(names, 400))
			add("robustness", robustnessFigure(names))
			add("neighborhood", neighborhoodFigure(names, DoubleColumnMM))
			add("geometry", geometryFigure(names))
			add("forecast", forecastFigure(names))
		}
	}
	figures["neighborhood_single"] = neighborhoodFigure(longNames[:4], SingleColumnMM)
	figures["odd"] = oddFigure()
	maps := forecastFigure(longNames[:3])
	maps.WidthMM, maps.HeightMM, maps.Tiles = SingleColumnMM, 70, maps.Tiles[3:4]
	maps.Tiles[0].Row, maps.RowHeights = 0, nil
	figures["maps_single"] = maps
	single := robustnessFigure(longNames[:4])
	single.WidthMM, single.HeightMM, single.Legend = SingleColumnMM, 60, LegendBelow
	single.Tiles = single.Tiles[:1]
	figures["robustness_single"] = single
	return figures
}

func TestGalleryFiles(t *testing.T) {
	folder := os.Getenv("PLOTS_GALLERY")
	if folder == "" {
		t.Skip("set PLOTS_GALLERY=DIR to write the gallery")
	}
	if err := os.MkdirAll(folder, 0o777); err != nil {
		t.Fatal(err)
	}
	for name, f := range galleryFigures() {
		for _, format := range formats() {
			if format != "png" && name != "odd" && name != "manifold_04_long" && name != "smoothness_02_long" {
				continue
			}
			file, err := os.Create(filepath.Join(folder, name+"."+format))
			if err != nil {
				t.Fatal(err)
			}
			if err := f.Render(file, format); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			file.Close()
		}
		warnings, _ := f.Warnings()
		for _, w := range warnings {
			t.Logf("%s: %s", name, w)
		}
	}
}
