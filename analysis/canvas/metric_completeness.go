// Means of scores that stand for the look and the structure of a design.

package canvas

import (
	"strings"

	"repscope/report"
)

// completeness needs no inputs but the scores of kinds before it, and is computed from them in every run.
var completeness = Kind{
	Name: "completeness",
	About: "means of part scores: of fill, structural similarity and semantic match; of element count, layout and " +
		"alignment",
	Keys: []Key{
		{Name: "visual_completeness", About: "mean of canvas_fill_ratio, ssim and semantic_match",
			Direction: report.Higher, Low: -1, High: 1, Compared: true, Improved: true},
		{Name: "struct_completeness", About: "mean of element_ratio_symmetric, layout_iou and alignment_f1",
			Direction: report.Higher, High: 1, Compared: true, Improved: true},
	},
	Definition: func(o *Setting) string {
		return "1; means of " + strings.Join(visualParts(), ", ") + " and of " + strings.Join(structParts(o), ", ") + ", where all are there"
	},
	Score: scoreCompleteness,
}

// visualParts are the scores of the look.
func visualParts() []string { return []string{"canvas_fill_ratio", "ssim", "semantic_match"} }

// structParts are the scores of the structure. The publication takes the ratio of elements that is clipped at 1, and
// its own overlap of layouts.
func structParts(o *Setting) []string {
	if o.Documented() {
		return []string{"element_ratio", "layout_iou", "alignment_f1"}
	}
	return []string{"element_ratio_symmetric", "layout_iou", "alignment_f1"}
}

func scoreCompleteness(p *Pair, row *Row) error {
	row.mean("visual_completeness", visualParts())
	row.mean("struct_completeness", structParts(p.Settings))
	return nil
}

// mean enters the mean of other numbers of the row, if all are there.
func (r *Row) mean(key string, parts []string) {
	sum := 0.
	var missing []string
	for _, part := range parts {
		switch v, scored := r.Values[part]; {
		case !scored:
			missing = append(missing, part+" (not computed)")
		case !v.Defined():
			missing = append(missing, part+" ("+v.Reason+")")
		default:
			sum += v.V
		}
	}
	if len(missing) > 0 {
		r.Undefined(key, "%s", "a part is missing: "+strings.Join(missing, "; "))
		return
	}
	r.Set(key, sum/float64(len(parts)))
}
