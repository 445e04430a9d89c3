// No interval of any analysis holds values that its number cannot have.

package main

import (
	"context"
	"math"
	"regexp"
	"strings"
	"testing"

	"repscope/analysis/surprise"
)

// ranges are what numbers can be, by the end of their names; the first that fits counts.
var ranges = func() (out []rangeOf) {
	inf := math.Inf(1)
	add := func(low, high float64, names string) {
		for _, name := range strings.Fields(names) {
			out = append(out, rangeOf{regexp.MustCompile(`(^|[./_])(` + name + `)$`), low, high})
		}
	}
	// Differences, biases, skills and slopes.
	add(-inf, inf, `bias intercept slope theil_sen curve_slope z where_found of_some selectivity gap uniformity_centered dawid_sebastiani`)
	add(-inf, inf, `error_improvement error_spread tau bits_below_unigram brier_fair_skill debiased_mse`)
	add(-inf, 1, `r2 brier_skill mean_skill krippendorff_alpha quadratic_weighted_kappa ami`)
	add(-inf, 1, `latent_prediction.skill rollout.skill skill_scores\..* reconstruction.skill`)
	add(-inf, 0, `pll uniformity`)
	// Correlations, and what is as they are.
	add(-1, 1, `r rho spearman kendall cosine motion_cosine acc acc_centered silhouette silhouette_score rsa rsa_between cka_debiased cka_between ari mcc`)
	add(-1, 1, `one_against_rest overconfidence similarity_improvement hss rank_bias sedi r_nx residue_mcc ssim`)
	add(-1, 1, `spearman_within lcmc`)
	add(-1./3, 1, `ets`)
	// From 1 up.
	add(1, inf, `ppl pppl participation_ratio effective_rank effective_rank_singular rankme vendi_score vendi_two`)
	add(1, inf, `stable_rank stable_rank_uncentered dims_90 dims_99 lidar.rank`)
	add(0, inf, `alpha_req.alpha`)
	add(0, 100, `usage_percent`)
	add(0, 1, `q_nx mrre_false mrre_missing`)
	add(0, 180, `curvature_degrees`)
	add(0, math.Sqrt2, `procrustes`)
	// Shares, probabilities and what lies between 0 and 1.
	add(0, 1, `accuracy purity prob mask_acc top\d+_acc residue_balanced_acc mean_reciprocal_rank confidence p_at_l\d* p_at_l_macro auc`)
	add(0, 1, `chance cross_frac interface_frac interface_expected heavy_to_light light_to_heavy`)
	add(0, 1, `(chain|position|cdr)_probe(_class)?(_balanced|_baseline|_control)? hit similarity pair_accuracy r_squared cka nmi`)
	add(0, 1, `trustworthiness continuity flip_rate exact_share mean_iou median_iou per_channel_iou.0 uniqueness_ratio diversity\.(per_grade\.\d\.)?novelty authentic`)
	add(0, 1, `validity_rate valid_unique_novel copies base_rate brier_uncertainty brier_resolution correct_negatives csi false_alarms far hits`)
	add(0, 1, `misses pod pofd roc_area fss fss_mean coverage f1 object_f1 object_precision object_recall(_\w+)? moving_share auroc`)
	add(0, 1, `mean_jaccard_distance mean_nearest_jaccard [\w]*mean_diversity overall_uniqueness_ratio`)
	add(0, 1, `detected_1in1000? noticed(_untouched)? alarmed level_[15] alarm.false`)
	add(0, inf, `delay place`)
	add(0, 2, `brier`)
	// Ratios, errors, distances and other sizes.
	add(0, inf, `[\w]*(mse|mae|rmse|error|distance|crps|score|loss|ratio|mean_relative|std|entropy|bits)`)
	add(0, inf, `[\w]*ratio\.(mean|median|p\d+) rmse_low rmse_mid mean median relative_mean relative_rms rms_distance input_perturbation`)
	add(0, inf, `auc_relative frequency_bias crps_spread spread skill width davies_bouldin calinski_harabasz id intrinsic_dimension mle fit`)
	add(0, inf, `wasserstein mean_distance_scaled wasserstein_scaled alignment participation_ratio_corrected latent_mean latent_std novelty`)
	add(0, inf, `diversity_of_ceiling exact_of_ceiling grade_separation grade_separation_scaled psnr psnr_of_mean_mse loss_bits`)
	add(-inf, inf, `brier_fair kid mmd energy_distance frechet_distance rank_dispersion steps.mean crps_skill motion_energy twcrps`)
	return out
}()

type rangeOf struct {
	name      *regexp.Regexp
	low, high float64
}

// parameters matches the parameters in the name of a metric.
var parameters = regexp.MustCompile(`\([^)]*\)`)

// TestRanges: draws of few episodes and much noise, whose intervals are as wide as any.
func TestRanges(t *testing.T) {
	if testing.Short() {
		t.Skip("left out with -short: it runs every analysis, each with one thread")
	}
	t.Parallel()
	for _, d := range []Design{short, {Name: "few", N: 120, Episodes: 4, Rho: 0.9, Between: 0.5}} {
		for _, subject := range analyses() {
			t.Run(d.Name+"/"+subject.Name, func(t *testing.T) {
				t.Parallel()
				for rep := range 4 {
					r, err := subject.Analyze(context.Background(), d.draw(7, uint64(rep)), uint64(rep))
					if err != nil {
						t.Fatal(err)
					}
					list, err := estimates(r, rep)
					if err != nil {
						t.Fatal(err)
					}
					for _, e := range list {
						holdRange(t, subject.Name, e)
					}
				}
			})
		}
	}
}

// TestRanges_Surprise: violations of few episodes.
func TestRanges_Surprise(t *testing.T) {
	t.Parallel()
	for _, d := range []surpriseDesign{{errorDesign{5, 60, 0.95, ""}}, {errorDesign{6, 20, 0, errorKinds[1]}}} {
		for rep := range uint64(4) {
			r, err := d.analyze(t.Context(), 7, rep)
			if err != nil {
				t.Fatal(err)
			}
			list, err := estimates(result("surprise", r.Models, func(m surprise.Outcomes) string { return m.Name },
				r.Comparisons), int(rep))
			if err != nil || len(list) < 20 {
				t.Fatalf("%d estimates: %v", len(list), err)
			}
			for _, e := range list {
				holdRange(t, "surprise", e)
			}
		}
	}
}

// holdRange finds an interval that reaches beyond what its number can be.
func holdRange(t *testing.T, subject string, e Estimate) {
	t.Helper()
	name := subject + "." + parameters.ReplaceAllString(e.Metric, "")
	for _, of := range ranges {
		if !of.name.MatchString(name) {
			continue
		}
		const rounding = 1e-9
		if e.Low < of.low-rounding || e.High > of.high+rounding || e.Low > e.High {
			t.Errorf("%s: %v [%v, %v], want it from %v to %v", e.Metric, e.Value, e.Low, e.High, of.low, of.high)
		}
		return
	}
	t.Errorf("%s: no range is known of it: enter one in ranges", e.Metric)
}
