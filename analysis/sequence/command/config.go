// The tree of a configuration: choices for all datasets under eval, and for single ones
// under data.eval.

package command

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"repscope/analysis/sequence"
	"repscope/internal/run"
	"repscope/internal/text"
	"repscope/measure/token"
)

// tree is what a configuration chooses: for all datasets, and for single ones.
type tree struct {
	global   levelChoice
	datasets []datasetChoice
}

// datasetChoice is data.eval.NAME.
type datasetChoice struct {
	name  string
	at    *run.Branch
	path  string // empty: a flag names the dataset
	plain bool   // without coordinates
	levelChoice
}

// levelChoice is what one level chooses; what it is silent about is zero.
type levelChoice struct {
	enabled map[string]bool // by metric
	only    []string        // nil: there is no list
	set     map[string]map[string]any
	regions map[string]bool
	scored  *bool // whether regions are
	mode    string
	batch   int
	rule    string
	seed    *uint64
	weights map[string]float64 // mask_rate, mask_cdr, mask_nongermline
}

// register makes the configuration take the tree.
func (t *tree) register(flags *run.Flags) {
	flags.Tree("eval", func(b *run.Branch) error {
		return errors.Join(wantMapping(b, "metrics", "regions", "masking"), t.global.read(b))
	})
	flags.Tree("data", func(b *run.Branch) error {
		wrong := []error{wantMapping(b, "eval")}
		if b = b.Member("eval"); b != nil && b.Members == nil {
			wrong = append(wrong, b.Errorf("want a dataset under every key of data.eval: NAME: {path: FILE}"))
		}
		for i := 0; b != nil && i < len(b.Members); i++ {
			wrong = append(wrong, t.dataset(&b.Members[i]))
		}
		return errors.Join(wrong...)
	})
}

// wantMapping is an error where a branch is no mapping of the keys.
func wantMapping(b *run.Branch, keys ...string) error {
	if b.Members == nil {
		return b.Errorf("%s: want a mapping of %s", b.Key, strings.Join(keys, ", "))
	}
	return b.Known(keys...)
}

// dataset reads data.eval.NAME.
func (t *tree) dataset(b *run.Branch) error {
	wrong := []error{wantMapping(b, "path", "load_coords", "metrics", "regions", "masking")}
	if b.Key == "" || strings.ContainsAny(b.Key, "/=") {
		wrong = append(wrong, b.Errorf("%q is not a valid dataset name", b.Key))
	}
	d := datasetChoice{name: b.Key, at: b}
	if m := b.Member("path"); m != nil {
		path, ok := m.Value.(string)
		if !ok || path == "" {
			wrong = append(wrong, m.Errorf("path: want a file of sequences"))
		}
		d.path = run.Expand(path)
	}
	if m := b.Member("load_coords"); m != nil {
		load, err := boolOf(m)
		wrong = append(wrong, err)
		d.plain = !load
	}
	wrong = append(wrong, d.read(b))
	t.datasets = append(t.datasets, d)
	return errors.Join(wrong...)
}

// read reads metrics, regions and masking.
func (c *levelChoice) read(b *run.Branch) error {
	var wrong []error
	for _, part := range []struct {
		key  string
		read func(b *run.Branch) error
	}{{"metrics", c.readMetrics}, {"regions", c.readRegions}, {"masking", c.readMasking}} {
		switch m := b.Member(part.key); {
		case m == nil:
		case m.Members == nil:
			wrong = append(wrong, m.Errorf("%s: want a mapping", m.Key))
		default:
			wrong = append(wrong, part.read(m))
		}
	}
	return errors.Join(wrong...)
}

