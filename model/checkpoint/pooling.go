// The poolings of vision transformers that have their own: the class token, or attention of a learned query.

package checkpoint

import (
	"fmt"

	"repscope/model/graph"
)

// first takes the first token [B, E] of the last value.
func (v *vit) first(where string) {
	v.node("Gather", where, map[string]graph.Attribute{"axis": integer(1)}, v.integerScalar(0))
}

// poolClass is the normalized class token, times the projection where the file has one: CLIP.
func poolClass(v *vit) error {
	norm := v.family.name("norm")
	v.first(norm)
	if err := v.norm(norm); err != nil {
		return err
	}
	if name := v.family.name("projection"); v.has(name + ".weight") {
		_, err := v.affine(name, free, v.width)
		return err
	} else if v.has(name) { // a matrix [E, D]
		if _, err := v.tensor(name, v.width, free); err != nil {
			return err
		}
		v.node("MatMul", name, nil, name)
	}
	return nil
}

// poolProbe is attention of a learned query over the normalized tokens, then an MLP: SigLIP. Without its tensors the
// output are the tokens.
func poolProbe(v *vit) error {
	f := v.family
	if err := v.norm(f.name("norm")); err != nil {
		return err
	}
	if !v.has(f.name("probe")) {
		return nil
	}
	tokens := v.last
	if _, err := v.tensor(f.name("probe"), 1, 1, v.width); err != nil {
		return err
	}
	name := f.name("pool_in")
	weights, _, err := v.read(name+"_weight", 3*v.width, v.width)
	if err != nil {
		return err
	}
	biases, _, err := v.read(name+"_bias", 3*v.width)
	if err != nil {
		return err
	}
	v.model.Parameters += len(weights) + len(biases)
	n := v.width * v.width
	for j, part := range []string{".q", ".k", ".v"} {
		v.graph.Constants[name+part+".weight"] = graph.Floats(weights[j*n:(j+1)*n], v.width, v.width)
		v.graph.Constants[name+part+".bias"] = graph.Floats(biases[j*v.width:(j+1)*v.width], v.width)
	}
	var parts [3]string
	for j, part := range []string{".q", ".k", ".v"} {
		v.last = tokens
		if j == 0 {
			v.last = f.name("probe")
		}
		v.node("Linear", name+part, nil, name+part+".weight", "")
		v.node("Add", name+part, nil, name+part+".bias")
		parts[j] = v.byHeads(name + part)
	}
	v.builder.attention(f.name("pool")+".attention", parts[0], parts[1], parts[2], v.heads, v.width)
	return v.poolEnd()
}

// byHeads divides the last value [B, N, E] into [B, heads, N, d].
func (v *vit) byHeads(where string) string {
	v.node("Reshape", where, nil, v.ints(0, -1, int64(v.heads), int64(v.width/v.heads)))
	return v.node("Transpose", where, map[string]graph.Attribute{"perm": integers(0, 2, 1, 3)})
}

// poolLatent is poolProbe in the names of timm, after the normalization.
func poolLatent(v *vit) error {
	f, tokens := v.family, v.last
	if f.poolHeads > 0 {
		defer func(heads int) { v.heads = heads }(v.heads)
		if v.heads = f.poolHeads; v.width%v.heads != 0 {
			return fmt.Errorf("the width %d is not a multiple of the %d heads of the pooling; %s", v.width, v.heads, exportHint)
		}
	}
	latent, query, both := f.name("pool_latent"), f.name("pool_q"), f.name("pool_kv")
	if _, err := v.tensor(latent, 1, 1, v.width); err != nil {
		return err
	}
	v.last = latent
	if _, err := v.affine(query, v.width, v.width); err != nil {
		return err
	}
	q := v.byHeads(query)
	v.last = tokens
	if _, err := v.affine(both, 2*v.width, v.width); err != nil {
		return err
	}
	x := v.last
	var parts [2]string
	for j := range parts {
		v.apply("Slice", both, nil, x, v.ints(int64(j*v.width)), v.ints(int64((j+1)*v.width)), v.ints(-1))
		parts[j] = v.byHeads(both)
	}
	v.builder.attention(f.name("pool")+".attention", q, parts[0], parts[1], v.heads, v.width)
	return v.poolEnd()
}

// poolEnd projects the pooled token, adds an MLP of its normalization, and takes away its axis.
func (v *vit) poolEnd() error {
	f := v.family
	fc1, fc2 := f.name("pool_fc1"), f.name("pool_fc2")
	if _, err := v.affine(f.name("pool_proj"), v.width, v.width); err != nil {
		return err
	}
	x := v.last
	if err := v.norm(f.name("pool_norm")); err != nil {
		return err
	}
	hidden, err := v.affine(fc1, free, v.width)
	if err != nil {
		return err
	}
	v.activate(v.activation, fc1)
	if _, err := v.affine(fc2, v.width, hidden); err != nil {
		return err
	}
	v.apply("Add", fc2, nil, x, v.last)
	v.first(fc2)
	return nil
}
