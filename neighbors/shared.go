// Lists of neighbors that several runs of one process need.

package neighbors

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
	"slices"

	"repscope/internal/share"
	"repscope/points"
)

// shared is the search within a space. If concurrent runs share computations, see package share, lists of the same
// points under the same options are searched once. Callers must not change them.
func (s Space) shared(ctx context.Context, k int, o *Options) (*Nearest, error) {
	key := ""
	if share.In(ctx) {
		key = fmt.Sprintf("neighbors %s k=%d %v window=%d", contents(s.points), k, s.metric, o.ExcludeWindow)
		if o.ExcludeWindow > 0 && o.Episode != nil {
			episodes, _ := points.Numbered(o.Episode)
			key += " episodes=" + digest(episodes)
		}
		if o.ExcludeWindow > 0 && o.Time != nil {
			key += " times=" + digest(o.Time)
		}
		if o.Device != nil {
			key += " device=" + o.Device.String() // which the counts name
		}
	}
	return share.Do(ctx, key, func() (*Nearest, error) { return search(ctx, s.points, s.points, k, true, o) },
		func(n *Nearest) int64 { return int64(4*len(n.Index) + 8*len(n.Distance)) })
}

// contents is the digest of the values of points with type and shape.
func contents(p points.Points) string {
	h := sha256.New()
	fmt.Fprintf(h, "%s %d %d ", p.Type(), p.N, p.Dim)
	h.Write(p.U8)
	var part []byte
	for chunk := range slices.Chunk(p.F32, 1<<13) {
		part = part[:0]
		for _, v := range chunk {
			part = binary.LittleEndian.AppendUint32(part, math.Float32bits(v))
		}
		h.Write(part)
	}
	for chunk := range slices.Chunk(p.F64, 1<<12) {
		part = part[:0]
		for _, v := range chunk {
			part = binary.LittleEndian.AppendUint64(part, math.Float64bits(v))
		}
		h.Write(part)
	}
	return hex.EncodeToString(h.Sum(nil))
}
