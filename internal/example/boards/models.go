// Models of the board: a faithful one, and others with one defect each.

package boards

import (
	"math"
	"slices"

	"repscope/stat"
)

// LatentDim is the number of dimensions of the latents.
const LatentDim = 16

// Model is the output of a generator of problems, its encoder and its decoder.
type Model struct {
	Name string
	// Defect describes its defect, empty for the faithful one.
	Defect string
	// Generated are PerGrade problems for every requested grade.
	Generated Set
	// Predicted is the classifier's grade of each of them.
	Predicted []int
	// Reconstructed are the probabilities of the cells of the held-out problems,
	// [N, Channels, Rows, Columns].
	Reconstructed []float32
	// Latents are the latents of the held-out problems, [N, LatentDim].
	Latents []float64
}

// Data is the example: real problems for training and held-out ones, the classifier's grades of the latter, and the
// models.
type Data struct {
	Train, HeldOut   Set
	HeldOutPredicted []int
	Models           []Model
}

// The names of the models of the example.
const (
	Faithful      = "faithful"
	Collapsed     = "collapsed"
	Copying       = "copying"
	Unconditioned = "unconditioned"
	Invalid       = "invalid"
	Shifted       = "shifted"
	Blurred       = "blurred"
	Tangled       = "tangled"
)

// defects are the models: the generation of their problems, and the defects of their encoders and decoders relative to
// the faithful one's.
var defects = []struct {
	name, defect string
	generate     func(r *stat.Random, train *Set) Set
	blur         float64 // share of a cell's probability that goes to the adjacent holds
	tangle       float64 // share of the distance between grades that is lost in the latents
}{
	{Faithful, "", fresh, 0, 0},
	{Collapsed, "five problems of each grade, repeated", collapsed, 0, 0},
	{Copying, "the training problems", copies, 0, 0},
	{Unconditioned, "problems of any grade, independent of the requested one", unconditioned, 0, 0},
	{Invalid, "every third problem lacks its start, its end or its middle", invalid, 0, 0},
	{Shifted, "two holds too many, and a start too high", shifted, 0, 0},
	{Blurred, "reconstructions that blur holds into their neighbors", fresh, 0.42, 0},
	{Tangled, "latents that hardly separate grades", fresh, 0, 0.9},
}

// Example makes the built-in example.
func Example() *Data {
	e := &Data{Train: draw(random(0), PerGrade), HeldOut: draw(random(1), PerGrade)}
	e.HeldOutPredicted = classify(random(2), e.HeldOut.grade)
	for i, d := range defects {
		part := uint64(10 * (i + 1))
		m := Model{Name: d.name, Defect: d.defect, Generated: d.generate(random(part), &e.Train)}
		m.Predicted = classify(random(part+1), m.Generated.grade)
		m.Reconstructed = reconstruct(random(part+2), &e.HeldOut, d.blur)
		m.Latents = encode(random(part+3), &e.HeldOut, 1-d.tangle)
		e.Models = append(e.Models, m)
	}
	return e
}

func fresh(r *stat.Random, _ *Set) Set { return draw(r, PerGrade) }

func collapsed(r *stat.Random, _ *Set) Set {
	const modes = 5
	few := draw(r, modes)
	var s Set
	for grade := range Grades {
		for range PerGrade {
			s.add(few.Problem(grade*modes+r.Intn(modes)), FirstLabel+grade, grade)
		}
	}
	return s
}

func copies(_ *stat.Random, train *Set) Set {
	return Set{Cells: slices.Clone(train.Cells), Label: slices.Clone(train.Label), grade: slices.Clone(train.grade)}
}

func unconditioned(r *stat.Random, _ *Set) Set {
	var s Set
	for requested := range Grades {
		for range PerGrade {
			grade := r.Intn(len(Grades))
			s.add(set(r, grade), FirstLabel+requested, grade)
		}
	}
	return s
}

func invalid(r *stat.Random, _ *Set) Set {
	s := draw(r, PerGrade)
	const channel = Rows * Columns
	for i := range s.Len() {
		if i%3 != 0 {
			continue
		}
		p := s.Problem(i)
		switch r.Intn(3) {
		case 0:
			clear(p[:channel])
		case 1:
			clear(p[2*channel:])
		default: // one hold between is left
			first := channel + slices.Index(p[channel:2*channel], 1)
			clear(p[first+1 : 2*channel])
		}
	}
	return s
}

func shifted(r *stat.Random, _ *Set) Set {
	s := draw(r, PerGrade)
	for i := range s.Len() {
		p := s.Problem(i)
		for added := 0; added < 2; {
			hold := cell(middle, 5+r.Intn(Rows-7), r.Intn(Columns))
			if p[hold] == 0 {
				p[hold] = 1
				added++
			}
		}
		const up = 2 * Columns // two rows
		starts := p[:Rows*Columns]
		copy(starts[up:], starts[:len(starts)-up])
		clear(starts[:up])
	}
	return s
}

// classify is a classifier of known confusion: it returns the true grade for 62 % of the problems, an adjacent grade
// for 30 % and any for the others.
func classify(r *stat.Random, grades []int) []int {
	out := make([]int, len(grades))
	for i, grade := range grades {
		seen := grade
		switch u := r.Float64(); {
		case u < 0.62:
		case u < 0.92:
			seen += 1 - 2*r.Intn(2)
			if seen < 0 || seen >= len(Grades) {
				seen = 2*grade - seen
			}
		default:
			seen = r.Intn(len(Grades))
		}
		out[i] = FirstLabel + seen
	}
	return out
}

// reconstruct decodes problems: probabilities near the true cells, with a few cells wrong, smeared over the adjacent
// cells in the same row.
func reconstruct(r *stat.Random, s *Set, blur float64) []float32 {
	sharp := make([]float64, Cells)
	out := make([]float32, 0, len(s.Cells))
	for i := range s.Len() {
		for k, v := range s.Problem(i) {
			sharp[k] = 0.04 * r.Float64()
			wrong := r.Float64()
			if v == 1 && wrong > 0.06 || v == 0 && wrong < 0.0008 {
				sharp[k] = 0.75 + 0.24*r.Float64()
			}
		}
		for k, v := range sharp {
			p := (1 - blur) * v
			if k%Columns > 0 {
				p += blur / 2 * sharp[k-1]
			}
			if k%Columns < Columns-1 {
				p += blur / 2 * sharp[k+1]
			}
			out = append(out, float32(p))
		}
	}
	return out
}

// encode returns latents that hold the grade along a bent line, features of the problem in a few other directions, and
// noise; kept is the remaining share of the distance between grades.
func encode(r *stat.Random, s *Set, kept float64) []float64 {
	out := make([]float64, 0, s.Len()*LatentDim)
	for i := range s.Len() {
		z := make([]float64, LatentDim)
		for k := range z {
			z[k] = 0.4 * r.Normal()
		}
		grade := float64(s.grade[i]) - float64(len(Grades)-1)/2
		z[0] += kept * 2 * grade
		z[1] += kept * 0.5 * (grade*grade - 3)
		holds, column := 0., 0.
		for k, v := range s.Problem(i) {
			if v == 1 {
				holds++
				column += float64(k % Columns)
			}
		}
		z[2] += 0.35 * (column/holds - float64(Columns-1)/2)
		z[3] += 0.2 * (holds - 9 + float64(s.grade[i]))
		norm := math.Sqrt2 / 2 // rotated, so that no axis is the grade
		z[0], z[4] = norm*(z[0]-z[4]), norm*(z[0]+z[4])
		out = append(out, z...)
	}
	return out
}
