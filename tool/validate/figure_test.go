// Tests of the figure, with two numbers and with thirty.

package validate

import (
	"fmt"
	"io"
	"testing"

	"repscope/internal/runtest"
	"repscope/report"
)

func TestFigure(t *testing.T) {
	t.Parallel()
	for _, numbers := range []int{2, 30} {
		in := Example(1, Columns{})
		in.Numbers, in.ValidationLoss = in.Numbers[:2], ""
		for k := len(in.Numbers); k < numbers; k++ {
			other := Example(uint64(2+k), Columns{}).Numbers[k%4]
			other.Name, other.Direction = fmt.Sprintf("neighborhood.by_k.trustworthiness[k=%d]", k), report.Higher
			in.Numbers = append(in.Numbers, other)
		}
		r, err := Analyze(t.Context(), in, Options{Intervals: true, Permutations: 19})
		if err != nil {
			t.Fatal(err)
		}
		figure := r.Figure()
		if err := figure.Render(io.Discard, "svg"); err != nil {
			t.Errorf("%d numbers: %v", numbers, err)
		}
		runtest.SaveFigure(t, fmt.Sprintf("validate_%d", numbers), figure)
		figure.WidthMM = 89
		runtest.SaveFigure(t, fmt.Sprintf("validate_%d_column", numbers), figure)
	}
}
