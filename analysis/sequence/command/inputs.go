// From flags to datasets and models.

package command

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"repscope/analysis/sequence"
	"repscope/analysis/sequence/source"
	"repscope/dataset"
	"repscope/dataset/protein"
	"repscope/internal/input"
	"repscope/internal/run"
	"repscope/internal/text"
	"repscope/measure/token"
	"repscope/report"
	"repscope/shard"
)

// loader opens what the flags name.
type loader struct {
	s     *settings
	env   *run.Env
	in    *sequence.Input
	files []*source.FileSequences // of each dataset; nil where there are none
	// fields are their digests.
	fields []shard.Field
	left   input.Losses // models that cannot be measured
}

// loadFiles opens what the flags name.
func (s *settings) loadFiles(ctx context.Context, env *run.Env) (*sequence.Input, error) {
	l, err := s.newLoader(env)
	if err != nil {
		return nil, err
	}
	for _, f := range s.dumps.All() {
		err := l.answers("dump", f, func(beside sequence.Sequences) (answers, error) {
			return source.OpenDump(f.Path, l.in.Alphabet, beside)
		})
		if err := l.orLeave(ctx, f.Name, err); err != nil {
			return nil, err
		}
	}
	for _, f := range s.positions.All() {
		err := l.answers("positions", f, func(beside sequence.Sequences) (answers, error) {
			return source.OpenPositions(f.Path, l.in.Alphabet, beside)
		})
		if err := l.orLeave(ctx, f.Name, err); err != nil {
			return nil, err
		}
	}
	for _, f := range s.models.All() {
		err := l.model(ctx, f)
		if err != nil {
			err = fmt.Errorf("model %s: %w", f.Name, err)
		}
		if err := l.orLeave(ctx, f.Name, err); err != nil {
			return nil, err
		}
	}
	if err := l.leaveOthers(ctx); err != nil {
		return nil, err
	}
	if err := l.left.Settle(env, s.names()); err != nil {
		return nil, err
	}
	l.dropEmpty()
	if err := l.empty(); err != nil {
		return nil, err
	}
	for i := range l.in.Datasets {
		d := &l.in.Datasets[i]
		full := func(m sequence.Model) string { // as the flags name it
			if name := m.Name + "/" + d.Name; slices.Contains(s.names(), name) {
				return name
			}
			return m.Name
		}
		run.InOrder(s.flags, d.Models, full, "dump", "positions", "model")
	}
	return l.in, l.substitutions()
}

// leaveOthers leaves out the models of a dataset that have other sequences than most.
func (l *loader) leaveOthers(ctx context.Context) error {
	for i := range l.in.Datasets {
		d := &l.in.Datasets[i]
		like := func(m *sequence.Model) (n int) {
			for k := range d.Models {
				if slices.Equal(d.Models[k].Sequences.Clusters(), m.Sequences.Clusters()) {
					n++
				}
			}
			return n
		}
		var usual *sequence.Model
		for k := range d.Models {
			if usual == nil || like(&d.Models[k]) > like(usual) {
				usual = &d.Models[k]
			}
		}
		var kept []sequence.Model
		for k := range d.Models {
			m := &d.Models[k]
			if slices.Equal(m.Sequences.Clusters(), usual.Sequences.Clusters()) {
				kept = append(kept, *m)
				continue
			}
			name := m.Name
			if !slices.Contains(l.s.names(), name) {
				name += "/" + d.Name
			}
			if err := l.left.Leave(ctx, name, sequence.OtherSequences(m, usual)); err != nil {
				return err
			}
		}
		d.Models = kept
	}
	return nil
}

// dropEmpty leaves out the datasets without any model.
func (l *loader) dropEmpty() {
	if len(l.left.Names()) == 0 {
		return
	}
	var in sequence.Input
	var files []*source.FileSequences
	var fields []shard.Field
	for i, d := range l.in.Datasets {
		if len(d.Models) > 0 {
			in.Datasets, files, fields = append(in.Datasets, d), append(files, l.files[i]), append(fields, l.fields[i])
		}
	}
	l.in.Datasets, l.files, l.fields = in.Datasets, files, fields
}

// orLeave leaves out a model that could not be opened; a nil error stays nil.
func (l *loader) orLeave(ctx context.Context, name string, err error) error {
	if err == nil {
		return nil
	}
	return l.left.Leave(ctx, name, err)
}

// newLoader opens the vocabulary and the sequences.
func (s *settings) newLoader(env *run.Env) (*loader, error) {
	if err := s.exist(); err != nil {
		return nil, err
	}
	l := &loader{s: s, env: env, in: &sequence.Input{Registry: registry, Alphabet: token.Antibody()}}
	for _, name := range s.datasets() {
		l.in.Datasets = append(l.in.Datasets, sequence.Dataset{Name: name, Choice: s.choice(&env.Options, name)})
	}
	if err := l.vocabulary(); err != nil {
		return nil, err
	}
	return l, l.sequences()
}

