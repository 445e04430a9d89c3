// This file is for what a metric is: which way it is better, its unit and its range.

package report

import (
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Direction says which values of a metric are better.
type Direction string

// The directions of metrics.
const (
	Higher  Direction = "higher" // more is better
	Lower   Direction = "lower"  // less is better
	Neither Direction = "none"   // neither is, as of a dimension
)

// Metric describes a number that a result holds for every model. It stands under the
// metric's name in "metrics" of the result file.
type Metric struct {
	Direction Direction `json:"direction"`
	Unit      string    `json:"unit,omitempty"`
	// Range are the limits of its values, where there are any.
	Range *Limits `json:"range,omitempty"`
	// Headline says that it is one of the few numbers that stand for the analysis.
	Headline bool `json:"headline,omitempty"`
}

// Limits are the least and the largest value that a metric can have; infinite ones are none.
type Limits struct{ Low, High float64 }

// MarshalJSON writes [low, high], null for what is not limited.
func (l Limits) MarshalJSON() ([]byte, error) {
	var ends [2]*float64
	for i, v := range []float64{l.Low, l.High} {
		if !math.IsInf(v, 0) {
			ends[i] = &v
		}
	}
	return json.Marshal(ends)
}

// limitsOf are limits as they were read; nil for anything else.
func limitsOf(v any) *Limits {
	list, _ := v.([]any)
	if len(list) != 2 {
		return nil
	}
	ends := [2]float64{math.Inf(-1), math.Inf(1)}
	for i, item := range list {
		if n, ok := item.(json.Number); ok {
			if f, err := n.Float64(); err == nil {
				ends[i] = f
			}
		}
	}
	return &Limits{ends[0], ends[1]}
}

// Limit enters the range of metrics that are described.
func (r *Result) Limit(low, high float64, names ...string) {
	r.amend(names, func(m *Metric) { m.Range = &Limits{low, high} })
}

// Headline enters that metrics, which are described, stand for the analysis.
func (r *Result) Headline(names ...string) {
	r.amend(names, func(m *Metric) { m.Headline = true })
}

func (r *Result) amend(names []string, change func(m *Metric)) {
	for _, name := range names {
		if v, ok := r.Metrics.Get(name); ok {
			if m, ok := metricOf(v); ok {
				change(&m)
				r.Metrics.Set(name, m)
			}
		}
	}
}

// Headlines are the places of the numbers that stand for an analysis among those of these
// paths, at most so many: of each metric that headline names, in the order of the paths, that
// in the middle of its rows, or the first where they are told apart by texts. Where it names
// none, single numbers come before those of a parameter.
func Headlines(paths []string, headline func(path string) bool, most int) []int {
	var families []string
	members := map[string][]int{}
	add := func(named bool) {
		for i, path := range paths {
			f := Family(path)
			if named && !headline(path) {
				continue
			}
			if members[f] == nil {
				families = append(families, f)
			}
			members[f] = append(members[f], i)
		}
	}
	if add(true); len(families) == 0 {
		add(false)
		slices.SortStableFunc(families, func(a, b string) int { return min(len(members[a]), 2) - min(len(members[b]), 2) })
	}
	var chosen []int
	for _, f := range families[:min(most, len(families))] {
		of := members[f]
		if place := len(of) / 2; SplitPath(paths[of[place]]).Parametric {
			chosen = append(chosen, of[place])
		} else {
			chosen = append(chosen, of[0])
		}
	}
	slices.Sort(chosen)
	return chosen
}

// Describe enters what metrics of these names are. A name is a path of
// [Object.Number] without its rows (by_k.trustworthiness), or the end of one: mse
// describes probes.mse too.
func (r *Result) Describe(m Metric, names ...string) {
	for _, name := range names {
		r.Metrics.Set(name, m)
	}
}

// MetricOf returns the metric at a path of [Object.Number], by the longest end of
// the path without its rows that the result describes; ok is false of others.
func (r *Result) MetricOf(path string) (m Metric, ok bool) {
	for name := Family(path); ; {
		if v, known := r.Metrics.Get(name); known {
			return metricOf(v)
		}
		_, rest, more := strings.Cut(name, ".")
		if !more {
			return Metric{}, false
		}
		name = rest
	}
}

// metricOf is a metric as it was entered or read; ok is false of anything else.
func metricOf(v any) (Metric, bool) {
	switch v := v.(type) {
	case Metric:
		return v, true
	case Object:
		direction, _ := v.values["direction"].(string)
		unit, _ := v.values["unit"].(string)
		headline, _ := v.values["headline"].(bool)
		m := Metric{Direction: Direction(direction), Unit: unit, Range: limitsOf(v.values["range"]), Headline: headline}
		return m, m.Direction.valid()
	}
	return Metric{}, false
}

func (d Direction) valid() bool { return d == Higher || d == Lower || d == Neither }

// Family is a path of [Object.Number] without its rows: by_k.trustworthiness of
// by_k[k=10].trustworthiness. All of them are one metric, asked for several times.
func Family(path string) string {
	if !strings.Contains(path, "[") {
		return path
	}
	var b strings.Builder
	for path != "" {
		before, rest, ok := strings.Cut(path, "[")
		b.WriteString(before)
		if !ok {
			break
		}
		_, path, _ = strings.Cut(rest, "]")
	}
	return b.String()
}

// Row is the step of a path to the row of a list whose member key is a number:
// "[k=10]".
func Row(key string, v float64) string {
	return "[" + key + "=" + strconv.FormatFloat(v, jsonFormat(v), -1, 64) + "]"
}

// checkMetrics finds metrics that say no direction.
func (p *parser) checkMetrics(m members) error {
	for i, key := range m.keys {
		place := ".metrics." + key
		part, ok := m.items[i].value.(members)
		if !ok {
			return p.wrong(m.items[i], place, "an object")
		}
		if _, ok := metricOf(part.object()); !ok {
			for k, name := range part.keys {
				if name == "direction" {
					return p.wrong(part.items[k], place+".direction", "one of higher, lower, none")
				}
			}
			return p.errorf(m.items[i].offset, place, "it has no direction")
		}
	}
	return nil
}

// WellKnown describes metrics by names that mean one thing wherever they are used:
// mse, psnr, accuracy. It looks at the end of a path without its rows; ok is false of
// other names.
func WellKnown(path string) (Metric, bool) {
	name := Family(path)
	name = strings.ToLower(name[strings.LastIndexAny(name, "./")+1:])
	for _, known := range wellKnown {
		if slices.Contains(strings.Fields(known.names), name) {
			m := known.Metric
			for _, r := range wellKnownRanges {
				if slices.Contains(strings.Fields(r.names), name) {
					m.Range = &Limits{r.Low, r.High}
				}
			}
			return m, true
		}
	}
	return Metric{}, false
}

var wellKnown = []struct {
	Metric
	names string
}{
	{Metric{Direction: Lower}, "mse rmse mae nmse nrmse mape loss train_loss val_loss test_loss nll ppl perplexity bpd crps fid kid fvd lpips wer cer " +
		"brier ece mmd energy_distance energy_score variogram_score mean_absolute_error mean_squared_error root_mean_squared_error " +
		"absolute_error squared_error error error_rate davies_bouldin kl_divergence"},
	{Metric{Direction: Lower}, "patched_energy_score pairwise_energy_score copy_mse"},
	{Metric{Direction: Higher, Unit: "dB"}, "psnr"},
	{Metric{Direction: Higher}, "ssim ms_ssim r2 r_squared accuracy acc top1 top5 balanced_accuracy f1 macro_f1 micro_f1 auroc auc roc_auc auprc " +
		"average_precision precision recall iou miou mean_iou dice map ndcg mrr bleu rouge meteor cosine_similarity skill nmi ari ami silhouette " +
		"silhouette_score trustworthiness continuity q_nx r_nx lcmc return reward score success success_rate win_rate coverage density " +
		"exact_accuracy within_one_accuracy within_two_accuracy quadratic_weighted_kappa kappa mcc mask_acc p_at_l " +
		"vendi_score csi pod ets hss sedi fss overall_uniqueness_ratio"},
	{Metric{Direction: Lower}, "far pofd"},
	// Of rows of generated designs, under our names and the published ones.
	{Metric{Direction: Lower}, "saliency_kl visual_saliency_kl gmsd text_cer color_difference tree_depth_difference tool_edit_distance " +
		"perceptual_distance canvas_fill_difference overlap_defects overflow_defects text_overflow_defects offcanvas_share"},
	{Metric{Direction: Higher}, "layout_iou layout_overlap layout_f1 layout_precision layout_recall alignment_f1 alignment_precision alignment_recall " +
		"saliency_cc saliency_sim saliency_nss saliency_auc_judd saliency_auc_borji saliency_auc_shuffled saliency_information_gain " +
		"visual_saliency_cc visual_saliency_sim semantic_match blip_score image_similarity fsim fsimc element_ratio_symmetric element_count_ratio " +
		"block_match text_similarity text_f1 position_similarity color_similarity contrast_min contrast_median contrast_pass_aa " +
		"contrast_pass_difference tree_edit_similarity tree_bleu reading_order_tau text_order_tau tool_efficiency tool_lcs_f1 tool_precision " +
		"tool_recall tool_jaccard visual_completeness struct_completeness pixel_fidelity"},
	{Metric{Direction: Neither}, "canvas_fill_ratio element_ratio num_matched num_gt num_gen layout_num_matched tool_step_count tool_call_count unique_tool_count tool_steps " +
		"tool_calls tool_unique tool_call_ratio text_blocks_matched text_colors_unknown contrast_texts contrast_unknown center_prior_cc " +
		"center_prior_sim center_prior_kl center_prior_nss center_prior_auc_judd center_prior_auc_borji center_prior_auc_shuffled uniform_sim " +
		"uniform_kl uniform_information_gain canvas_fill_reference overlap_defect_pairs overlap_defect_elements overflow_defect_elements " +
		"text_overflow_defect_elements saliency_fixations_missing saliency_fixations_outside"},
}

// wellKnownRanges are the limits of well-known metrics. Numbers beyond them, such as accuracies in percent, have
// another unit than these. Fair scores and R² of other data may be below 0; acc is an accuracy or a correlation of
// anomalies.
var wellKnownRanges = []struct {
	Limits
	names string
}{
	{Limits{0, math.Inf(1)}, "mse rmse mae nmse nrmse mape fid fvd lpips wer cer mean_absolute_error mean_squared_error " +
		"root_mean_squared_error absolute_error squared_error davies_bouldin kl_divergence copy_mse " +
		"density"},
	{Limits{1, math.Inf(1)}, "ppl perplexity vendi_score"},
	{Limits{0, 1}, "brier ece error_rate accuracy top1 top5 balanced_accuracy f1 macro_f1 micro_f1 auroc auc " +
		"roc_auc auprc average_precision precision recall iou miou mean_iou dice map ndcg mrr bleu rouge " +
		"meteor nmi trustworthiness continuity q_nx success_rate win_rate coverage exact_accuracy " +
		"within_one_accuracy within_two_accuracy mask_acc p_at_l csi pod far pofd fss"},
	{Limits{-1.0 / 3, 1}, "ets"},
	{Limits{0, 1}, "overall_uniqueness_ratio"},
	{Limits{-1, 1}, "hss sedi acc ssim ms_ssim cosine_similarity silhouette silhouette_score kappa " +
		"quadratic_weighted_kappa mcc"},
	{Limits{math.Inf(-1), 1}, "r2 r_squared skill ari ami"},
	{Limits{0, 1}, "layout_iou layout_overlap layout_f1 layout_precision layout_recall alignment_f1 " +
		"alignment_precision alignment_recall saliency_sim saliency_auc_judd saliency_auc_borji " +
		"saliency_auc_shuffled visual_saliency_sim fsim fsimc block_match text_similarity text_f1 " +
		"position_similarity color_similarity contrast_pass_aa tree_edit_similarity tree_bleu " +
		"tool_lcs_f1 tool_precision tool_recall tool_jaccard element_ratio_symmetric offcanvas_share"},
	{Limits{-1, 1}, "saliency_cc visual_saliency_cc reading_order_tau text_order_tau"},
	{Limits{0, math.Inf(1)}, "saliency_kl visual_saliency_kl gmsd text_cer color_difference perceptual_distance"},
}
