// The names that numbers have in published rows.

package store

import "repscope/analysis/canvas"

// publishedNames are the published names of numbers and details that have another one here.
var publishedNames = map[string]string{
	"element_ratio":      "element_count_ratio",
	"layout_iou":         "layout_overlap",
	"layout_precision":   "precision",
	"layout_recall":      "recall",
	"layout_num_matched": "num_matched",
	"saliency_cc":        "visual_saliency_cc",
	"saliency_sim":       "visual_saliency_sim",
	"saliency_kl":        "visual_saliency_kl",
	"tool_steps":         "tool_step_count",
	"tool_calls":         "tool_call_count",
	"tool_unique":        "unique_tool_count",
	"tool_unique_list":   "unique_tool_list",
}

// unpublished are members of published rows that are never a number here, with the reason.
var unpublished = map[string]string{
	"tool_accuracy": "no single number exists; with an expected trace, see tool_lcs_f1, tool_precision, " +
		"tool_recall, tool_jaccard and tool_edit_distance",
}

// nameIn is the name of a number or a detail in rows of a definition.
func nameIn(definition, key string) string {
	if definition == canvas.DefinitionDefault {
		return key
	}
	if name, ok := publishedNames[key]; ok {
		return name
	}
	return key
}
