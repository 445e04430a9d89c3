// What tests change.

package source

// OptionsOf are the options of a model.
func OptionsOf(m *ModelSource) *ModelOptions { return &m.o }
