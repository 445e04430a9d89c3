// What numbers of files that describe none are, by names that mean one thing wherever they are used.

package compare

import (
	"math"
	"strings"
	"sync"

	"repscope/report"
)

// WellKnown describes metrics by names that mean one thing wherever they are used:
// mse, psnr, accuracy. It looks at the end of a path without its rows; ok is false of
// other names.
func WellKnown(path string) (report.Metric, bool) {
	name := report.Family(path)
	m, ok := wellKnownByName()[strings.ToLower(name[strings.LastIndexAny(name, "./")+1:])]
	if ok && m.Range != nil {
		m.Range = &report.Limits{Low: m.Range.Low, High: m.Range.High}
	}
	return m, ok
}

// wellKnownByName are the metrics of wellKnown by each of their names, the first of each.
var wellKnownByName = sync.OnceValue(func() map[string]report.Metric {
	all := map[string]report.Metric{}
	for _, entry := range wellKnown {
		for _, name := range strings.Fields(entry.names) {
			if _, seen := all[name]; !seen {
				all[name] = entry.Metric
			}
		}
	}
	for _, r := range wellKnownRanges {
		for _, name := range strings.Fields(r.names) {
			if m, ok := all[name]; ok {
				m.Range = &report.Limits{Low: r.Low, High: r.High}
				all[name] = m
			}
		}
	}
	return all
})

var wellKnown = []struct {
	report.Metric
	names string
}{
	{report.Metric{Direction: report.Lower}, "mse rmse mae nmse nrmse mape loss train_loss val_loss test_loss nll ppl perplexity bpd crps fid kid fvd lpips wer cer " +
		"brier ece mmd energy_distance energy_score variogram_score mean_absolute_error mean_squared_error root_mean_squared_error " +
		"absolute_error squared_error error error_rate davies_bouldin kl_divergence"},
	{report.Metric{Direction: report.Lower}, "patched_energy_score pairwise_energy_score copy_mse"},
	{report.Metric{Direction: report.Higher, Unit: "dB"}, "psnr"},
	{report.Metric{Direction: report.Higher}, "ssim ms_ssim r2 r_squared accuracy acc top1 top5 balanced_accuracy f1 macro_f1 micro_f1 auroc auc roc_auc auprc " +
		"average_precision precision recall iou miou mean_iou dice map ndcg mrr bleu rouge meteor cosine_similarity skill nmi ari ami silhouette " +
		"silhouette_score trustworthiness continuity q_nx r_nx lcmc return reward score success success_rate win_rate coverage density " +
		"exact_accuracy within_one_accuracy within_two_accuracy quadratic_weighted_kappa kappa mcc mask_acc p_at_l " +
		"vendi_score csi pod ets hss sedi fss overall_uniqueness_ratio"},
	{report.Metric{Direction: report.Lower}, "far pofd"},
	// Of rows of generated designs, under our names and the published ones.
	{report.Metric{Direction: report.Lower}, "saliency_kl visual_saliency_kl gmsd text_cer color_difference tree_depth_difference tool_edit_distance " +
		"perceptual_distance canvas_fill_difference overlap_defects overflow_defects text_overflow_defects offcanvas_share"},
	{report.Metric{Direction: report.Higher}, "layout_iou layout_overlap layout_f1 layout_precision layout_recall alignment_f1 alignment_precision alignment_recall " +
		"saliency_cc saliency_sim saliency_nss saliency_auc_judd saliency_auc_borji saliency_auc_shuffled saliency_information_gain " +
		"visual_saliency_cc visual_saliency_sim semantic_match blip_score image_similarity fsim fsimc element_ratio_symmetric element_count_ratio " +
		"block_match text_similarity text_f1 position_similarity color_similarity contrast_min contrast_median contrast_pass_aa " +
		"contrast_pass_difference tree_edit_similarity tree_bleu reading_order_tau text_order_tau tool_efficiency tool_lcs_f1 tool_precision " +
		"tool_recall tool_jaccard visual_completeness struct_completeness pixel_fidelity"},
	{report.Metric{Direction: report.Neither}, "canvas_fill_ratio element_ratio num_matched num_gt num_gen layout_num_matched tool_step_count tool_call_count unique_tool_count tool_steps " +
		"tool_calls tool_unique tool_call_ratio text_blocks_matched text_colors_unknown contrast_texts contrast_unknown center_prior_cc " +
		"center_prior_sim center_prior_kl center_prior_nss center_prior_auc_judd center_prior_auc_borji center_prior_auc_shuffled uniform_sim " +
		"uniform_kl uniform_information_gain canvas_fill_reference overlap_defect_pairs overlap_defect_elements overflow_defect_elements " +
		"text_overflow_defect_elements saliency_fixations_missing saliency_fixations_outside"},
}

// wellKnownRanges are the limits of well-known metrics. Numbers beyond them, such as accuracies in percent, have
// another unit than these. Fair scores and R² of other data may be below 0; acc is an accuracy or a correlation of
// anomalies.
var wellKnownRanges = []struct {
	report.Limits
	names string
}{
	{report.Limits{Low: 0, High: math.Inf(1)}, "mse rmse mae nmse nrmse mape fid fvd lpips wer cer mean_absolute_error mean_squared_error " +
		"root_mean_squared_error absolute_error squared_error davies_bouldin kl_divergence copy_mse " +
		"density"},
	{report.Limits{Low: 1, High: math.Inf(1)}, "ppl perplexity vendi_score"},
	{report.Limits{Low: 0, High: 1}, "brier ece error_rate accuracy top1 top5 balanced_accuracy f1 macro_f1 micro_f1 auroc auc " +
		"roc_auc auprc average_precision precision recall iou miou mean_iou dice map ndcg mrr bleu rouge " +
		"meteor nmi trustworthiness continuity q_nx success_rate win_rate coverage exact_accuracy " +
		"within_one_accuracy within_two_accuracy mask_acc p_at_l csi pod far pofd fss"},
	{report.Limits{Low: -1.0 / 3, High: 1}, "ets"},
	{report.Limits{Low: 0, High: 1}, "overall_uniqueness_ratio"},
	{report.Limits{Low: -1, High: 1}, "hss sedi acc ssim ms_ssim cosine_similarity silhouette silhouette_score kappa " +
		"quadratic_weighted_kappa mcc"},
	{report.Limits{Low: math.Inf(-1), High: 1}, "r2 r_squared skill ari ami"},
	{report.Limits{Low: 0, High: 1}, "layout_iou layout_overlap layout_f1 layout_precision layout_recall alignment_f1 " +
		"alignment_precision alignment_recall saliency_sim saliency_auc_judd saliency_auc_borji " +
		"saliency_auc_shuffled visual_saliency_sim fsim fsimc block_match text_similarity text_f1 " +
		"position_similarity color_similarity contrast_pass_aa tree_edit_similarity tree_bleu " +
		"tool_lcs_f1 tool_precision tool_recall tool_jaccard element_ratio_symmetric offcanvas_share"},
	{report.Limits{Low: -1, High: 1}, "saliency_cc visual_saliency_cc reading_order_tau text_order_tau"},
	{report.Limits{Low: 0, High: math.Inf(1)}, "saliency_kl visual_saliency_kl gmsd text_cer color_difference perceptual_distance"},
}
