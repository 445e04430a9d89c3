// Encoders of sequences of tokens: BERT, RoBERTa and ESM as Hugging Face and the original library of ESM save them.

package checkpoint

import (
	"fmt"
	"math"
	"strings"

	"repscope/model/graph"
)

// tower is an encoder of tokens [B, L] under construction.
type tower struct {
	*vit
	preNorm bool   // blocks normalize before their parts; else after them
	ids     string // tokens [B, L]
	valid   string // 1 for tokens, 0 for padding, as numbers [B, L, 1]
	hidden  string // −3.4e38 for keys of padding, else 0: [B, 1, 1, L]
	outputs []string
}

// towerParts are the names of Hugging Face's encoders below their base.
const towerParts = `word=embeddings.word_embeddings positions=embeddings.position_embeddings
	types=embeddings.token_type_embeddings position_ids=embeddings.position_ids block=encoder.layer.*
	attention=.attention.self q=.attention.self.query k=.attention.self.key v=.attention.self.value
	frequencies=.attention.self.rotary_embeddings.inv_freq proj=.attention.output.dense fc1=.intermediate.dense
	fc2=.output.dense `

// Layouts.
const (
	bertParts = towerParts + `first_norm=embeddings.LayerNorm norm1=.attention.output.LayerNorm norm2=.output.LayerNorm`
	esmParts  = towerParts + `first_norm=embeddings.layer_norm norm1=.attention.LayerNorm norm2=.LayerNorm
		norm=encoder.emb_layer_norm_after`
	esmOriginal = `word=embed_tokens positions=embed_positions first_norm=emb_layer_norm_before block=layers.*
		attention=.self_attn q=.self_attn.q_proj k=.self_attn.k_proj v=.self_attn.v_proj
		frequencies=.self_attn.rot_emb.inv_freq proj=.self_attn.out_proj norm1=.self_attn_layer_norm fc1=.fc1 fc2=.fc2
		norm2=.final_layer_norm norm=emb_layer_norm_after`
	bertHead = ` head_dense=cls.predictions.transform.dense head_norm=cls.predictions.transform.LayerNorm
		head_out=cls.predictions.decoder head_bias=cls.predictions`
	lmHead = ` head_dense=lm_head.dense head_norm=lm_head.layer_norm head_out=lm_head.decoder head_bias=lm_head `
)

// towerFamily is a row for encoders of tokens whose names begin with a base; the head of masked tokens has names of its
// own.
func towerFamily(label, base, layout, head string, epsilon float64) family {
	names := with(under(base, parts(layout)), head)
	return family{
		label: label, build: buildTower, input: "tokens [B, L]", output: "[B, L, E]", names: names, epsilon: epsilon,
		activation: "gelu",
		signature:  []string{names["word"] + ".weight", strings.Replace(names["q"], "*", "0", 1) + ".weight"},
		outside: []string{base + "pooler.", base + "contact_head.", "contact_head.", "cls.seq_relationship.",
			"classifier."},
		accepts: func(state State, prefix string) bool {
			return state.normed(prefix + strings.Replace(names["norm1"], "*", "0", 1))
		},
	}
}

// normed reports whether a state has a layer normalization, also in the old names of its tensors.
func (s State) normed(name string) bool {
	_, weight := s[name+".weight"]
	_, gamma := s[name+".gamma"]
	return weight || gamma
}

