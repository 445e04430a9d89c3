// A compressor for rows of pages (zlib, RFC 1950 and 1951). Most of a page repeats itself over whole rows, and a match of
// the greatest length is followed to its end at once, where compress/zlib enters every byte of it into its table.

package plots

import (
	"encoding/binary"
	"hash"
	"hash/adler32"
	"math/bits"
	"slices"
)

const (
	deflateWindow   = 1 << 15 // how far back a match may lie
	deflateHashBits = 15
	deflateShortest = 4    // bytes of a match
	deflateNear     = 4096 // how far back one of these may lie
	deflateLongest  = 258  // bytes of a match
	deflateChain    = 48   // earlier places that are tried
	deflateLazy     = 16   // a match as long as this is taken without a look at the next byte
	deflateNice     = 128  // a match as long as this ends the search
	deflateClose    = 8    // how far back a long repetition may lie: its distance is written again and again
	deflateTail     = 64   // bytes at the end of a long repetition that later matches may begin in
	deflateTokens   = 1 << 14

	literalCodes  = 286
	distanceCodes = 30
	endOfBlock    = 256
)

// deflater compresses one piece of data, which grows: write takes the next part of it.
type deflater struct {
	out      []byte
	bits     uint64 // that are not in out yet, the first lowest
	count    uint
	checksum hash.Hash32

	head  [1 << deflateHashBits]int32 // place + 1 of the last four bytes with a hash
	chain [deflateWindow]int32        // for a place, place + 1 of the one before with its hash
	next  int                         // places before it are entered

	tokens    []uint32 // literals, or length and distance
	block     int      // where the block begins that is not written yet
	literals  [literalCodes]int32
	distances [distanceCodes]int32
}

// newDeflater begins a zlib stream.
func newDeflater() *deflater {
	return &deflater{out: []byte{0x78, 0x9c}, checksum: adler32.New(), tokens: make([]uint32, 0, deflateTokens+1)}
}

// write compresses data[from:to]; what lies before was written already.
func (d *deflater) write(data []byte, from, to int) {
	_, _ = d.checksum.Write(data[from:to])
	data = data[:to]
	for i := from; i < to; {
		length, distance := d.find(data, i, deflateShortest-1)
		if length == 0 {
			d.literal(data, i)
			i++
			continue
		}
		for length < deflateLazy {
			longer, at := d.find(data, i+1, length)
			if longer == 0 {
				break
			}
			d.literal(data, i)
			i++
			length, distance = longer, at
		}
		i = d.repeat(data, i, length, distance)
	}
}

// repeat enters a match at place i, to the end of the repetition if it is one of the greatest length, and returns what
// lies behind.
func (d *deflater) repeat(data []byte, i, length, distance int) int {
	if length < deflateLongest || distance > deflateClose {
		d.match(data, i, length, distance)
		d.enter(data, i+length)
		return i + length
	}
	d.enter(data, i+deflateTail)
	end := i + length + equalBytes(data[i+length:], data[i+length-distance:])
	for end-i >= deflateLongest {
		d.match(data, i, deflateLongest, distance)
		i += deflateLongest
	}
	if end-i >= deflateShortest {
		d.match(data, i, end-i, distance)
		i = end
	}
	d.next = max(d.next, i-deflateTail)
	d.enter(data, i)
	return i
}

// hashOf is the hash of four bytes.
func hashOf(data []byte, i int) uint32 {
	return binary.LittleEndian.Uint32(data[i:]) * 0x9e3779b1 >> (32 - deflateHashBits)
}

// enter makes the places before end known to find.
func (d *deflater) enter(data []byte, end int) {
	for end = min(end, len(data)-deflateShortest+1); d.next < end; d.next++ {
		h := &d.head[hashOf(data, d.next)]
		d.chain[d.next%deflateWindow], *h = *h, int32(d.next+1)
	}
}

