// Rotary embeddings of patches by their position in the grid.

package checkpoint

import (
	"fmt"
	"math"

	"repscope/model/graph"
)

// gridRotation turns queries and keys [B, heads, N, d]: x·cosine + x[pairs]·sine, with the signs in the sines.
// Special
// tokens have the cosine 1 and the sine 0.
type gridRotation struct {
	cosine, sine string // values [N, d]
	pairs        string // the constant of the partners of the d coordinates
}

// rotated applies the rotation.
func (v *vit) rotated(where, x string) string {
	where += ".rotary"
	partner := v.apply("Gather", where, map[string]graph.Attribute{"axis": integer(-1)}, x, v.turn.pairs)
	straight := v.apply("Mul", where, nil, x, v.turn.cosine)
	across := v.apply("Mul", where, nil, partner, v.turn.sine)
	return v.apply("Add", where, nil, straight, across)
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
	b.apply("Reshape", where, nil, n, b.shape())
	b.apply("Range", where, nil, b.integerScalar(0), b.last, b.integerScalar(1))
	return b.node("Cast", where, map[string]graph.Attribute{"to": integer(1)})
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

// tables ends a rotation: angles [N, k] for the first k coordinates, whose signs and partners are given for all d;
// coordinates from k on stay, and so do special tokens.
func (v *vit) tables(where, angles string, k int, signs []float32, partners []int64) *gridRotation {
	d := len(signs)
	cosine := v.apply("Cos", where, nil, angles)
	sine := v.apply("Sin", where, nil, angles)
	sine = v.apply("Mul", where, nil, sine, v.floats(signs[:k], k))
	parts := [2]string{cosine, sine}
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
	return &gridRotation{cosine: parts[0], sine: parts[1], pairs: v.ints(partners...)}
}

// halves are the signs and partners of rotations that pair coordinate i with i + d/2.
func halves(d int) (signs []float32, partners []int64) {
	signs, partners = make([]float32, d), make([]int64, d)
	for i := range d {
		partners[i], signs[i] = int64((i+d/2)%d), 1
		if i < d/2 {
			signs[i] = -1
		}
	}
	return signs, partners
}

// rotateCentered is the rotation of DINOv3: angles 2π·c/period for the coordinates c of a patch's center, which go
// from −1 to 1 along each axis. The periods are in the file, or base^(2i/(d/2)), i < d/4.
func rotateCentered(v *vit) (*gridRotation, error) {
	const where = "rope"
	d := v.width / v.heads
	if d%4 != 0 {
		return nil, fmt.Errorf("%d heads: the width %d of a head is not a multiple of 4, which a rotation along "+
			"two axes needs", v.heads, d)
	}
	quarter := d / 4
	inverse := make([]float32, quarter)
	if name := v.family.name("periods", 0); v.family.has("periods") && v.has(name) {
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
	signs, partners := halves(d)
	return v.tables(where, angles, d, signs, partners), nil
}

// base is the base of the periods: of the configuration, else another.
func (v *vit) base(otherwise float64) (float64, error) {
	n, _, err := v.settings.integer("rope_theta", "pos_embed_rope_base")
	if err != nil || n == 0 {
		return otherwise, err
	}
	return float64(n), nil
}

// rotateIndices is the rotation of V-JEPA 2: a third of the coordinates for each of frame, row and column, the rest
// stays. Angles are index·10000^(−i/(k/2)) for k coordinates. The angles of a third are repeated as a whole, although
// neighboring coordinates are pairs: as the published weights were trained.
func rotateIndices(v *vit) (*gridRotation, error) {
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
	signs, partners := make([]float32, d), make([]int64, d)
	for i := range d {
		signs[i], partners[i] = 1, int64(i)
		if i < 3*k {
			partners[i] = int64(i ^ 1)
			if i%2 == 0 {
				signs[i] = -1
			}
		}
	}
	return v.tables(where, angles, 3*k, signs, partners), nil
}