// substitutions reads the tables of variants of every dataset.
func (l *loader) substitutions() error {
	for i := range l.in.Datasets {
		var files []source.SubstitutionFile
		for _, f := range l.s.substitutions.All() {
			assay, k := l.place(f.Name)
			if k != i {
				continue
			}
			sum, err := dataset.FileSHA256(f.Path)
			if err != nil {
				return fmt.Errorf("substitutions: %w", err)
			}
			files = append(files, source.SubstitutionFile{Assay: assay, Spec: f.Path})
			l.env.Result.Inputs = append(l.env.Result.Inputs,
				report.Input{Role: "substitutions", Name: f.Name, Path: f.Path, SHA256: sum})
		}
		if files == nil {
			continue
		}
		d := &l.in.Datasets[i]
		sequences := l.beside(i)
		if sequences == nil {
			sequences = d.Models[0].Sequences
		}
		opened, err := source.OpenSubstitutions(files, sequences, l.in.Alphabet)
		if err != nil {
			return fmt.Errorf("substitutions: %w", err)
		}
		if n := opened.Unmeasured(); n > 0 {
			l.env.Warn("%s without a measurement left out", text.Count(n, "variant"))
		}
		d.Choice.Substitutions = opened
	}
	return nil
}

// opened is a file that stays open until the run ends.
type opened interface {
	io.Closer
	SHA256() (string, error)
}

// enter enters a file into the inputs of the result, and returns it as a part of the identity.
func (l *loader) enter(role, name, path string, file opened) (shard.Field, error) {
	l.env.CloseLater(file)
	sum, err := file.SHA256()
	if err != nil {
		return shard.Field{}, err
	}
	l.env.Result.Inputs = append(l.env.Result.Inputs, report.Input{Role: role, Name: name, Path: path, SHA256: sum})
	if noted, ok := file.(interface{ Notes() []string }); ok && !l.s.example.On() {
		for _, note := range noted.Notes() {
			l.env.Note("%s", note)
		}
	}
	return shard.Field{Name: role, Value: sum}, nil
}

// vocabulary reads the alphabet, if one is given.
func (l *loader) vocabulary() error {
	path := l.s.vocabulary
	if path == "" {
		return nil
	}
	v, err := protein.ReadVocabulary(path)
	if err != nil {
		return fmt.Errorf("vocabulary: %w", err)
	}
	l.in.Alphabet = (*token.Alphabet)(v)
	sum, err := dataset.FileSHA256(path)
	if err != nil {
		return fmt.Errorf("vocabulary: %w", err)
	}
	l.env.Result.Inputs = append(l.env.Result.Inputs, report.Input{Role: "vocabulary", Path: path, SHA256: sum})
	return nil
}

// sequences opens the files of --sequences.
func (l *loader) sequences() error {
	l.files, l.fields = make([]*source.FileSequences, len(l.in.Datasets)), make([]shard.Field, len(l.in.Datasets))
	for i, f := range l.s.sequences.files {
		opened, err := source.OpenSequences(f.path, protein.Options{Columns: l.s.columns.values,
			NoCoordinates: l.s.tree.noCoordinates(f.dataset), Residues: cleaning(l.s.residues)}, l.in.Alphabet)
		if err != nil {
			return fmt.Errorf("sequences: %w", err)
		}
		name := ""
		if len(l.s.sequences.files) > 1 {
			name = f.dataset
		}
		l.files[i] = opened
		if l.fields[i], err = l.enter("sequences", name, f.path, opened); err != nil {
			return fmt.Errorf("sequences: %w", err)
		}
		if rules := l.s.residues; len(rules) > 0 {
			l.fields[i].Value += " residues " + strings.Join(slices.Sorted(slices.Values(rules)), ",")
		}
	}
	return nil
}

// cleaning is what a list of rules does with letters.
func cleaning(rules []string) protein.Residues {
	has := func(rule string) bool { return slices.Contains(rules, rule) }
	return protein.Residues{Upper: has(residuesUpper), Stop: has(residuesStop), Gaps: has(residuesGaps)}
}

// beside are the sequences of a dataset's file, which may be nil.
func (l *loader) beside(dataset int) sequence.Sequences {
	if l.files[dataset] == nil {
		return nil
	}
	return l.files[dataset]
}

// place is the model and the number of the dataset of NAME or NAME/DATASET.
func (l *loader) place(name string) (model string, dataset int) {
	model, label, ok := strings.Cut(name, "/")
	if ok {
		dataset = slices.IndexFunc(l.in.Datasets, func(d sequence.Dataset) bool { return d.Name == label })
	}
	return model, dataset
}

