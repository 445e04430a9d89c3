// What the flags name, read and put together.

package command

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"repscope/analysis/audit"
	"repscope/dataset"
	"repscope/internal/example"
	"repscope/internal/input"
	"repscope/internal/memory"
	"repscope/internal/run"
	"repscope/internal/text"
	"repscope/points"
	"repscope/report"
)

// loaded is the input of an audit with what files and figures need of it.
type loaded struct {
	audit.Input
	span float64 // of the values of a state
	low  float64 // the least of them
	// shape and layout of a state.
	shape  []int
	layout string
	// rows are the rows of the states in their files, one file after the other; all counts them, and second is the first
	// row of the second file, with --train and --test; else 0.
	rows        []int
	all, second int
}

// unit is what one element is called.
func (l *loaded) unit() string {
	if l.Sequences != nil {
		return "sequence"
	}
	return "state"
}

// row is the row of a state in its file.
func (l *loaded) row(state int) int {
	if row := l.rows[state]; row < l.second || l.second == 0 {
		return row
	}
	return l.rows[state] - l.second
}

// episodeOf is the episode of a state; −1 without episodes.
func (l *loaded) episodeOf(state int) int {
	if l.Episode == nil {
		return -1
	}
	return l.Episode[state]
}

// recording is one opened file of states.
type recording struct {
	path   string
	states *dataset.States
	// episode is nil where neither the file nor a flag has any.
	episode []int
}

// load reads everything.
func (f *options) load(env *run.Env) (*loaded, error) {
	if f.example.On() {
		return loadExample(env)
	}
	var files []*recording
	var err error
	open := func(role, path string, episodes *input.Given) {
		if err == nil {
			var r *recording
			r, err = f.open(env, role, path, episodes)
			files = append(files, r)
		}
	}
	if f.sequences != "" || isSequences(f.trainFile) {
		l, err := f.loadSequences(env)
		if err != nil {
			return nil, err
		}
		l.Train = f.split.train
		return l, f.loadArrays(env, l)
	}
	if f.trainFile == "" {
		open("frames", f.frames, f.roles.episodes)
	} else {
		if f.frames != "" || f.roles.episodes.Any() {
			env.Note("note: --frames and --episodes are not read, because --train and --test are given")
		}
		open("train", f.trainFile, f.roles.trainEpisodes)
		open("test", f.testFile, f.roles.testEpisodes)
	}
	if err != nil {
		return nil, err
	}
	l, err := join(files)
	if err != nil {
		return nil, err
	}
	l.Train = f.split.train
	return l, f.loadArrays(env, l)
}

// open opens a file of states with its episodes.
func (f *options) open(env *run.Env, role, path string, episodes *input.Given) (*recording, error) {
	file, err := dataset.OpenRecording(path, dataset.ImageOptions{})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", role, err)
	}
	env.CloseLater(file)
	for _, note := range file.Frames.Notes() {
		env.Note("note: %s %s: %s", role, path, note)
	}
	o := dataset.StateOptions{Layout: f.layout, Episodes: file.Episodes, Ends: file.Ends, SkipNaN: f.skipNaN}
	labeled := file.Episodes != nil || file.Ends != nil
	arrays, err := episodes.Open(env)
	if err != nil {
		return nil, err
	}
	if len(arrays) > 0 {
		e, err := dataset.ReadEpisodes(arrays[0].Array, dataset.EpisodesAuto, file.Frames.Len())
		if err == nil && e.Rows() != file.Frames.Len() {
			err = fmt.Errorf("%s has shape %v, but %s %s have shape %v: want %d rows", arrays[0].Array.Name(),
				arrays[0].Shape(), role,
				path, file.Frames.Shape(), file.Frames.Len())
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", episodes.Role(), err)
		}
		for _, doubt := range e.Doubts {
			env.Warn("%s %s: %s", episodes.Role(), arrays[0].Array.Name(), doubt)
		}
		o.Episodes, o.Ends, labeled = e.Numbers, e.Ends, true
	}
	states, err := dataset.NewStates(file.Frames, o)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", role, err)
	}
	if err := room(states); err != nil {
		return nil, fmt.Errorf("%s %s: %w", role, path, err)
	}
	sum, err := file.Frames.SHA256()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", role, err)
	}
	r := &recording{path: path, states: states}
	entry := report.Input{Role: role, Path: path, SHA256: sum, DType: states.DType().String(),
		Shape: slices.Clone(file.Frames.Shape()), States: states.Len()}
	if labeled {
		r.episode = states.Episodes()
		_, entry.Episodes = points.Numbered(r.episode)
	}
	if entry.Skipped = states.Skipped(); entry.Skipped > 0 {
		env.Warn("%s %s: %s dropped for NaN or Inf", role, path, text.Count(entry.Skipped, "state"))
	}
	env.Result.Inputs = append(env.Result.Inputs, entry)
	return r, nil
}

// room is an error for states that do not fit in memory.
func room(s *dataset.States) error {
	bytes := int64(s.Len()) * int64(s.Size()) * int64(s.DType().Size())
	if limit := memory.Available(); limit > 0 && bytes > limit {
		return run.Hint(fmt.Errorf("%s of states do not fit in memory: this process may use %s", text.Bytes(bytes),
			text.Bytes(limit)),
			"audit parts of the training set one after the other: the nearest of all is the nearest of the parts")
	}
	return nil
}

