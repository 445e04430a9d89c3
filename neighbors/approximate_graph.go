package neighbors

// This file holds the graph of NN-descent.
//
// Every vertex has a list of its nearest vertices so far. Whatever order
// proposals come in, a list ends as the nearest of all that were proposed, by key
// and vertex, so that threads change nothing: within a stage of fixed content
// (the leaves of a tree; a band of vertices of one round) workers only propose,
// and what they propose depends on nothing that changes meanwhile.

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"sync"
	"unsafe"

	"repscope/dataset"
	"repscope/internal/kernel"
	"repscope/stat"
)

const (
	graphTrees = 8
	// joinCandidates is the number of new and of old candidates of a vertex that
	// are compared in a round, neighbours and reverse neighbours together.
	joinCandidates = 48
	// maxRounds and enough end the descent: after so many rounds, or when fewer
	// than this share of the links are new.
	maxRounds = 16
	enough    = 0.001
	// bandVertices is the smallest number of vertices whose candidates are
	// gathered at a time, bandShare the share of all: memory for speed.
	bandVertices, bandShare = 1 << 16, 16
	// joinChunk is the number of joins between two applications of proposals.
	joinChunk = 1024
	// maxVertices leaves two bits for the state of a link.
	maxVertices = 1 << 29
)

// The state of a link, in the upper bits of link.to.
const (
	stateMask = 3 << 30
	// linkOld has been joined with the other links of its vertex.
	linkOld = 0 << 30
	// linkNew waits to be joined.
	linkNew = 1 << 30
	// linkFresh came in this round and waits for the next.
	linkFresh = 2 << 30
	// linkUsed is new and joined in this round.
	linkUsed = 3 << 30
)

// link is one entry of a list, ordered by key and vertex.
type link[F kernel.Float] struct {
	key F
	to  uint32
}

func (l link[F]) vertex() uint32 { return l.to &^ stateMask }

// noVertex fills lists that are not full.
const noVertex = 1<<30 - 1

type graph[F kernel.Float] struct {
	n, width int
	threads  int
	rows     *vertexRows[F]
	dim      int
	// excluded reports pairs that are no neighbours; nil for none.
	excluded func(u, v uint32) bool
	links    []link[F] // [n×width]
	worst    []F       // the largest key of each list
	rounds   int
	band     int // vertices whose candidates are gathered at a time
	joiners  []*joiner[F]
}

// proposal is a link offered to the list of a vertex.
type proposal[F kernel.Float] struct {
	from uint32
	link[F]
}

// joiner is one goroutine's memory.
type joiner[F kernel.Float] struct {
	rows, keys, norms []F
	members           []uint32
	workspace         kernel.Workspace[F]
	// proposals[w] are those for the vertices that worker w applies.
	proposals [][]proposal[F]
	err       error
}

// buildGraph finds the width nearest vertices of every vertex, approximately.
func buildGraph[F kernel.Float](ctx context.Context, points dataset.Points, vertices []int, width int, o *Options, a *Approximation) (*graph[F], error) {
	g := &graph[F]{n: points.N, width: width, threads: o.threads(), dim: points.Dim}
	if vertices != nil {
		g.n = len(vertices)
	}
	if g.n > maxVertices {
		return nil, fmt.Errorf("%d distinct points, want at most %d", g.n, maxVertices)
	}
	// The band decides when a link is joined: it must not depend on threads or memory.
	g.band = min(g.n, max(bandVertices, (g.n+bandShare-1)/bandShare))
	if a.band > 0 {
		g.band = a.band
	}
	need, budget := g.bytes(), o.budget()
	if need > budget {
		return nil, fmt.Errorf("memory: the lists of %d points need %d bytes and %d are allowed: allow more", g.n, need, budget)
	}
	g.rows = newVertexRows[F](points, vertices, newDirect(points, points, o.Metric))
	if need+int64(g.n)*int64(g.dim+1)*int64(unsafe.Sizeof(F(0))) <= budget {
		if err := g.rows.keep(ctx, g.n, g.threads); err != nil {
			return nil, err
		}
	}
	if o.ExcludeWindow > 0 {
		b := base{window: o.ExcludeWindow, episode: o.Episode}
		g.excluded = func(u, v uint32) bool { return b.excludes(int(u), int(v)) }
	}
	g.links, g.worst = make([]link[F], g.n*width), make([]F, g.n)
	for l := range g.links {
		g.links[l] = link[F]{F(math.Inf(1)), noVertex}
	}
	for v := range g.worst {
		g.worst[v] = F(math.Inf(1))
	}
	for range g.threads {
		g.joiners = append(g.joiners, &joiner[F]{proposals: make([][]proposal[F], g.threads)})
	}
	// The steps are about equally long; the last is refinement and recall.
	steps := graphTrees/4 + maxRounds/2 + 1
	progress := func(step int) {
		if o.Progress != nil {
			o.Progress(int(int64(points.N)*int64(min(step, steps-1))/int64(steps)), points.N)
		}
	}
	if err := g.plant(ctx, a.Seed); err != nil {
		return nil, err
	}
	for g.rounds < maxRounds {
		progress(graphTrees/4 + g.rounds)
		fresh, err := g.descend(ctx, stat.NewKey(a.Seed, streamRounds, uint64(g.rounds)).Word[0])
		if err != nil {
			return nil, err
		}
		g.rounds++
		if float64(fresh) <= enough*float64(g.n)*float64(width) {
			break
		}
	}
	return g, nil
}

