// Findings of the pages about intervals and tests, with ranges from the tables.

package summary

import (
	"slices"

	"repscope/internal/calibration/celltable"
)

func covers(file, rows, columns string) query {
	return query{file: file, table: "coverage", rows: rows, columns: columns}
}

func widths(file, rows, columns string) query {
	return query{file: file, table: "coverage", rows: rows, columns: columns, field: celltable.FieldWidth}
}

func rejects(file, rows, columns string) query {
	return query{file: file, table: "level", rows: rows, columns: columns}
}

// cells selects cells of a table that is neither the first of coverage nor the first of levels.
func cells(file, table, rows, columns string) query {
	return query{file: file, table: table, rows: rows, columns: columns}
}

// Parts of pages.
const (
	partIntervals   = "intervals"   // of the analyses
	partLines       = "lines"       // slopes and ranks
	partLogarithms  = "logarithms"  // intervals of logarithms
	partWindows     = "windows"     // automatic exclusion windows
	partStudies     = "studies"     // tasks and runs
	partComparisons = "comparisons" // differences of compare
	partHarness     = "harness"     // results of lm-evaluation-harness
	partDecisions   = "decisions"   // sets for the best, families, single runs
	partAccuracy    = "accuracy"    // two forecasts
	partSizes       = "sizes"       // effective sample sizes
	partSeries      = "series"      // one series
	partUnrelated   = "unrelated"   // spaces that share nothing
	partSimilarity  = "similarity"  // two models
	partSamples     = "samples"     // fidelity to real samples
	partRanks       = "ranks"       // conformal p values
	partAlarms      = "alarms"      // alarms of episodes
	partSurprise    = "surprise"    // numbers of violated episodes
	partLeaks       = "leaks"       // audits of planted copies
)

var findings = slices.Concat(
	analysisFindings, domainFindings, lineFindings, logarithmFindings, windowFindings, studyFindings,
	comparisonFindings, harnessFindings, decisionFindings, accuracyFindings, sizeFindings, seriesFindings,
	unrelatedFindings, alikeFindings, sampleFindings, alarmFindings, leakFindings,
)

var analysisFindings = []finding{
	{partIntervals, "trustworthiness, continuity, R_NX", "all",
		[]query{covers("neighborhood", "", ""), widths("neighborhood", "", ""), rejects("neighborhood", "", "")},
		"Expect wide intervals: deleting a block counts twice what rests on two blocks. Tests miss small differences."},
	{partIntervals, "Two-NN by likelihood, `mle_ci`", "all", []query{covers("manifold", "assumed", "")},
		"It assumes independent ratios. Use `mle_halves_ci`, which compares halves of the blocks."},
	{partIntervals, "Two-NN by halves, its fit, low orders of Gride", "all",
		[]query{covers("manifold", "halves|fit|gride", ""), rejects("manifold", "two_nn", "")},
		"Use these. High orders of Gride have no interval."},
	{partIntervals, "Levina–Bickel, 10 and 20 neighbors", "`0.8/16`, `differ`, `uneven`",
		[]query{covers("manifold", "lb_mle", ""), widths("manifold", "lb_mle", ""), rejects("manifold", "lb_mle", "")},
		"Expect wide intervals. It finds changes of noise that Two-NN does not see " +
			"([power](calibration-claims.md#power))."},
	{partIntervals, "participation ratio", "`tails`", []query{covers("manifold", "participation", "tails")},
		"No deletion knows the error of a second moment without fourth moments. Look for outliers; compare effective ranks."},
	{partIntervals, "slope, intercept", "`tails` (400 draws)", []query{covers("lines", "^(slope|intercept)$", "tails")},
		"Compare Theil–Sen slopes or Spearman's ρ."},
	{partIntervals, "debiased CKA, Procrustes, AMI, ARI near their value for unrelated spaces", "all",
		[]query{widths("geometry", "cka_debiased|procrustes|ami|ari", "")},
		"Expect wide intervals; an interval that holds 0 does not show that spaces are unrelated."},
	{partIntervals, "NMI, AMI, ARI", "`0.95/1`", []query{covers("geometry", "nmi|ami|ari", "^0.95/1$")},
		"Measure several episodes."},
	{partIntervals, "Davies–Bouldin, silhouette and accuracy of labels", "`0.95/1`, `0.95/5`, `0.95/16`",
		[]query{covers("geometry", "(davies_bouldin|silhouette).source=labels|label_consistency.accuracy", "^0.95/(1|5|16)$")},
		"Use longer episodes, or read the intervals as narrower than 95 %."},
	{partIntervals, "cosine of weak noise", "`regimes` (a rectified map)",
		[]query{covers("robustness", "cosine.sigma=0.03", "regimes")},
		"Use the relative RMS distance, whose interval holds."},
	{partIntervals, "noise of vectors (`vectors`)", "all",
		[]query{covers("vectors", "", ""), rejects("vectors", "", severalEpisodes)},
		"Levels are in standard deviations of the states."},
	{partIntervals, "noise of vectors, tests", "`0.95/1`", []query{rejects("vectors", "", "^0.95/1$")},
		"Use several series."},
	{partIntervals, "frame errors, SSIM, objects (`reconstruction`)", "5 or more episodes",
		[]query{covers("reconstruction", "", severalEpisodes), rejects("reconstruction", "", severalEpisodes)},
		"Use as printed."},
	{partIntervals, "frame errors, tests", "`0.95/1`", []query{rejects("reconstruction", "", "^0.95/1$")},
		"Few draws have a p value here. Use several series."},
	{partIntervals, "MSE and R² of ridge probes", "all",
		[]query{covers("probes", "mse|r2", ""), rejects("probes", "^r2", "")},
		"Ridge is fitted again without each block, and its penalty moves."},
	{partIntervals, "MSE of ridge probes, skewed levels", "`informative`, `skewed`",
		[]query{covers("probes", "[.]mse", "informative|skewed"), covers("probes", "nmse", "informative|skewed")},
		"The mean of few skewed episodes often misses the large ones. Compare NMSE (second range) or R²."},
	{partIntervals, "AUROC of ridge probes (pairs inside folds)", "all",
		[]query{covers("probes", "auroc", ""), rejects("probes", "auroc", "")}, "Use as printed."},
	{partIntervals, "macro F1 of probes", "`0.95/…`, `differ`",
		[]query{covers("probes", "[.]f1", "^0.95/(1|5|16)$|differ"), rejects("probes", "^f1", "")},
		"Rare classes are in few blocks. Report balanced accuracy and the number of episodes with each class."},
	{partIntervals, "gaps of the reward", "`0.95/…`, `differ`",
		[]query{covers("probes", "gap.*reward", "^0.95/(1|5|16)$|differ"), rejects("probes", "gap of reward", "")},
		"Use as printed."},
	{partIntervals, "gaps of classes, which are near 0", "all",
		[]query{covers("probes", "gap.*class", ""), widths("probes", "gap.*class", "")},
		"Expect wide intervals and no rejections."},
}

