// The flags of the binary, and their values.

package command

import (
	"slices"
	"strings"

	"repscope/analysis/internal/output"
	"repscope/analysis/sequence"
	"repscope/analysis/sequence/metrics"
	"repscope/dataset/protein"
	"repscope/internal/input"
	"repscope/internal/option"
	"repscope/internal/run"
	"repscope/latent"
	"repscope/measure/token"
)

// registry are the metrics of the binary.
var registry = metrics.All()

// The values of --mask.
const (
	maskAuto        = "auto"
	maskUniform     = "uniform"
	maskInformation = "information"
	maskRanked      = "ranked"
	maskGiven       = "given"
)

// maskRules are the values of --mask.
func maskRules() []string {
	return []string{maskAuto, maskUniform, maskInformation, maskRanked, maskGiven}
}

// settings are the values of the command's own flags.
type settings struct {
	example          *input.GivenExample
	statistics       *input.Statistics
	dumps, positions *input.Files
	models           *input.Files
	substitutions    *input.Files
	sequences        datasetFiles
	vocabulary       string
	columns          pairs
	residues         []string
	inputs, outputs  pairs

	metrics            []string
	set                setFlag
	mask               string
	rate               float64
	cdr, germline      float64
	mode               string
	regions            []string
	positionBatch      int
	planFile, document string

	flags *run.Flags
	tree  tree
}

// registerInputs adds the flags of inputs.
func (s *settings) registerInputs(flags *run.Flags) {
	flags.Usage("--model NAME=FILE.onnx --sequences FILE.csv [flags]", "--dump NAME=FILE.npz [flags]")
	flags.FileHint("give sequences with --sequences FILE, stored model outputs with --dump NAME=FILE")
	flags.Title(run.Settings, "sequences and models")
	s.example = input.RegisterExample(flags, input.ArrayExample{Name: "sequences",
		Usage: "evaluate the built-in example: small models of synthetic antibodies, with one known defect each"})
	s.dumps = input.RegisterFiles(flags, "dump", "`NAME=FILE.npz` of stored model outputs: token_ids [N,L], logits "+
		"[N,L,V], … (repeats; NAME/DATASET=FILE for several datasets)")
	s.positions = input.RegisterFiles(flags, "positions",
		"`NAME=FILE.csv` of model predictions with the columns seq, pos, region_mode, target, pred, nll, prob "+
			"(repeats)")
	s.models = input.RegisterFiles(flags, "model", "`NAME=FILE.onnx` of a model to run on --sequences (repeats)")
	s.substitutions = input.RegisterFiles(flags, "substitutions",
		"`ASSAY=FILE.csv[:COLUMN]` of variants with measured effects: mutant (A23C:D45E) or mutated_sequence, "+
			"DMS_score, … (repeats; ASSAY/DATASET=FILE for several datasets)")
	flags.Declare(option.Of(option.Func(s.declareInputs)))
}

// declareInputs lists the options of inputs.
func (s *settings) declareInputs(l *option.List) {
	l.Under(option.Inputs)
	l.Var(&s.sequences, "sequences", "`FILE` of sequences: a table (.csv, .tsv) or .fasta (repeats with DATASET=FILE)").Reads()
	l.Path(&s.vocabulary, "vocabulary",
		"`FILE.json` of an alphabet other than the default for antibodies: a list of tokens, or tokens with their ids").Reads()
	l.Under(option.Settings)
	s.columns.known = protein.Roles()
	l.Var(&s.columns, "columns", "`ROLE=NAME,…` of the columns of --sequences: "+strings.Join(s.columns.known, ", "))
	l.Names(&s.residues, "residues", []string{residuesUpper, residuesStop, residuesGaps},
		"`LIST` of conversions of --sequences: upper reads lower-case letters as upper case, stop removes a * at "+
			"the end of a chain, gaps removes - and . (default: letters outside the vocabulary are errors)")
	s.inputs.known, s.outputs.known = latent.TokenInputs(), latent.TokenOutputNames()
	l.Var(&s.inputs, "inputs", "`ROLE=NAME,…` of the inputs of --model: tokens, chains, mask, padding, "+
		"positions (default: guessed from their names)")
	l.Var(&s.outputs, "outputs", "`ROLE=NAME,…` of the outputs of --model: logits, hidden, attentions "+
		"(default: guessed from their names; * stands for the layer number)")
	s.positionBatch = 32
	l.Int(&s.positionBatch, "position-batch", "`N` single-position passes in one batch").AtLeast(1).Free()
}

