/* Positions in row-major arrays with strides. */
#pragma once
#include "device.h"

typedef unsigned long long size;

/* i/d; narrow: both are below 2³². Whether they are is asked once per launch, and not, as
 * the compiler would, of every pair of numbers. */
__device__ inline size quotient(size i, size d, bool narrow) {
	if (narrow) return (unsigned)i / (unsigned)d;
#ifdef FAKE_DEVICE
	return i / d;
#else
	size q;
	asm("div.u64 %0, %1, %2;" : "=l"(q) : "l"(i), "l"(d));
	return q;
#endif
}

/* The upper half of a number. */
__device__ inline unsigned upper_half(size v) {
#ifdef FAKE_DEVICE
	return (unsigned)(v >> 32);
#else
	unsigned low, high;
	asm("mov.b64 {%0, %1}, %2;" : "=r"(low), "=r"(high) : "l"(v));
	return high;
#endif
}

/* Indices below `count`, and what divides it. */
__device__ inline bool fits(size count) { return upper_half(count) == 0; }

/* i/length and the rest, by a multiplication: i·reciprocal >> 64 is the quotient or one less, the
 * reciprocal being ⌊(2⁶⁴ − 1)/length⌋. */
__device__ inline size divided(size i, size length, size reciprocal, size *rest) {
	size q = (size)((unsigned __int128)i * reciprocal >> 64), r = i - q * length;
	if (r >= length) q++, r -= length;
	*rest = r;
	return q;
}

/* One axis of a box and how far each of K operands moves along it. Below 2³¹
 * i/length = i·magic >> shift. */
template <int K> struct Axis {
	size length;
	unsigned magic, shift;
	size reciprocal;
	long long stride[K];

	/* i/length and the rest. */
	__device__ inline size divide(size i, size *rest) const { return divided(i, length, reciprocal, rest); }
};

/* Adds the strides of all axes but the outermost for element n of a box of at most 2³¹; what is left of n counts that one. */
template <int K> __device__ inline unsigned outermost(const Axis<K> *axes, unsigned rank, unsigned n, long long at[K]) {
#pragma unroll 1
	for (unsigned a = rank - 1; a > 0; a--) {
		unsigned q = (unsigned)((size)n * axes[a].magic >> axes[a].shift);
		long long r = n - q * (unsigned)axes[a].length;
#pragma unroll
		for (int k = 0; k < K; k++) at[k] += r * axes[a].stride[k];
		n = q;
	}
	return n;
}

/* The places of element i of a box of at most `count` elements, axes from the outermost. There are few
 * axes, and the next one needs the quotient of the one before: copies of the loop are not worth their registers. */
template <int K> __device__ inline void locate(const Axis<K> *axes, unsigned rank, size i, size count, long long at[K]) {
#pragma unroll
	for (int k = 0; k < K; k++) at[k] = 0;
	if (rank == 0) return;
	if (fits(count) && (int)(unsigned)count >= 0) {
		i = outermost<K>(axes, rank, (unsigned)i, at);
	} else {
#pragma unroll 1
		for (unsigned a = rank - 1; a > 0; a--) {
			size r, q = axes[a].divide(i, &r);
#pragma unroll
			for (int k = 0; k < K; k++) at[k] += (long long)r * axes[a].stride[k];
			i = q;
		}
	}
#pragma unroll
	for (int k = 0; k < K; k++) at[k] += (long long)i * axes[0].stride[k];
}

/* A loop over the elements of a grid of one-dimensional blocks. */
#define for_each(i, count) \
	for (size i = (size)blockIdx.x * blockDim.x + threadIdx.x, step_##i = (size)gridDim.x * blockDim.x; i < (count); i += step_##i)