var domainFindings = []finding{
	{partIntervals, "means, shares, accuracies, precision, recall, coverage (`generation`)", "`0/…`, `0.8/16`",
		[]query{covers("generation", "^(reconstruction|diversity.overall|conditioning.(exact|within|macro)|"+
			"fidelity.(precision|recall|coverage))", grouped),
			rejects("generation", "", grouped)}, "Use as printed; recall rejects most often."},
	{partIntervals, "distances between samples and classifier scores (`similarity`, `mmd`, `kid`, " +
		"`energy_distance`, `frechet_distance`)", "`0/…`, `0.8/16`",
		[]query{widths("generation", "similarity|mmd|kid|energy|frechet|fidelity.*classifier", grouped),
			rejects("generation", "similarity|mmd|kid|energy|frechet|fidelity.*classifier", grouped)},
		"The true value is near 0: expect wide intervals and hardly any rejections. Use the permutation test."},
	{partIntervals, "novelty, copies, nearest distances", "`0/…`, `0.8/16`",
		[]query{covers("generation", "novelty|copies|nearest_jaccard", grouped),
			widths("generation", "novelty|copies|nearest_jaccard", grouped)},
		"About other generated and other real samples. Expect wide intervals."},
	{partIntervals, "`authentic`", "`0/…`, `0.8/16`",
		[]query{covers("generation", "authentic", grouped), widths("generation", "authentic", grouped)},
		"Expect wide intervals."},
	{partIntervals, "`generation` without groups, samples in the order of time", "`0.8/1`, `0.95/1`",
		[]query{covers("generation", "", "^0.8/1$"), covers("generation", "", "^0.95/1$")},
		"Ten groups of neighbors are too short for slow series (second range). There is no p value. Give groups."},
	{partIntervals, "scores, skill, events (`forecast`)", "5 or more episodes, without `acc_centered`, `error_spread`",
		[]query{covers("forecast", "^([^_]|_[^cs]|_s[^p])*$", severalEpisodes), rejects("forecast", "", severalEpisodes)},
		"Use as printed."},
	{partIntervals, "centered anomaly correlation", "all", []query{covers("forecast", "acc_centered", "")},
		"Use more initial times, or the RMSE skill."},
	{partIntervals, "correlation of error and spread (`error_spread`)", "`regimes`",
		[]query{covers("forecast", "error_spread", "regimes")},
		"Do not use its interval where regimes change."},
	{partIntervals, "false alarms", "`0.95/1`", []query{covers("forecast", "false_alarms", "^0.95/1$")},
		"Use several series."},
	{partIntervals, "all numbers of sequences", "5 or more episodes, without `regimes`",
		[]query{covers("sequence", "", `^0[.\d]*/([2-9]|\d\d)|^(differ|uneven|tails)$`),
			rejects("sequence", "", `^0[.\d]*/([2-9]|\d\d)|^(differ|uneven|tails)$`)},
		"Use as printed."},
	{partIntervals, "numbers of related sequences without clusters", "`0.8/1`, `0.95/1`",
		[]query{covers("sequence", "", "^0.(8|95)/1$")},
		"Hardly any p value is printed. Give a column of clusters, and at least 5 of them."},
	{partIntervals, "loss and perplexity of small regions", "`regimes`",
		[]query{covers("sequence", "region/.*/(loss|ppl)", "regimes")},
		"A few predictions that are far off decide the mean. Report accuracy of the region."},
	{partIntervals, "selectivity of probes (shuffled controls)", "all",
		[]query{covers("sequence", "selectivity", severalEpisodes),
			widths("sequence", "control|selectivity", severalEpisodes)},
		"Expect wide intervals, several times for rare classes."},
	{partIntervals, "means, improvements, correlations with ratings (`canvas`)", "5 or more episodes",
		[]query{covers("canvas", "", severalEpisodes), rejects("canvas", "", severalEpisodes)},
		"Use as printed; `pair_accuracy` of few samples holds least."},
	{partIntervals, "numbers of related samples of one name each", "`0.8/1`, `0.95/1`",
		[]query{covers("canvas", "", "^0.(8|95)/1$")},
		"Hardly any p value is printed. Give samples that belong together one name."},
}

