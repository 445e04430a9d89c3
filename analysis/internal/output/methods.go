// How intervals and comparisons came about, in words: for --methods.

package output

import (
	"slices"
	"strings"

	"repscope/analysis/internal/results"
	"repscope/internal/text"
	"repscope/report"
	"repscope/report/methods"
)

// Methods drafts the section on intervals and comparisons of models, as far as there are
// any. what ends the first sentence where intervals need more than deletions to be told:
// " and everything was computed again" if empty.
func Methods(d *methods.Draft, what string) {
	blocks := Blocks(d)
	if blocks == "" {
		return
	}
	d.Section("Uncertainty")
	if what == "" {
		what = ", and the statistics were computed without it"
	}
	d.Say("Intervals are 95 %% intervals from the delete-block jackknife with Student's t [@kunsch1989; "+
		"@busing1999]: each of %s was deleted in turn%s. Blocks were weighted by their size; the degrees of "+
		"freedom are the equivalent number of equal blocks, minus one.", blocks, what)
	sayBlocks(d)
	MethodsOfComparisons(d, "over the same blocks")
}

// Blocks describes the blocks deleted in turn, empty where there are no intervals. Results of old
// versions tell the number alone, with the comparisons.
func Blocks(d *methods.Draft) string {
	if d.Result.Blocks != "" {
		return d.Result.Blocks
	}
	for _, c := range d.Result.Comparisons {
		if c.Blocks != nil && *c.Blocks > 0 {
			return text.Count(*c.Blocks, "block")
		}
	}
	return ""
}

// sayBlocks says where the blocks come from.
func sayBlocks(d *methods.Draft) {
	if !d.Has("block") || d.Result.Blocks == "" {
		return
	}
	asked, moving := d.Text("block"), strings.Contains(d.Result.Blocks, "moving")
	switch {
	case !moving && !strings.Contains(d.Result.Blocks, "episode"):
		if length := strings.Trim(asked, "0123456789"); length == "" && asked != "1" {
			d.Say("Up to %s consecutive observations form one block, as set by the user.", asked)
		}
	case !moving && asked == "auto":
		d.Say("Whole episodes are the blocks, because there are at least 5 of them.")
	case !moving:
		d.Say("Whole episodes are the blocks.")
	case asked == "auto" || asked == "episode":
		d.Say("The block length follows from the dependence of the observations: the larger of automatic selection " +
			"[@politis2004; @patton2009] and three integrated autocorrelation times [@sokal1997].")
	default:
		d.Say("The block length was set to %s consecutive observations.", asked)
	}
}

// MethodsOfComparisons drafts how models were compared; nothing where they were not. how ends
// the first sentence: "over the same blocks".
func MethodsOfComparisons(d *methods.Draft, how string) {
	all := d.Result.Comparisons
	if len(all) == 0 {
		return
	}
	d.Say("Models were compared in pairs by the jackknife of their difference %s.", how)
	tested := slices.IndexFunc(all, func(c report.Comparison) bool { return c.P.Defined() })
	if tested < 0 {
		if reason := all[0].P.Reason; reason != "" {
			d.Say("No p values are reported: %s.", reason)
		}
		return
	}
	over := "all comparisons of one metric, over pairs of models and parameters of the metric"
	if all[0].Family == results.FamilyRun {
		over = "all comparisons of the run"
	}
	d.Say("Tests are two-sided, by Student's t over blocks; p values were corrected by Holm's procedure [@holm1979] "+
		"over %s. The false discovery rates of Benjamini and Yekutieli [@benjamini2001] over the run are also "+
		"reported.", over)
	flips := ""
	for _, c := range all {
		if c.SignFlipP != nil && c.SignFlipP.Defined() {
			if flips = "9,999 random patterns of signs"; c.Exact != nil && *c.Exact {
				flips = "all patterns of signs"
			}
			break
		}
	}
	if flips != "" {
		d.Say("A sign-flip permutation test of the contributions of blocks to the difference, over %s, is also "+
			"reported.", flips)
	}
}

// MethodsOfSpread drafts the numbers of every model that reveal a
// collapsed one.
func MethodsOfSpread(d *methods.Draft) {
	d.Say("To detect collapsed encoders, the root mean square distance between two random states, √(2·tr C), with " +
		"the covariance C of the latents, and the entropy effective rank of C [@roy2007] are also reported.")
}