// readMetrics reads metrics: {NAME: {enabled: …, option: …}, only: […]}.
func (c *levelChoice) readMetrics(b *run.Branch) error {
	c.enabled, c.set = map[string]bool{}, map[string]map[string]any{}
	var wrong []error
	for i := range b.Members {
		m := &b.Members[i]
		if m.Key == "only" {
			wrong = append(wrong, c.readOnly(m))
			continue
		}
		k, err := metricOf(m, m.Key)
		switch {
		case err != nil:
			wrong = append(wrong, err)
		case c.set[k.Name] != nil:
			wrong = append(wrong, m.Errorf("metric %s occurs twice, also as %s", k.Name, m.Key))
		case m.Members == nil:
			wrong = append(wrong, m.Errorf("%s: want a mapping, such as {enabled: true}", m.Key))
		default:
			c.set[k.Name] = map[string]any{}
			wrong = append(wrong, c.readMetric(k, m))
		}
	}
	for _, name := range c.only {
		if on, said := c.enabled[name]; said && !on {
			wrong = append(wrong, b.Errorf("metric %s is listed in only, but has enabled: false", name))
		}
	}
	return errors.Join(wrong...)
}

// readMetric reads the settings of one metric.
func (c *levelChoice) readMetric(k *sequence.Kind, b *run.Branch) error {
	var wrong []error
	for i := range b.Members {
		wrong = append(wrong, c.readOption(k, &b.Members[i]))
	}
	return errors.Join(wrong...)
}

// readOption reads one option of a metric, or whether it is enabled.
func (c *levelChoice) readOption(k *sequence.Kind, o *run.Branch) error {
	if o.Key == "enabled" {
		on, err := boolOf(o)
		c.enabled[k.Name] = on
		return err
	}
	if o.Members != nil || o.List != nil {
		return o.Errorf("%s.%s: want one value", k.Name, o.Key)
	}
	name := k.Canonical(o.Key)
	value, err := k.Option(name, o.Value)
	if err != nil {
		return o.Errorf("%w", err)
	}
	if _, twice := c.set[k.Name][name]; twice {
		return o.Errorf("%s.%s occurs twice, also as %s", k.Name, name, o.Key)
	}
	c.set[k.Name][name] = value
	return nil
}

// readOnly reads the list of all metrics that are computed.
func (c *levelChoice) readOnly(b *run.Branch) error {
	if b.List == nil {
		return b.Errorf("only: want a list of metrics")
	}
	if len(b.List) == 0 {
		return b.Errorf("only: the list is empty; name at least one metric")
	}
	c.only = []string{}
	var wrong []error
	for i := range b.List {
		name, _ := b.List[i].Value.(string)
		k, err := metricOf(&b.List[i], name)
		if err != nil {
			wrong = append(wrong, err)
			continue
		}
		c.only = append(c.only, k.Name)
	}
	return errors.Join(wrong...)
}

// metricOf is the metric of a name.
func metricOf(b *run.Branch, name string) (*sequence.Kind, error) {
	if k := registry.Find(name); k != nil {
		return k, nil
	}
	if _, err := registry.Select([]string{name}); err != nil {
		return nil, b.Errorf("%w", err)
	}
	return nil, b.Errorf("unknown metric %q", name)
}

// readRegions reads regions: {enabled, mode, position_batch_size, REGION: true}.
func (c *levelChoice) readRegions(b *run.Branch) error {
	names := token.GroupNames()
	wrong := []error{b.Known(append([]string{"enabled", "mode", "position_batch_size"}, names...)...)}
	c.regions = map[string]bool{}
	for i := range b.Members {
		m := &b.Members[i]
		switch {
		case m.Key == "mode":
			mode, _ := m.Value.(string)
			c.mode = strings.ReplaceAll(mode, "_", "-")
			if err := text.CheckChoice(c.mode, sequence.RegionModes()); err != nil {
				wrong = append(wrong, m.Errorf("mode: %w", err))
			}
		case m.Key == "position_batch_size":
			n, ok := m.Value.(int)
			if !ok || n < 1 {
				wrong = append(wrong, m.Errorf("position_batch_size is %v; want a whole number from 1", m.Value))
			}
			c.batch = n
		case m.Key == "enabled" || slices.Contains(names, m.Key):
			on, err := boolOf(m)
			wrong = append(wrong, err)
			if m.Key == "enabled" {
				c.scored = &on
			} else {
				c.regions[m.Key] = on
			}
		}
	}
	return errors.Join(wrong...)
}