var lineFindings = []finding{
	{partLines, "slope, R², median ratio, Theil–Sen slope, ρ: tests", "without far states",
		[]query{rejects("lines", "", "^[^f]")}, "Use as printed."},
	{partLines, "slope and R²: tests", "`far/16`, `far/60`", []query{rejects("lines", "slope|r_squared", "far"),
		{file: "lines", table: "level", rows: "slope|r_squared", columns: "far", field: celltable.FieldTested}},
		"Withdrawn p values call nothing better. Compare Theil–Sen slope or ρ."},
	{partLines, "slope", "`far/16`, `far/60`", []query{covers("lines", "^slope$", "far")},
		"The run warns. Compare the numbers without these pairs (`leverage.without`), Theil–Sen slope or ρ."},
	{partLines, "intercept", "`far/16`, `far/60`", []query{covers("lines", "^intercept$", "far")}, "As for the slope."},
	{partLines, "numbers without these pairs", "`far/16`, `far/60`", []query{covers("lines", "without", "far")},
		"Use these."},
	{partLines, "Theil–Sen slope, ρ", "`far/16`, `far/60`", []query{covers("lines", "^(theil_sen|spearman)$", "far")},
		"Use these."},
	{partLines, "slope, intercept, R²", "`tails`", []query{covers("lines", "^(slope|intercept|r_squared)$", "tails")},
		"Compare Theil–Sen slope or ρ."},
	{partLines, "Theil–Sen slope, ρ", "`tails`", []query{covers("lines", "^(theil_sen|spearman)$", "tails")},
		"Use these."},
	{partLines, "any of five metrics, any pair of four equal models", "all",
		[]query{cells("lines", "families", "in its family", "")}, "Use `--family run` to screen metrics."},
	{partLines, "the same, `--family run`", "all", []query{cells("lines", "families", "family run", "")},
		"Use as printed."},
}

var logarithmFindings = []finding{
	{partLogarithms, "all numbers, had they been printed", "2 blocks",
		[]query{covers("logarithms", "or not", "^2 blocks")},
		"Two blocks have no interval of a logarithm: narrow ones would be selected."},
	{partLogarithms, "without an interval", "3 or more blocks, factor 2.7",
		[]query{cells("logarithms", "missing", "spread 1$", "^([358]|16) ")},
		"Read a null interval as a wide one."},
	{partLogarithms, "without an interval", "3 blocks, factor 7.4",
		[]query{cells("logarithms", "missing", "spread 2$", "^3 ")},
		"The same; measure more blocks."},
	{partLogarithms, "ratio of two means, printed", "3 blocks, factor 7.4",
		[]query{covers("logarithms", "ratio.*spread 2$", "^3 ")},
		"Measure more blocks."},
	{partLogarithms, "ratio of two means, all", "3 blocks, factor 7.4",
		[]query{covers("logarithms", "ratio.*spread 2,", "^3 ")},
		"The interval before it is made null."},
	{partLogarithms, "mean squared error", "3 or more blocks, factor 2.7",
		[]query{covers("logarithms", "squared.*spread 1$", "^([358]|16) ")},
		"The largest errors are seldom in the sample. Report a geometric mean or a median next to it."},
	{partLogarithms, "mean squared error", "3 or more blocks, factor 7.4",
		[]query{covers("logarithms", "squared.*spread 2$", "^([358]|16) ")},
		"The same; more blocks do not help."},
	{partLogarithms, "geometric mean", "3 or more blocks",
		[]query{covers("logarithms", "geometric.*spread [0-9.]+$", "^([358]|16) ")},
		"Use as printed."},
}

