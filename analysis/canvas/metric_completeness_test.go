// Means that are there only if all parts are.

package canvas

import (
	"math"
	"strings"
	"testing"
)

func TestCompleteness(t *testing.T) {
	t.Parallel()
	scored := func(definition string, missing string) *Row {
		row := NewRow()
		for key, v := range map[string]float64{"canvas_fill_ratio": 0.5, "ssim": 0.9, "semantic_match": 0.7, "element_ratio": 0.8, "element_ratio_symmetric": 0.4,
			"layout_iou": 0.5, "alignment_f1": 0.3} {
			if key != missing {
				row.Set(key, v)
			}
		}
		if err := scoreCompleteness(&Pair{Settings: &Setting{Definition: definition}}, row); err != nil {
			t.Fatal(err)
		}
		return row
	}
	wantValues(t, scored(DefinitionDefault, ""), map[string]float64{"visual_completeness": 0.7, "struct_completeness": 0.4})
	wantValues(t, scored(DefinitionPublished, ""), map[string]float64{"visual_completeness": 0.7, "struct_completeness": 1.6 / 3})
	wantValues(t, scored(DefinitionDocumented, "element_ratio_symmetric"), map[string]float64{"struct_completeness": 1.6 / 3})
	null := math.NaN()
	row := scored(DefinitionDefault, "ssim")
	wantValues(t, row, map[string]float64{"visual_completeness": null, "struct_completeness": 0.4})
	if reason := row.Values["visual_completeness"].Reason; reason != "a part is missing: ssim (not computed)" {
		t.Error(reason)
	}
	row = NewRow()
	row.Undefined("ssim", "no image is given")
	if err := scoreCompleteness(&Pair{Settings: &Setting{}}, row); err != nil {
		t.Fatal(err)
	}
	for key, part := range map[string]string{"visual_completeness": "ssim (no image is given); semantic_match (not computed)", "struct_completeness": "layout_iou (not computed)"} {
		if reason := row.Values[key].Reason; !strings.Contains(reason, part) {
			t.Errorf("%s: %s", key, reason)
		}
	}
}
