/* Operators that read or write at indices. An index that is out of range is noted
 * in a cell that is 0 otherwise: the greatest of the bad ones' codes. */
#include "math.h"
#include "walk.h"

__device__ inline void atomic_max(size *p, size v) {
#ifdef FAKE_DEVICE
	if (v > *p) *p = v;
#else
	asm volatile("red.max.u64 [%0], %1;" : : "l"(p), "l"(v) : "memory");
#endif
}
__device__ inline void atomic_min(size *p, size v) {
#ifdef FAKE_DEVICE
	if (v < *p) *p = v;
#else
	asm volatile("red.min.u64 [%0], %1;" : : "l"(p), "l"(v) : "memory");
#endif
}

/* The position that a possibly negative index means on an axis of n; 0 and a note if it means none.
 * The code is 1 + 2·index, or −2·index for negative ones. */
__device__ inline size resolved(long long index, size n, size *fault) {
	long long i = index < 0 ? index + (long long)n : index;
	if (i >= 0 && i < (long long)n) return (size)i;
	size code = index < 0 ? (index > -0x3fffffffffffffffll ? (size)(-2 * index) : ~1ull) : (index < 0x3fffffffffffffffll ? (size)(2 * index + 1) : ~0ull);
	atomic_max(fault, code);
	return 0;
}

/* y[r, :] = x[r / list, indices[r mod list], :] for rows of `inner` elements. Without an axis to read from nothing is read. */
template <class T> __device__ inline void gather(const T *x, const long long *indices, T *y, size count, size list, size n, size inner, size *fault) {
	for_each(i, count) {
		size r = quotient(i, inner, fits(count)), o = quotient(r, list, fits(count));
		size k = resolved(indices[r - o * list], n, fault);
		if (n > 0) y[i] = x[(o * n + k) * inner + (i - r * inner)];
	}
}
#define GATHER(name, T) \
	extern "C" __global__ void __launch_bounds__(256) name(const T *x, const long long *indices, T *y, size count, size list, size n, size inner, size *fault) { \
		gather(x, indices, y, count, list, n, inner, fault); \
	}
GATHER(gather_1, unsigned char)
GATHER(gather_4, unsigned)
GATHER(gather_8, size)
GATHER(gather_16, uint4)

/* element_places: where in an array the indices along one axis point, for count of them: the axes
 * say where index i lies without the axis, on which n elements lie `apart`. */
extern "C" __global__ void __launch_bounds__(256) element_places(const long long *indices, size *places, size count, const Axis<1> *axes, unsigned rank, size n, size apart,
		size *fault) {
	for_each(i, count) {
		long long at;
		locate<1>(axes, rank, i, count, &at);
		places[i] = (size)at + resolved(indices[i], n, fault) * apart;
	}
}

/* tuple_places: the same for tuples of `width` indices, each tuple for one block of elements; the
 * strides are those of the axes that they name. `each` tuples belong to one batch of `plane` elements.
 * fault has a cell for each axis. */
extern "C" __global__ void __launch_bounds__(256) tuple_places(const long long *indices, size *places, size count, const Axis<1> *axes, unsigned width, size each, size plane,
		size *fault) {
	for_each(i, count) {
		size at = quotient(i, each, fits(count)) * plane;
		for (unsigned a = 0; a < width; a++) at += resolved(indices[i * width + a], axes[a].length, fault + a) * (size)axes[a].stride[0];
		places[i] = at;
	}
}

/* y[i, :] = x[places[i] + :], blocks of `inner` elements. */
template <class T> __device__ inline void take(const T *x, const size *places, T *y, size count, size inner) {
	for_each(i, count) {
		size r = quotient(i, inner, fits(count));
		y[i] = x[places[r] + (i - r * inner)];
	}
}
#define TAKE(name, T) \
	extern "C" __global__ void __launch_bounds__(256) name(const T *x, const size *places, T *y, size count, size inner) { take(x, places, y, count, inner); }
TAKE(take_1, unsigned char)
TAKE(take_4, unsigned)
TAKE(take_8, size)

/* scatter_marks: for every block of `inner` elements that updates go to, the first
 * (marks[2k], at first all ones) and one more than the last (marks[2k + 1], at first 0) update. */
extern "C" __global__ void __launch_bounds__(256) scatter_marks(const size *places, size *marks, size count, size inner) {
	for_each(i, count) {
		size k = places[i] / inner;
		atomic_min(marks + 2 * k, i);
		atomic_max(marks + 2 * k + 1, i + 1);
	}
}
extern "C" __global__ void __launch_bounds__(256) scatter_clear(size *marks, size count) {
	for_each(i, count) {
		marks[2 * i] = ~0ull;
		marks[2 * i + 1] = 0;
	}
}

enum { REPLACE, ADD, MUL, MAX, MIN };

