// Figures of generated samples: a contact sheet, and how different samples of a label are.

package command

import (
	"fmt"
	"image"
	"math/bits"
	"strconv"

	"repscope/analysis/generation"
	"repscope/analysis/generation/climbing"
	"repscope/plots"
)

// Sizes of the contact sheet.
const (
	sheetColumns = 6 // samples of each generator
	sheetRows    = 4 // generators next to the real samples
)

// shown are the generators with grids that can be drawn, the real samples not among them.
func (d *drawing) shown() []*generation.Generator {
	var out []*generation.Generator
	for i := range d.in.Generators {
		if g := &d.in.Generators[i]; !g.Reference && drawable(g.Generated) {
			out = append(out, g)
		}
	}
	return out
}

// drawable reports whether samples are grids of one channel, or of several over a plane.
func drawable(s *generation.Samples) bool {
	return s.Binary() && (len(s.Shape) == 2 || len(s.Shape) == 3)
}

// truth are real samples to be shown: held-out ones if there are any; nil: none.
func (d *drawing) truth() *generation.Samples {
	if d.in.HoldOut != nil {
		return d.in.HoldOut
	}
	return d.in.Real
}

func (d *drawing) samplePages() int { return pages(len(d.shown()), sheetRows) }

// samples is a contact sheet: a row for the real samples and for each generator, a column
// for each of a few labels.
func (d *drawing) samples(k int) (*plots.Figure, error) {
	all := d.shown()
	some := all[k*sheetRows : min((k+1)*sheetRows, len(all))]
	shape := some[0].Generated.Shape
	rows, names := []*generation.Samples{}, []string{}
	if t := d.truth(); drawable(t) {
		rows, names = append(rows, t), append(names, generation.RealRow)
	}
	var every [][]int
	for _, g := range some {
		rows, names = append(rows, g.Generated), append(names, g.Name)
	}
	for _, s := range rows {
		every = append(every, s.Labels)
	}
	columns, titles := d.columns(generation.DistinctLabels(every...))
	picked := make([][]int, len(rows))
	for i, s := range rows {
		picked[i] = pick(s, columns)
	}
	f := &plots.Figure{WidthMM: plots.DoubleColumnMM, NoLetters: true, Title: "Generated samples"}
	if climbing.IsBoard(shape) {
		sheet := boardSheet(rows, picked)
		sheet.RowLabels, sheet.ColumnLabels = names, titles
		f.Tiles, f.Series = []plots.Tile{{Panel: sheet}}, []string{"middle", "start", "end"}
		f.HeightMM = 14 + 43*float64(len(rows))
		return f, nil
	}
	grid := &plots.ImageGrid{RowLabels: names, ColumnLabels: titles}
	for i, s := range rows {
		var row []image.Image
		for _, index := range picked[i] {
			row = append(row, gridImage(s, index))
		}
		grid.Images = append(grid.Images, row)
	}
	f.Tiles = []plots.Tile{{Panel: grid}}
	height, width := shape[len(shape)-2], shape[len(shape)-1]
	f.HeightMM = min(235, 8+float64(len(rows))*(1+26*float64(height)/float64(width)))
	return f, nil
}

// columns are the labels of the columns of a contact sheet, of many some at equal
// distances, of few each several times; without labels they are numbers of samples.
func (d *drawing) columns(all []int) (chosen []int, titles []string) {
	for j := range sheetColumns {
		switch {
		case len(all) == 0:
			chosen, titles = append(chosen, 0), append(titles, strconv.Itoa(j+1))
			continue
		case len(all) >= sheetColumns:
			chosen = append(chosen, all[j*(len(all)-1)/(sheetColumns-1)])
		default:
			chosen = append(chosen, all[j*len(all)/sheetColumns])
		}
		titles = append(titles, d.names.name(chosen[j]))
	}
	return chosen, titles
}

// pick takes for each column the first sample of its label that no column before took; −1:
// there is none.
func pick(s *generation.Samples, columns []int) []int {
	taken := map[int]int{}
	out := make([]int, len(columns))
	for j, label := range columns {
		out[j] = -1
		skip := taken[label]
		for i := range s.N() {
			if s.Labels != nil && s.Labels[i] != label {
				continue
			}
			if skip == 0 {
				out[j] = i
				break
			}
			skip--
		}
		taken[label]++
	}
	return out
}

// boardSheet shows problems of a climbing board.
func boardSheet(rows []*generation.Samples, picked [][]int) *plots.BoardSheet {
	sheet := &plots.BoardSheet{Kinds: climbing.ChannelNames()}
	for c := range climbing.Columns {
		sheet.XNames = append(sheet.XNames, string(rune('A'+c)))
	}
	for r := range climbing.Rows {
		sheet.YNames = append(sheet.YNames, strconv.Itoa(r+1))
	}
	for i, s := range rows {
		row := make([][]uint8, len(picked[i]))
		for j, index := range picked[i] {
			if index >= 0 {
				row[j] = s.Rows.U8[index*s.Rows.Dim : (index+1)*s.Rows.Dim]
			}
		}
		sheet.Boards = append(sheet.Boards, row)
	}
	return sheet
}