var windowFindings = []finding{
	{partWindows, "trustworthiness, continuity, R_NX", "automatic window",
		[]query{covers("windows", "auto", ""), cells("windows", "level", "auto", "")},
		"Use the automatic window."},
	{partWindows, "the same", "window of the known autocorrelation time",
		[]query{covers("windows", "fixed", ""), cells("windows", "level", "fixed", "")},
		"Use it where the memory is known."},
	{partWindows, "Two-NN by halves, its fit, Gride", "either window",
		[]query{cells("windows", "coverage-2", "halves|fit|gride", ""), cells("windows", "level-2", "", "")},
		"Use `mle_halves_ci`."},
	{partWindows, "Two-NN for independent ratios, `mle_ci`", "either window",
		[]query{cells("windows", "coverage-2", "assumed", "")},
		"Do not use it: distances of neighboring states go together."},
	{partWindows, "label accuracy and purity", "several episodes",
		[]query{cells("windows", "coverage-3", "", severalEpisodes), cells("windows", "level-3", "", "")},
		"Use as printed."},
	{partWindows, "label accuracy and purity", "one series", []query{cells("windows", "coverage-3", "", oneSeries)},
		"Use several episodes."},
}

var studyFindings = []finding{
	{partStudies, "mean, IQM, median, difference of IQM (default)", "normal scores",
		[]query{covers("studies", "^(mean|IQM|median|difference.*)$", `^\d+/\d+$`)},
		"Use as printed."},
	{partStudies, "mean, median", "3 runs of 5 tasks, exponential scores",
		[]query{covers("studies", "^(mean|median)$", "3/5 skewed")},
		"Use the IQM, or five runs."},
	{partStudies, "IQM", "3 runs of 5 tasks, exponential scores", []query{covers("studies", "^IQM$", "3/5 skewed")},
		"Use as printed."},
	{partStudies, "equal models by IQM", "all", []query{rejects("studies", "difference", "")}, "Use as printed."},
	{partStudies, "probability of improvement (Newcombe's interval)", "all",
		[]query{covers("studies", "^probability of improvement[ ,](equal|better|near)", "")},
		"Use as printed."},
	{partStudies, "shares of runs above a threshold (Wilson's interval)", "all",
		[]query{covers("studies", "profile of runs", ""), widths("studies", "profile of runs", "")},
		"Expect intervals that are too wide: they assume that tasks are alike."},
	{partStudies, "share of tasks above a threshold", "all", []query{covers("studies", "profile of averages", "")},
		"It moves in steps of one task; its interval holds more often than it says."},
	{partStudies, "mean and IQM by `--interval bootstrap`", "3 runs",
		[]query{cells("studies", "coverage-2", "^(mean|IQM)$", "^3/")},
		"Use the default: percentiles are too narrow below ten runs, and carry a warning."},
	{partStudies, "the same", "5 runs", []query{cells("studies", "coverage-2", "^(mean|IQM)$", "^5/")}, "The same."},
	{partStudies, "the same", "10 runs", []query{cells("studies", "coverage-2", "^(mean|IQM)$", "^10/")},
		"Use as printed."},
	{partStudies, "probability of improvement near 1 by `--interval bootstrap`", "5 tasks",
		[]query{cells("studies", "coverage-2", "near 1", "/5( |$)")},
		"Use the default: percentiles collapse where all runs agree."},
	{partStudies, "IQM over other tasks", "5 tasks", []query{covers("studies", "IQM, other", "/5$")},
		"Five tasks say little about other tasks."},
	{partStudies, "average ranks", "5 tasks", []query{covers("studies", "average rank", "/5( |$)")},
		"Expect wide intervals."},
	{partStudies, "all ranks together", "all", []query{covers("studies", "all ranks", "")}, "Use as printed."},
	{partStudies, "difference over runs and episodes", "all",
		[]query{cells("studies", "coverage-3", "", ""), cells("studies", "level-2", "", "")},
		"Expect intervals that are a little wide. Fewer than 6 episodes have no p value."},
}

