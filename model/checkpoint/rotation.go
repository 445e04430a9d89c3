// Rotary embeddings of patches by their position in the grid.

package checkpoint

import (
	"fmt"
	"math"

	"repscope/model/graph"
)

// rotation turns queries and keys [B, heads, N, d] by a table of cosines and one of sines [N, d]. Special tokens have
// the cosine 1 and the sine 0.
type rotation struct {
	cosine, sine string
	width        int    // d
	pairs        string // the constant of the partners, with their signs in the sines; "": i and i + d/2
}

// rotate is x·cosine + partner·sine, where the partner of the halves x₁, x₂ is −x₂, x₁.
func (b *builder) rotate(where, x string, r *rotation) string {
	var partner string
	if r.pairs != "" {
		partner = b.apply("Gather", where, map[string]graph.Attribute{"axis": integer(-1)}, x, r.pairs)
	} else {
		half, whole := b.ints(int64(r.width/2)), b.ints(int64(r.width))
		first := b.apply("Slice", where, nil, x, b.ints(0), half, b.ints(-1))
		second := b.apply("Slice", where, nil, x, half, whole, b.ints(-1))
		negative := b.apply("Neg", where, nil, second)
		partner = b.apply("Concat", where, map[string]graph.Attribute{"axis": integer(-1)}, negative, first)
	}
	straight := b.apply("Mul", where, nil, x, r.cosine)
	across := b.apply("Mul", where, nil, partner, r.sine)
	return b.apply("Add", where, nil, straight, across)
}

// rotateIndex makes the tables for n tokens, an integer value of one element: angles index·frequency.
func (b *builder) rotateIndex(frequencies []float32, n string) *rotation {
	const where = "rotary"
	name := b.floats(frequencies, 1, len(frequencies))
	b.indices(where, n)
	b.node("Reshape", where, nil, b.ints(-1, 1))
	half := b.node("Mul", where, nil, name)
	angles := b.apply("Concat", where, map[string]graph.Attribute{"axis": integer(1)}, half, half)
	return &rotation{cosine: b.apply("Cos", where, nil, angles), sine: b.apply("Sin", where, nil, angles),
		width: 2 * len(frequencies)}
}

// makeRotation makes the tables of families that have them.
func (v *vit) makeRotation() error {
	if v.family.rotary == nil {
		return nil
	}
	tokens := v.last
	turn, err := v.family.rotary(v)
	v.turn, v.last = turn, tokens
	return err
}

// floats adds a constant and returns its name.
func (b *builder) floats(values []float32, shape ...int) string {
	b.count++
	name := fmt.Sprintf("floats_%d", b.count)
	b.graph.Constants[name] = graph.Floats(values, shape...)
	return name
}

// indices are 0 … n−1 as numbers [n], of a value of one element.
func (b *builder) indices(where, n string) string {
	b.counting(where, n)
	return b.node("Cast", where, map[string]graph.Attribute{"to": integer(1)})
}

// counting are 0 … n−1 as integers [n], of a value of one element.
func (b *builder) counting(where, n string) string {
	b.apply("Reshape", where, nil, n, b.shape())
	return b.apply("Range", where, nil, b.integerScalar(0), b.last, b.integerScalar(1))
}

// along repeats a table [n, k] of one axis of the grid for all patches: [N, k].
func (v *vit) along(where, table string, axis, k int) string {
	axes := len(v.grid)
	shape := make([]int64, axes+1)
	for i := range shape {
		shape[i] = 1
	}
	shape[axis], shape[axes] = -1, int64(k)
	v.apply("Reshape", where, nil, table, v.ints(shape...))
	spread := v.last
	target := v.apply("Concat", where, map[string]graph.Attribute{"axis": integer(0)},
		append(append([]string{}, v.grid...), v.ints(int64(k)))...)
	v.apply("Expand", where, nil, spread, target)
	return v.node("Reshape", where, nil, v.ints(-1, int64(k)))
}

// tables ends a rotation of d coordinates: angles [N, k] for the first k of them; the rest stays, and so do special
// tokens.
func (v *vit) tables(where, angles string, k, d int) *rotation {
	parts := [2]string{v.apply("Cos", where, nil, angles), v.apply("Sin", where, nil, angles)}
	for i, still := range []float32{1, 0} {
		if k < d {
			rows := v.apply("Shape", where, nil, angles)
			rows = v.apply("Slice", where, nil, rows, v.ints(0), v.ints(1))
			target := v.apply("Concat", where, map[string]graph.Attribute{"axis": integer(0)}, rows, v.ints(int64(d-k)))
			rest := v.apply("Expand", where, nil, v.floats([]float32{still}, 1, 1), target)
			parts[i] = v.apply("Concat", where, map[string]graph.Attribute{"axis": integer(1)}, parts[i], rest)
		}
		if v.special > 0 {
			values := make([]float32, v.special*d)
			for j := range values {
				values[j] = still
			}
			parts[i] = v.apply("Concat", where, map[string]graph.Attribute{"axis": integer(0)},
				v.floats(values, v.special, d), parts[i])
		}
	}
	return &rotation{cosine: parts[0], sine: parts[1], width: d}
}

