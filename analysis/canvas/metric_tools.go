// What an agent called while it made a design.

package canvas

import (
	"slices"
	"strconv"

	"repscope/analysis/canvas/internal/source"
	"repscope/measure/text"
	"repscope/report"
)

// tools are counts of steps and calls.
var tools = Kind{
	Name:  "tools",
	About: "number of steps and tool calls, and efficiency (fewer is better)",
	Needs: NeedTrace | NeedExpectedTrace,
	Keys: []Key{
		{Name: "tool_steps", About: "number of steps",
			Unit: "steps", High: unbounded},
		{Name: "tool_calls", About: "number of tool calls",
			Unit: "calls", High: unbounded},
		{Name: "tool_unique", About: "number of different tools",
			Unit: "tools", High: unbounded},
		{Name: "tool_efficiency", About: "1/(steps + calls + different tools + 1)",
			Direction: report.Higher, High: 1, Compared: true},
		{Name: "tool_call_ratio", About: "number of tool calls over the expected number",
			High: unbounded},
	},
	Definition: func(*Setting) string {
		return "2; each call once; efficiency: 1/(steps + calls + unique tools + 1), rounded to 4 digits; ratio: calls over expected calls"
	},
	Score: scoreTools,
}

// toolAccuracy is how near the calls are to those that were expected.
var toolAccuracy = Kind{
	Name:  "tool_accuracy",
	About: "tool calls compared with the expected calls: order, sets and edit distance",
	Needs: NeedTrace | NeedExpectedTrace,
	Keys: []Key{
		{Name: "tool_lcs_f1", About: "F1 of the longest common subsequence of the tool calls and the expected calls",
			Direction: report.Higher, High: 1, Compared: true},
		{Name: "tool_precision", About: "share of the called tools that are expected",
			Direction: report.Higher, High: 1, Compared: true},
		{Name: "tool_recall", About: "share of the expected tools that are called",
			Direction: report.Higher, High: 1, Compared: true},
		{Name: "tool_jaccard", About: "tools both called and expected over tools called or expected",
			Direction: report.Higher, High: 1, Compared: true},
		{Name: "tool_edit_distance",
			About:     "edit distance of the tool calls from the expected calls over the longer list",
			Direction: report.Lower, High: 1, Compared: true},
	},
	Definition: func(*Setting) string {
		return "2; names of tools: longest common subsequence over both lengths; sets; edit distance over the longer"
	},
	Score: scoreToolAccuracy,
}

// noSteps is why there is no number of steps.
const noSteps = "the trace has no step_count"

func scoreTools(p *Pair, row *Row) error {
	trace, err := p.traces()
	if err != nil {
		return err
	}
	if trace.Steps == nil {
		row.Undefined("tool_steps", noSteps)
	} else {
		row.Set("tool_steps", float64(*trace.Steps))
	}
	if trace.Untold != "" {
		return source.Absentf("the trace: %s", trace.Untold)
	}
	counts := map[string]int{}
	for _, name := range trace.Calls {
		counts[name]++
	}
	names := []string{}
	for name := range counts {
		names = append(names, name)
	}
	slices.Sort(names)
	row.Details["tool_unique_list"], row.Details["tool_repeats"] = names, counts
	row.Set("tool_calls", float64(len(trace.Calls)))
	row.Set("tool_unique", float64(len(names)))
	if trace.Steps == nil {
		row.Undefined("tool_efficiency", noSteps)
	} else {
		row.Set("tool_efficiency", rounded(1/float64(*trace.Steps+len(trace.Calls)+len(names)+1)))
	}
	expected, err := p.expectedTrace()
	if err != nil {
		return err
	}
	if len(expected.Calls) == 0 {
		return source.Absentf("the expected trace has no calls")
	}
	row.Set("tool_call_ratio", float64(len(trace.Calls))/float64(len(expected.Calls)))
	return nil
}

// rounded is a number to 4 digits; one that lies exactly between two becomes the even one.
func rounded(v float64) float64 {
	v, _ = strconv.ParseFloat(strconv.FormatFloat(v, 'f', 4, 64), 64)
	return v
}

func scoreToolAccuracy(p *Pair, row *Row) error {
	trace, err := p.traces()
	if err != nil {
		return err
	}
	if trace.Untold != "" {
		return source.Absentf("the trace: %s", trace.Untold)
	}
	expected, err := p.expectedTrace()
	if err != nil {
		return err
	}
	var c text.Comparer[string]
	calls, want := c.Encode(trace.Calls), c.Encode(expected.Calls)
	row.Set("tool_edit_distance", 1-c.Similarity(calls, want))
	if len(calls)+len(want) == 0 { // nothing was expected, and nothing was done
		for _, key := range []string{"tool_lcs_f1", "tool_precision", "tool_recall", "tool_jaccard"} {
			row.Set(key, 1)
		}
		return nil
	}
	row.Set("tool_lcs_f1", 2*float64(c.LCS(calls, want))/float64(len(calls)+len(want)))
	called, wanted := unique(calls), unique(want)
	both := c.Common(called, wanted)
	row.Set("tool_jaccard", float64(both)/float64(len(called)+len(wanted)-both))
	if len(called) == 0 {
		row.Undefined("tool_precision", "no tool was called")
	} else {
		row.Set("tool_precision", float64(both)/float64(len(called)))
	}
	if len(wanted) == 0 {
		row.Undefined("tool_recall", "the expected trace has no calls")
	} else {
		row.Set("tool_recall", float64(both)/float64(len(wanted)))
	}
	return nil
}

// unique are the elements of a sequence, each once.
func unique(s text.Sequence) text.Sequence {
	s = slices.Clone(s)
	slices.Sort(s)
	return slices.Compact(s)
}