// readMasking reads masking: {mask, mask_rate, mask_cdr, mask_nongermline, seed}.
func (c *levelChoice) readMasking(b *run.Branch) error {
	wrong := []error{b.Known("mask", "mask_rate", "mask_cdr", "mask_nongermline", "seed")}
	c.weights = map[string]float64{}
	for i := range b.Members {
		m := &b.Members[i]
		switch m.Key {
		case "mask":
			c.rule, _ = m.Value.(string)
			if err := text.CheckChoice(c.rule, maskRules()); err != nil {
				wrong = append(wrong, m.Errorf("mask: %w", err))
			}
		case "seed":
			n, ok := m.Value.(int)
			if !ok || n < 0 {
				wrong = append(wrong, m.Errorf("seed is %v; want a whole number from 0", m.Value))
			}
			c.seed = new(uint64(n))
		case "mask_rate", "mask_cdr", "mask_nongermline":
			switch v := m.Value.(type) {
			case float64:
				c.weights[m.Key] = v
			case int:
				c.weights[m.Key] = float64(v)
			default:
				wrong = append(wrong, m.Errorf("%s is %v; want a number", m.Key, m.Value))
			}
		}
	}
	m := token.Masking{Rate: 0.15, CDR: 1, NonGermline: 1}
	c.weigh(&m, func(string) bool { return false })
	if err := m.Check(); err != nil {
		wrong = append(wrong, b.Errorf("%w", err))
	}
	return errors.Join(wrong...)
}

// weigh enters the numbers of a masking, but for those that flags give.
func (c *levelChoice) weigh(m *token.Masking, set func(flag string) bool) {
	for name, to := range map[string]*float64{"mask_rate": &m.Rate, "mask_cdr": &m.CDR, "mask_nongermline": &m.NonGermline} {
		if v, ok := c.weights[name]; ok && !set(strings.ReplaceAll(name, "_", "-")) {
			*to = v
		}
	}
}

// boolOf is the value of true or false.
func boolOf(b *run.Branch) (bool, error) {
	on, ok := b.Value.(bool)
	if !ok {
		return false, b.Errorf("%s is %v; want true or false", b.Key, b.Value)
	}
	return on, nil
}

// find returns the settings of one dataset; nil where there are none.
func (t *tree) find(name string) *datasetChoice {
	if i := slices.IndexFunc(t.datasets, func(d datasetChoice) bool { return d.name == name }); i >= 0 {
		return &t.datasets[i]
	}
	return nil
}

// noCoordinates reports whether the coordinates of a dataset are left out.
func (t *tree) noCoordinates(name string) bool {
	d := t.find(name)
	return d != nil && d.plain
}

// of merges the choices for a dataset: its own over the choices for all.
func (t *tree) of(name string) levelChoice {
	c := t.global.over(levelChoice{})
	if d := t.find(name); d != nil {
		c = d.over(c)
	}
	return c
}

// over puts a level over a lower one.
func (c *levelChoice) over(lower levelChoice) levelChoice {
	out := lower
	merge := func(to *map[string]bool, from map[string]bool) {
		joined := map[string]bool{}
		maps.Copy(joined, *to)
		maps.Copy(joined, from)
		*to = joined
	}
	merge(&out.enabled, c.enabled)
	merge(&out.regions, c.regions)
	out.set, out.weights = mergeOptions(lower.set, c.set), map[string]float64{}
	maps.Copy(out.weights, lower.weights)
	maps.Copy(out.weights, c.weights)
	if c.only != nil {
		out.only = c.only
	}
	if c.scored != nil {
		out.scored = c.scored
	}
	if c.seed != nil {
		out.seed = c.seed
	}
	if c.mode != "" {
		out.mode = c.mode
	}
	if c.rule != "" {
		out.rule = c.rule
	}
	return out
}

// mergeOptions puts options of metrics over others.
func mergeOptions(lower, upper map[string]map[string]any) map[string]map[string]any {
	out := map[string]map[string]any{}
	for _, layer := range []map[string]map[string]any{lower, upper} {
		for name, options := range layer {
			if out[name] == nil {
				out[name] = map[string]any{}
			}
			maps.Copy(out[name], options)
		}
	}
	return out
}

