// What the numbers are.

package surprise

import (
	"math"

	"repscope/measure/violation"
	"repscope/report"
)

// Metrics describes the numbers of a model.
func Metrics() []report.Described {
	out := []report.Described{
		{Name: "auroc", Better: report.Higher, Low: 0, High: 1, Headline: true,
			About: "probability that an impossible transition has a larger error than one of its untouched twin, mean " +
				"over violations and sizes"},
		{Name: "detected_1in100", Better: report.Higher, Low: 0, High: 1, Headline: true,
			About: "share of impossible transitions with p ≤ 0.01, mean over violations and sizes", Cite: "vovk2005"},
		{Name: "error", Better: report.Neither, High: math.Inf(1),
			About: "mean error of untouched transitions, in units of the scale of latents"},
		{Name: "conformal.level_1", Better: report.Neither, Low: 0, High: 1,
			About: "share of untouched transitions with p ≤ 0.01, mean over episodes", Cite: "vovk2005"},
		{Name: "conformal.level_5", Better: report.Neither, Low: 0, High: 1,
			About: "share of untouched transitions with p ≤ 0.05, mean over episodes", Cite: "vovk2005"},
		{Name: "alarm.false", Better: report.Lower, Low: 0, High: 1,
			About: "share of untouched episodes in which the alarm sounds"},
		{Name: "alarm.noticed", Better: report.Higher, Low: 0, High: 1, Headline: true,
			About: "share of episodes with any violation in which the alarm sounds from the violation on, and not before"},
		{Name: "alarm.delay", Better: report.Lower, Unit: "transitions", High: math.Inf(1),
			About: "mean time from the violation to the alarm"},
	}
	for _, kind := range violation.Kinds() {
		name := "violations." + string(kind) + "."
		out = append(out,
			report.Described{Name: name + "auroc", Better: report.Higher, Low: 0, High: 1,
				About: "probability that an impossible transition has a larger error than one of its untouched twin"},
			report.Described{Name: name + "detected_1in100", Better: report.Higher, Low: 0, High: 1,
				About: "share of impossible transitions with p ≤ 0.01"},
			report.Described{Name: name + "detected_1in1000", Better: report.Higher, Low: 0, High: 1,
				About: "share of impossible transitions with p ≤ 0.001"},
			report.Described{Name: name + "noticed", Better: report.Higher, Low: 0, High: 1,
				About: "share of violated episodes with p ≤ 0.01 inside the horizon"},
			report.Described{Name: name + "noticed_untouched", Better: report.Neither, Low: 0, High: 1,
				About: "share of untouched twins with p ≤ 0.01 inside the horizon"},
			report.Described{Name: name + "delay", Better: report.Lower, Unit: "transitions", High: math.Inf(1),
				About: "mean time from the violation to the first p ≤ 0.01"},
			report.Described{Name: name + "place", Better: report.Lower, Unit: "transitions", High: math.Inf(1),
				About: "mean distance of the largest error from the violation"},
			report.Described{Name: name + "alarmed", Better: report.Higher, Low: 0, High: 1,
				About: "share of violated episodes in which the alarm sounds from the violation on, and not before"})
	}
	return out
}