// join puts the states of one or two files together.
func join(files []*recording) (*loaded, error) {
	first := files[0].states
	span := first.Range()
	l := &loaded{span: span.High - span.Low, low: span.Low, shape: first.Row(), layout: first.Layout()}
	l.Source = "states " + files[0].path
	p, err := first.Points()
	if err != nil {
		return nil, err
	}
	l.States, l.Episode = p, files[0].episode
	for k, file := range files {
		if k > 0 {
			l.second = l.all
		}
		for i := range file.states.Len() {
			l.rows = append(l.rows, l.all+file.states.Start(i))
		}
		l.all += file.states.Array().Len()
	}
	if len(files) == 1 {
		return l, nil
	}
	train, test := files[0], files[1]
	q, err := test.states.Points()
	if err != nil {
		return nil, err
	}
	if p.Type() != q.Type() || p.Dim != q.Dim {
		return nil, fmt.Errorf("test %s: %s of shape %v, but train %s: %s of shape %v; want the same type and shape of a "+
			"state",
			test.path, q.Type(), test.states.Shape(), train.path, p.Type(), first.Shape())
	}
	if err := test.states.Array().Columns().Pair(train.states.Array().Columns()); err != nil {
		return nil, fmt.Errorf("test: %w", err)
	}
	l.States = points.Join(p, q)
	if other := test.states.Range(); other.High-other.Low > l.span {
		l.span, l.low = other.High-other.Low, other.Low
	}
	if (train.episode == nil) != (test.episode == nil) {
		with, without := "train", "test"
		if train.episode == nil {
			with, without = without, with
		}
		return nil, fmt.Errorf("--%s has episodes and --%s has none: give --%s-episodes, too", with, without, without)
	}
	if train.episode != nil {
		_, count := points.Numbered(train.episode)
		l.Episode = slices.Clone(train.episode)
		for _, e := range test.episode {
			l.Episode = append(l.Episode, count+e)
		}
	}
	l.Split = slices.Concat(slices.Repeat([]string{"train"}, p.N), slices.Repeat([]string{"test"}, q.N))
	return l, nil
}

// loadArrays reads what belongs to the states.
func (f *options) loadArrays(env *run.Env, l *loaded) error {
	one := func(g *input.Given, use func(a input.Array) error) error {
		arrays, err := g.Open(env)
		if err != nil {
			return err
		}
		for _, a := range arrays {
			if a.Len() != l.all && g != f.roles.scores {
				return fmt.Errorf("%s: %s has shape %v, want one row for each of %d states", name(g, a), a.Array.Name(),
					a.Shape(), l.all)
			}
			if a.RowLen() != 1 && g != f.roles.latents {
				return fmt.Errorf("%s: %s has shape %v, want one value for each state", name(g, a), a.Array.Name(), a.Shape())
			}
			if err := use(a); err != nil {
				return fmt.Errorf("%s: %w", name(g, a), err)
			}
		}
		return nil
	}
	for _, step := range []struct {
		given *input.Given
		use   func(a input.Array) error
	}{
		{f.roles.split, func(a input.Array) (err error) {
			l.Split, err = texts(a)
			l.Split = kept(l, l.Split)
			return err
		}},
		{f.roles.episodes, func(a input.Array) error {
			numbers := make([]int64, a.Len())
			if err := a.ReadInt64(numbers, 0, a.Len()); err != nil {
				return err
			}
			for _, n := range numbers {
				l.Episode = append(l.Episode, int(n))
			}
			return nil
		}},
		{f.roles.group, func(a input.Array) error {
			names, err := texts(a)
			l.Group, _ = points.Numbered(kept(l, names))
			return err
		}},
		{f.roles.targets, func(a input.Array) error {
			t, err := l.target(a)
			l.Targets = append(l.Targets, t)
			return err
		}},
		{f.roles.latents, func(a input.Array) error {
			p, err := a.Points()
			if err == nil && l.skipped() {
				p = p.Select(l.rows)
			}
			l.Latents = append(l.Latents, points.Encoded{Name: a.Name, Latents: p})
			return err
		}},
		{f.roles.scores, func(a input.Array) error {
			s, err := l.score(a)
			l.Scores = append(l.Scores, s)
			return err
		}},
	} {
		if step.given == f.roles.latents && len(l.Targets) == 0 {
			continue // latents of a study that serve other analyses
		}
		if step.given == f.roles.episodes && l.Sequences == nil {
			continue // read with the frames
		}
		if err := one(step.given, step.use); err != nil {
			return err
		}
	}
	return nil
}

// skipped says whether some rows are no states.
func (l *loaded) skipped() bool { return len(l.rows) < l.all }

// kept are the values of the rows that are states.
func kept[T any](l *loaded, values []T) []T {
	if values == nil || !l.skipped() {
		return values
	}
	return points.Pick(values, l.rows)
}

