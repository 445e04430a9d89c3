// Package plots draws publication figures: a grid of panels at a size in millimeters, with panel letters, aligned axes,
// one shared legend in a tile of its own, and a footnote. It knows panels, not analyses: an analysis passes numbers and
// names and gets a PNG (300 DPI, with the density written into the file), a PDF or an SVG. Equal input gives equal
// bytes.
//
// A figure of two panels in double-column width:
//
//	figure := plots.Figure{
//		WidthMM: plots.DoubleColumnMM, HeightMM: 70,
//		Tiles: []plots.Tile{
//			{Row: 0, Column: 0, Title: "Robustness", Panel: &plots.Curves{
//				X:      plots.Axis{Label: "Noise level σ"},
//				Y:      plots.Axis{Label: "Latent distance"},
//				Series: []plots.CurveSeries{{Name: "jepa", X: sigma, Y: mean, Low: low, High: high}},
//			}},
//			{Row: 0, Column: 1, Panel: &plots.Bars{
//				Y:    plots.Axis{Label: "Participation ratio"},
//				Bars: []plots.Bar{{Name: "jepa", Value: 12.3, Low: 11.0, High: 13.9}},
//			}},
//		},
//	}
//	err := figure.Render(file, "png")
//
// # In other plots
//
// Every panel is a plotter of gonum.org/v1/plot: it satisfies plot.Plotter and, if it has axes, plot.DataRanger,
// plot.GlyphBoxer and plot.Thumbnailer. Any program can add one to its own plot.Plot, by p.Add, or by [Add], which also
// gives the plot our axes. [LinearTicks], [LogTicks] and [FixedTicks] are our tick rules, [LogScale] is a log scale
// that does not panic, and [Markup] draws our subscripts.
//
//	p := plot.New()
//	_, err = plots.Add(p, []string{"jepa"}, &plots.Bars{
//		Y:    plots.Axis{Label: "Participation ratio"},
//		Bars: []plots.Bar{{Name: "jepa", Value: 12.3, Low: 11.0, High: 13.9}},
//	})
//	err = p.Save(8*vg.Centimeter, 6*vg.Centimeter, "ratio.svg")
//
// # Text
//
// Every string drawn (labels, titles, names, cells, notes) may hold subscripts and superscripts in braces: "d_{s}",
// "R^{2}", "10^{−3}". An underscore or caret without a brace is itself, so model names such as "encoder_decoder" need
// no care; [Escape] protects a string that holds "_{" or "^{". Unicode superscript and subscript digits are drawn the
// same way. The font is the bundled Liberation Sans (Latin, Greek, Cyrillic, common mathematics). Characters missing
// from it (Chinese, Japanese, Korean, Arabic, Indic scripts) are drawn as its box glyph and reported as a warning, once
// for each string: a font with them would be larger than the program. Lines run from left to right; Hebrew letters in
// them are in their own order.
//
// # Undefined values
//
// NaN stands for an undefined value: a gap in a curve, "n/a" instead of a bar or in a table, a point omitted from a
// scatter. Series and bars may have a Reason. It is printed instead of the bar or box if it fits, in the middle of a
// panel without data (its axes then have no ticks), and in the footnote. Infinite values (and magnitudes above 1e300),
// and values that a log axis cannot show, are omitted, counted, and named in the figure's footnote; nothing is dropped
// silently.
package plots
