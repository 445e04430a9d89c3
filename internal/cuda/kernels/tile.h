/* Tiles of matrix products: C[BM×BN] += A[BM×k]·B[BN×k]ᵀ in steps of 32 along k.
 * Both factors lie in shared memory as rows of 32 floats whose eight 16-byte units are
 * permuted (unit), so that no access below meets a bank conflict. Every element is
 * summed in the order of k, whatever the tile's size: fp32 with fused multiply-add,
 * tf32 and bf16 by the tensor cores, 8 and 16 terms at a time. */
#pragma once
#include "math.h"
#include "walk.h"

/* Sums stay in registers only if all that touches them is inlined. */
#define INLINE inline __attribute__((always_inline))

/* The compiler takes v for something new: it makes no copy of a loop for each value that v may have. */
__device__ INLINE int opaque(int v) {
	asm volatile("" : "+r"(v));
	return v;
}

/* warp_sum of several values at once. */
template <int N> __device__ INLINE void warp_sums(float (&v)[N]) {
#pragma unroll
	for (unsigned mask = 16; mask; mask /= 2)
#pragma unroll
		for (int i = 0; i < N; i++) v[i] += warp_shuffle_xor(v[i], mask);
}

enum { FP32, TF32, BF16 };

constexpr unsigned DEPTH = 32;

/* Where unit u (four floats) of a row lies, in floats. Eight rows with the same u,
 * and units 0 … 3 or 4 … 7 of rows 2i and 2i+1, take all banks. */
__device__ INLINE unsigned unit(unsigned row, unsigned u) { return row * DEPTH + ((u ^ ((row & 1) << 2 | (row >> 1 & 3))) << 2); }

/* One block's tile. WM×WN is a warp's part with tensor cores; TM×TN a thread's part in
 * fp32, as many elements. Constant right factors were rounded to tf32 before (ROUND false). */
