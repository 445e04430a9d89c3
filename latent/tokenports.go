// Inputs and outputs of a token model: their meaning and the layout of outputs.

package latent

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"repscope/internal/text"
	"repscope/model"
)

// The meanings of inputs and outputs.
const (
	roleTokens    = "tokens"    // ids
	roleChains    = "chains"    // 0 or 1
	roleMask      = "mask"      // 1 for tokens, 0 for padding
	rolePadding   = "padding"   // 1 for padding
	rolePositions = "positions" // 0, 1, 2, …

	roleLogits     = "logits"
	roleHidden     = "hidden"
	roleAttentions = "attentions"
)

// tokenRoles are the meanings of inputs, with the names that identify them: lower case, letters and digits alone.
var tokenRoles = []struct {
	role  string
	names []string
}{
	{roleTokens, []string{"tokens", "tokenids", "inputids", "ids", "inputtokens", "sequencetokens", "sequence", "sequences", "src", "input", "x"}},
	{roleChains, []string{"chains", "chainids", "chainid", "chain", "tokentypeids", "tokentypes", "segmentids", "segments", "typeids"}},
	{roleMask, []string{"mask", "attentionmask", "attnmask", "inputmask", "validmask", "tokenmask"}},
	{rolePadding, []string{"padding", "paddingmask", "padmask", "keypaddingmask", "srckeypaddingmask"}},
	{rolePositions, []string{"positions", "positionids", "position", "pos"}},
}

// outputRoles are the meanings of outputs; names omit the number of a layer.
var outputRoles = []struct {
	role  string
	names []string
}{
	{roleLogits, []string{"logits", "logit", "lmlogits", "mlmlogits", "predictionlogits", "predictions", "prediction", "predictionscores"}},
	{roleHidden, []string{"hidden", "hiddenstates", "hiddenstate", "lasthiddenstate", "lasthidden", "embeddings", "embedding", "representations",
		"representation", "encoderoutput", "features", "hiddenlayer"}},
	{roleAttentions, []string{"attentions", "attention", "attn", "attns", "attentionweights", "attnweights", "attentionlayer", "attentionprobs"}},
}

// TokenInputs lists the meanings of inputs.
func TokenInputs() []string {
	return []string{roleTokens, roleChains, roleMask, rolePadding, rolePositions}
}

// TokenOutputNames lists the meanings of outputs.
func TokenOutputNames() []string { return []string{roleLogits, roleHidden, roleAttentions} }

// String names the outputs of a set.
func (o TokenOutputs) String() string {
	var names []string
	for k, name := range TokenOutputNames() {
		if o&(1<<k) != 0 {
			names = append(names, name)
		}
	}
	return strings.Join(names, ", ")
}

// tokenInput is an input with its meaning.
type tokenInput struct {
	role string
	port model.Port
}