// find is the longest of the nearest matches for place i that has more than so many bytes; 0 and 0: none.
func (d *deflater) find(data []byte, i, more int) (length, distance int) {
	d.enter(data, i)
	if len(data)-i <= max(more, deflateShortest-1) {
		return 0, 0
	}
	here := data[i:min(i+deflateLongest, len(data))]
	at := int(d.head[hashOf(data, i)]) - 1
	for range deflateChain {
		if at < 0 || i-at > deflateWindow {
			break
		}
		if data[at+more] == here[more] && binary.LittleEndian.Uint32(data[at:]) == binary.LittleEndian.Uint32(here) {
			if n := equalBytes(here, data[at:]); n > more && (n > deflateShortest || i-at <= deflateNear) {
				more, length, distance = n, n, i-at
				if n >= deflateNice || n == len(here) {
					break
				}
			}
		}
		before := int(d.chain[at%deflateWindow]) - 1
		if before >= at { // its entry is that of a later place
			break
		}
		at = before
	}
	return length, distance
}

// equalBytes is the number of bytes at the beginning of a that b begins with, for b that is as long at least.
func equalBytes(a, b []byte) int {
	b = b[:len(a)]
	n := 0
	for ; n+8 <= len(a); n += 8 {
		if x := binary.LittleEndian.Uint64(a[n:]) ^ binary.LittleEndian.Uint64(b[n:]); x != 0 {
			return n + bits.TrailingZeros64(x)/8
		}
	}
	for n < len(a) && a[n] == b[n] {
		n++
	}
	return n
}

// Tokens: a literal is its byte, a match has the bits matchToken | length << 16 | distance − 1.
const matchToken = 1 << 31

func (d *deflater) literal(data []byte, i int) {
	d.tokens = append(d.tokens, uint32(data[i]))
	d.literals[data[i]]++
	if len(d.tokens) == deflateTokens {
		d.flush(data[d.block:i+1], false)
		d.block = i + 1
	}
}

func (d *deflater) match(data []byte, i, length, distance int) {
	d.tokens = append(d.tokens, matchToken|uint32(length)<<16|uint32(distance-1))
	code, _, _ := lengthCode(length)
	d.literals[code]++
	code, _, _ = distanceCode(distance - 1)
	d.distances[code]++
	if len(d.tokens) == deflateTokens {
		d.flush(data[d.block:i+length], false)
		d.block = i + length
	}
}

// lengthCode is the code of a length, the number of its extra bits and what they say.
func lengthCode(length int) (code int, extra uint, value int) {
	switch n := length - 3; {
	case length == deflateLongest:
		return 285, 0, 0
	case n < 8:
		return 257 + n, 0, 0
	default:
		extra = uint(bits.Len(uint(n))) - 3
		return 257 + 4*int(extra) + n>>extra, extra, n & (1<<extra - 1)
	}
}

// distanceCode is the same of a distance less one.
func distanceCode(n int) (code int, extra uint, value int) {
	if n < 4 {
		return n, 0, 0
	}
	extra = uint(bits.Len(uint(n))) - 2
	return 2*int(extra) + n>>extra, extra, n & (1<<extra - 1)
}

// close ends the stream and returns what is left of it.
func (d *deflater) close(data []byte) []byte {
	d.flush(data[d.block:], true)
	d.align()
	return binary.BigEndian.AppendUint32(d.out, d.checksum.Sum32())
}

// put appends at most 32 bits; fewer than 32 wait for others.
func (d *deflater) put(value uint64, count uint) {
	d.bits |= value << d.count
	if d.count += count; d.count >= 32 {
		d.out = binary.LittleEndian.AppendUint32(d.out, uint32(d.bits))
		d.bits >>= 32
		d.count -= 32
	}
}

// align fills the last byte.
func (d *deflater) align() {
	for ; d.count > 0; d.count -= min(d.count, 8) {
		d.out = append(d.out, byte(d.bits))
		d.bits >>= 8
	}
}