template <int MODE, int BM_, int BN_, int WM, int WN, int TM, int TN, int STAGES_, bool ROUND> struct Tile {
	static constexpr unsigned BM = BM_, BN = BN_;
	static constexpr int STAGES = STAGES_;
	static constexpr unsigned threads = BM / WM * (BN / WN) * 32;
	static constexpr int count = WM * WN / 32; /* elements per thread */
	static constexpr unsigned stage = (BM + BN) * DEPTH; /* floats */
	static constexpr unsigned stride = BN + 8; /* of the result's rows in shared memory */
	static constexpr int MI = WM / 16, NI = WN / 8;
	static_assert(threads == BM / TM * (BN / TN) && count == TM * TN, "a thread's share");
	static_assert(BM * stride <= STAGES * stage, "the result must fit");

	float sum[count];

	/* The place of element i of this thread. Elements 2i and 2i+1 are neighbours in tf32 and bf16. */
	__device__ INLINE static unsigned row(int i) {
		if (MODE == FP32) return threadIdx.x / (BN / TN) + i / TN * (BM / TM);
		unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
		return warp / (BN / WN) * WM + i / 4 / NI * 16 + (i >> 1 & 1) * 8 + lane / 4;
	}
	__device__ INLINE static unsigned column(int i) {
		if (MODE == FP32) return threadIdx.x % (BN / TN) + i % TN * (BN / TN);
		unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
		return warp % (BN / WN) * WN + i / 4 % NI * 8 + lane % 4 * 2 + (i & 1);
	}

	/* Adds the products of one step. */
	__device__ INLINE void multiply(const float *a, const float *b) {
		if constexpr (MODE == FP32) multiply_fp32(a, b);
		else if constexpr (MODE == TF32) multiply_tf32(a, b);
		else multiply_bf16(a, b);
	}

	__device__ INLINE void multiply_fp32(const float *a, const float *b) {
		unsigned row0 = row(0), column0 = column(0);
#pragma unroll 1
		for (unsigned u = 0; u < DEPTH / 4; u++) {
			float4 left[TM];
#pragma unroll
			for (int i = 0; i < TM; i++) left[i] = *(const float4 *)(a + unit(row0 + i * (BM / TM), u));
#pragma unroll
			for (int j = 0; j < TN; j++) {
				float4 right = *(const float4 *)(b + unit(column0 + j * (BN / TN), u));
#pragma unroll
				for (int i = 0; i < TM; i++) {
					float s = sum[i * TN + j];
					s = __builtin_fmaf(left[i].x, right.x, s);
					s = __builtin_fmaf(left[i].y, right.y, s);
					s = __builtin_fmaf(left[i].z, right.z, s);
					sum[i * TN + j] = __builtin_fmaf(left[i].w, right.w, s);
				}
			}
		}
	}

	__device__ INLINE void multiply_tf32(const float *a, const float *b) {
		unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
		/* ldmatrix takes rows of 16 bytes: four floats. Lanes 0 … 15 point to a fragment's rows at the first four k, 16 … 31 at the next. */
		unsigned row0 = warp / (BN / WN) * WM + lane % 16;
		unsigned column0 = warp % (BN / WN) * WN + lane % 8 + (lane / 16) * 8;
#pragma unroll
		for (int s = 0; s < DEPTH / 8; s++) {
			unsigned left[MI][4], right[NI][2];
#pragma unroll
			for (int i = 0; i < MI; i++) {
				ldmatrix_x4(left[i], a + unit(row0 + 16 * i, 2 * s + lane / 16));
#pragma unroll
				for (int q = 0; q < 4; q++) left[i][q] = to_tf32(bits_float(left[i][q]));
			}
			if constexpr (NI == 1) {
				ldmatrix_x2(right[0], b + unit(column0 - (lane / 16) * 8, 2 * s + (lane / 8 & 1)));
			} else {
#pragma unroll
				for (int j = 0; j < NI / 2; j++) ldmatrix_x4(&right[2 * j][0], b + unit(column0 + 16 * j, 2 * s + (lane / 8 & 1)));
			}
			if (ROUND) {
#pragma unroll
				for (int j = 0; j < NI; j++) {
					right[j][0] = to_tf32(bits_float(right[j][0]));
					right[j][1] = to_tf32(bits_float(right[j][1]));
				}
			}
#pragma unroll
			for (int i = 0; i < MI; i++)
#pragma unroll
				for (int j = 0; j < NI; j++) mma_tf32(sum + (i * NI + j) * 4, left[i], right[j]);
		}
	}

	/* The tensor core's k is any order of the 16 terms: lane%4 takes four neighbours. */
	__device__ INLINE void multiply_bf16(const float *a, const float *b) {
		unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
		unsigned row0 = warp / (BN / WN) * WM + lane / 4, column0 = warp % (BN / WN) * WN + lane / 4;
#pragma unroll
		for (int s = 0; s < DEPTH / 16; s++) {
			unsigned left[MI][4], right[NI][2];
#pragma unroll
			for (int i = 0; i < MI; i++) {
#pragma unroll
				for (int h = 0; h < 2; h++) {
					float4 v = *(const float4 *)(a + unit(row0 + 16 * i + 8 * h, 4 * s + lane % 4));
					left[i][h] = pack_bf16(v.x, v.y);
					left[i][2 + h] = pack_bf16(v.z, v.w);
				}
			}
#pragma unroll
			for (int j = 0; j < NI; j++) {
				float4 v = *(const float4 *)(b + unit(column0 + 8 * j, 4 * s + lane % 4));
				right[j][0] = pack_bf16(v.x, v.y);
				right[j][1] = pack_bf16(v.z, v.w);
			}
#pragma unroll
			for (int i = 0; i < MI; i++)
#pragma unroll
				for (int j = 0; j < NI; j++) mma_bf16(sum + (i * NI + j) * 4, left[i], right[j]);
		}
	}

	/* Runs steps first … last−1: load(step, a, b) starts the copies of one step into shared
	 * memory. The sums of every `slice` steps start at zero and are added up in their
	 * order, in shared memory behind the stages: `count` values per thread. */
	template <class Load> __device__ INLINE void run(float *shared, unsigned first, unsigned last, unsigned slice, Load load) {
#pragma unroll
		for (int i = 0; i < count; i++) sum[i] = 0.0f;
#pragma unroll 1
		for (unsigned s = 0; s < STAGES - 1; s++) {
			if (first + s < last) load(first + s, shared + s * stage, shared + s * stage + BM * DEPTH);
			copy_async_commit();
		}
		float *total = shared + STAGES * stage + threadIdx.x;
		unsigned reading = 0, writing = STAGES - 1, left = slice;
		bool before = false;
#pragma unroll 1
		for (unsigned step = first; step < last; step++) {
			copy_async_wait<STAGES - 2>();
			__syncthreads();
			if (step + STAGES - 1 < last) load(step + STAGES - 1, shared + writing * stage, shared + writing * stage + BM * DEPTH);
			copy_async_commit();
			multiply(shared + reading * stage, shared + reading * stage + BM * DEPTH);
			reading = reading + 1 == STAGES ? 0 : reading + 1;
			writing = writing + 1 == STAGES ? 0 : writing + 1;
			if (--left == 0 && step + 1 < last) {
#pragma unroll
				for (int i = 0; i < count; i++) {
					total[i * threads] = before ? total[i * threads] + sum[i] : sum[i];
					sum[i] = 0.0f;
				}
				before = true;
				left = slice;
			}
		}
		if (before) {
#pragma unroll
			for (int i = 0; i < count; i++) sum[i] = total[i * threads] + sum[i];
		}
		__syncthreads();
	}

	/* Writes the sums to shared memory, row-major with `stride`. */
	__device__ INLINE void deposit(float *shared) const {
#pragma unroll
		for (int i = 0; i < count; i += MODE == FP32 ? 1 : 2) {
			float *to = shared + row(i) * stride + column(i);
			if (MODE == FP32) *to = sum[i];
			else *(float2 *)to = float2{sum[i], sum[i + 1]};
		}
		__syncthreads();
	}
};