// bindInputs identifies the inputs: by the options, then by their names; a single remaining one is the tokens.
func (t *TokenModel) bindInputs(ports []model.Port) error {
	taken := map[string]string{} // meaning by name of the input
	for _, role := range slices.Sorted(maps.Keys(t.o.Inputs)) {
		name := t.o.Inputs[role]
		if !slices.Contains(TokenInputs(), role) {
			return unknownRole("input", role, TokenInputs())
		}
		if !slices.ContainsFunc(ports, func(p model.Port) bool { return p.Name == name }) {
			return fmt.Errorf("has no input %q%s; its inputs are %s", name, meantPort(name, ports), model.Names(ports))
		}
		if before, ok := taken[name]; ok {
			return fmt.Errorf("input %q is assigned to both %s and %s", name, before, role)
		}
		taken[name] = role
	}
	assigned := map[string]bool{}
	for _, role := range taken {
		assigned[role] = true
	}
	for _, r := range tokenRoles {
		for _, p := range ports {
			if _, ok := taken[p.Name]; !ok && !assigned[r.role] && slices.Contains(r.names, plain(p.Name)) {
				taken[p.Name], assigned[r.role] = r.role, true
			}
		}
	}
	for _, p := range ports {
		role, ok := taken[p.Name]
		if !ok && !assigned[roleTokens] && len(taken) == len(ports)-1 {
			role, ok = roleTokens, true
			assigned[roleTokens] = true
		}
		if !ok {
			return fmt.Errorf("input %q has an unknown purpose; assign it with --inputs ROLE=%s, with ROLE one of %s",
				p.Name, p.Name,
				strings.Join(TokenInputs(), ", "))
		}
		if p.Dims != nil && len(p.Dims) != 2 {
			return fmt.Errorf("input %q (%s) has shape %v, want two axes: sequences and tokens", p.Name, role, p.Shape())
		}
		t.inputs = append(t.inputs, tokenInput{role: role, port: p})
		t.Names = append(t.Names, role+"="+p.Name)
		if p.Dims != nil {
			t.rows, t.length = max(t.rows, p.Dims[0].Size), max(t.length, p.Dims[1].Size)
		}
	}
	if !assigned[roleTokens] {
		return fmt.Errorf("has no input for tokens; its inputs are %s: name it with --inputs tokens=NAME", model.Names(ports))
	}
	return nil
}

// types are the types of the inputs for a batch.
func (t *TokenModel) types(rows, space int) []model.Type {
	list := make([]model.Type, len(t.inputs))
	for i, in := range t.inputs {
		list[i] = model.Type{DType: in.port.DType, Shape: []int{rows, space}}
	}
	return list
}

// tensor is an input for the batch whose tokens and chains are written.
func (t *TokenModel) tensor(in tokenInput, valid []int, space int) *model.Tensor {
	n := len(valid) * space
	out := &model.Tensor{DType: model.Int64, Shape: []int{len(valid), space}}
	switch in.role {
	case roleTokens:
		out.I64 = t.ids[:n]
		return out
	case roleChains:
		out.I64 = t.chains[:n]
		return out
	}
	out.I64 = make([]int64, n)
	for r, length := range valid {
		row := out.I64[r*space : (r+1)*space]
		for k := range row {
			switch {
			case in.role == rolePositions:
				row[k] = int64(k)
			case (in.role == roleMask) == (k < length):
				row[k] = 1
			}
		}
	}
	return out
}

func unknownRole(kind, role string, roles []string) error {
	hint := ""
	if near := text.Nearest(role, roles); near != "" {
		hint = fmt.Sprintf(" (did you mean %q?)", near)
	}
	return fmt.Errorf("%s %q%s: want one of %s", kind, role, hint, strings.Join(roles, ", "))
}

func meantPort(name string, ports []model.Port) string {
	names := make([]string, len(ports))
	for i, p := range ports {
		names[i] = p.Name
	}
	if near := text.Nearest(name, names); near != "" {
		return fmt.Sprintf(" (did you mean %q?)", near)
	}
	return ""
}

// tokenValue is an output, or one per layer, and how it lies.
type tokenValue struct {
	names []string
	batch int // axis of the batch
	layer int // axis of layers of a stack, −1
	shape []int
}

// tokenPorts are the outputs of a model of tokens.
type tokenPorts struct {
	logits, hidden, attentions *tokenValue
	vocabulary, width          int
	layers, heads              int
}

// of names the outputs of a set.
func (p *tokenPorts) of(set TokenOutputs) []string {
	var names []string
	for k, v := range []*tokenValue{p.logits, p.hidden, p.attentions} {
		if v != nil && set&(1<<k) != 0 {
			for _, name := range v.names {
				if !slices.Contains(names, name) {
					names = append(names, name)
				}
			}
		}
	}
	return names
}

// probed is an output with its shape for two batches of other sizes.
type probed struct {
	name  string
	a, b  []int // of 2 and of 3 sequences, the same where the file fixes the rows
	float bool
}

// probeLength is a length that other axes will hardly have.
const probeLength = 19