// registerMetrics adds the flags of metrics.
func (s *settings) registerMetrics(flags *run.Flags) {
	s.statistics = input.RegisterStatistics(flags, "sequences")
	flags.Declare(option.Of(option.Func(s.declareMetrics)))
}

// declareMetrics lists the options of metrics.
func (s *settings) declareMetrics(l *option.List) {
	l.Selection(&s.metrics, "metrics", registry.Select, "`LIST` of metrics (default: all that the inputs allow): "+
		strings.Join(registry.Names(), ", "))
	l.Var(&s.set, "set", "`METRIC.KEY=VALUE` to set an option of a metric (repeats)")
	s.mask, s.rate, s.cdr, s.germline, s.mode = maskAuto, 0.15, 1, 1, sequence.RegionStandard
	l.OneOf(&s.mask, "mask", maskRules(),
		"`RULE` that chooses the masked residues: uniform, information (drawn by weight), ranked (the largest "+
			"weights), given (by the file); auto: given, else uniform")
	l.Float(&s.rate, "mask-rate", "`SHARE` of masked residues")
	l.Float(&s.cdr, "mask-cdr", "`WEIGHT` added to 1 for a residue in a CDR, with --mask information or ranked")
	l.Float(&s.germline, "mask-nongermline", "`WEIGHT` added to 1 for a residue that is not of germline origin")
	option.Choice(l, &s.mode, "region-mode", sequence.RegionModes(),
		"`MODE` of masking for region scores: the standard mask, every position alone, or the whole region")
	l.Names(&s.regions, "regions", token.GroupNames(),
		"`LIST` of regions and aggregates to score (default: all)")
	l.Path(&s.planFile, "mask-plan",
		"`FILE.npz` for the masked inputs of all passes, for a model that runs elsewhere; no metric is computed").Writes()
	l.Checked(&s.document, "documented-json", output.JSONName,
		"`FILE.json` for {dataset: {key: value}} of the first model, in the published format").Writes()
}

// names are the names of the models, with datasets.
func (s *settings) names() []string {
	return slices.Concat(s.dumps.Names(), s.positions.Names(), s.models.Names())
}

// options returns the options of the analysis, with the settings of the run.
func (s *settings) options(env *run.Env) sequence.Options {
	o := sequence.Options{Settings: s.statistics.Settings(env, "")}
	o.Memory = env.WorkingMemory()
	return o
}

// The values of --residues.
const (
	residuesUpper = "upper"
	residuesStop  = "stop"
	residuesGaps  = "gaps"
)

// defaultDataset is the name of a dataset that has none.
const defaultDataset = "default"

// datasets are the names of the datasets: the names in --sequences, or the one of answers without
// a name, then those that answers name.
func (s *settings) datasets() []string {
	var out []string
	for _, f := range s.sequences.files {
		out = append(out, f.dataset)
	}
	names := s.names()
	unnamed := func(name string) bool { return !strings.Contains(name, "/") }
	if len(out) == 0 && (len(names) == 0 || slices.ContainsFunc(names, unnamed)) {
		out = []string{defaultDataset}
	}
	for _, name := range names {
		if _, of, ok := strings.Cut(name, "/"); ok && !slices.Contains(out, of) {
			out = append(out, of)
		}
	}
	return out
}