// flush writes the tokens of a block, or its bytes where these are shorter.
func (d *deflater) flush(raw []byte, last bool) {
	d.literals[endOfBlock]++
	literals, distances := prefixCode(d.literals[:], 15), prefixCode(d.distances[:], 15)
	header := newBlockHeader(literals, distances)
	size := header.size() + cost(d.literals[:], literals) + cost(d.distances[:], distances)
	for code, count := range d.literals[257:] {
		size += int(count) * lengthExtra(code)
	}
	for code, count := range d.distances {
		size += int(count) * max(code/2-1, 0)
	}
	var final uint64
	if last {
		final = 1
	}
	if stored := (len(raw)/0xffff + 1) * 5 * 8; size > 8*len(raw)+stored {
		d.store(raw, final)
	} else {
		d.put(final|2<<1, 3)
		header.write(d)
		for _, t := range d.tokens {
			d.token(t, literals, distances)
		}
		d.put(literals[endOfBlock].bits())
	}
	d.tokens = d.tokens[:0]
	clear(d.literals[:])
	clear(d.distances[:])
}

// lengthExtra is the number of extra bits of length code 257 + k.
func lengthExtra(k int) int {
	if k < 8 || k == 285-257 {
		return 0
	}
	return k/4 - 1
}

func (d *deflater) token(t uint32, literals, distances []prefix) {
	if t < matchToken {
		d.put(literals[t].bits())
		return
	}
	code, extra, value := lengthCode(int(t >> 16 & 0x1ff))
	p := literals[code]
	d.put(uint64(p.code)|uint64(value)<<p.length, uint(p.length)+extra)
	code, extra, value = distanceCode(int(t & 0x7fff))
	p = distances[code]
	d.put(uint64(p.code)|uint64(value)<<p.length, uint(p.length)+extra)
}

// store writes bytes as they are.
func (d *deflater) store(raw []byte, final uint64) {
	for {
		part := raw[:min(len(raw), 0xffff)]
		raw = raw[len(part):]
		if len(raw) > 0 {
			d.put(0, 3)
		} else {
			d.put(final, 3)
		}
		d.align()
		d.out = binary.LittleEndian.AppendUint16(d.out, uint16(len(part)))
		d.out = binary.LittleEndian.AppendUint16(d.out, ^uint16(len(part)))
		d.out = append(d.out, part...)
		if len(raw) == 0 {
			return
		}
	}
}

// prefix is a code of Huffman's, its first bit lowest; length 0: none.
type prefix struct {
	code   uint16
	length uint8
}

func (p prefix) bits() (uint64, uint) { return uint64(p.code), uint(p.length) }

func cost(count []int32, codes []prefix) (bits int) {
	for k, n := range count {
		bits += int(n) * int(codes[k].length)
	}
	return bits
}

// prefixCode is a canonical code for symbols that occur so often, with at most so many bits: Huffman's, whose longer codes are
// cut to the limit and whose others are made longer until there is room for them.
func prefixCode(count []int32, limit int) []prefix {
	codes := make([]prefix, len(count))
	var used []int
	for k, n := range count {
		if n > 0 {
			used = append(used, k)
		}
	}
	if len(used) < 2 { // a code of one symbol has a bit
		if len(used) == 0 {
			used = append(used, 0)
		}
		codes[used[0]].length = 1
		return codes
	}
	slices.SortStableFunc(used, func(a, b int) int { return int(count[a]) - int(count[b]) })
	// The rarest have the longest codes.
	at := 0
	ofLength := codeLengths(count, used, limit)
	for length := limit; length > 0; length-- {
		for range ofLength[length] {
			codes[used[at]].length = uint8(length)
			at++
		}
	}
	next, code := make([]int, limit+1), 0
	for length := 1; length <= limit; length++ {
		code = (code + ofLength[length-1]) << 1
		next[length] = code
	}
	for k := range codes {
		if length := codes[k].length; length > 0 {
			codes[k].code = bits.Reverse16(uint16(next[length])) >> (16 - length)
			next[length]++
		}
	}
	return codes
}

