// Measurements of a model, kept from one run to another.

package results

import (
	"context"
	"strings"

	"repscope/shard"
)

// unnamed is what a model is called while it is measured. No name has its first character.
const unnamed = "\x00model"

// Remember is [shard.Remember] of the measurements of a model. The name of the model is no part of its identity:
// measure is told another, to be written into the result and its warnings, which texts points to, and all become the
// name that is given. Errors should have the given one.
func Remember[M any](ctx context.Context, name string, identity func() shard.Identity, measure func(name string) (M, error),
	texts func(*M) (name *string, warnings []string)) (M, error) {
	m, err := shard.Remember(ctx, identity, func() (M, error) { return measure(unnamed) })
	if err != nil {
		return m, err
	}
	place, warnings := texts(&m)
	*place = name
	for i := range warnings {
		warnings[i] = strings.ReplaceAll(warnings[i], unnamed, name)
	}
	return m, nil
}