// bytes is the memory of the graph while it is built.
func (g *graph[F]) bytes() int64 {
	lists := int64(g.n) * int64(g.width) * int64(unsafe.Sizeof(link[F]{}))
	trees := int64(min(g.threads, graphTrees)) * int64(g.n) * int64(unsafe.Sizeof(entry[float64]{}))
	band := int64(g.band) * 2 * (joinCandidates*8 + 4)
	return lists + max(trees, band) + int64(g.n)*int64(unsafe.Sizeof(F(0)))
}

// list returns the points on the list of a vertex.
func (g *graph[F]) list(v int, point func(int32) int32, list []int32) []int32 {
	list = list[:0]
	for _, l := range g.links[v*g.width : (v+1)*g.width] {
		if l.vertex() != noVertex {
			list = append(list, point(int32(l.vertex())))
		}
	}
	return list
}

// owner is the worker that applies what is proposed to a vertex.
func (g *graph[F]) owner(v uint32) int { return int(uint64(v) * uint64(g.threads) / uint64(g.n)) }

// join compares the first count members with each other and with the rest, and
// proposes the pairs that may be nearer than what lists hold.
func (g *graph[F]) join(w *joiner[F], count int) {
	if count == 0 || len(w.members) < 2 || w.err != nil {
		return
	}
	total := len(w.members)
	w.rows = slices.Grow(w.rows[:0], total*g.dim)[:total*g.dim]
	w.norms = slices.Grow(w.norms[:0], total)[:total]
	w.keys = slices.Grow(w.keys[:0], count*total)[:count*total]
	for m, v := range w.members {
		dst := w.rows[m*g.dim : (m+1)*g.dim]
		x, norm := g.rows.row(int(v), dst)
		if &x[0] != &dst[0] {
			copy(dst, x)
		}
		w.norms[m] = norm
	}
	p := kernel.Product[F]{
		M: count, N: total, K: g.dim,
		A: kernel.Rows(w.rows, g.dim), B: kernel.Rows(w.rows, g.dim),
		C: w.keys, Stride: total, Threads: 1, Workspace: &w.workspace,
	}
	if w.err = p.Run(); w.err != nil {
		return
	}
	for a := range count {
		u, norm, worst := w.members[a], w.norms[a], g.worst[w.members[a]]
		keys := w.keys[a*total : (a+1)*total]
		for b := a + 1; b < total; b++ {
			v := w.members[b]
			key := (norm + w.norms[b]) - 2*keys[b]
			forward, backward := key <= worst, key <= g.worst[v]
			if !forward && !backward || u == v || g.excluded != nil && g.excluded(u, v) {
				continue
			}
			key = max(key, 0)
			if forward {
				to := g.owner(u)
				w.proposals[to] = append(w.proposals[to], proposal[F]{u, link[F]{key, v}})
			}
			if backward {
				to := g.owner(v)
				w.proposals[to] = append(w.proposals[to], proposal[F]{v, link[F]{key, u}})
			}
		}
	}
}

