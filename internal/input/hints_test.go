// Tests of hints for encoders that do not take the states.

package input

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"repscope/dataset"
	"repscope/latent"
)

// Frames whose shape alone an encoder does not take are given to it with channels last if
// it takes these.
func TestChannelsLastOfEncoders(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		frames, input []int
		want          []int // as it sees them; nil where it takes them in no order
	}{
		{[]int{3, 6, 5}, []int{6, 5, 3}, []int{6, 5, 3}},
		{[]int{6, 5, 3}, []int{-1, -1, 3}, []int{6, 5, 3}}, // are read as [3, 6, 5]
		{[]int{6, 5, 3}, []int{4, 6, 5}, nil},
		{[]int{6, 5}, []int{6, 5, 3}, nil},
	} {
		p := parseArgs(t, Needs{}, strings.Fields("--frames f --model a=x")...)
		size := 9
		for _, n := range c.frames {
			size *= n
		}
		a, err := dataset.NewArray("frames", append([]int{9}, c.frames...), make([]uint8, size))
		if err != nil {
			t.Fatal(err)
		}
		d := &Data{inputs: p.inputs}
		if d.States, err = dataset.NewStates(a, dataset.StateOptions{}); err != nil {
			t.Fatal(err)
		}
		pre, _, err := d.preprocessing("a")
		if err != nil {
			t.Fatal(err)
		}
		last, seen, ok := d.channelsLast("a", pre, fmt.Errorf("model a: %w", &latent.ShapeError{Input: c.input}))
		if ok != (c.want != nil) || ok && (!last.ChannelsLast || !slices.Equal(seen.Shape(), c.want)) {
			t.Errorf("%v into %v: %v", c.frames, c.input, ok)
		}
		if _, _, ok := d.channelsLast("a", pre, errors.New("no file")); ok {
			t.Error("another error asks for channels last")
		}
	}
}

func TestFittingFlags(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		frames []int // of one row
		args   string
		input  []int
		want   string
	}{
		{[]int{84, 84}, "", []int{4, 84, 84}, "--window 4"},
		{[]int{84, 84}, "", []int{1, 4, 84, 84}, "--window 4"},
		{[]int{84, 84}, "--baseline pca", []int{4, 84, 84}, "--window a=4"},
		{[]int{84, 84}, "--window 3", []int{4, 84, 84}, "--window 4"},
		{[]int{84, 84}, "--window 4", []int{1, 84, 84}, "--window 1"},
		{[]int{64, 64}, "", []int{1, 84, 84}, "--resize 84x84"},
		{[]int{64, 64}, "--resize 32x32", []int{1, 84, 84}, "--resize 84x84"},
		{[]int{64, 64}, "", []int{4, 84, 84}, "--window 4 --resize 84x84"},
		{[]int{3, 64, 64}, "", []int{3, 84, 84}, "--resize 84x84"},
		{[]int{84, 84}, "", []int{3, 224, 224}, "--preprocess imagenet"},
		{[]int{1, 84, 84}, "", []int{3, 224, 224}, "--preprocess imagenet"},
		{[]int{84, 84}, "", []int{3, 84, 84}, "--preprocess imagenet --resize 84x84"},
		{[]int{84, 84}, "", []int{3, 96, 96}, "--preprocess imagenet --resize 96x96"},
		{[]int{84, 84}, "--preprocess imagenet", []int{3, 96, 96}, "--resize 96x96"},
		{[]int{8}, "", []int{5, 8}, "--window 5"},
		// No flag helps.
		{[]int{8}, "", []int{9}, ""},
		{[]int{84, 84}, "", []int{7}, ""},
		{[]int{2, 84, 84}, "", []int{3, 84, 84}, ""},
		{[]int{6, 20, 30}, "", []int{1, 4, 20, 30}, ""},
		{[]int{6, 20, 30}, "", []int{1, 6, 64, 64}, "--resize 64x64"},
	} {
		p := parseArgs(t, Needs{}, strings.Fields("--frames f --model a=x "+c.args)...)
		if p.code != 0 {
			t.Fatal(p.stderr)
		}
		size := 9
		for _, n := range c.frames {
			size *= n
		}
		a, err := dataset.NewArray("frames", append([]int{9}, c.frames...), make([]uint8, size))
		if err != nil {
			t.Fatal(err)
		}
		d := &Data{inputs: p.inputs}
		if d.States, err = dataset.NewStates(a, dataset.StateOptions{Window: d.windowOf("a")}); err != nil {
			t.Fatal(err)
		}
		pre, err := p.inputs.preprocessing("a", nil)
		if err != nil {
			t.Fatal(err)
		}
		got := d.fittingFlags("a", pre, c.input)
		if got != c.want {
			t.Errorf("frames %v %s into %v: %q, want %q", c.frames, c.args, c.input, got, c.want)
			continue
		}
		if got == "" {
			continue
		}
		// With these flags, in the place of those that were given, they do fit.
		args := strings.Fields("--frames f --model a=x " + got)
		for given := strings.Fields(c.args); len(given) > 0; given = given[2:] {
			if !strings.Contains(got, given[0]+" ") {
				args = append(args, given[:2]...)
			}
		}
		p = parseArgs(t, Needs{}, args...)
		if p.code != 0 {
			t.Fatal(p.stderr)
		}
		d = &Data{inputs: p.inputs}
		if d.States, err = dataset.NewStates(a, dataset.StateOptions{Window: d.windowOf("a")}); err != nil {
			t.Fatal(err)
		}
		d.window = d.States.Window()
		_, seen, err := d.preprocessing("a")
		if err != nil || !latent.Fits(seen.Shape(), c.input) {
			t.Errorf("frames %v %s %s into %v: do not fit (%v)", c.frames, c.args, got, c.input, err)
		}
	}
}
