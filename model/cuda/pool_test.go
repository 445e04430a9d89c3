//go:build cuda

// Tests of poolings and resizing against the CPU.

package cuda

import (
	"fmt"
	"testing"

	"repscope/model/graph"
)

func TestPool(t *testing.T) {
	for _, c := range []struct {
		shape []int
		a     map[string]graph.Attribute
	}{
		{[]int{2, 3, 9}, attributes("kernel_shape", []int64{3}, "strides", []int64{2})},
		{[]int{2, 3, 9, 11}, attributes("kernel_shape", []int64{3, 3}, "strides", []int64{2, 2}, "pads", []int64{1, 1, 1, 1})},
		{[]int{2, 3, 9, 11}, attributes("kernel_shape", []int64{2, 3}, "strides", []int64{1, 3}, "pads", []int64{1, 0, 0, 2}, "ceil_mode", 1)},
		{[]int{2, 3, 12, 10}, attributes("kernel_shape", []int64{3, 2}, "dilations", []int64{2, 3})},
		{[]int{1, 2, 9, 11}, attributes("kernel_shape", []int64{3, 4}, "strides", []int64{2, 2}, "auto_pad", "SAME_UPPER")},
		{[]int{1, 2, 9, 11}, attributes("kernel_shape", []int64{3, 4}, "strides", []int64{2, 2}, "auto_pad", "SAME_LOWER")},
		{[]int{1, 2, 5, 6, 7}, attributes("kernel_shape", []int64{2, 3, 2}, "strides", []int64{2, 1, 2}, "pads", []int64{1, 1, 0, 0, 1, 1})},
		{[]int{1, 2, 3, 4, 3, 4}, attributes("kernel_shape", []int64{2, 2, 2, 2})},
		{[]int{0, 2, 3, 4}, attributes("kernel_shape", []int64{2, 2})},
		{[]int{1, 1, 1, 1}, attributes("kernel_shape", []int64{1, 1})},
	} {
		check(t, exact, "MaxPool", c.a, mixed(1, c.shape...))
		check(t, exact, "MaxPool", c.a, integers(1, c.shape...))
		checkAll(t, exact, "MaxPool", c.a, 2, mixed(1, c.shape...))
		checkAll(t, exact, "MaxPool", c.a, 2, integers(1, c.shape...))
		c.a["storage_order"] = graph.Attribute{Kind: graph.AttributeInt, Int: 1}
		checkAll(t, exact, "MaxPool", c.a, 2, mixed(2, c.shape...))
		delete(c.a, "storage_order")
		check(t, 1e-6, "AveragePool", c.a, random(1, c.shape...))
		c.a["count_include_pad"] = graph.Attribute{Kind: graph.AttributeInt, Int: 1}
		check(t, 1e-6, "AveragePool", c.a, random(1, c.shape...))
	}
}

func TestResize(t *testing.T) {
	for _, mode := range []string{"nearest", "linear", "cubic"} {
		for _, coordinates := range []string{"half_pixel", "half_pixel_symmetric", "pytorch_half_pixel", "align_corners", "asymmetric", "tf_crop_and_resize", "tf_half_pixel_for_nn"} {
			for i, c := range []struct{ shape, sizes []int }{
				{[]int{2, 3, 5, 6}, []int{2, 3, 9, 4}}, {[]int{1, 2, 7, 5}, []int{1, 2, 7, 11}}, {[]int{1, 3, 4, 2}, []int{1, 5, 4, 2}}, {[]int{6}, []int{13}}, {[]int{2, 3, 4, 5}, []int{2, 4, 7, 3}},
				{[]int{1, 1, 5, 5}, []int{1, 1, 1, 1}},
			} {
				a := attributes("mode", mode, "coordinate_transformation_mode", coordinates, "extrapolation_value", -2.5)
				if i == 1 {
					a["exclude_outside"] = graph.Attribute{Kind: graph.AttributeInt, Int: 1}
				}
				for k, nearest := range []string{"round_prefer_floor", "round_prefer_ceil", "floor", "ceil"} {
					if mode != "nearest" && k > 0 {
						continue
					}
					a["nearest_mode"] = graph.Attribute{Kind: graph.AttributeString, String: nearest}
					// At most three axes, which is as many as model/cpu blends.
					var region []float32
					axes, target := graph.Ints(), graph.Ints()
					for a := max(0, len(c.sizes)-3); a < len(c.sizes); a++ {
						axes.I64, target.I64 = append(axes.I64, int64(a)), append(target.I64, int64(c.sizes[a]))
						region = append(region, 0.1)
					}
					for range target.I64 {
						region = append(region, 1.2)
					}
					// What keeps its length is taken whole.
					for k, a := range axes.I64 {
						if c.shape[a] == c.sizes[a] {
							region[k], region[len(target.I64)+k] = 0, 1
						}
					}
					target.Shape[0] = len(target.I64)
					a["axes"] = graph.Attribute{Kind: graph.AttributeInts, Ints: axes.I64}
					g, inputs := single("Resize", a, 1, random(uint32(i), c.shape...), known{graph.Floats(region, len(region))}, nil, known{target})
					t.Run(fmt.Sprint(mode, coordinates, nearest, c.shape, c.sizes), func(t *testing.T) { compare(t, g, inputs, 0) })
				}
			}
		}
	}
}

func TestGridSample(t *testing.T) {
	for _, mode := range []string{"nearest", "linear", "cubic"} {
		for _, padding := range []string{"zeros", "border", "reflection"} {
			for _, align := range []int{0, 1} {
				for _, shape := range [][]int{{2, 3, 5, 7}, {1, 20, 1, 1}, {0, 2, 3, 3}, {1, 0, 3, 3}} {
					grid := mixed(3, shape[0], 9, 11, 2)
					for i := range grid.F32 {
						if i%3 > 0 {
							grid.F32[i] = float32(i%41)/16 - 1.25
						}
					}
					check(t, exact, "GridSample", attributes("mode", mode, "padding_mode", padding, "align_corners", align), random(1, shape...), grid)
				}
			}
		}
	}
}