// joinAll calls work, which joins, for 0 … count−1 and applies what is proposed
// from time to time.
func (g *graph[F]) joinAll(ctx context.Context, count int, work func(w *joiner[F], c int)) error {
	for lo := 0; lo < count; lo += joinChunk {
		hi := min(count, lo+joinChunk)
		if err := parallel(ctx, g.threads, hi-lo, func(w, c int) { work(g.joiners[w], lo+c) }); err != nil {
			return err
		}
		for _, w := range g.joiners {
			if w.err != nil {
				return w.err
			}
		}
		err := parallel(ctx, g.threads, g.threads, func(_, to int) {
			for _, w := range g.joiners {
				for _, p := range w.proposals[to] {
					g.insert(p)
				}
				w.proposals[to] = w.proposals[to][:0]
			}
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// insert puts a proposal into its list unless it is there or too far. A pair has
// the same key whoever proposes it.
func (g *graph[F]) insert(p proposal[F]) {
	list := g.links[int(p.from)*g.width : (int(p.from)+1)*g.width]
	last := list[len(list)-1]
	if !(p.key < last.key || p.key == last.key && p.to < last.vertex()) {
		return
	}
	lo, hi := 0, len(list)
	for lo < hi {
		mid := int(uint(lo+hi) >> 1)
		if l := list[mid]; l.key < p.key || l.key == p.key && l.vertex() < p.to {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	if list[lo].vertex() == p.to && list[lo].key == p.key {
		return
	}
	copy(list[lo+1:], list[lo:])
	list[lo] = link[F]{p.key, p.to | linkFresh}
	g.worst[p.from] = list[len(list)-1].key
}

// settle ends a round: fresh links become new and used ones old. It returns the
// number of links that were fresh.
func (g *graph[F]) settle(ctx context.Context) (int64, error) {
	const chunk = 1 << 14
	counts := make([]int64, g.threads)
	err := parallel(ctx, g.threads, (len(g.links)+chunk-1)/chunk, func(w, c int) {
		part := g.links[c*chunk : min(len(g.links), (c+1)*chunk)]
		for l := range part {
			switch part[l].to & stateMask {
			case linkFresh:
				part[l].to = part[l].vertex() | linkNew
				counts[w]++
			case linkUsed:
				part[l].to = part[l].vertex() | linkOld
			}
		}
	})
	total := int64(0)
	for _, c := range counts {
		total += c
	}
	return total, err
}

// plant fills the lists from the leaves of random projection trees.
func (g *graph[F]) plant(ctx context.Context, seed uint64) error {
	leaf := max(64, 2*g.width)
	for lo := 0; lo < graphTrees; lo += g.threads {
		count := min(g.threads, graphTrees-lo)
		trees := make([]*tree[F], count)
		err := parallel(ctx, count, count, func(_, t int) {
			trees[t] = g.grow(ctx, stat.NewKey(seed, streamTrees, uint64(lo+t)), leaf)
		})
		if err != nil {
			return err
		}
		for _, t := range trees {
			err := g.joinAll(ctx, len(t.leaves), func(w *joiner[F], l int) {
				w.members = w.members[:0]
				for _, e := range t.order[t.leaves[l][0]:t.leaves[l][1]] {
					w.members = append(w.members, uint32(e.index))
				}
				g.join(w, len(w.members))
			})
			if err != nil {
				return err
			}
		}
	}
	_, err := g.settle(ctx)
	return err
}

// tree is an order of the vertices in which leaves are stretches.
type tree[F kernel.Float] struct {
	order  []entry[float64]
	leaves [][2]int
}

// grow splits the vertices in halves by their projections on the difference of
// two random ones, until no more than leaf are left together.
func (g *graph[F]) grow(ctx context.Context, key stat.Key, leaf int) *tree[F] {
	t := &tree[F]{order: make([]entry[float64], g.n)}
	for v := range t.order {
		t.order[v].index = int32(v)
	}
	buffer, direction := make([]F, g.dim), make([]F, g.dim)
	type node struct {
		lo, hi int
		number uint64
	}
	for open := []node{{0, g.n, 1}}; len(open) > 0 && ctx.Err() == nil; {
		s := open[len(open)-1]
		open = open[:len(open)-1]
		size := s.hi - s.lo
		if size <= leaf {
			t.leaves = append(t.leaves, [2]int{s.lo, s.hi})
			continue
		}
		part := t.order[s.lo:s.hi]
		random := stat.NewRandom(key.Derive(s.number))
		a := random.Intn(size)
		b := (a + 1 + random.Intn(size-1)) % size
		x, _ := g.rows.row(int(part[a].index), buffer)
		copy(direction, x)
		x, _ = g.rows.row(int(part[b].index), buffer)
		for k, v := range x {
			direction[k] -= v
		}
		for e := range part {
			if e&0xffff == 0 && ctx.Err() != nil {
				return t
			}
			x, _ = g.rows.row(int(part[e].index), buffer)
			part[e].key = float64(projection(x, direction))
		}
		half := size / 2
		partition(part, half)
		// The halves in order of index: their content does not depend on how they
		// were parted, and memory is read in order.
		for _, h := range [][]entry[float64]{part[:half], part[half:]} {
			slices.SortFunc(h, func(a, b entry[float64]) int { return cmp.Compare(a.index, b.index) })
		}
		open = append(open, node{s.lo, s.lo + half, 2 * s.number}, node{s.lo + half, s.hi, 2*s.number + 1})
	}
	return t
}

// projection is x·direction in four lanes; what overflows counts as 0.
func projection[F kernel.Float](x, direction []F) F {
	direction = direction[:len(x)]
	var s0, s1, s2, s3 F
	k := 0
	for ; k+4 <= len(x); k += 4 {
		s0 += F(x[k] * direction[k])
		s1 += F(x[k+1] * direction[k+1])
		s2 += F(x[k+2] * direction[k+2])
		s3 += F(x[k+3] * direction[k+3])
	}
	for ; k < len(x); k++ {
		s0 += F(x[k] * direction[k])
	}
	if s := (s0 + s1) + (s2 + s3); s-s == 0 {
		return s
	}
	return 0
}

// candidates are those of a band of vertices for one round: per vertex up to
// joinCandidates of each kind, by random priority.
type candidates struct {
	lo     int
	counts [2][]int32
	// entries are priority<<32 | vertex, ascending.
	entries [2][]uint64
}

const newCandidates, oldCandidates = 0, 1

// offer puts an entry on the list of vertex lo+at.
func (c *candidates) offer(kind, at int, e uint64) {
	list := c.entries[kind][at*joinCandidates : (at+1)*joinCandidates]
	count := int(c.counts[kind][at])
	if count == joinCandidates && e >= list[count-1] {
		return
	}
	lo, found := slices.BinarySearch(list[:count], e)
	if found {
		return
	}
	if count < joinCandidates {
		count++
		c.counts[kind][at]++
	}
	copy(list[lo+1:count], list[lo:])
	list[lo] = e
}

func (c *candidates) of(kind, at int) []uint64 {
	return c.entries[kind][at*joinCandidates:][:c.counts[kind][at]]
}

// descend is one round: the neighbours and reverse neighbours of each vertex are
// compared with each other, new ones with all, old ones only with new. It
// returns the number of links that came in.
func (g *graph[F]) descend(ctx context.Context, salt uint32) (int64, error) {
	size := g.band
	c := &candidates{}
	for kind := range c.entries {
		c.counts[kind], c.entries[kind] = make([]int32, size), make([]uint64, size*joinCandidates)
	}
	for c.lo = 0; c.lo < g.n; c.lo += size {
		count := min(size, g.n-c.lo)
		if err := g.gather(ctx, c, count, salt); err != nil {
			return 0, err
		}
		err := g.joinAll(ctx, count, func(w *joiner[F], at int) {
			fresh, old := c.of(newCandidates, at), c.of(oldCandidates, at)
			w.members = w.members[:0]
			for _, e := range fresh {
				w.members = append(w.members, uint32(e))
			}
			for _, e := range old {
				w.members = append(w.members, uint32(e))
			}
			g.join(w, len(fresh))
		})
		if err != nil {
			return 0, err
		}
	}
	return g.settle(ctx)
}

// gather fills the candidates of the count vertices from c.lo. Each worker looks
// after a stretch of them and reads all links.
func (g *graph[F]) gather(ctx context.Context, c *candidates, count int, salt uint32) error {
	clear(c.counts[newCandidates])
	clear(c.counts[oldCandidates])
	var wait sync.WaitGroup
	for w := range g.threads {
		lo, hi := c.lo+count*w/g.threads, c.lo+count*(w+1)/g.threads
		wait.Go(func() {
			for v := range g.n {
				if v&0xffff == 0 && ctx.Err() != nil {
					return
				}
				own := v >= lo && v < hi
				for _, l := range g.links[v*g.width : (v+1)*g.width] {
					to := int(l.vertex())
					there := to >= lo && to < hi
					state := l.to & stateMask
					if !own && !there || state == linkFresh || to == noVertex {
						continue
					}
					kind := newCandidates
					if state == linkOld {
						kind = oldCandidates
					}
					priority := pairPriority(uint32(v), uint32(to), salt)
					if own {
						c.offer(kind, v-c.lo, priority|uint64(to))
					}
					if there {
						c.offer(kind, to-c.lo, priority|uint64(v))
					}
				}
			}
		})
	}
	wait.Wait()
	if err := ctx.Err(); err != nil {
		return err
	}
	// New links that are among the candidates of their vertex are used in this
	// round; others have to wait for a luckier one.
	return parallel(ctx, g.threads, count, func(_, at int) {
		v := c.lo + at
		chosen := c.of(newCandidates, at)
		if len(chosen) == 0 {
			return
		}
		last := chosen[len(chosen)-1]
		list := g.links[v*g.width : (v+1)*g.width]
		for l := range list {
			if list[l].to&stateMask == linkNew {
				to := list[l].vertex()
				if pairPriority(uint32(v), to, salt)|uint64(to) <= last {
					list[l].to = to | linkUsed
				}
			}
		}
	})
}

// pairPriority is a hash of the pair and the round, in the upper half. Round after
// round it lets other links through.
func pairPriority(u, v, salt uint32) uint64 {
	h := mix(uint64(salt), uint64(min(u, v))|uint64(max(u, v))<<32)
	return mix(h, uint64(salt)) &^ (1<<32 - 1)
}
