// Package color compares colors of screens: sRGB to CIELAB, the color difference
// CIEDE2000, and the luminance and contrast of WCAG 2.
//
//	text, page := color.FromBytes(119, 119, 119), color.SRGB{R: 1, G: 1, B: 1}
//	readable := color.Contrast(text.Over(page, 0.9), page) >= color.ContrastAA
//	difference := color.CIEDE2000(text.Lab(), page.Lab())
//
// Everything is computed in float64.
package color