// gridImage shows a grid: of three channels as red, green and blue, of others how many of
// them are set, dark on white; nil where there is none.
func gridImage(s *generation.Samples, index int) image.Image {
	if index < 0 {
		return nil
	}
	cells := s.Rows.U8[index*s.Rows.Dim : (index+1)*s.Rows.Dim]
	height, width := s.Shape[len(s.Shape)-2], s.Shape[len(s.Shape)-1]
	size := height * width
	channels := len(cells) / size
	pixels := make([]uint8, len(cells))
	if channels == 3 {
		for i, v := range cells {
			pixels[i] = 255 * v
		}
		m, err := plots.RGBImage(pixels, height, width)
		if err != nil {
			return nil
		}
		return m
	}
	for i := range size {
		set := 0
		for c := range channels {
			set += int(cells[c*size+i])
		}
		pixels[i] = uint8(255 - 255*set/channels)
	}
	m, err := plots.GrayImage(pixels[:size], height, width)
	if err != nil {
		return nil
	}
	return m
}

// distanceMost is how many samples of a label there are whose pairs are drawn.
const distanceMost = 64

// compared are the generators and rows with grids, and real samples that are no row.
func (d *drawing) compared() []generation.Generator {
	var out []generation.Generator
	real := false
	for _, g := range d.in.Generators {
		if g.Generated.Binary() {
			out, real = append(out, g), real || g.Name == generation.RealRow
		}
	}
	if t := d.truth(); !real && len(out) > 0 && t.Binary() {
		out = append(out, generation.Generator{Name: generation.RealRow, Generated: t})
	}
	return out
}

// comparedLabels are the labels of generated grids; one without a name where there are
// none.
func (d *drawing) comparedLabels() []int {
	var all [][]int
	compared := d.compared()
	for _, g := range compared {
		all = append(all, g.Generated.Labels)
	}
	labels := generation.DistinctLabels(all...)
	if len(compared) > 0 && len(labels) == 0 {
		return []int{0}
	}
	return labels
}

// distanceLabels is how many labels stand side by side: fewer where there are many boxes.
func (d *drawing) distanceLabels() int {
	if len(d.compared()) > 10 {
		return 3
	}
	return 6
}

func (d *drawing) distancePages() int {
	if !d.has("diversity") {
		return 0
	}
	return pages(len(d.comparedLabels()), d.distanceLabels())
}

// distances shows for each label the distances of pairs of valid samples, for all
// generators and real samples: Hamming above, Jaccard below.
func (d *drawing) distances(k int) (*plots.Figure, error) {
	all, compared, each := d.comparedLabels(), d.compared(), d.distanceLabels()
	some := all[k*each : min((k+1)*each, len(all))]
	f := &plots.Figure{WidthMM: max(plots.SingleColumnMM, plots.DoubleColumnMM*float64(len(some))/float64(each)), HeightMM: 118 + 4*float64(len(compared)/8),
		Series: d.series(), Title: "Distances between generated samples", Footnote: fmt.Sprintf(
			"Pairs of valid samples, at most %d pairs per label.", distanceMost)}
	if d.rows() {
		f.Footnote += fmt.Sprintf(" %s: held-out real samples; %s: with shuffled labels.", generation.RealRow,
			generation.ShuffledRow)
	}
	for j, label := range some {
		hamming := &plots.BoxPlot{Y: plots.Axis{Zero: true, Integer: true}, NamesInLegend: true, MaxOutliers: 20}
		jaccard := &plots.BoxPlot{Y: plots.Axis{Min: 0, Max: 1.02, Ticks: []float64{0, 0.25, 0.5, 0.75, 1}}, NamesInLegend: true, MaxOutliers: 20}
		if j == 0 {
			hamming.Y.Label, jaccard.Y.Label = "Hamming distance (cells)", "Jaccard distance"
		}
		labeled := false
		for _, g := range compared {
			h, s := pairDistances(g.Generated, label)
			reason := ""
			if len(h) == 0 {
				reason = "fewer than 2 valid samples"
			}
			hamming.Boxes = append(hamming.Boxes, plots.Box{Name: g.Name, Values: h, Reason: reason})
			jaccard.Boxes = append(jaccard.Boxes, plots.Box{Name: g.Name, Values: s, Reason: reason})
			labeled = labeled || g.Generated.Labels != nil
		}
		title := ""
		if labeled {
			title = d.names.name(label)
		}
		f.Tiles = append(f.Tiles, plots.Tile{Panel: hamming, Title: title, Row: 0, Column: j, Letter: "-"},
			plots.Tile{Panel: jaccard, Row: 1, Column: j, Letter: "-"})
	}
	return f, nil
}

// pairDistances are the distances of all pairs of the first valid samples of a label.
func pairDistances(s *generation.Samples, label int) (hamming, jaccard []float64) {
	var packed [][]uint64
	for i := 0; i < s.N() && len(packed) < distanceMost; i++ {
		if s.Labels != nil && s.Labels[i] != label || !s.IsValid(i) {
			continue
		}
		words := make([]uint64, (s.Rows.Dim+63)/64)
		for k, v := range s.Rows.U8[i*s.Rows.Dim : (i+1)*s.Rows.Dim] {
			words[k/64] |= uint64(v) << (k % 64)
		}
		packed = append(packed, words)
	}
	for i := range packed {
		for j := range i {
			differ, either := 0, 0
			for w, a := range packed[i] {
				differ += bits.OnesCount64(a ^ packed[j][w])
				either += bits.OnesCount64(a | packed[j][w])
			}
			hamming = append(hamming, float64(differ))
			jaccard = append(jaccard, float64(differ)/float64(max(either, 1)))
		}
	}
	return hamming, jaccard
}
