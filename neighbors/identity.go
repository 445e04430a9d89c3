// Which pass a part belongs to.

package neighbors

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"repscope/neighbors/internal/rows"
	"repscope/points"
)

// definition is the version of the meaning of a part's sums. It changes with any change of code that changes a sum.
const definition = 3

// Identity returns the identity that the parts of this pass carry. The first call reads all points.
type Identity struct {
	Definition int // version of the meaning of the sums
	Points     int
	Ks         []int // ascending
	Ties       string
	Curves     bool // of co-ranking
	PerPoint   bool
	// ExcludeWindow is the exclusion window, Episode the digest of the episodes inside which it counts, and Time the
	// digest of the times that it counts. Both are empty without a window; Episode is also empty with a single episode,
	// and Time if the window counts positions.
	ExcludeWindow int
	Episode, Time string
	// Blocks is the digest of the blocks that are deleted, empty without.
	Blocks string
	// Permutations are the digests of the permutations.
	Permutations []string
	Original     SpaceIdentity
	Embedded     []SpaceIdentity
}

// SpaceIdentity identifies the points and the metric of a space.
type SpaceIdentity struct {
	Metric string
	Type   string // of the values: uint8, float32 or float64
	Dim    int
	Digest string // of type, shape and values
}

// Identity returns the identity that parts of this pass carry. The first call reads all points.
func (p *Pass) Identity(ctx context.Context) (Identity, error) {
	equal, err := p.duplicates(ctx)
	if err != nil {
		return Identity{}, err
	}
	p.known.Lock()
	defer p.known.Unlock()
	if p.identity == nil {
		p.identity = p.newIdentity(equal)
	}
	return *p.identity, nil
}

func (p *Pass) newIdentity(equal []*rows.Duplicates) *Identity {
	o := &p.options
	id := &Identity{
		Definition: definition, Points: p.n, Ks: p.sorted, Ties: p.tiesRule(),
		Curves: p.curves, PerPoint: o.PerPoint, ExcludeWindow: o.ExcludeWindow,
		Original: spaceIdentity(p.original, equal[0]),
	}
	if o.ExcludeWindow > 0 && o.Episode != nil {
		episodes, _ := points.Numbered(o.Episode)
		id.Episode = digest(episodes)
	}
	if o.ExcludeWindow > 0 && o.Time != nil {
		id.Time = digest(o.Time)
	}
	if o.Blocks != nil {
		id.Blocks = digest(o.Blocks)
	}
	for _, order := range o.Permutations {
		id.Permutations = append(id.Permutations, digest(order))
	}
	for e, s := range p.embedded {
		id.Embedded = append(id.Embedded, spaceIdentity(s, equal[1+e]))
	}
	return id
}

// tiesRule is the rule for ties with all that it depends on.
func (p *Pass) tiesRule() string {
	if p.options.Ties == TiesRandom {
		return fmt.Sprintf("random, seed %d", p.options.Seed)
	}
	return p.options.Ties.String()
}

func spaceIdentity(s Space, equal *rows.Duplicates) SpaceIdentity {
	sum := equal.Digest()
	return SpaceIdentity{Metric: s.metric.String(), Type: s.points.Type(), Dim: s.points.Dim, Digest: hex.EncodeToString(sum[:])}
}

// digest is the SHA-256 of integers.
func digest(list []int) string {
	h := sha256.New()
	var part []byte
	for i, v := range list {
		part = binary.LittleEndian.AppendUint64(part, uint64(v))
		if len(part) == 1<<15 || i == len(list)-1 {
			h.Write(part)
			part = part[:0]
		}
	}
	return hex.EncodeToString(h.Sum(nil))
}

// difference describes the first difference between the identities of a part and of the pass that it is merged into,
// with both values; it is empty if there is none.
func (id *Identity) difference(pass *Identity) string {
	compared := func(name string, part, whole any) string {
		return fmt.Sprintf("the part has %s = %v, but the pass has %s = %v", name, part, name, whole)
	}
	switch {
	case id.Definition != pass.Definition:
		return compared("definition", id.Definition, pass.Definition)
	case id.Points != pass.Points:
		return fmt.Sprintf("the part has %d points, but the pass has %d", id.Points, pass.Points)
	case !slices.Equal(id.Ks, pass.Ks):
		return compared("k", commas(id.Ks), commas(pass.Ks))
	case id.Ties != pass.Ties:
		return compared("ties", id.Ties, pass.Ties)
	case id.ExcludeWindow != pass.ExcludeWindow:
		return compared("exclude window", id.ExcludeWindow, pass.ExcludeWindow)
	case id.Episode != pass.Episode:
		return compared("episodes", short(id.Episode), short(pass.Episode))
	case id.Time != pass.Time:
		return compared("times", short(id.Time), short(pass.Time))
	case id.Blocks != pass.Blocks:
		return compared("blocks", short(id.Blocks), short(pass.Blocks))
	case !slices.Equal(id.Permutations, pass.Permutations):
		return compared("permutations", shorts(id.Permutations), shorts(pass.Permutations))
	case id.Curves != pass.Curves:
		return compared("co-ranking curves", id.Curves, pass.Curves)
	case id.PerPoint != pass.PerPoint:
		return compared("penalties of points", id.PerPoint, pass.PerPoint)
	case len(id.Embedded) != len(pass.Embedded):
		return fmt.Sprintf("the part has %d embedded spaces, but the pass has %d", len(id.Embedded), len(pass.Embedded))
	case id.Original != pass.Original:
		return compared("original space", id.Original, pass.Original)
	}
	for e, s := range id.Embedded {
		if s != pass.Embedded[e] {
			return compared(fmt.Sprintf("embedded space %d", e), s, pass.Embedded[e])
		}
	}
	return ""
}

// String describes the space by metric, type, dimension and the beginning of its digest.
func (s SpaceIdentity) String() string {
	return fmt.Sprintf("%s distances of %s of dimension %d, %s", s.Metric, s.Type, s.Dim, short(s.Digest))
}

// commas writes numbers with commas.
func commas(list []int) string {
	return strings.ReplaceAll(strings.Trim(fmt.Sprint(list), "[]"), " ", ",")
}

// short is the beginning of a digest, long enough to distinguish two.
func short(digest string) string {
	if digest == "" {
		return "none"
	}
	return digest[:min(12, len(digest))]
}

func shorts(digests []string) string {
	if len(digests) == 0 {
		return "none"
	}
	out := make([]string, len(digests))
	for i, d := range digests {
		out[i] = short(d)
	}
	return strings.Join(out, ",")
}
