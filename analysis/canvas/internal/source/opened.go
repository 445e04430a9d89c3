// Files that all cases share, when they are open.

package source

import "repscope/report"

// Opened is what a run enters of files that all its cases share. Close releases them.
type Opened struct {
	Inputs          []report.Input // in the order in which they were opened
	Warnings, Notes []string
	Closers         []func() error
}

// Enter keeps a file with its digest.
func (o *Opened) Enter(role, path, digest string) {
	o.Inputs = append(o.Inputs, report.Input{Role: role, Path: path, SHA256: digest})
}

// Close releases the files.
func (o *Opened) Close() error {
	for _, c := range o.Closers {
		_ = c() // it was only read
	}
	o.Closers = nil
	return nil
}