// buildTower is tokens [B, L], with a mask that is 0 at padding, to logits [B, L, V] where the file has the head of
// masked tokens, hidden states [B, L, E] and the attentions [B, heads, L, L] of each layer.
func buildTower(b *builder, f *family) error {
	label, err := b.label(f)
	if err != nil {
		return err
	}
	b.model.Architecture, b.graph.Name = label, label
	if strings.HasPrefix(f.label, "ESM") {
		label = f.label
	}
	t := &tower{vit: &vit{builder: b, family: f}, preNorm: strings.HasPrefix(label, "ESM")}
	for _, step := range []func() error{b.refuseFinal, t.sizes, t.embed, t.layers, t.head} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// sizes reads the table of tokens, and decides what no tensor tells.
func (t *tower) sizes() error {
	shape, err := t.tensor(t.family.name("word")+".weight", free, free)
	if err != nil {
		return err
	}
	t.width = shape[1]
	if err := t.settings.Agree("hidden_size", t.width); err != nil {
		return err
	}
	if t.activation, err = t.activationOf(t.family); err != nil {
		return err
	}
	otherwise := 0
	if frequencies := t.frequencies(); frequencies != "" {
		otherwise = t.width / max(1, 2*vectorLength(t.state[t.prefix+frequencies].Shape))
	} else if !t.preNorm && t.width%64 == 0 {
		otherwise = t.width / 64
	}
	if t.heads, err = t.builder.heads(t.width, 0); err == nil && t.heads == 0 && otherwise > 0 {
		t.heads = otherwise
		t.model.Notes = append(t.model.Notes, fmt.Sprintf("%d attention heads", otherwise))
	}
	if err != nil {
		return err
	}
	if t.heads == 0 || t.width%t.heads != 0 {
		return fmt.Errorf("the number of heads is unknown: no option and no configuration (%s) next to the file",
			headNames[2])
	}
	t.epsilon, err = t.smallest(t.family.epsilon)
	t.settings.Decide("heads", t.heads)
	t.settings.Decide("layer_norm_eps", t.epsilon)
	return err
}

// vectorLength is the length of a vector, 0 of other shapes.
func vectorLength(shape []int) int {
	if len(shape) != 1 {
		return 0
	}
	return shape[0]
}

// frequencies is the tensor of the frequencies of a rotary embedding, "" for none: of the model, or of its first layer.
func (t *tower) frequencies() string {
	name := t.family.names["frequencies"]
	for _, candidate := range []string{strings.Replace(name, "*", "0", 1), name,
		strings.Split(t.family.name("block", 0), "encoder.layer.")[0] + "rotary_embeddings.inv_freq"} {
		if t.has(candidate) {
			return candidate
		}
	}
	return ""
}

// embed makes the first hidden states [B, L, E].
func (t *tower) embed() error {
	f := t.family
	size := func(name string) graph.Dim { return graph.Dim{Name: name, Size: -1} }
	dims := []graph.Dim{size("batch"), size("length")}
	t.graph.Inputs = []graph.Port{{Name: "input_ids", DType: graph.Int64, Dims: dims},
		{Name: "attention_mask", DType: graph.Int64, Dims: dims}}
	t.ids = "input_ids"
	const where = "attention_mask"
	t.apply("Cast", where, map[string]graph.Attribute{"to": integer(1)}, "attention_mask")
	t.valid = t.node("Unsqueeze", where, nil, t.ints(2))
	t.apply("Unsqueeze", where, nil, "attention_mask", t.ints(1, 2))
	t.node("Equal", where, nil, t.ints(0))
	t.hidden = t.node("Where", where, nil, t.scalar(-math.MaxFloat32), t.scalar(0))
	word := f.name("word")
	t.apply("Gather", word, map[string]graph.Attribute{"axis": integer(0)}, word+".weight", t.ids)
	if err := t.dropTokens(); err != nil {
		return err
	}
	if err := t.addPositions(); err != nil {
		return err
	}
	if name := f.name("types"); f.has("types") && t.has(name+".weight") {
		x := t.last
		values, shape, err := t.read(name+".weight", free, t.width)
		if err != nil {
			return err
		}
		t.model.Parameters += len(values)
		t.apply("Add", name, nil, x, t.floats(values[:len(values)/shape[0]], t.width)) // all tokens have the type 0
	}
	if name := f.name("first_norm"); t.state.normed(t.prefix + name) {
		if err := t.norm(name); err != nil {
			return err
		}
	}
	if t.preNorm {
		t.node("Mul", word, nil, t.valid)
	}
	t.used[t.prefix+f.name("position_ids")] = true
	return nil
}

// dropTokens hides masked tokens and scales the others, as ESM does: by 0.88 / (1 − share of masked tokens).
func (t *tower) dropTokens() error {
	if !t.preNorm {
		return nil
	}
	drops, _, err := t.settings.Find("token_dropout")
	if err != nil {
		return err
	}
	mask, _, err := t.settings.Integer("mask_token_id")
	if err != nil {
		return err
	}
	if no, ok := drops.(bool); ok && !no {
		t.settings.Decide("token_dropout", false)
		return nil
	}
	if mask == 0 {
		mask = 32 // of the vocabulary of ESM
	}
	t.settings.Decide("mask_token", mask)
	const where = "token_dropout"
	x := t.last
	is := t.apply("Equal", where, nil, t.ids, t.ints(int64(mask)))
	t.apply("Cast", where, map[string]graph.Attribute{"to": integer(1)}, is)
	masked := t.node("Unsqueeze", where, nil, t.ints(2))
	is = t.apply("Unsqueeze", where, nil, is, t.ints(2))
	x = t.apply("Where", where, nil, is, t.scalar(0), x)
	count := t.apply("ReduceSum", where, nil, masked, t.ints(1))
	length := t.apply("ReduceSum", where, nil, t.valid, t.ints(1))
	share := t.apply("Div", where, nil, count, length)
	t.apply("Sub", where, nil, t.scalar(1), share)
	kept := t.last
	t.apply("Mul", where, nil, x, t.scalar(0.88))
	t.node("Div", where, nil, kept)
	return nil
}

// addPositions adds learned positions: of the index of a token; of RoBERTa and ESM, counted from the token of padding
// on, which itself does not count. Rotary embeddings turn queries and keys instead.
func (t *tower) addPositions() error {
	f, x := t.family, t.last
	kind, _, err := t.settings.Text("position_embedding_type")
	if err != nil {
		return err
	}
	name := f.name("positions")
	frequencies := t.frequencies()
	if kind == "rotary" || kind == "" && (frequencies != "" || t.preNorm && !t.has(name+".weight")) {
		t.used[t.prefix+name+".weight"] = true
		values := rotaryFrequencies(rotaryBase, t.width/t.heads)
		if frequencies != "" {
			if values, _, err = t.read(frequencies, t.width/t.heads/2); err != nil {
				return err
			}
		}
		if t.width/t.heads%2 != 0 {
			return fmt.Errorf("%d heads: the width %d of a head is odd, but a rotary embedding needs pairs", t.heads,
				t.width/t.heads)
		}
		for i := 0; ; i++ {
			each := f.name("frequencies", i)
			if t.used[t.prefix+each] = true; !t.has(each) {
				break
			}
		}
		shape := t.apply("Shape", "rotary", nil, t.ids)
		n := t.apply("Slice", "rotary", nil, shape, t.ints(1), t.ints(2))
		t.turn = t.rotateIndex(values, n)
		t.last = x
		return nil
	}
	if kind != "" && kind != "absolute" {
		return fmt.Errorf("position_embedding_type %q: want absolute or rotary; %s", kind, exportHint)
	}
	if _, err := t.tensor(name+".weight", free, t.width); err != nil {
		return err
	}
	pad, err := t.padToken()
	if err != nil {
		return err
	}
	if pad < 0 {
		shape := t.apply("Shape", name, nil, t.ids)
		n := t.apply("Slice", name, nil, shape, t.ints(1), t.ints(2))
		t.counting(name, n)
	} else {
		is := t.apply("Equal", name, nil, t.ids, t.ints(int64(pad)))
		counted := t.apply("Where", name, nil, is, t.ints(0), t.ints(1))
		t.apply("CumSum", name, nil, counted, t.integerScalar(1))
		t.node("Mul", name, nil, counted)
		t.node("Add", name, nil, t.ints(int64(pad)))
	}
	rows := t.apply("Gather", name, map[string]graph.Attribute{"axis": integer(0)}, name+".weight", t.last)
	t.apply("Add", name, nil, x, rows)
	return nil
}

// padToken is the token from which positions are counted; −1 where they are the indices of tokens.
func (t *tower) padToken() (int, error) {
	if !t.preNorm && t.model.Architecture != "RoBERTa" {
		return -1, nil
	}
	pad, where, err := t.settings.Integer("pad_token_id")
	if where == "" {
		pad = 1
	}
	return pad, err
}

// layers applies all layers.
func (t *tower) layers() error {
	depth := 0
	for ; depth == 0 || t.state.normed(t.prefix+t.family.name("norm1", depth)); depth++ {
		if err := t.layer(depth); err != nil {
			return err
		}
	}
	if err := t.settings.Agree("num_hidden_layers", depth); err != nil {
		return err
	}
	if name := t.family.name("norm"); t.family.has("norm") && t.state.normed(t.prefix+name) {
		return t.norm(name)
	}
	return nil
}

// layer is x + attention(norm(x)), then x + MLP(norm(x)); or norm(x + attention(x)), then norm(x + MLP(x)).
func (t *tower) layer(i int) error {
	f := t.family
	step := func(norm string, part func() error) error {
		x := t.last
		if t.preNorm {
			if err := t.norm(norm); err != nil {
				return err
			}
		}
		if err := part(); err != nil {
			return err
		}
		t.apply("Add", f.name("block", i), nil, x, t.last)
		if t.preNorm {
			return nil
		}
		return t.norm(norm)
	}
	if err := step(f.name("norm1", i), func() error { return t.attend(i) }); err != nil {
		return err
	}
	return step(f.name("norm2", i), func() error { return t.mlp(i) })
}

// attend is attention among the tokens that are no padding.
func (t *tower) attend(i int) error {
	name := t.family.name("attention", i)
	q, k, v, err := t.project(i)
	if err != nil {
		return err
	}
	if t.turn != nil {
		q, k = t.rotate(name, q, t.turn), t.rotate(name, k, t.turn)
	}
	weights := t.attentionWeights(name, q, k, t.hidden, t.width/t.heads)
	t.outputs = append(t.outputs, t.named(weights, fmt.Sprintf("attentions_%d", i)))
	t.weighted(name, v, t.width)
	_, err = t.affine(t.family.name("proj", i), t.width, t.width)
	return err
}

// named renames a value that the last node makes.
func (b *builder) named(value, name string) string {
	n := b.graph.Nodes[len(b.graph.Nodes)-1]
	if n.Outputs[0] == value {
		n.Outputs[0] = name
	}
	b.last = name
	return name
}

// head is the head of masked tokens, where the file has it, and ends the graph.
func (t *tower) head() error {
	f := t.family
	hidden := t.named(t.last, "last_hidden_state")
	outputs := append([]string{hidden}, t.outputs...)
	if dense := f.name("head_dense"); t.has(dense + ".weight") {
		if _, err := t.affine(dense, t.width, t.width); err != nil {
			return err
		}
		t.activate(t.activation, dense)
		if err := t.norm(f.name("head_norm")); err != nil {
			return err
		}
		if err := t.logits(); err != nil {
			return err
		}
		outputs = append([]string{t.named(t.last, "logits")}, outputs...)
	}
	for _, name := range outputs {
		t.graph.Outputs = append(t.graph.Outputs, graph.Port{Name: name, DType: graph.Float32})
	}
	return nil
}

// logits is a product with a table of its own or with the table of tokens, and a bias.
func (t *tower) logits() error {
	f := t.family
	weight := f.name("word") + ".weight"
	rows := t.state[t.prefix+weight].Shape[0]
	for _, head := range []string{f.name("head_out") + ".weight", f.name("head_bias") + ".weight"} {
		if !t.has(head) {
			continue
		}
		if _, err := t.tensor(head, rows, t.width); err != nil {
			return err
		}
		weight = head
		break
	}
	t.used[t.prefix+f.name("head_bias")+".weight"] = true
	t.node("Linear", "logits", nil, weight, "")
	t.used[t.prefix+f.name("head_out")+".bias"] = true
	for _, bias := range []string{f.name("head_bias") + ".bias", f.name("head_out") + ".bias"} {
		if t.has(bias) {
			if _, err := t.tensor(bias, rows); err != nil {
				return err
			}
			t.node("Add", "logits", nil, bias)
			return nil
		}
	}
	return nil
}
