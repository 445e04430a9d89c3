// What the numbers of a tested part are.

package audit

import (
	"math"

	"repscope/report"
)

// Metrics describes the numbers of a tested part.
func Metrics() []report.Described {
	return []report.Described{
		{Name: "leaking", Better: report.Lower, Low: 0, High: 1, Headline: true,
			About: "share of tested states with an equal training state or one that is too near"},
		{Name: "duplicates.share", Better: report.Lower, Low: 0, High: 1, Headline: true,
			About: "share of tested states with an equal training state"},
		{Name: "near.share", Better: report.Lower, Low: 0, High: 1, Headline: true,
			About: "share of tested states whose nearest training state is nearer than states of other episodes are"},
		{Name: "near.nearer_than_next", Better: report.Lower, Low: 0, High: 1,
			About: "share of tested states whose nearest training state is nearer than their own next state"},
		{Name: "near.threshold", Better: report.Neither, High: math.Inf(1),
			About: "distance below which a training state is too near"},
	}
}