var comparisonFindings = []finding{
	{partComparisons, "scores per sample in pairs", "all",
		[]query{covers("comparisons", "pairs", ""), rejects("comparisons", "pairs", "")},
		"Use as printed."},
	{partComparisons, "two intervals", "the same episodes",
		[]query{covers("comparisons", "the same", ""), rejects("comparisons", "the same", "")},
		"Write scores per sample: two intervals count the difficulty of episodes twice and find almost nothing."},
	{partComparisons, "two intervals", "other episodes",
		[]query{covers("comparisons", "other episodes", ""), rejects("comparisons", "other episodes", "")},
		"Expect intervals that are a little wide."},
	{partComparisons, "a model's value over runs", "all",
		[]query{covers("comparisons", "value", ""), widths("comparisons", "value", "")},
		"Expect wide intervals with few runs."},
	{partComparisons, "one number of each run (Welch's t)", "3 and 5 runs",
		[]query{covers("comparisons", "one number", ""), rejects("comparisons", "one number", "")},
		"It is about other runs on these episodes."},
}

var harnessFindings = []finding{
	{partHarness, "shares", "number of samples stated", []query{covers("harness", "^share [0-9.]+: mean", "")},
		"Use as printed."},
	{partHarness, "shares of 0.02 or 0.98", "20 samples, number not stated",
		[]query{covers("harness", "^share 0.(02|98), number.*mean", "^20 "), cells("harness", "missing", "mean", "^20 ")},
		"Keep `n-samples` in the file."},
	{partHarness, "scores between 0 and 1", "all but the next row",
		[]query{covers("harness", "overlap: 30.*mean", ""), covers("harness", "overlap: 2 .*mean", "^100")},
		"Use as printed."},
	{partHarness, "scores between 0 and 1, 9 of 10 are 1", "20 samples",
		[]query{covers("harness", "overlap: 2 .*mean", "^20 ")},
		"Use 100 samples."},
	{partHarness, "skewed scores without an upper end, σ of the logarithm 1", "20 samples",
		[]query{covers("harness", "σ = 1: mean", "^20 ")},
		"A mean and an error do not show the skew. Use 1,000 samples, or the logged samples."},
	{partHarness, "the same", "100 samples", []query{covers("harness", "σ = 1: mean", "^100 ")}, "The same."},
	{partHarness, "difference of equal models", "other samples", []query{rejects("harness", "other samples", "")},
		"Use as printed."},
	{partHarness, "difference of equal models", "the same samples",
		[]query{rejects("harness", "the same samples", ""), widths("harness", "the same samples", "")},
		"Use `--log_samples`: pairs find more."},
}

var decisionFindings = []finding{
	{partDecisions, "confidence set for the best", "all but the next row",
		[]query{cells("decisions", "best", "equal$|checkpoints|worse|t₃|runs", "")},
		"Use as printed."},
	{partDecisions, "confidence set for the best of 12", "8 blocks of unequal lengths",
		[]query{cells("decisions", "best", "unequal", "^8 ")},
		"Measure 16 blocks."},
	{partDecisions, "the same", "16 or 50 blocks of unequal lengths",
		[]query{cells("decisions", "best", "unequal", "^(16|50) ")},
		"Use as printed."},
	{partDecisions, "one of two equal models is outside the set", "all",
		[]query{{file: "decisions", table: "best", rows: "^2, all", field: celltable.FieldDecided}},
		"A mark is not a difference."},
	{partDecisions, "some of 40 independent equal models is outside", "joint distribution",
		[]query{{file: "decisions", table: "best", rows: "^40, all equal$", columns: "blocks$", field: celltable.FieldDecided}},
		"A set of many models is screening."},
	{partDecisions, "tables of equal models, default family", "two designs",
		[]query{cells("decisions", "families", "", "metric")},
		"Use as printed."},
	{partDecisions, "the same, `--family task`", "two designs", []query{cells("decisions", "families", "", "task")},
		"Use it for one task that was chosen beforehand."},
	{partDecisions, "the same, `--family run`", "two designs", []query{cells("decisions", "families", "", "run")},
		"Use it to screen many metrics."},
	{partDecisions, "one run of a trained model against 2 or 3 runs", "12 episodes",
		[]query{
			cells("decisions", "coverage", "trained$", "^[23]/"),
			cells("decisions", "level", "trained$", "^[23]/")},
		"Train five: two runs show by chance that runs do not vary."},
	{partDecisions, "2 to 5 runs against 2 to 10, variances up to 1 : 100", "`runs.csv`",
		[]query{covers("runs", "deviations$", ""), rejects("runs", "deviations$", "")},
		"Use as printed; 2 runs against more find only large differences."},
	{partDecisions, "one run of a trained model against 5 or 10 runs", "12 episodes",
		[]query{covers("decisions", "that is trained", "^(5|10)/"), rejects("decisions", "that is trained", "^(5|10)/")},
		"Use as printed."},
	{partDecisions, "an untrained model (`--fixed`)", "all",
		[]query{covers("decisions", "not trained", ""), rejects("decisions", "not trained", "")},
		"Name untrained models with `--fixed`."},
	{partDecisions, "means over runs of bounded scores", "all", []query{cells("decisions", "coverage-2", "", "")},
		"Use as printed."},
}

