// Package shard is the contract of heavy work that splits and merges exactly.
//
// An analysis divides its work into numbered units from the data and the
// options alone: blocks of rows, models, levels. [Work].Map computes the part of
// a range of units, Merge makes the result of parts that cover all units once.
// One process, threads, the tasks of a cluster job and resumed runs use the same
// two functions, so that any split gives the same bytes:
//
//	work := shard.Work[[]float64, float64]{
//		Units:    len(data),
//		Identity: func() shard.Identity { return shard.Identity{Analysis: "mean", Definition: 1} },
//		Map: func(_ context.Context, r shard.Range) ([]float64, error) { return data[r.Lo:r.Hi], nil },
//		Merge: func(_ context.Context, parts [][]float64) (float64, error) {
//			return stat.Mean(slices.Concat(parts...)), nil // summed in the order of units, whatever the parts
//		},
//	}
//	whole, err := work.Run(ctx)
//	first, err := work.Compute(ctx, shard.Task(0, 2, work.Units)...)
//	second, err := work.Compute(ctx, shard.Task(1, 2, work.Units)...)
//	whole, err = work.MergeStates(ctx, second, first) // the same bytes
//
// # What keeps the bytes the same
//
// A sum over units that are split must not depend on order: it is one of
// integers, or the values of every unit are kept and added in the order of units
// by Merge. Map must not look at units outside its range.
//
// # The state file
//
// [State] is what a task leaves: the parts it computed and the [Identity] of the
// work. Merging is a union by units: commutative and idempotent. Parts of other
// work, parts that overlap or conflict, units that are missing and damaged
// files are refused with both sides named.
package shard