// codeLengths is how many symbols have codes of each length; used lists at least two symbols from the rarest to the most frequent.
func codeLengths(count []int32, used []int, limit int) []int {
	// Nodes are the symbols in this order and then the sums of pairs, whose weights ascend too.
	n := len(used)
	weight, parent := make([]int, 2*n-1), make([]int, 2*n-1)
	for i, k := range used {
		weight[i] = int(count[k])
	}
	leaf, pair := 0, n
	for made := n; made < 2*n-1; made++ {
		for range 2 {
			take := &leaf
			if leaf == n || pair < made && weight[pair] < weight[leaf] {
				take = &pair
			}
			weight[made] += weight[*take]
			parent[*take] = made
			*take++
		}
	}
	depth, ofLength := make([]int, 2*n-1), make([]int, limit+1)
	room := 1 << limit // in units of codes of the greatest length
	for i := 2*n - 3; i >= 0; i-- {
		depth[i] = depth[parent[i]] + 1
		if i < n {
			length := min(depth[i], limit)
			ofLength[length]++
			room -= 1 << (limit - length)
		}
	}
	for ; room < 0; room++ { // one of the longest goes below a shorter one, which becomes longer by a bit
		length := limit - 1
		for ofLength[length] == 0 {
			length--
		}
		ofLength[length]--
		ofLength[length+1] += 2
		ofLength[limit]--
	}
	return ofLength
}

// blockHeader says which codes a block has.
type blockHeader struct {
	literals, distances int      // codes that are listed
	symbols             []uint16 // lengths, or repetitions with their numbers above the low 5 bits
	codes               []prefix // of these
	listed              int      // of codes
	count               []int32
}

// headerOrder is the order in which the lengths of the codes of lengths are written.
var headerOrder = [19]int{16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15}

// headerExtra is the number of extra bits of the codes 16, 17 and 18.
var headerExtra = [3]uint{2, 3, 7}

func newBlockHeader(literals, distances []prefix) *blockHeader {
	h := &blockHeader{literals: 257, distances: 1, listed: 4, count: make([]int32, 19)}
	for k, p := range literals {
		if p.length > 0 {
			h.literals = max(h.literals, k+1)
		}
	}
	for k, p := range distances {
		if p.length > 0 {
			h.distances = k + 1
		}
	}
	var lengths []uint8
	for _, p := range slices.Concat(literals[:h.literals], distances[:h.distances]) {
		lengths = append(lengths, p.length)
	}
	for i := 0; i < len(lengths); {
		run := 1
		for i+run < len(lengths) && lengths[i+run] == lengths[i] {
			run++
		}
		i += h.enter(lengths, i, run)
	}
	h.codes = prefixCode(h.count, 7)
	for i, k := range headerOrder {
		if h.codes[k].length > 0 {
			h.listed = max(h.listed, i+1)
		}
	}
	return h
}

// enter takes equal lengths from place i on, as many as one symbol says, and returns their number.
func (h *blockHeader) enter(lengths []uint8, i, run int) int {
	symbol, value := uint16(lengths[i]), 0
	switch {
	case symbol == 0 && run >= 11:
		run = min(run, 138)
		symbol, value = 18, run-11
	case symbol == 0 && run >= 3:
		symbol, value = 17, run-3
	case run >= 3 && i > 0 && lengths[i-1] == lengths[i]:
		run = min(run, 6)
		symbol, value = 16, run-3
	default:
		run = 1
	}
	h.count[symbol]++
	h.symbols = append(h.symbols, symbol|uint16(value)<<5)
	return run
}

// size is the number of bits of the header.
func (h *blockHeader) size() int {
	size := 3 + 14 + 3*h.listed + cost(h.count, h.codes)
	for k, extra := range headerExtra {
		size += int(h.count[16+k]) * int(extra)
	}
	return size
}

func (h *blockHeader) write(d *deflater) {
	d.put(uint64(h.literals-257), 5)
	d.put(uint64(h.distances-1), 5)
	d.put(uint64(h.listed-4), 4)
	for _, k := range headerOrder[:h.listed] {
		d.put(uint64(h.codes[k].length), 3)
	}
	for _, s := range h.symbols {
		symbol := s & 31
		d.put(h.codes[symbol].bits())
		if symbol >= 16 {
			d.put(uint64(s>>5), headerExtra[symbol-16])
		}
	}
}