var accuracyFindings = []finding{
	{partAccuracy, "cosine (EWC), where it tests", "ρ of 0 and 0.5",
		[]query{rejects("accuracy", "cosine.*tests", "/0(.5)?$")},
		"Use as printed."},
	{partAccuracy, "cosine (EWC), had it always tested", "ρ of 0.9",
		[]query{rejects("accuracy", "cosine.*always", "/0.9$")},
		"It is refused below 50 initial times and above an estimated correlation of 0.7."},
	{partAccuracy, "jackknife of blocks, where it tests", "200 and 400 initial times, ρ of 0 and 0.5",
		[]query{rejects("accuracy", "jackknife", "^[24]00/0(.5)?$")},
		"Use as printed."},
	{partAccuracy, "truncated at lag 0", "ρ of 0.5 and 0.9", []query{rejects("accuracy", "truncated", "/0.[59]$")},
		"The usual test of one step ahead; it is not printed."},
	{partAccuracy, "stationary bootstrap, automatic length", "ρ of 0.5 and 0.9",
		[]query{rejects("accuracy", "bootstrap", "/0.[59]$")},
		"It is not printed."},
}

func size(rows, column string) query {
	return query{file: "sizes", table: "sizes", rows: rows, columns: column}
}

var sizeFindings = []finding{
	{partSizes, "number of independent states", "`0.95/1`, `0.95/5`",
		[]query{size("^0.95/[15]$", "true"), size("^0.95/[15]$", "printed"), size("^0.95/[15]$", "reliable")},
		"The run says that the number is not reliable. The last number is the percentage of runs that call it reliable."},
	{partSizes, "number of independent states", "`0.8/1`, `0.8/5`",
		[]query{size("^0.8/[15]$", "true"), size("^0.8/[15]$", "printed"), size("^0.8/[15]$", "reliable")},
		"Use as a rough number."},
	{partSizes, "number of independent states", "`0.95/16`, `0.8/16`, `differ`",
		[]query{size("^0.(95|8)/16$|differ", "true"),
			size("^0.(95|8)/16$|differ", "printed"), size("^0.(95|8)/16$|differ", "reliable")},
		"Use as printed."},
}

var seriesFindings = []finding{
	{partSeries, "mean", "ρ of 0, 0.5, 0.8",
		[]query{covers("series", "mean", `/0(\.[58])?$`), widths("series", "mean", `/0(\.[58])?$`)},
		"Use as printed."},
	{partSeries, "mean", "ρ of 0.95, 0.98", []query{covers("series", "mean", `/0\.9[58]$`)},
		"Measure more observations, or several series: 600 are a few dozen independent ones at most."},
	{partSeries, "mean", "ρ of 0.9 with white noise", []query{covers("series", "mean", "noise"),
		widths("series", "mean", "noise")}, "Expect wide intervals: such series look like long memory until they are long."},
	{partSeries, "mean", "long memory, d of 0.2, 0.3, 0.4, with and without ρ",
		[]query{covers("series", "mean", `d = `), widths("series", "mean", `d = `)},
		"The run warns: the interval follows a model of the memory. Measure several series."},
	{partSeries, "difference of equal series", "ρ of 0, 0.5, 0.8",
		[]query{rejects("series", "difference", `/0(\.[58])?$`), tests("series", "difference", `/0(\.[58])?$`)},
		"Use as printed."},
	{partSeries, "difference of equal series", "ρ of 0.95, 0.98; in percent of all draws",
		[]query{ofAll("series", "difference", `/0\.9[58]$`), tests("series", "difference", `/0\.9[58]$`)},
		"Few draws have a p value: blocks are too few."},
	{partSeries, "difference of equal series", "ρ of 0.9 with white noise; in percent of all draws",
		[]query{ofAll("series", "difference", "noise"), tests("series", "difference", "noise")},
		"Such series look like long memory until they are long, and then have no p value."},
	{partSeries, "difference of equal series", "d of 0.2, 0.3, 0.4, and d of 0.3 with ρ of 0.8; in percent of all draws",
		[]query{ofAll("series", "difference", `(/0|0\.8), d = `), tests("series", "difference", `(/0|0\.8), d = `)},
		"Differences of long memory have no p value."},
	{partSeries, "difference of equal series", "d of 0.2 with ρ of 0.5; in percent of all draws",
		[]query{ofAll("series", "difference", `0\.5, d = `), tests("series", "difference", `0\.5, d = `)},
		"This memory cannot be told from short memory: a p value of one series holds for short memory only."},
}

// tests selects the percentage of comparisons with a p value, and ofAll the rejections in percent of all comparisons.
func tests(file, rows, columns string) query {
	return query{file: file, table: "level", rows: rows, columns: columns, field: celltable.FieldTested}
}

func ofAll(file, rows, columns string) query {
	return query{file: file, table: "level", rows: rows, columns: columns, field: celltable.FieldOfAll}
}

