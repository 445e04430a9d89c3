/* Nearest neighbours and ranks in rows of keys: see distances.cu. The order of
 * neighbours is that of the key, then of the index; the largest key is of no candidate. */
#include "device.h"

typedef unsigned long long u64;

/* Digit `at` of 8 bits of the key (the higher digits) and the index together. */
template <class K> __device__ inline unsigned digit(K key, unsigned index, int at) {
	return at < 4 ? index >> (8 * at) & 255 : (unsigned)(key >> (8 * (at - 4))) & 255;
}

/* select: the `count` first entries of each row, in no particular order, to
 * out_key and out_index [row, count]. One block of 256 threads per row. A radix
 * selection finds the last of them, digit by digit from the highest; it ends as
 * soon as a digit leaves exactly as many as are wanted. */
template <class K> __device__ inline void select(const K *keys, unsigned columns, unsigned count, K *out_key, unsigned *out_index) {
	__shared__ unsigned hist[256], shared_digit, shared_rest, found;
	const K *row = keys + (u64)blockIdx.x * columns;
	K key_prefix = 0, key_mask = 0;
	unsigned index_prefix = 0, index_mask = 0, rest = count;
	bool whole = false; /* all entries with the prefix are wanted */
	for (int at = (int)sizeof(K) + 3; at >= 0 && !whole; at--) {
		hist[threadIdx.x] = 0;
		__syncthreads();
		for (unsigned j = threadIdx.x; j < columns; j += 256) {
			K key = row[j];
			if ((key & key_mask) == key_prefix && (j & index_mask) == index_prefix) atomic_add(&hist[digit(key, j, at)], 1u);
		}
		__syncthreads();
		if (threadIdx.x == 0) {
			unsigned d = 0, left = rest;
			while (hist[d] < left) left -= hist[d++];
			shared_digit = d;
			shared_rest = left;
		}
		__syncthreads();
		unsigned d = shared_digit;
		rest = shared_rest;
		whole = hist[d] == rest;
		if (at >= 4) {
			key_prefix |= (K)d << (8 * (at - 4));
			key_mask |= (K)255 << (8 * (at - 4));
		} else {
			index_prefix |= d << (8 * at);
			index_mask |= 255u << (8 * at);
		}
		__syncthreads(); /* before the counts are cleared */
	}
	if (threadIdx.x == 0) found = 0;
	__syncthreads();
	for (unsigned j = threadIdx.x; j < columns; j += 256) {
		K key = row[j], head = key & key_mask;
		if (head < key_prefix || (head == key_prefix && (j & index_mask) <= index_prefix)) {
			unsigned to = atomic_add(&found, 1u);
			out_key[(u64)blockIdx.x * count + to] = key;
			out_index[(u64)blockIdx.x * count + to] = j;
		}
	}
}

extern "C" __global__ void __launch_bounds__(256) select_32(const unsigned *keys, unsigned columns, unsigned count, unsigned *out_key, unsigned *out_index) {
	select(keys, columns, count, out_key, out_index);
}
extern "C" __global__ void __launch_bounds__(256) select_64(const u64 *keys, unsigned columns, unsigned count, u64 *out_key, unsigned *out_index) {
	select(keys, columns, count, out_key, out_index);
}

/* rank: for pieces of lists, at most 512 entries each, of points of a row: how many
 * entries of the row come before each, in every group of points, and how many
 * others have the same key. Piece p reads list[start[p]] … list[start[p+1]−1] of row
 * rows[p]. before [entry, groups], equal [entry]. One block of 256 threads per piece;
 * dynamic shared memory: (longest piece + 1)·groups counters. */
template <class K> __device__ inline void rank(const K *keys, unsigned columns, const unsigned *list, const unsigned *start,
		const unsigned *rows, const unsigned *group, unsigned groups, unsigned *before, unsigned *equal) {
	__shared__ K key[512];
	__shared__ unsigned index[512], place[512], same[512];
	dynamic_shared(unsigned, hist);
	unsigned first = start[blockIdx.x], m = start[blockIdx.x + 1] - first;
	const K *row = keys + (u64)rows[blockIdx.x] * columns;
	for (unsigned i = threadIdx.x; i < (m + 1) * groups; i += 256) hist[i] = 0;
	for (unsigned q = threadIdx.x; q < m; q += 256) {
		/* The place of an entry is the number of entries of the piece before it. */
		unsigned j = list[first + q], at = 0;
		K v = row[j];
		for (unsigned p = 0; p < m; p++) {
			unsigned other = list[first + p];
			K w = row[other];
			at += w < v || (w == v && other < j);
		}
		key[at] = v;
		index[at] = j;
		place[at] = q;
		same[at] = 0;
	}
	__syncthreads();
	K last_key = key[m - 1];
	for (unsigned j = threadIdx.x; j < columns; j += 256) {
		K v = row[j];
		if (v > last_key) continue;
		/* The first entry whose key is not below v, of which there is one, then the first that comes after (v, j). */
		unsigned lo = 0, hi = m - 1;
		while (lo < hi) {
			unsigned mid = (lo + hi) / 2;
			if (key[mid] < v) lo = mid + 1;
			else hi = mid;
		}
		unsigned run = lo;
		hi = m;
		do {
			unsigned mid = (lo + hi) / 2;
			if (key[mid] < v || (key[mid] == v && index[mid] <= j)) lo = mid + 1;
			else hi = mid;
		} while (lo < hi);
		if (key[run] == v) atomic_add(&same[run], 1u);
		atomic_add(&hist[lo * groups + (group ? group[j] : 0)], 1u);
	}
	__syncthreads();
	for (unsigned g = threadIdx.x; g < groups; g += 256) {
		unsigned sum = 0;
		for (unsigned p = 0; p < m; p++) {
			sum += hist[p * groups + g];
			before[(u64)(first + place[p]) * groups + g] = sum;
		}
	}
	if (threadIdx.x == 0) {
		unsigned others = 0;
		for (unsigned p = 0; p < m; p++) {
			if (p == 0 || key[p] != key[p - 1]) others = same[p] - 1;
			equal[first + place[p]] = others;
		}
	}
}

