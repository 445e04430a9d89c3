// What tests change.

package sequence

// optionsOf are the options of a model.
func optionsOf(m *ModelSource) *ModelOptions { return &m.o }