// rotateCentered is the rotation of DINOv3: angles 2π·c/period for the coordinates c of a patch's center, which go
// from −1 to 1 along each axis. The periods are in the file, or base^(2i/(d/2)), i < d/4.
func rotateCentered(v *vit) (*rotation, error) {
	const where = "rope"
	d := v.width / v.heads
	if d%4 != 0 {
		return nil, fmt.Errorf("%d heads: the width %d of a head is not a multiple of 4, which a rotation along "+
			"two axes needs", v.heads, d)
	}
	quarter := d / 4
	inverse := make([]float32, quarter)
	if name := v.part(v.family, "periods"); name != "" {
		periods, _, err := v.read(name, quarter)
		if err != nil {
			return nil, err
		}
		for i, p := range periods {
			inverse[i] = 1 / p
		}
	} else {
		base, err := v.base(100)
		if err != nil {
			return nil, err
		}
		inverse = rotaryFrequencies(base, d/2)
	}
	turns := make([]float32, quarter)
	for i, f := range inverse {
		turns[i] = float32(2*math.Pi) * f
	}
	frequencies := v.floats(turns, 1, quarter)
	var both [2]string
	for axis, n := range v.grid {
		index := v.indices(where, n)
		count := v.apply("Cast", where, map[string]graph.Attribute{"to": integer(1)}, n)
		v.apply("Add", where, nil, index, v.scalar(0.5))
		v.node("Div", where, nil, count)
		v.node("Mul", where, nil, v.scalar(2))
		v.node("Sub", where, nil, v.scalar(1))
		v.node("Reshape", where, nil, v.ints(-1, 1))
		v.node("Mul", where, nil, frequencies)
		both[axis] = v.along(where, v.last, axis, quarter)
	}
	half := v.apply("Concat", where, map[string]graph.Attribute{"axis": integer(1)}, both[0], both[1])
	angles := v.apply("Concat", where, map[string]graph.Attribute{"axis": integer(1)}, half, half)
	return v.tables(where, angles, d, d), nil
}

// base is the base of the periods: of the configuration, else another.
func (v *vit) base(otherwise float64) (float64, error) {
	n, _, err := v.settings.Integer("rope_theta", "pos_embed_rope_base")
	if err != nil || n == 0 {
		return otherwise, err
	}
	return float64(n), nil
}

// rotateIndices is the rotation of V-JEPA 2: a third of the coordinates for each of frame, row and column, the rest
// stays. Angles are index·10000^(−i/(k/2)) for k coordinates. The angles of a third are repeated as a whole, although
// neighboring coordinates are pairs: as the published weights were trained.
func rotateIndices(v *vit) (*rotation, error) {
	const where = "rope"
	d := v.width / v.heads
	k := 2 * (d / 3 / 2)
	if k == 0 || len(v.grid) != 3 {
		return nil, fmt.Errorf("%d heads of the width %d: want at least 6 for a rotation along three axes", v.heads, d)
	}
	frequencies := v.floats(rotaryFrequencies(rotaryBase, k), 1, k/2)
	var parts []string
	for axis, n := range v.grid {
		v.indices(where, n)
		v.node("Reshape", where, nil, v.ints(-1, 1))
		half := v.node("Mul", where, nil, frequencies)
		v.apply("Concat", where, map[string]graph.Attribute{"axis": integer(1)}, half, half)
		parts = append(parts, v.along(where, v.last, axis, k))
	}
	angles := v.apply("Concat", where, map[string]graph.Attribute{"axis": integer(1)}, parts...)
	return v.neighbors(v.tables(where, angles, 3*k, d), 3*k), nil
}

// neighbors makes pairs of the first k coordinates with the ones next to them.
func (v *vit) neighbors(turn *rotation, k int) *rotation {
	d := turn.width
	signs, partners := make([]float32, d), make([]int64, d)
	for i := range d {
		signs[i], partners[i] = 1, int64(i)
		if i < k {
			partners[i] = int64(i ^ 1)
			if i%2 == 0 {
				signs[i] = -1
			}
		}
	}
	turn.sine = v.apply("Mul", "rope", nil, turn.sine, v.floats(signs, d))
	turn.pairs = v.ints(partners...)
	return turn
}

// rotateWithin is a rotation of neighboring coordinates, by the row of a patch in the first half of a head and by the
// column in the second one, or the other way. Patches of any grid have places from offset on within reach.
func (v *vit) rotateWithin(reach int, offset float32, columnsFirst bool) (*rotation, error) {
	const where = "rope"
	d := v.width / v.heads
	if d%4 != 0 {
		return nil, fmt.Errorf("%d heads: the width %d of a head is not a multiple of 4, which a rotation along "+
			"two axes needs", v.heads, d)
	}
	frequencies := v.floats(rotaryFrequencies(rotaryBase, d/2), 1, d/4)
	var both [2]string
	for axis, n := range v.grid {
		index := v.indices(where, n)
		count := v.apply("Cast", where, map[string]graph.Attribute{"to": integer(1)}, n)
		v.apply("Add", where, nil, index, v.scalar(offset))
		v.node("Div", where, nil, count)
		v.node("Mul", where, nil, v.scalar(float32(reach)))
		v.node("Reshape", where, nil, v.ints(-1, 1))
		v.node("Mul", where, nil, frequencies)
		both[axis] = v.along(where, v.last, axis, d/4)
	}
	if columnsFirst {
		both[0], both[1] = both[1], both[0]
	}
	half := v.apply("Concat", where, map[string]graph.Attribute{"axis": integer(1)}, both[0], both[1])
	half = v.apply("Reshape", where, nil, half, v.ints(-1, int64(d/2), 1))
	v.apply("Concat", where, map[string]graph.Attribute{"axis": integer(2)}, half, half)
	angles := v.node("Reshape", where, nil, v.ints(-1, int64(d)))
	return v.neighbors(v.tables(where, angles, d, d), d), nil
}

// rotateEVA is the rotation of EVA-02: of places within 16, as it was trained at first.
func rotateEVA(v *vit) (*rotation, error) { return v.rotateWithin(16, 0, false) }

// rotatePE is the rotation of the Perception Encoder: of places within the grid of the learned positions, from 1 on, or
// from 0 on in the largest model, which has no class token.
func rotatePE(v *vit) (*rotation, error) { return v.rotateWithin(v.side, float32(v.special), true) }