func name(g *input.Given, a input.Array) string {
	if a.Name == "" {
		return g.Role()
	}
	return g.Role() + " " + a.Name
}

// texts are the values of an array of names or whole numbers.
func texts(a input.Array) ([]string, error) {
	values := make([]int64, a.Len())
	if err := a.ReadInt64(values, 0, a.Len()); err != nil {
		return nil, err
	}
	classes := a.Classes()
	out := make([]string, len(values))
	for i, v := range values {
		out[i] = strconv.FormatInt(v, 10)
		if classes != nil {
			out[i] = classes[v]
		}
	}
	return out, nil
}

// mostClasses is the number of different whole numbers up to which they are labels of classes.
const mostClasses = 1000

// target reads labels or numbers.
func (l *loaded) target(a input.Array) (audit.Target, error) {
	t := audit.Target{Name: a.Name}
	values := make([]float64, a.Len())
	if err := a.ReadFloat64(values, 0, a.Len()); err != nil {
		return t, err
	}
	values = kept(l, values)
	whole := a.DType() != dataset.Float32 && a.DType() != dataset.Float64 || a.Classes() != nil
	for i, v := range values {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return t, fmt.Errorf("%s: row %d is %v, want a label or a finite number", a.Array.Name(), i, v)
		}
	}
	if sorted := slices.Compact(slices.Sorted(slices.Values(values))); whole && len(sorted) <= mostClasses {
		for _, v := range values {
			k, _ := slices.BinarySearch(sorted, v)
			t.Class = append(t.Class, k)
		}
		return t, nil
	}
	t.Values = values
	return t, nil
}

// score reads a score for each state, or for each tested one.
func (l *loaded) score(a input.Array) (audit.Score, error) {
	s := audit.Score{Name: a.Name, Values: make([]float64, len(l.rows))}
	values := make([]float64, a.Len())
	if err := a.ReadFloat64(values, 0, a.Len()); err != nil {
		return s, err
	}
	tested, err := l.Tested()
	if err != nil {
		return s, err
	}
	switch a.Len() {
	case l.all:
		s.Values = kept(l, values)
	case len(tested):
		for k, i := range tested {
			s.Values[i] = values[k]
		}
	default:
		return s, fmt.Errorf("%s has %d values, want one for each of %d states or of %d tested ones", a.Array.Name(),
			a.Len(), l.all, len(tested))
	}
	for _, i := range tested {
		if v := s.Values[i]; math.IsNaN(v) || math.IsInf(v, 0) {
			return s, fmt.Errorf("%s: the score of state %d is %v, want a finite number", a.Array.Name(), i, v)
		}
	}
	return s, nil
}

// loadExample makes the example: episodes 12 to 15 are the test set, with every tenth frame of episodes 0 to 3, as if
// the
// frames had been mixed before they were divided.
func loadExample(env *run.Env) (*loaded, error) {
	set := example.Example()
	n := set.Len()
	l := &loaded{span: 255, shape: []int{example.Height, example.Width}, layout: "HW"}
	l.Source, l.States = "example:arcade", points.Uint8(set.Frames, example.Height*example.Width)
	class, x := make([]int, n), make([]float64, n)
	l.all = n
	for i, e := range set.Episode {
		l.rows = append(l.rows, i)
		l.Episode = append(l.Episode, int(e))
		part := "train"
		if e >= 12 || e < 4 && i%10 == 0 {
			part = "test"
		}
		l.Split = append(l.Split, part)
		factors := set.Factors[i*len(example.FactorNames):]
		class[i] = int(factors[slices.Index(example.FactorNames, "lives")])
		x[i] = float64(factors[slices.Index(example.FactorNames, "player_x")])
	}
	l.Targets = []audit.Target{{Name: "lives", Class: class}, {Name: "player_x", Values: x}}
	latents := coarse(set.Frames)
	l.Latents = []points.Encoded{{Name: "coarse", Latents: latents}}
	env.Result.Inputs = append(env.Result.Inputs,
		report.Input{Role: "frames", Path: "example:arcade", DType: "uint8", Shape: []int{n, example.Height,
			example.Width}, States: n, Episodes: example.ExampleEpisodes},
		report.Input{Role: "split", Path: "example:arcade/split", Shape: []int{n}},
		report.Input{Role: "targets", Name: "lives", Path: "example:arcade/lives", Shape: []int{n}},
		report.Input{Role: "targets", Name: "player_x", Path: "example:arcade/player_x", Shape: []int{n}},
		report.Input{Role: "latents", Name: "coarse", Path: "example:arcade/coarse", DType: "float32", Shape: []int{n,
			latents.Dim}})
	return l, nil
}

// coarse are the means of 8 × 8 pixels: the latents of the example.
func coarse(frames []uint8) points.Points {
	const side, cells = 8, example.Width / 8
	n := len(frames) / (example.Height * example.Width)
	out := make([]float32, n*cells*cells)
	for i, v := range frames {
		frame, y, x := i/(example.Height*example.Width), i/example.Width%example.Height, i%example.Width
		out[(frame*cells+y/side)*cells+x/side] += float32(v) / (side * side)
	}
	return points.Float32(out, cells*cells)
}
