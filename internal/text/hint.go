// Errors that say what to do.

package text

// WithHint is err with a hint of what to do about it, which commands print below the error; err itself if the hint is empty.
func WithHint(err error, hint string) error {
	if hint == "" {
		return err
	}
	return hinted{err, hint}
}

// DidYouMean is a hint for an unknown name: the candidate that is most like it after a prefix such as "--". It is ""
// where none is alike.
func DidYouMean(prefix, name string, candidates []string) string {
	if n := Nearest(name, candidates); n != "" {
		return "did you mean " + prefix + n + "?"
	}
	return ""
}

type hinted struct {
	error
	hint string
}

func (h hinted) Unwrap() error   { return h.error }
func (h hinted) Hints() []string { return []string{h.hint} }