// bindOutputs finds the outputs and how they lie.
func (t *TokenModel) bindOutputs(m *model.Model) error {
	length := probeLength
	if t.length > 0 {
		length = t.length
	}
	rows := []int{2, 3}
	if t.rows > 0 {
		rows = []int{t.rows, t.rows}
	}
	first, err := m.Types(t.types(rows[0], length)...)
	if err != nil {
		return err
	}
	second, err := m.Types(t.types(rows[1], length)...)
	if err != nil {
		return err
	}
	var all []probed
	for i, p := range m.Outputs() {
		all = append(all, probed{p.Name, first[i].Shape, second[i].Shape, first[i].DType == model.Float32})
	}
	roles, err := t.chooseOutputs(all, length)
	if err != nil {
		return err
	}
	for k, role := range TokenOutputNames() {
		names := roles[role]
		if len(names) == 0 {
			continue
		}
		v, err := t.lie(role, names, all, rows[0], length)
		if err != nil {
			return err
		}
		*[]**tokenValue{&t.outputs.logits, &t.outputs.hidden, &t.outputs.attentions}[k] = v
		t.has |= 1 << k
		shown := v.names[0]
		if n := len(v.names); n > 1 {
			shown += " … " + v.names[n-1]
		}
		t.Names = append(t.Names, role+"="+shown)
	}
	if t.has == 0 {
		return fmt.Errorf("has neither logits nor hidden states nor attentions; its outputs are %s: name them with --outputs ROLE=NAME", model.Names(m.Outputs()))
	}
	return nil
}

// chooseOutputs assigns meanings to outputs, layers in order.
func (t *TokenModel) chooseOutputs(all []probed, length int) (map[string][]string, error) {
	roles := map[string][]string{}
	taken := map[string]bool{}
	take := func(role string, names ...string) {
		roles[role] = append(roles[role], names...)
		for _, name := range names {
			taken[name] = true
		}
	}
	for _, role := range slices.Sorted(maps.Keys(t.o.Outputs)) {
		if !slices.Contains(TokenOutputNames(), role) {
			return nil, unknownRole("output", role, TokenOutputNames())
		}
		names := matching(t.o.Outputs[role], all)
		if len(names) == 0 {
			return nil, fmt.Errorf("has no output %q; its outputs are %s",
				t.o.Outputs[role], strings.Join(probedNames(all), ", "))
		}
		take(role, names...)
	}
	assigned := maps.Clone(roles)
	for _, r := range outputRoles {
		if assigned[r.role] != nil {
			continue
		}
		var names []string
		for _, p := range all {
			stem, _ := layerOf(p.name)
			if !taken[p.name] && slices.Contains(r.names, stem) {
				names = append(names, p.name)
			}
		}
		slices.SortStableFunc(names, func(a, b string) int {
			_, i := layerOf(a)
			_, j := layerOf(b)
			return i - j
		})
		if len(names) > 0 {
			take(r.role, names...)
		}
	}
	named := maps.Clone(roles)
	for _, p := range all {
		if role := t.roleByShape(p.a, length); !taken[p.name] && p.float && role != "" && named[role] == nil {
			take(role, p.name)
		}
	}
	if names := roles[roleHidden]; len(names) > 1 {
		// The last layer, or an output of that name.
		last := names[len(names)-1]
		for _, name := range names {
			if stem, _ := layerOf(name); strings.HasPrefix(stem, "last") {
				last = name
			}
		}
		roles[roleHidden] = []string{last}
	}
	if names := roles[roleLogits]; len(names) > 1 {
		return nil, fmt.Errorf("outputs %s could all be logits: name them with --outputs logits=NAME",
			strings.Join(names, ", "))
	}
	return roles, nil
}

