// Learned biases of attention between patches by their relative position: BEiT and data2vec.

package checkpoint

import (
	"fmt"

	"repscope/model/graph"
)

// attend is the attention of a block, with a bias of the scores where the family has one.
func (v *vit) attend(i int, q, k, value string) error {
	f := v.family
	where := f.name("attention", i)
	table := v.part(f, "table", i)
	if table == "" {
		table = v.part(f, "shared_table")
	}
	if table == "" {
		v.builder.attention(where, q, k, value, v.heads, v.width)
		return nil
	}
	if index := v.part(f, "index", i); index != "" {
		v.used[v.prefix+index] = true // follows from the grid
	}
	if index := v.part(f, "shared_index"); index != "" {
		v.used[v.prefix+index] = true
	}
	bias, err := v.relative(table)
	if err != nil {
		return err
	}
	v.attentionWeights(where, q, k, bias, v.width/v.heads)
	v.weighted(where, value, v.width)
	return nil
}

// relative is the bias [heads, N, N] of a table [(2s−1)² + 3, heads] for s×s patches after a class token: the last rows
// are from the class token to patches, back, and to itself.
func (v *vit) relative(table string) (string, error) {
	t, err := v.find(table, free, v.heads)
	if err != nil {
		return "", err
	}
	rows := t.Shape[0]
	side := (squareSide(rows-3) + 1) / 2
	if wide := 2*side - 1; side < 1 || wide*wide+3 != rows || v.special != 1 {
		return "", fmt.Errorf("tensor %q has shape %v, want (2s−1)²+3 rows for s×s patches and one class token; %s",
			v.prefix+table, t.Shape, exportHint)
	}
	if v.pairs == "" {
		v.pairRows(side, table)
	} else if side != v.side {
		return "", fmt.Errorf("tensor %q has shape %v, of other patches than the table before", v.prefix+table, t.Shape)
	}
	if v.graph.Constants[table] == nil {
		if _, err := v.tensor(table, rows, v.heads); err != nil {
			return "", err
		}
	}
	last, n := v.last, int64(side*side+1)
	v.apply("Gather", table, map[string]graph.Attribute{"axis": integer(0)}, table, v.pairs)
	v.node("Reshape", table, nil, v.ints(n, n, int64(v.heads)))
	bias := v.node("Transpose", table, map[string]graph.Attribute{"perm": integers(2, 0, 1)})
	v.last = last
	return bias, nil
}

// pairRows makes the rows of the tables for all pairs of tokens, and lets no other grid of patches in.
func (v *vit) pairRows(side int, table string) {
	v.side = side
	wide := 2*side - 1
	var rows []int64
	for a := range side*side + 1 {
		for b := range side*side + 1 {
			switch {
			case a == 0 && b == 0:
				rows = append(rows, int64(wide*wide+2))
			case a == 0:
				rows = append(rows, int64(wide*wide))
			case b == 0:
				rows = append(rows, int64(wide*wide+1))
			default:
				y, x := (a-1)/side-(b-1)/side+side-1, (a-1)%side-(b-1)%side+side-1
				rows = append(rows, int64(y*wide+x))
			}
		}
	}
	v.pairs = v.ints(rows...)
	v.model.State = v.stateOfGrid([]int{side, side})
	v.model.Check = func(shape []int) error {
		if err := v.checkGrid(shape); err != nil || len(shape) != 4 {
			return err
		}
		if height, width := side*v.patch[0], side*v.patch[1]; shape[2] != height || shape[3] != width {
			return fmt.Errorf("frames of %d×%d: the biases of relative positions are of %d×%d patches (tensor %q): want "+
				"frames of %d×%d (--resize %dx%d)", shape[2], shape[3], side, side, v.prefix+table, height, width, height,
				width)
		}
		return nil
	}
}