__device__ inline float met(float old, float v, int reduction) {
	switch (reduction) {
	case ADD: return old + v;
	case MUL: return old * v;
	case MAX: return old > v || old != old ? old : v;
	case MIN: return old < v || old != old ? old : v;
	}
	return v;
}
__device__ inline long long met(long long old, long long v, int reduction) {
	switch (reduction) {
	case ADD: return (long long)((size)old + (size)v);
	case MUL: return (long long)((size)old * (size)v);
	case MAX: return old > v ? old : v;
	case MIN: return old < v ? old : v;
	}
	return v;
}
__device__ inline unsigned char met(unsigned char, unsigned char v, int) { return v; }

/* y[places[i] + :] meets updates[i, :], blocks of `inner` elements, in the order of
 * the updates: the thread of a block's first update goes through all that follow up to its last. */
template <class T> __device__ inline void scatter(const T *updates, const size *places, const size *marks, T *y, size count, size inner, int reduction) {
	for_each(i, count) {
		size r = quotient(i, inner, fits(count)), j = i - r * inner, place = places[r];
		const size *mark = marks + 2 * (place / inner);
		if (reduction == REPLACE) {
			if (mark[1] == r + 1) y[place + j] = updates[i];
			continue;
		}
		if (mark[0] != r) continue;
		T v = y[place + j];
#pragma unroll 1
		for (size k = r, end = mark[1]; k < end; k++)
			if (places[k] == place) v = met(v, updates[k * inner + j], reduction);
		y[place + j] = v;
	}
}
#define SCATTER(name, T) \
	extern "C" __global__ void __launch_bounds__(256) name(const T *updates, const size *places, const size *marks, T *y, size count, size inner, int reduction) { \
		scatter(updates, places, marks, y, count, inner, reduction); \
	}
SCATTER(scatter_f32, float)
SCATTER(scatter_i64, long long)
SCATTER(scatter_bool, unsigned char)

/* y[o, k, i] = values[1] where k is the index of (o, i), from the end if it is negative, else values[0]. */
template <class T> __device__ inline void one_hot(const void *indices, const T *values, T *y, size count, size depth, size inner, int floats) {
	for_each(i, count) {
		size q = quotient(i, inner, fits(count)), o = quotient(q, depth, fits(count)), at = o * inner + (i - q * inner);
		long long k = floats ? integer_of((double)static_cast<const float *>(indices)[at], 0) : static_cast<const long long *>(indices)[at];
		if (k < 0) k += (long long)depth;
		y[i] = values[k == (long long)(q - o * depth)];
	}
}
#define ONE_HOT(name, T) \
	extern "C" __global__ void __launch_bounds__(256) name(const void *indices, const T *values, T *y, size count, size depth, size inner, int floats) { \
		one_hot(indices, values, y, count, depth, inner, floats); \
	}
ONE_HOT(one_hot_1, unsigned char)
ONE_HOT(one_hot_4, unsigned)
ONE_HOT(one_hot_8, size)

/* Numbers in their order: NaN is above all others, −0 is 0. */
__device__ inline int order_key(float v) {
	if (v != v) return 0x7fffffff;
	int b = (int)float_bits(v + 0.0f);
	return b < 0 ? (int)(0x80000000u - (unsigned)b) : b;
}
__device__ inline long long order_key(long long v) { return v; }

/* The first k of n elements, `inner` apart, in descending or ascending order, equal ones by
 * index: an element's place is the number of those before it. A block looks at 256 elements
 * of a line; y and places may be null. */
template <class T, class K> __device__ inline void top(const T *x, T *y, long long *places, size n, size inner, size k, int largest) {
	__shared__ K keys[256];
	size groups = (n + 255) / 256, r = blockIdx.x / groups, i = (blockIdx.x - r * groups) * 256 + threadIdx.x;
	size outer = r / inner, column = r - outer * inner;
	const T *line = x + outer * n * inner + column;
	bool inside = i < n;
	K own = inside ? order_key(line[i * inner]) : K(0);
	size before = 0;
	for (size first = 0; first < n; first += 256) {
		if (first + threadIdx.x < n) keys[threadIdx.x] = order_key(line[(first + threadIdx.x) * inner]);
		__syncthreads();
		unsigned length = n - first < 256 ? (unsigned)(n - first) : 256;
		for (unsigned j = 0; j < length; j++) {
			bool ahead = largest ? keys[j] > own : keys[j] < own;
			before += ahead || (keys[j] == own && first + j < i) ? 1 : 0;
		}
		__syncthreads();
	}
	if (!inside || before >= k) return;
	size to = outer * k * inner + before * inner + column;
	if (y) y[to] = line[i * inner];
	if (places) places[to] = (long long)i;
}
#define TOP(name, T, K) \
	extern "C" __global__ void __launch_bounds__(256) name(const T *x, T *y, long long *places, size n, size inner, size k, int largest) { \
		top<T, K>(x, y, places, n, inner, k, largest); \
	}
TOP(top_f32, float, int)
TOP(top_i64, long long, long long)