// roleByShape guesses by shape the meaning of an output without a known name; empty: none.
func (t *TokenModel) roleByShape(shape []int, length int) string {
	n := len(shape)
	switch {
	case n == 3 && shape[1] == length && shape[2] == t.o.Vocabulary:
		return roleLogits
	case n >= 3 && shape[n-1] == length && shape[n-2] == length:
		return roleAttentions
	case n == 3 && shape[1] == length, n == 4 && shape[2] == length:
		return roleHidden
	}
	return ""
}

// layerOf is a name without the number of its layer, and that number, −1 without one.
func layerOf(name string) (stem string, layer int) {
	digits := ""
	stem = strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			digits += string(r)
			return -1
		}
		return r
	}, plain(name))
	layer, err := strconv.Atoi(digits)
	if err != nil {
		layer = -1
	}
	return stem, layer
}

// matching are the outputs that match a name, in which a * stands for the number of a layer, in the order of layers.
func matching(name string, all []probed) []string {
	before, after, many := strings.Cut(name, "*")
	type numbered struct {
		name  string
		layer int
	}
	var matches []numbered
	for _, p := range all {
		if !many && p.name == name {
			return []string{name}
		}
		middle, ok := strings.CutPrefix(p.name, before)
		if ok {
			middle, ok = strings.CutSuffix(middle, after)
		}
		if layer, err := strconv.Atoi(middle); many && ok && err == nil {
			matches = append(matches, numbered{p.name, layer})
		}
	}
	slices.SortFunc(matches, func(a, b numbered) int { return a.layer - b.layer })
	names := make([]string, len(matches))
	for i, f := range matches {
		names[i] = f.name
	}
	return names
}

func probedNames(all []probed) []string {
	names := make([]string, len(all))
	for i, p := range all {
		names[i] = p.name
	}
	return names
}

// lie finds the layout of the outputs of one meaning, equal for all.
func (t *TokenModel) lie(role string, names []string, all []probed, rows, length int) (*tokenValue, error) {
	var v *tokenValue
	for _, name := range names {
		p := all[slices.IndexFunc(all, func(p probed) bool { return p.name == name })]
		if !p.float {
			return nil, fmt.Errorf("output %q (%s) is not of float32", name, role)
		}
		if v != nil && !slices.Equal(v.shape, p.a) {
			return nil, fmt.Errorf("outputs %q and %q (%s) have shapes %v and %v, want one shape",
				names[0], name, role, v.shape, p.a)
		}
		v = &tokenValue{names: names, batch: batchAxis(p, rows), layer: -1, shape: p.a}
	}
	s, n := v.shape, len(v.shape)
	want := ""
	switch role {
	case roleLogits, roleHidden:
		if role == roleHidden && n == 4 && v.batch >= 0 {
			v.layer = 1 - v.batch
		}
		if n != 3 && v.layer < 0 || v.batch < 0 || n == 3 && v.batch != 0 || s[n-2] != length {
			want = "[sequences, tokens, …]"
		}
	case roleAttentions:
		if n == 5 && v.batch >= 0 && v.batch <= 1 {
			v.layer = 1 - v.batch
		}
		stacked := v.layer >= 0 && len(names) == 1
		if (n != 3 && n != 4 || v.batch != 0) && !stacked || s[n-1] != length || s[n-2] != length {
			want = "[sequences, heads, tokens, tokens], one for each layer, or a stack of them"
		}
	}
	if want != "" {
		return nil, fmt.Errorf("output %q (%s) has shape %v for %d sequences of %d tokens, want %s",
			names[0], role, s, rows, length, want)
	}
	return v, t.enter(role, v)
}

// enter keeps the sizes of an output.
func (t *TokenModel) enter(role string, v *tokenValue) error {
	s, n := v.shape, len(v.shape)
	p := &t.outputs
	switch role {
	case roleLogits:
		p.vocabulary = s[2]
		if t.o.Vocabulary > 0 && s[2] != t.o.Vocabulary {
			return &vocabularyError{fmt.Errorf("output %q has logits of %d tokens, the vocabulary has %d", v.names[0], s[2], t.o.Vocabulary)}
		}
	case roleHidden:
		p.width = s[n-1]
	case roleAttentions:
		p.layers, p.heads = len(v.names), 1
		if v.layer >= 0 {
			p.layers = s[v.layer]
		}
		if n > 3 {
			p.heads = s[n-3]
		}
	}
	return nil
}