// metrics are those that are computed: the list only, or all that are not disabled. nil: all.
func (c *levelChoice) metrics() []string {
	if c.only != nil {
		return c.only
	}
	out := slices.DeleteFunc(registry.Names(), func(name string) bool {
		on, said := c.enabled[name]
		return said && !on || c.scored != nil && !*c.scored && strings.HasPrefix(name, "region_")
	})
	if len(out) == len(registry) && len(c.asked()) == 0 {
		return nil
	}
	return out
}

// asked are the metrics that are enabled by name; nil where a list names the metrics.
func (c *levelChoice) asked() []string {
	if c.only != nil {
		return nil
	}
	return slices.DeleteFunc(registry.Names(), func(name string) bool { return !c.enabled[name] })
}

// reported are the regions that are set true; nil, which is all, without any.
func (c *levelChoice) reported() []string {
	var out []string
	for _, name := range token.GroupNames() {
		if c.regions[name] {
			out = append(out, name)
		}
	}
	return out
}

// batch is the number of passes over single positions that are run together: the least that is asked
// for, since it changes no number.
func (s *settings) batch() int {
	if s.flags.Given("position-batch") {
		return s.positionBatch
	}
	least := s.tree.global.batch
	for _, d := range s.tree.datasets {
		if d.batch > 0 && (least == 0 || d.batch < least) {
			least = d.batch
		}
	}
	if least == 0 {
		return s.positionBatch
	}
	return least
}

// choice is the value for a dataset: by flags over the tree over defaults.
func (s *settings) choice(o *run.Options, name string) sequence.Choice {
	t := s.tree.of(name)
	rule, m := s.masking(o, &t)
	c := sequence.Choice{Metrics: t.metrics(), Asked: t.asked(), Mode: s.mode, Regions: t.reported(), Set: mergeOptions(t.set, s.set.values),
		Masking: fmt.Sprintf("%s %+v", rule, m)}
	if s.metrics != nil {
		c.Metrics, c.Asked = s.metrics, nil
	}
	if t.mode != "" && !s.flags.Given("region-mode") {
		c.Mode = t.mode
	}
	if s.regions != nil {
		c.Regions = s.regions
	}
	if rule != maskGiven {
		c.Mask = func(r *sequence.Record) []int {
			return m.Positions(token.SequenceKey(r.ID), r.Special, r.CDR, r.NonTemplated)
		}
	}
	return c
}

// masking is what hides residues of sequences that do not say which are masked, and the name of
// its rule.
func (s *settings) masking(o *run.Options, t *levelChoice) (string, token.Masking) {
	m := token.Masking{Rate: s.rate, CDR: s.cdr, NonGermline: s.germline, Seed: o.Seed}
	t.weigh(&m, s.flags.Given)
	if t.seed != nil {
		m.Seed = *t.seed
	}
	rule := s.mask
	if t.rule != "" && !s.flags.Given("mask") {
		rule = t.rule
	}
	m.Rule = map[string]token.Rule{maskInformation: token.Gumbel, maskRanked: token.Ranked}[rule] // else uniform
	return rule, m
}

// checkChoices enters the datasets of the tree, and finds wrong values.
func (s *settings) checkChoices(o *run.Options) error {
	for _, d := range s.tree.datasets {
		if d.path != "" && s.example.On() {
			return run.Usage("%s: --example has its own sequences; remove the path of dataset %s", d.at.Place, d.name)
		}
		if d.path != "" && !slices.ContainsFunc(s.sequences.files, func(f datasetFile) bool { return f.dataset == d.name }) {
			s.sequences.files = append(s.sequences.files, datasetFile{d.name, d.path})
		}
	}
	names := s.datasets()
	if s.example.On() {
		names = []string{exampleDataset}
	}
	for _, d := range s.tree.datasets {
		if !slices.Contains(names, d.name) {
			return run.Hint(d.at.Errorf(
				"dataset %s has neither a path nor a flag; the datasets are %s", d.name, strings.Join(names, ", ")),
				text.DidYouMean("", d.name, names))
		}
	}
	for _, name := range names {
		c := s.choice(o, name)
		if _, err := registry.Resolve(c.Set); err != nil {
			return run.Usage("%w", err)
		}
		t := s.tree.of(name)
		if _, m := s.masking(o, &t); m.Check() != nil {
			return run.Usage("%v", m.Check())
		}
	}
	return nil
}
