// Models that fail while they are measured: the others go on, and these are named.

package results

import "repscope/report"

// Kept are the elements, one for each model, of the models without a reason against them.
func Kept[T any](all []T, reasons []string) []T {
	var out []T
	for i, v := range all {
		if i >= len(reasons) || reasons[i] == "" {
			out = append(out, v)
		}
	}
	return out
}

// WithoutFailed are the models without a reason against them, and the others with theirs.
func WithoutFailed[M any](models []M, reasons []string, name func(M) string) (kept []M, failed []report.Unmeasured) {
	for i, m := range models {
		if i < len(reasons) && reasons[i] != "" {
			failed = append(failed, report.Unmeasured{Name: name(m), Reason: reasons[i]})
		}
	}
	return Kept(models, reasons), failed
}

// Collapsed returns the warning of a model whose latents do not vary, with the reason.
func Collapsed(name, reason string) string {
	return name + ": " + reason + ": the encoder has collapsed, and comparisons leave it out"
}