var unrelatedFindings = []finding{
	{partUnrelated, "`cka_debiased`, `rsa`", "`0/10`, `0.6/10`",
		[]query{cells("unrelated", "means", "^(cka_debiased|rsa)$", `^0(\.6)?/10$`),
			covers("unrelated", "^(cka_debiased|rsa)$", `^0(\.6)?/10$`)},
		"0 is the value of unrelated spaces where states forget fast."},
	{partUnrelated, "`cka_debiased`, `rsa`", "`0.98/10`, `between 0.7`, `0.9/1`",
		[]query{cells("unrelated", "means", "^(cka_debiased|rsa)$", `^0\.98/10$|between|/1$`),
			covers("unrelated", "^(cka_debiased|rsa)$", `^0\.98/10$|between|/1$`)},
		"0 is not the value of unrelated spaces here: compare with the null in time, or read `cka_between` and " +
			"`rsa_between`."},
	{partUnrelated, "`cka_between`, `rsa_between`", "several episodes",
		[]query{cells("unrelated", "means", "_between$", "[^1]$|/10$"), covers("unrelated", "_between$", "[^1]$|/10$")},
		"Use as printed."},
	{partUnrelated, "`cka_between`, `rsa_between`", "one series",
		[]query{cells("unrelated", "means", "_between$", "/1$"), covers("unrelated", "_between$", "/1$")},
		"Use several episodes: neighboring blocks of a series depend on each other."},
	{partUnrelated, "null in time of similarities", "episodes of equal length, one series",
		[]query{rejects("unrelated", "cka|rsa", "/|between")}, "Use as printed."},
	{partUnrelated, "null in time of similarities", "episodes of unequal length",
		[]query{rejects("unrelated", "cka|rsa", "uneven|dominant")}, "Use as printed."},
	{partUnrelated, "trustworthiness less the mean of its null", "all",
		[]query{cells("unrelated", "means", "trustworthiness", "")},
		"Use as printed: of episodes of unequal length, compare the scores of the cut states."},
	{partUnrelated, "trustworthiness beyond 1.645 SD of its null (19 orders)", "all",
		[]query{rejects("unrelated", "trustworthiness", "")},
		"Compare with the mean of the null, and take its SD as rough."},
}

var alikeFindings = []finding{
	{partSimilarity, "p with the null in time, unrelated models", "all",
		[]query{rejects("similarity", "^[a-z_@0-9]+$", "")},
		"Use as printed: the orders make p exact. Cells of 200 draws have errors of up to 2 %. `TestLevel` draws more."},
	{partSimilarity, "p of the best pair of layers, unrelated models", "all",
		[]query{rejects("similarity", "best of", "")}, "Use as printed: the search is part of it."},
	{partSimilarity, "p with the independent null, unrelated models", "ρ of 0",
		[]query{rejects("similarity", "independent null", "^0/")}, "It suits states without order."},
	{partSimilarity, "p with the independent null, unrelated models", "ρ of 0.95",
		[]query{rejects("similarity", "^([^p]|pw|pro).*independent null", `^0\.95/`)},
		"Do not use it for states that follow each other."},
	{partSimilarity, "p of `predictivity` with the independent null", "ρ of 0.95",
		[]query{rejects("similarity", "^predictivity.* independent null", `^0\.95/`)},
		"Slow states of other episodes predict worse than states in any order, so p is too large."},
	{partSimilarity, "intervals of scores", "all", []query{covers("similarity", "^[a-z_@0-9]+$", "")},
		"Expect wide intervals."},
	{partSimilarity, "`error` of stitched networks", "all", []query{covers("stitched", "^error$", "")},
		"Use as printed."},
	{partSimilarity, "`agreement` of stitched networks", "all", []query{covers("stitched", "^agreement$", ""),
		widths("stitched", "^agreement$", "")},
		"Expect wide intervals: a deletion moves the map, and with it the class of every state near a border."},
	{partSimilarity, "difference of two fronts that are equally good", "all",
		[]query{covers("stitched", "^difference", ""), rejects("stitched", "^difference", "")},
		"Use as printed: it rejects too rarely."},
	{partSimilarity, "p of a stitched front that shares nothing", "all",
		[]query{rejects("stitched", "nothing shared", "")}, "Use as printed: the orders make p exact."},
}

