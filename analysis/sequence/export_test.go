// What tests of other packages look at.

package sequence

import "repscope/stat"

// JackknifeOf is what a model is compared by.
func JackknifeOf(m *ModelResult, key string) *stat.Jackknifed { return m.jackknifes[key] }

// Missing says what a metric lacks of a model.
func Missing(k *Kind, m *Model, mode string) string { return k.missing(m, mode) }
