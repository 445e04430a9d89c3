// Package shard splits and merges heavy computations exactly.
//
// An analysis divides its work into numbered units that depend only on the data and the options: blocks of rows,
// models, levels. [Work].Map computes the part of a range of units; Merge computes the result from parts that cover all
// units once. One process, threads, the tasks of a cluster job and resumed runs use the same two functions, so any
// split gives the same bytes:
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
// # Equal bytes for every split
//
// A sum over split units must not depend on order. Either it is a sum of integers, or the values of every unit are kept
// and added in the order of units by Merge. Map must not look at units outside its range.
//
// # The state file
//
// [State] is the output of a task: the computed parts and the [Identity] of the work. Merging is a union by units:
// commutative and idempotent. Parts of other work, overlapping or conflicting parts, missing units and damaged files
// are refused, with both sides named.
package shard
