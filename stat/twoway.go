// Two crossed groupings of the same observations, such as samples and models.

package stat

import "math"

// TwoWay is the jackknife of a statistic whose observations are crossed: each belongs to a block of rows and to a block
// of columns, such as the design that a model makes for a sample. Others of both would give another value:
//
//	var = var_rows + var_columns − var_cells, at least the larger of the first two
//
// with the delete-block jackknives over rows, over columns, and over the cells that a row and a column share (Cameron,
// Gelbach & Miller 2011, "Robust inference with multiway clustering"). Degrees of freedom follow from the variances by
// Satterthwaite, the cells counted as known,
//
//	var²/(var_rows²/df_rows + var_columns²/df_columns), at least the smaller of the two.
//
// The result has no replicates, and so no scale of its own: pass jackknives on the scale that the interval is for
// ([Combine]), and its ends back. It is undefined, with a reason, where one of the three is.
func TwoWay(rows, columns, cells *Jackknifed) *Jackknifed {
	out := &Jackknifed{Estimate: rows.Estimate, Corrected: math.NaN(), Bias: math.NaN(), BlockSizes: cells.BlockSizes,
		Warnings: rows.Warnings, Untestable: firstOf(rows.Untestable, columns.Untestable)}
	level := rows.Interval.Level
	for _, v := range []*Jackknifed{rows, columns, cells} {
		if v.Reason != "" {
			out.StdError, out.Reason = math.NaN(), v.Reason
			out.Interval = noInterval(level, "%s", v.Reason)
			return out
		}
	}
	a, b, both := rows.StdError*rows.StdError, columns.StdError*columns.StdError, cells.StdError*cells.StdError
	variance := max(a+b-both, a, b)
	out.StdError = math.Sqrt(variance)
	least := min(rows.DF, columns.DF)
	if out.DF = least; variance > 0 {
		out.DF = max(least, variance*variance/(a*a/rows.DF+b*b/columns.DF))
	}
	out.interval(level)
	return out
}
