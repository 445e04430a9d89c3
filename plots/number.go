// Numbers as text.

package plots

import (
	"math"
	"strconv"
	"strings"
)

// Number formats a value with this many significant digits (1 to 17) for a label or a table cell: U+2212 for minus,
// "n/a" for NaN, "∞" for infinity, and a power of ten ("1.2×10^{−5}", drawn as a superscript) outside [1e−3, 1e5).
func Number(value float64, significant int) string {
	significant = min(17, max(1, significant))
	switch {
	case math.IsNaN(value):
		return "n/a"
	case math.IsInf(value, 1):
		return "∞"
	case math.IsInf(value, -1):
		return "−∞"
	case value == 0:
		return "0"
	}
	text := strconv.FormatFloat(value, 'e', significant-1, 64)
	mantissa, exponentText, _ := strings.Cut(text, "e")
	exponent, _ := strconv.Atoi(exponentText) // FormatFloat wrote it
	if exponent >= 5 || exponent < -3 {
		return minus(mantissa + "×10^{" + strconv.Itoa(exponent) + "}")
	}
	rounded, _ := strconv.ParseFloat(text, 64)
	return minus(strconv.FormatFloat(rounded, 'f', max(0, significant-1-exponent), 64))
}

// minus replaces every hyphen of a formatted number by the minus sign.
func minus(number string) string { return strings.ReplaceAll(number, "-", "−") }
