// The stack machine that interprets a pickle.

package pickle

import "io"

type source struct{ position int64 }
type machine struct{ in source }

func newMachine(r io.Reader, size int64, options Options) *machine { return &machine{} }
func (m *machine) run() (any, error)                               { return nil, nil }