// batchAxis is the axis that grows with the batch, or has its fixed size; −1: none.
func batchAxis(p probed, rows int) int {
	if len(p.a) != len(p.b) {
		return -1
	}
	for k := range p.a {
		if p.a[k] != p.b[k] {
			return k
		}
	}
	return slices.Index(p.a, rows) // the file fixes the rows
}

// rowPlace is a sequence of a batch.
type rowPlace struct{ row, rows, space, length int }

// take appends the outputs of a run for one sequence.
func (p *tokenPorts) take(item *TokenOutput, r *tokenRun, out []*model.Tensor, want TokenOutputs, place rowPlace) {
	value := func(v *tokenValue, k int) []float32 {
		i, ok := r.at[v.names[k]]
		if !ok {
			return nil
		}
		return out[i].F32
	}
	if p.logits != nil && want&TokenLogits != 0 {
		if all := value(p.logits, 0); all != nil {
			item.Logits = append(item.Logits, all[place.row*place.space*p.vocabulary:][:place.length*p.vocabulary]...)
		}
	}
	if p.hidden != nil && want&TokenHidden != 0 {
		if all := value(p.hidden, 0); all != nil {
			v, row := p.hidden, place.row
			if v.layer >= 0 {
				row = v.stacked(place, v.shape[v.layer]-1)
			}
			item.Hidden = append(item.Hidden, all[row*place.space*p.width:][:place.length*p.width]...)
		}
	}
	if p.attentions == nil || want&TokenAttentions == 0 || value(p.attentions, 0) == nil {
		return
	}
	v := p.attentions
	item.Layers, item.Heads = p.layers, p.heads
	for layer := range p.layers {
		all, row := value(v, min(layer, len(v.names)-1)), place.row
		if v.layer >= 0 {
			row = v.stacked(place, layer)
		}
		square := place.space * place.space
		for head := range p.heads {
			from := all[(row*p.heads+head)*square:]
			for i := range place.length {
				item.Attentions = append(item.Attentions, from[i*place.space:][:place.length]...)
			}
		}
	}
}

// stacked is the index of a layer of a sequence in a stack.
func (v *tokenValue) stacked(place rowPlace, layer int) int {
	if v.layer == 0 {
		return layer*place.rows + place.row
	}
	return place.row*v.shape[v.layer] + layer
}

// tokenHint adds the way to export a model of tokens to an error about a file of weights.
func tokenHint(path string, err error) error {
	switch filepath.Ext(path) {
	case ".pth", ".pt", ".ckpt", ".bin", ".safetensors":
		return &tokenExportError{err, strings.TrimSuffix(path, filepath.Ext(path)) + ".onnx"}
	}
	return err
}

// tokenExportError is the error for a file of weights, with the way to make a graph of it.
type tokenExportError struct {
	error
	onnx string
}

func (e *tokenExportError) Unwrap() error { return e.error }

// Hints describes how to export a module.
func (e *tokenExportError) Hints() []string {
	return []string{`export the module to ONNX: torch.onnx.export(module.eval(), (input_ids, attention_mask), "` + e.onnx + `", ` +
		`input_names=["input_ids", "attention_mask"], output_names=["logits"], ` +
		`dynamic_axes={n: {0: "batch", 1: "length"} for n in ["input_ids", "attention_mask", "logits"]})`}
}

// vocabularyError is the error for logits of another vocabulary.
type vocabularyError struct{ error }

func (e *vocabularyError) Unwrap() error { return e.error }

// Hints describes how to set the tokens.
func (e *vocabularyError) Hints() []string {
	return []string{"give the full vocabulary, with tokens that no sequence has, by --vocabulary FILE.json"}
}
