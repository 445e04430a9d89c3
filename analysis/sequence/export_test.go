// What tests of other packages look at.

package sequence

import "repscope/stat"

// jackknifeOf is what a model is compared by.
func jackknifeOf(m *ModelResult, key string) *stat.Jackknifed { return m.jackknifes[key] }

// missing says what a metric lacks of a model.
func missing(k *Kind, m *Model, mode string) string { return k.missing(m, mode) }
