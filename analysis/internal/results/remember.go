// What was measured of one model, from the memory of a study.

package results

import (
	"context"

	"repscope/shard"
)

// Remember is [shard.Remember] of what was measured of a model. The name under which it was measured is no part of its
// identity: part says where it is, and it becomes the given one. What has warnings, which may name the model, is measured
// again under another name.
func Remember[M any](ctx context.Context, name string, identity func() shard.Identity, measure func() (M, error),
	part func(*M) (name *string, warnings []string)) (M, error) {
	m, err := shard.Remember(ctx, identity, measure)
	if err != nil {
		return m, err
	}
	was, warnings := part(&m)
	if *was != name && len(warnings) > 0 {
		return measure()
	}
	*was = name
	return m, nil
}