extern "C" __global__ void __launch_bounds__(256) rank_32(const unsigned *keys, unsigned columns, const unsigned *list, const unsigned *start,
		const unsigned *rows, const unsigned *group, unsigned groups, unsigned *before, unsigned *equal) {
	rank(keys, columns, list, start, rows, group, groups, before, equal);
}
extern "C" __global__ void __launch_bounds__(256) rank_64(const u64 *keys, unsigned columns, const unsigned *list, const unsigned *start,
		const unsigned *rows, const unsigned *group, unsigned groups, unsigned *before, unsigned *equal) {
	rank(keys, columns, list, start, rows, group, groups, before, equal);
}

/* place: for the same pieces, how many entries of the row have smaller keys than each entry
 * of a list, and how many have its key, itself included, in every group of points. below and
 * equal [entry, groups]. One block of 256 threads per piece; dynamic shared memory:
 * (2·longest piece + 1)·groups counters. */
template <class K> __device__ inline void place(const K *keys, unsigned columns, const unsigned *list, const unsigned *start,
		const unsigned *rows, const unsigned *group, unsigned groups, unsigned *below, unsigned *equal) {
	__shared__ K key[512];
	__shared__ unsigned entry[512];
	dynamic_shared(unsigned, hist);
	unsigned first = start[blockIdx.x], m = start[blockIdx.x + 1] - first;
	unsigned *same = hist + (m + 1) * groups;
	const K *row = keys + (u64)rows[blockIdx.x] * columns;
	for (unsigned i = threadIdx.x; i < (2 * m + 1) * groups; i += 256) hist[i] = 0;
	for (unsigned q = threadIdx.x; q < m; q += 256) {
		unsigned at = 0;
		K v = row[list[first + q]];
		for (unsigned p = 0; p < m; p++) {
			K w = row[list[first + p]];
			at += w < v || (w == v && p < q);
		}
		key[at] = v;
		entry[at] = q;
	}
	__syncthreads();
	K last_key = key[m - 1];
	for (unsigned j = threadIdx.x; j < columns; j += 256) {
		K v = row[j];
		if (v > last_key) continue;
		/* The first entry whose key is not below v; there is one. */
		unsigned lo = 0, hi = m - 1;
		while (lo < hi) {
			unsigned mid = (lo + hi) / 2;
			if (key[mid] < v) lo = mid + 1;
			else hi = mid;
		}
		atomic_add((key[lo] == v ? same : hist) + lo * groups + (group ? group[j] : 0), 1u);
	}
	__syncthreads();
	for (unsigned g = threadIdx.x; g < groups; g += 256) {
		unsigned nearer = 0, tied = 0;
		for (unsigned p = 0; p < m; p++) {
			if (p == 0 || key[p] != key[p - 1]) {
				nearer += tied + hist[p * groups + g];
				tied = same[p * groups + g];
			}
			below[(u64)(first + entry[p]) * groups + g] = nearer;
			equal[(u64)(first + entry[p]) * groups + g] = tied;
		}
	}
}

extern "C" __global__ void __launch_bounds__(256) place_32(const unsigned *keys, unsigned columns, const unsigned *list, const unsigned *start,
		const unsigned *rows, const unsigned *group, unsigned groups, unsigned *below, unsigned *equal) {
	place(keys, columns, list, start, rows, group, groups, below, equal);
}
extern "C" __global__ void __launch_bounds__(256) place_64(const u64 *keys, unsigned columns, const unsigned *list, const unsigned *start,
		const unsigned *rows, const unsigned *group, unsigned groups, unsigned *below, unsigned *equal) {
	place(keys, columns, list, start, rows, group, groups, below, equal);
}
