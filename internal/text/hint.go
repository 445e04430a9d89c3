// Errors that say what to do.

package text

// WithHint is err with a hint of what to do about it, which commands print below the error.
func WithHint(err error, hint string) error { return hinted{err, hint} }

type hinted struct {
	error
	hint string
}

func (h hinted) Unwrap() error   { return h.error }
func (h hinted) Hints() []string { return []string{h.hint} }
