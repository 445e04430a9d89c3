// Options for tests that run the built-in example of every analysis.

package suite

// SmallExample has options that make the built-in example of an analysis small, by its name.
var SmallExample = map[string]string{
	"smoothness":     "--samples 120 --horizons 1,3",
	"robustness":     "--samples 40 --levels 0.1,0.3 --per-sample",
	"neighborhood":   "--samples 600 --permutations 2 --per-point",
	"manifold":       "--samples 150",
	"geometry":       "--samples 150 --rsa-pairs 500 --per-point",
	"similarity":     "--samples 60 --permutations 3",
	"reconstruction": "--samples 60 --rollout-steps 2 --samples-shown 2 --save-frames",
	"reward":         "--samples 80 --probes ridge --predictions-csv",
	"generation":     "--metrics reconstruction,diversity",
	"forecast":       "--metrics mae,crps,energy_score",
	"sequence":       "--metrics masked_accuracy,ppl",
	"audit":          "--permutations 3",
	"surprise":       "--violations teleport,skip --draws 1",
	"canvas":         "--ids gid1-* --metrics ssim,layout_iou,tool_calls --plots",
}