// add adds a model to a dataset.
func (l *loader) add(dataset int, name string, sequences sequence.Sequences, source sequence.Source,
	fields ...shard.Field) {
	if l.files[dataset] != nil {
		fields = append(fields, l.fields[dataset])
	}
	d := &l.in.Datasets[dataset]
	d.Models = append(d.Models, sequence.Model{Name: name, Sequences: sequences, Source: source, Inputs: func() ([]shard.Field, error) { return fields, nil }})
}

// answers are a file of what a model answered, which names the hidden positions of each sequence.
type answers interface {
	sequence.Sequences
	sequence.Source
	opened
}

// answers opens what a model answered.
func (l *loader) answers(role string, f input.File, open func(beside sequence.Sequences) (answers, error)) error {
	model, dataset := l.place(f.Name)
	a, err := open(l.beside(dataset))
	if err != nil {
		return fmt.Errorf("%s %s: %w", role, f.Name, err)
	}
	field, err := l.enter(role, f.Name, f.Path, a)
	if err != nil {
		return fmt.Errorf("%s %s: %w", role, f.Name, err)
	}
	if l.s.mask != maskAuto && l.s.mask != maskGiven {
		l.env.Warn("%s %s: --mask %s has no effect, because the file specifies the masked residues; remove the "+
			"flag", role, f.Name, l.s.mask)
	}
	for _, name := range []string{"mask-rate", "mask-cdr", "mask-nongermline"} {
		if l.s.flags.Given(name) {
			l.env.Warn("%s %s: --%s has no effect, because the file specifies the masked residues; remove the "+
				"flag", role, f.Name, name)
		}
	}
	l.add(dataset, model, a, a, field)
	return l.planned(a)
}

// planned enters what the mask plan was made of that a dump answers, the last of the inputs.
func (l *loader) planned(a answers) error {
	d, ok := a.(*source.Dump)
	if !ok {
		return nil
	}
	plan, err := d.Plan()
	if err != nil || plan == nil {
		return err
	}
	details := &report.Object{}
	details.Set("plan", plan)
	l.env.Result.Inputs[len(l.env.Result.Inputs)-1].Details = details
	return nil
}

// model opens a model that is run on every dataset with sequences.
func (l *loader) model(ctx context.Context, f input.File) error {
	o := source.ModelOptions{Inputs: l.s.inputs.values, Outputs: l.s.outputs.values, Alphabet: l.in.Alphabet, PositionBatch: l.s.batch(),
		Threads: l.env.Options.Threads, Memory: l.env.WorkingMemory() / 4, Progress: passProgress(l.env, f.Name)}
	m, err := source.OpenModel(ctx, f.Path, o)
	if err != nil {
		return err
	}
	if _, err := l.enter("model", f.Name, f.Path, m); err != nil {
		return err
	}
	inputs := l.env.Result.Inputs
	inputs[len(inputs)-1].Details = m.Details()
	for dataset := range l.in.Datasets {
		if l.files[dataset] != nil {
			l.add(dataset, f.Name, l.files[dataset], m, m.Fields()...)
		}
	}
	return nil
}

// passProgress tells how far the passes of a kind are.
func passProgress(env *run.Env, name string) func(kind sequence.PassKind, done, total int) {
	bars := map[sequence.PassKind]func(done, total int){}
	return func(kind sequence.PassKind, done, total int) {
		if bars[kind] == nil {
			bars[kind] = env.ProgressOf(name+": "+passNames[kind], "passes")
		}
		bars[kind](done, total)
		if done == total {
			bars[kind] = nil // the next ones have a rate of their own
		}
	}
}

// passNames say what a pass of a kind is, for messages.
var passNames = map[sequence.PassKind]string{sequence.MaskedPass: "masked sequences",

	sequence.CleanPass: "sequences without masks", sequence.SinglePass: "residues masked alone",
	sequence.RegionPass: "regions masked as a whole"}

// empty finds datasets that no model is evaluated on.
func (l *loader) empty() error {
	for _, d := range l.in.Datasets {
		if len(d.Models) == 0 {
			return run.Hint(fmt.Errorf("dataset %s: no model to evaluate", d.Name),
				fmt.Sprintf("give one with --dump NAME/%s=FILE", d.Name))
		}
	}
	return nil
}

// exist finds files that are not there before any is read.
func (s *settings) exist() error {
	for _, files := range []*input.Files{s.dumps, s.positions, s.models, s.substitutions} {
		if err := files.Exist(); err != nil {
			return err
		}
	}
	for _, f := range s.sequences.files {
		if err := dataset.Exists(f.path); err != nil {
			return fmt.Errorf("sequences: %w", err)
		}
	}
	if s.vocabulary != "" {
		if err := dataset.Exists(s.vocabulary); err != nil {
			return fmt.Errorf("vocabulary: %w", err)
		}
	}
	return nil
}
