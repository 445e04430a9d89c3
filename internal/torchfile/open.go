// Opening a file: which format it is, and its root value.

package torchfile

// File is an open file. Its tensors can be read until Close.
type File struct{}

// Option changes how a file is opened.
type Option func(*settings)

type settings struct{ classes map[string]bool }

// AllowClasses lets instances of the given classes ("module.name") through as
// inert Objects.
func AllowClasses(names ...string) Option { return nil }

// Open reads the structure of the file at path; tensors stay on disk.
func Open(path string, options ...Option) (*File, error) { return nil, nil }

// Root is the value that was saved: *Dict, []any, string, int64, float64,
// bool, nil, *Tensor or *Object.
func (f *File) Root() any { return nil }

// Close releases the file. Tensors cannot be read afterwards.
func (f *File) Close() error { return nil }