/* What happens to a result: bias per column, an activation, or bias and another matrix. */
struct Finish {
	const float *bias, *other; /* may be null */
	int activation;
	int has; /* 1: bias, 2: other */
	__device__ INLINE Finish(const float *bias, const float *other, int activation)
		: bias(bias), other(other), activation(activation), has((bias ? 1 : 0) | (other ? 2 : 0)) {}
};

__device__ INLINE float cut(float v) { return v < 0.0f ? 0.0f : v; }

/* The activations that a product may end with. */
__device__ INLINE float activated(float x, int kind) {
	switch (kind) {
	case 1: return cut(x);
	case 2: return logistic(x, x);
	case 3: return gelu32(x);
	case 4: return gelu_tanh32(x);
	case 5: return tanh32(x);
	case 6: return logistic(x, 1.0f);
	default: return x;
	}
}

/* Four neighbouring values at a time, so that their chains of operations run side by side. */
template <int KIND> __device__ INLINE void activate_fours(float *shared, const float *bias, unsigned fours, unsigned across, unsigned columns, unsigned stride) {
#pragma unroll 1
	for (unsigned e = threadIdx.x; e < fours; e += blockDim.x) {
		unsigned column = (e & ((1 << across) - 1)) * 4;
		if (column >= columns) continue;
		float4 *at = (float4 *)(shared + (e >> across) * stride + column);
		float4 v = *at, w = float4{0.0f, 0.0f, 0.0f, 0.0f};
		if (bias) {
			w.x = bias[column];
			if (column + 1 < columns) w.y = bias[column + 1];
			if (column + 2 < columns) w.z = bias[column + 2];
			if (column + 3 < columns) w.w = bias[column + 3];
		}
		*at = float4{activated(v.x + w.x, KIND), activated(v.y + w.y, KIND), activated(v.z + w.z, KIND), activated(v.w + w.w, KIND)};
	}
}

/* Adds the bias and applies the activation to rows of 4·2^across values in shared memory, of which `columns`
 * belong to the result. One function for all tiles, since it is long; no sums are in registers any more. */
__device__ __attribute__((noinline)) void activate_rows(float *shared, const float *bias, unsigned rows, unsigned across, unsigned columns, unsigned stride, int kind) {
	unsigned fours = rows << across;
	switch (kind) {
	case 2: return activate_fours<2>(shared, bias, fours, across, columns, stride);
	case 3: return activate_fours<3>(shared, bias, fours, across, columns, stride);
	case 4: return activate_fours<4>(shared, bias, fours, across, columns, stride);
	case 5: return activate_fours<5>(shared, bias, fours, across, columns, stride);
	default: return activate_fours<6>(shared, bias, fours, across, columns, stride);
	}
}

/* Does so with a tile, unless it is so little that the store does it. */
template <class T> __device__ INLINE void activate_tile(float *shared, const Finish &f, unsigned column0, unsigned n) {
	if (f.activation <= 1) return;
	constexpr unsigned across = T::BN == 128 ? 5 : T::BN == 64 ? 4 : 3;
	static_assert(4 << across == T::BN, "columns of a tile");
	activate_rows(shared, f.bias ? f.bias + column0 : nullptr, T::BM, across, n - column0 < T::BN ? n - column0 : T::BN, T::stride, f.activation);
	__syncthreads();
}

/* What the store still has to do to one value: column is the bias' index, at the place in the result. */
__device__ INLINE float finish(float v, const Finish &f, unsigned column, size at) {
	int activation = opaque(f.activation), has = opaque(f.has);
	if (activation > 1) return v;
	if (has & 1) v += f.bias[column];
	if (has & 2) v += f.other[at];
	return activation == 1 ? cut(v) : v;
}

/* The same for four columns of a row, whose places are multiples of four. */
__device__ INLINE float4 finish(float4 v, const Finish &f, unsigned column, size at) {
	int activation = opaque(f.activation), has = opaque(f.has);
	if (activation > 1) return v;
	if (has & 1) {
		float4 w = *(const float4 *)(f.bias + column);
		v = float4{v.x + w.x, v.y + w.y, v.z + w.z, v.w + w.w};
	}
	if (has & 2) {
		float4 w = *(const float4 *)(f.other + at);
		v = float4{v.x + w.x, v.y + w.y, v.z + w.z, v.w + w.w};
	}
	if (activation == 1) v = float4{cut(v.x), cut(v.y), cut(v.z), cut(v.w)};
	return v;
}
