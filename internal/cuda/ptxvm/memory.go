// Global and shared memory, the state of every byte, and races.
//
// A stamp is the last access of a granule: the interval, the thread, the number of warp barriers that the warp had
// passed in the interval, and flags for several readers. The interval is incremented at every barrier of a block and at
// every block, so it also identifies the block and the launch.

package ptxvm

import (
	"encoding/binary"
	"math/bits"
)

// A Region is global memory of a launch. Known has a byte for each of Data, not zero if it was written; the machine
// marks the writes of kernels.
type Region struct {
	Base  uint64
	Data  []byte
	Known []byte
}

type stamp uint64

const (
	stampInterval = 30 // the lowest bit of the interval
	stampSync     = 14
	stampThread   = 4
	stampWarp     = stampThread + 5

	severalLanes  stamp = 1 // of one warp have read it since its last barrier
	severalWarps  stamp = 2 // have read it in this interval
	severalBlocks stamp = 4 // have read it in this launch
	pending       stamp = 8 // an asynchronous copy writes it

	outside = ^stamp(0) // between variables
)

func (s stamp) interval() uint64 { return uint64(s >> stampInterval) }
func (s stamp) thread() int      { return int(s >> stampThread & 1023) }

// A space is memory under watch: a region, or a block's shared memory.
type space struct {
	base  uint64
	data  []byte
	known []byte // nil in shared memory, where the stamps of writes suffice
	*shadow
}

// A shadow has the last write, read and atomic operation of every granule.
type shadow struct {
	shift                  uint    // log2 of a granule's bytes
	writes, reads, atomics []stamp // atomics may be nil: the kernel has none
}

func newShadow(bytes int, shift uint, atomic bool) *shadow {
	n := bytes>>shift + 1
	s := &shadow{shift: shift, writes: make([]stamp, n), reads: make([]stamp, n)}
	if atomic {
		s.atomics = make([]stamp, n)
	}
	return s
}

// A clock is compared with stamps.
type clock struct {
	now         uint64 // the interval
	blockStart  uint64 // that in which the block began
	launchStart uint64 // and the launch
	granule     uint   // log2 of the least access to global memory, in bytes
}

// conflict reports whether two accesses are unordered. start is the interval from which the memory's stamps count: the
// start of the launch for global memory, of the block for shared memory.
func (c *clock) conflict(old, me stamp, start uint64) bool {
	t := old.interval()
	switch {
	case t < start:
		return false
	case t < c.blockStart:
		return true // another block
	case t < c.now:
		return false
	}
	if (old^me)>>stampWarp&31 != 0 {
		return true
	}
	// The same warp: ordered by a warp barrier, or the same lane.
	return (old^me)>>stampSync&0xffff == 0 && (old^me)>>stampThread&31 != 0
}

// readBy notes a read of granule g.
func (c *clock) readBy(s *space, g uint64, me stamp, start uint64) (kind string, other stamp) {
	if old := s.writes[g]; old.interval() >= start {
		if old&pending != 0 || old == outside {
			return Pending, old
		}
		if old.interval() >= c.now || old.interval() < c.blockStart {
			if c.conflict(old, me, start) {
				return Race, old
			}
		}
	} else if s.known == nil {
		return Unwritten, 0
	}
	if s.atomics != nil && c.clashes(s.atomics[g], me, start) {
		return Race, s.atomics[g]
	}
	s.reads[g] = c.merge(s.reads[g], me, start)
	return "", 0
}

// merge is the stamp of a granule that others have touched too.
func (c *clock) merge(old, me stamp, start uint64) stamp {
	t := old.interval()
	if t < start {
		return me
	}
	me |= old & severalBlocks
	if t < c.blockStart {
		return me | severalBlocks
	}
	if t < c.now {
		return me
	}
	if (old^me)>>stampWarp&31 != 0 {
		return me | severalWarps
	}
	me |= old & severalWarps
	if (old^me)>>stampSync&0xffff == 0 {
		me |= old & severalLanes
		if (old^me)>>stampThread&31 != 0 {
			me |= severalLanes
		}
	}
	return me
}

// clashes reports whether a write conflicts with an access recorded by merge.
func (c *clock) clashes(old, me stamp, start uint64) bool {
	t := old.interval()
	if t < start {
		return false
	}
	if old&severalBlocks != 0 || t < c.blockStart {
		return true
	}
	if t < c.now {
		return false
	}
	if old&severalWarps != 0 || (old^me)>>stampWarp&31 != 0 {
		return true
	}
	return (old^me)>>stampSync&0xffff == 0 && (old&severalLanes != 0 || (old^me)>>stampThread&31 != 0)
}

// writtenBy notes a write of granule g.
func (c *clock) writtenBy(s *space, g uint64, me stamp, start uint64) (kind string, other stamp) {
	if old := s.writes[g]; old.interval() >= start {
		if old&pending != 0 || old == outside {
			return Pending, old
		}
		if c.conflict(old, me, start) {
			return Race, old
		}
	}
	if old := s.reads[g]; c.clashes(old, me, start) {
		return Race, old
	}
	if s.atomics != nil && c.clashes(s.atomics[g], me, start) {
		return Race, s.atomics[g]
	}
	s.writes[g] = me
	return "", 0
}

// changedBy notes an atomic operation on granule g.
func (c *clock) changedBy(s *space, g uint64, me stamp, start uint64) (kind string, other stamp) {
	if old := s.writes[g]; old.interval() >= start {
		if old&pending != 0 || old == outside {
			return Pending, old
		}
		if c.conflict(old, me, start) {
			return Race, old
		}
	} else if s.known == nil {
		return Unwritten, 0
	}
	if old := s.reads[g]; c.clashes(old, me, start) {
		return Race, old
	}
	s.atomics[g] = c.merge(s.atomics[g], me, start)
	return "", 0
}

// allKnown reports whether n bytes are all written.
func allKnown(written []byte, n int) bool {
	switch n {
	case 4:
		return binary.LittleEndian.Uint32(written) == 0x01010101
	case 8:
		return binary.LittleEndian.Uint64(written) == 0x0101010101010101
	case 16:
		return binary.LittleEndian.Uint64(written)&binary.LittleEndian.Uint64(written[8:]) == 0x0101010101010101
	}
	for _, k := range written[:n] {
		if k == 0 {
			return false
		}
	}
	return true
}

var eightKnown = []byte{1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}

// log2 of a size that is a power of two.
func log2(n int) uint { return uint(bits.TrailingZeros(uint(n))) }
