// What latents are in the identity of work that is split.

package results

import (
	"repscope/points"
	"repscope/shard"
)

// Digests are the latents of every model as inputs of a [shard.Identity].
func Digests(models []Encoded) []shard.Field {
	fields := make([]shard.Field, len(models))
	for i, m := range models {
		fields[i] = Digest(m.Name, m.Latents)
	}
	return fields
}

// Digest is one model's latents as an input of a [shard.Identity].
func Digest(name string, latents points.Points) shard.Field {
	return shard.Field{Name: "latents " + name, Value: shard.Digest(latents)}
}