var sampleFindings = []finding{
	{partSamples, "precision, recall, density, coverage", "all",
		[]query{covers("samples", `(^|\.)fidelity\.(by_k\.)?(precision|recall|density|coverage)`, ""),
			rejects("samples", `\.(precision|recall|density|coverage)$`, "")}, "Use as printed."},
	{partSamples, "novelty, authentic, copies", "all",
		[]query{covers("samples", "novelty|authentic|copies", ""), widths("samples", "novelty|authentic", "")},
		"Expect wide intervals."},
	{partSamples, "MMD, energy distance", "all", []query{covers("samples", "mmd|energy", "")},
		"The true value is 0: the intervals come from permutations."},
	{partSamples, "KID, Fréchet distance", "normal samples",
		[]query{covers("samples", "kid|frechet", "independent|^groups$|unequal")}, "Use as printed."},
	{partSamples, "KID, Fréchet distance", "heavy tails", []query{covers("samples", "kid|frechet", "tails")},
		"Most draws have no interval: a few samples decide. Use MMD or the energy distance."},
	{partSamples, "Vendi scores", "all", []query{covers("samples", "vendi", "")},
		"Read the intervals as of about 90 %."},
	{partSamples, "equal generators", "all", []query{rejects("samples", "", "")}, "Use as printed."},
}

var alarmFindings = []finding{
	{partRanks, "p ≤ 1 %", "all", []query{cells("alarms", "ranks", "", "^p, 1")}, "Use as printed."},
	{partRanks, "p ≤ 5 %", "all", []query{cells("alarms", "ranks", "", "^p, 5")}, "Use as printed."},
	{partRanks, "rank among all errors of other episodes ≤ 1 %", "5 and 16 episodes",
		[]query{cells("alarms", "ranks", "^(5|16) ", "pooled, 1")},
		"It is not printed: one unusual episode has all small values."},
	{partAlarms, "martingale of p", "ρ of 0", []query{cells("alarms", "alarms", "ρ 0$", "^martingale")},
		"It is not printed: Ville's inequality needs independent p values."},
	{partAlarms, "the same", "ρ of 0.5 and more", []query{cells("alarms", "alarms", "ρ 0[.]", "^martingale")},
		"It is not printed."},
	{partAlarms, "`EpisodeAlarms`", "100 untouched episodes", []query{cells("alarms", "alarms", "^100", "^episodes")},
		"Use as printed. Fewer episodes have a reason instead."},
	{partAlarms, "`InnovationAlarms`", "levels of any kind, a course that all episodes share",
		[]query{cells("alarms", "alarms", "ρ 0[.0-9]*(, (levels|loud|rising|step))?$", "^innovations")}, "Use as printed."},
	{partAlarms, "the same", "each episode drifts along a line of its own",
		[]query{cells("alarms", "alarms", "slopes", "^innovations")},
		"It does not hold. `surprise` warns where untouched episodes raise too many alarms, " +
			"and compares 100 or more as a whole."},
	{partAlarms, "`EpisodeAlarms` after a change", "ρ of 0 and 0.5, no levels",
		[]query{cells("alarms", "alarms", "^100.*ρ 0([.]5)?$", "changed: episodes")},
		"Use it for short episodes."},
	{partAlarms, "the same", "levels of their own",
		[]query{cells("alarms", "alarms", "^100.*(levels|loud)", "changed: episodes")},
		"An episode must be more unusual than others are. Use `InnovationAlarms`."},
	{partAlarms, "`InnovationAlarms` after a change", "500 transitions, ρ of 0 and 0.5",
		[]query{cells("alarms", "alarms", "× 500, ρ 0([.]5)?$", "changed: innovations")},
		"Use it for long episodes."},
	{partAlarms, "the same", "500 transitions, ρ of 0.8, any levels",
		[]query{cells("alarms", "alarms", "× 500, ρ 0.8", "changed: innovations")},
		"Dependent errors need longer episodes."},
	{partSurprise, "AUROC", "all", []query{covers("surprise", "^AUROC", ""), rejects("surprise", "^AUROC", "")},
		"Use as printed. Intervals are wider than needed where errors depend on each other."},
	{partSurprise, "share with p ≤ 0.01", "all", []query{covers("surprise", "^detected.*(100, shift|mean)", ""),
		rejects("surprise", "^detected", "")}, "Use as printed."},
	{partSurprise, "the same of very many episodes, 2 SD", "5 and 10 episodes",
		[]query{covers("surprise", "very many.*2$", "^(5|10) ")}, "Few episodes hide errors: compare equal numbers of " +
			"episodes."},
	{partSurprise, "noticed, delay, distance of the largest error", "all",
		[]query{covers("surprise", "^(noticed|delay|place)", "")}, "Use as printed. A delay needs 5 noticed episodes."},
}

var leakFindings = []finding{
	{partLeaks, "scores of all states and of states that do not leak", "all",
		[]query{covers("leaks", `^scores\.(all|clean)`, "")}, "Use as printed."},
	{partLeaks, "difference of both", "all", []query{covers("leaks", `^scores\.difference`, "")}, "Use as printed."},
	{partLeaks, "share of duplicates", "all", []query{covers("leaks", "^duplicates", "")}, "Expect wide intervals."},
	{partLeaks, "p of drift, independent episodes", "all", []query{rejects("leaks", "^drift", "")}, "Use as printed."},
}
