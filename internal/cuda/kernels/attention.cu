/* Attention: softmax(scale·Q·Kᵀ + mask)·V. The scores exist only in registers: keys are
 * taken block by block, in their order, with the greatest score and the sum so far, which
 * rescale the result when a greater score comes. Every parameter takes at most 8 bytes. */
#include "tile.h"

namespace {

/* 2^x to 2⁻²² of its size, 0 for −∞ and NaN for NaN. */
#ifdef FAKE_DEVICE
__device__ INLINE float approximate_power2(float x) {
	float y = (float)__builtin_exp2((double)x); /* the interpreter's bits */
	return y < 1.17549435e-38f ? 0.0f : y;
}
#else
__device__ INLINE float approximate_power2(float x) {
	float y;
	asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
	return y;
}
#endif

/* e^x for x ≤ 0. */
__device__ INLINE float exponential_negative(float x) { return approximate_power2(x * 1.44269504f); }

__device__ INLINE float infinite() { return bits_float(0x7f800000u); }

/* The greatest score so far, and what is subtracted from scores: 0 instead of −∞, so that
 * masked scores become 0. NaN is passed over: it shows in the sum. */
struct Top {
	float value;
	__device__ INLINE float shift() const { return value == -infinite() ? 0.0f : value; }
	/* Of the sums so far; at most 1 also for the first scores, whose sums are 0, however small they are. */
	__device__ INLINE float factor(Top next) const {
		return exponential_negative(__builtin_fminf(shift() - next.shift(), 0.0f));
	}
};

/* Element d of a row of Q or K after the rotary embedding with the tables' row. */
__device__ INLINE float turned(const float *x, const float *cosine, const float *sine, unsigned d, unsigned width) {
	unsigned half = width / 2;
	float other = d < half ? -x[d + half] : x[d - half];
	return x[d] * cosine[d] + other * sine[d];
}

/* Copies rows first … first+count−1 of a matrix with `rows` rows of `width` elements that lie
 * row_step apart to shared memory, D+4 elements apart, with zeros beyond; 16 bytes at a time if
 * vector is set; with a rotary embedding if cosine is not null. */
template <int D> __device__ INLINE void load_rows(float *to, const float *from, const float *cosine, const float *sine, unsigned count,
		unsigned first, unsigned rows, unsigned width, long long row_step, bool vector) {
	if (cosine) {
#pragma unroll 1
		for (unsigned e = threadIdx.x; e < count * D; e += blockDim.x) {
			unsigned row = e / D, d = e % D, at = first + row;
			to[row * (D + 4) + d] = at < rows && d < width ? turned(from + at * row_step, cosine + (size)at * width, sine + (size)at * width, d, width) : 0.0f;
		}
	} else if (vector) {
#pragma unroll 1
		for (unsigned e = threadIdx.x; e < count * (D / 4); e += blockDim.x) {
			unsigned row = e / (D / 4), d = e % (D / 4) * 4;
			bool valid = first + row < rows && d < width;
			copy_async16(to + row * (D + 4) + d, valid ? from + (first + row) * row_step + d : from, valid);
		}
	} else {
#pragma unroll 1
		for (unsigned e = threadIdx.x; e < count * D; e += blockDim.x) {
			unsigned row = e / D, d = e % D;
			bool valid = first + row < rows && d < width;
			copy_async4(to + row * (D + 4) + d, valid ? from + (first + row) * row_step + d : from, valid);
		}
	}
}

/* Copies rows of shared memory, D+4 elements apart, to rows first … first+count−1 of a matrix. */
template <int D> __device__ INLINE void store_rows(float *to, const float *from, unsigned count, unsigned first, unsigned rows, unsigned width, long long row_step, bool vector) {
	if (vector) {
#pragma unroll 1
		for (unsigned e = threadIdx.x; e < count * (D / 4); e += blockDim.x) {
			unsigned row = e / (D / 4), d = e % (D / 4) * 4;
			if (first + row < rows && d < width) *(float4 *)(to + (first + row) * row_step + d) = *(const float4 *)(from + row * (D + 4) + d);
		}
		return;
	}
#pragma unroll 1
	for (unsigned e = threadIdx.x; e < count * D; e += blockDim.x) {
		unsigned row = e / D, d = e % D;
		if (first + row < rows && d < width) to[(first + row) * row_step + d] = from[row * (D + 4) + d];
	}
}

/* Where a head's operands begin, in elements. */
struct Head {
	long long q, k, v, result, mask;
};

#define OPERANDS const float *q, const float *k, const float *v, const float *mask, const float *q_cosine, const float *q_sine, \
	const float *k_cosine, const float *k_sine, float *result, const Head *heads, int queries, int keys, int width, int values, \
	long long q_step, long long k_step, long long v_step, long long result_step, long long mask_step, float scale, int vectors
#define OPERAND_NAMES q, k, v, mask, q_cosine, q_sine, k_cosine, k_sine, result, heads, queries, keys, width, values, \
	q_step, k_step, v_step, result_step, mask_step, scale, vectors

enum { VECTOR_QUERIES = 1, VECTOR_KEYS = 2, VECTOR_VALUES = 4, VECTOR_RESULT = 8 }; /* what may be read 16 bytes at a time */

constexpr int KEYS = 32; /* at a time */

/* By tensor cores: 16 queries per warp, rows of at most D elements. Lane 4g+t has the
 * scores of rows g and g+8, keys 8j+2t and 8j+2t+1. */
template <int MODE, int D> __device__ INLINE void attend(OPERANDS) {
	dynamic_shared(float, shared);
	constexpr int stride = D + 4, stage = 2 * KEYS * stride;
	constexpr int terms = MODE == TF32 ? 8 : 16, NS = KEYS / 8, NO = D / 8;
	int together = (int)blockDim.x / 2, blocks = (queries + together - 1) / together;
	const Head head = heads[blockIdx.x / blocks];
	int lane = (int)threadIdx.x % 32, g = lane / 4, t = lane % 4;
	int query0 = (int)(blockIdx.x % blocks) * together, row0 = query0 + (int)threadIdx.x / 32 * 16 + g;
	q += head.q, k += head.k, v += head.v, result += head.result;
	if (mask) mask += head.mask;
	load_rows<D>(shared + stage, q, q_cosine, q_sine, together, query0, queries, width, q_step, vectors & VECTOR_QUERIES);
	copy_async_commit();

	unsigned left[D / terms][4];
	float sum[2] = {0.0f, 0.0f}, o[NO][4];
	Top top[2] = {{-infinite()}, {-infinite()}};
#pragma unroll
	for (int j = 0; j < NO; j++)
#pragma unroll
		for (int i = 0; i < 4; i++) o[j][i] = 0.0f;

	int reading = 1;
	/* The first pass takes the queries and starts the copies of the first keys. */
#pragma unroll 1
	for (int first = -KEYS; first < keys; first += KEYS) {
		if (first + KEYS < keys) {
			float *to = shared + (1 - reading) * stage;
			load_rows<D>(to, k, k_cosine, k_sine, KEYS, first + KEYS, keys, width, k_step, vectors & VECTOR_KEYS);
			load_rows<D>(to + KEYS * stride, v, nullptr, nullptr, KEYS, first + KEYS, keys, values, v_step, vectors & VECTOR_VALUES);
			copy_async_commit();
			copy_async_wait<1>();
		} else {
			copy_async_wait<0>();
		}
		__syncthreads();
		const float *block = shared + reading * stage;
		reading = 1 - reading;
		if (first < 0) {
			/* Factor A of Q·Kᵀ; the k of a lane are any as long as they are the same in B: t
			 * and t+4 in tf32, 4t … 4t+3 in bf16. */
#pragma unroll
			for (int s = 0; s < D / terms; s++)
#pragma unroll
				for (int h = 0; h < 2; h++) {
					const float *x = block + (row0 - query0 + 8 * h) * stride + s * terms;
					left[s][h] = MODE == TF32 ? to_tf32(x[t]) : pack_bf16(x[4 * t], x[4 * t + 1]);
					left[s][2 + h] = MODE == TF32 ? to_tf32(x[t + 4]) : pack_bf16(x[4 * t + 2], x[4 * t + 3]);
				}
			__syncthreads();
			continue;
		}

		float s[NS][4];
#pragma unroll
		for (int j = 0; j < NS; j++) {
#pragma unroll
			for (int i = 0; i < 4; i++) s[j][i] = 0.0f;
			if constexpr (MODE == TF32) {
#pragma unroll
				for (int d = 0; d < D; d += 16) {
					unsigned right[4];
					ldmatrix_x4(right, block + (8 * j + lane % 8) * stride + d + lane / 8 * 4);
#pragma unroll
					for (int i = 0; i < 4; i++) right[i] = to_tf32(bits_float(right[i]));
					mma_tf32(s[j], left[d / 8], right);
					mma_tf32(s[j], left[d / 8 + 1], right + 2);
				}
			} else {
#pragma unroll
				for (int d = 0; d < D; d += 16) {
					float4 x = *(const float4 *)(block + (8 * j + g) * stride + d + 4 * t);
					unsigned right[2] = {pack_bf16(x.x, x.y), pack_bf16(x.z, x.w)};
					mma_bf16(s[j], left[d / 16], right);
				}
			}
		}

#pragma unroll
		for (int h = 0; h < 2; h++) {
			int row = row0 + 8 * h;
			const float *line = mask && row < queries ? mask + row * mask_step : nullptr;
			float greatest = -infinite();
#pragma unroll
			for (int j = 0; j < NS; j++)
#pragma unroll
				for (int i = 2 * h; i < 2 * h + 2; i++) {
					int key = first + 8 * j + 2 * t + i % 2;
					float x = s[j][i] * scale;
					if (line && key < keys) x += line[key];
					s[j][i] = key < keys ? x : -infinite();
					greatest = __builtin_fmaxf(greatest, s[j][i]);
				}
			greatest = __builtin_fmaxf(greatest, warp_shuffle_xor(greatest, 1));
			greatest = __builtin_fmaxf(greatest, warp_shuffle_xor(greatest, 2));
			Top next = {__builtin_fmaxf(top[h].value, greatest)};
			float factor = top[h].factor(next);
			top[h] = next;
			sum[h] *= factor;
#pragma unroll
			for (int j = 0; j < NO; j++) {
				o[j][2 * h] *= factor;
				o[j][2 * h + 1] *= factor;
			}
#pragma unroll
			for (int j = 0; j < NS; j++)
#pragma unroll
				for (int i = 2 * h; i < 2 * h + 2; i++) {
					s[j][i] = exponential_negative(s[j][i] - next.shift());
					sum[h] += s[j][i];
				}
		}

		/* The scores are factor A of P·V as they lie, with keys 2t and 2t+1 in the places of t and t+4 in tf32. */
		const float *row = block + KEYS * stride;
		if constexpr (MODE == TF32) {
#pragma unroll
			for (int j = 0; j < NS; j++) {
				unsigned p[4] = {to_tf32(s[j][0]), to_tf32(s[j][2]), to_tf32(s[j][1]), to_tf32(s[j][3])};
				const float *at = row + (8 * j + 2 * t) * stride + g;
#pragma unroll
				for (int n = 0; n < NO; n++) {
					unsigned right[2] = {to_tf32(at[8 * n]), to_tf32(at[stride + 8 * n])};
					mma_tf32(o[n], p, right);
				}
			}
		} else {
#pragma unroll
			for (int j = 0; j < NS; j += 2) {
				unsigned p[4] = {pack_bf16(s[j][0], s[j][1]), pack_bf16(s[j][2], s[j][3]), pack_bf16(s[j + 1][0], s[j + 1][1]), pack_bf16(s[j + 1][2], s[j + 1][3])};
				const float *at = row + (8 * j + 2 * t) * stride + g;
#pragma unroll
				for (int n = 0; n < NO; n++) {
					unsigned right[2] = {pack_bf16(at[8 * n], at[stride + 8 * n]), pack_bf16(at[8 * stride + 8 * n], at[9 * stride + 8 * n])};
					mma_bf16(o[n], p, right);
				}
			}
		}
		__syncthreads(); /* the next copies go where this block was read */
	}

	/* Through shared memory, so that neighbouring threads write neighbouring elements. */
#pragma unroll
	for (int h = 0; h < 2; h++) {
		sum[h] += warp_shuffle_xor(sum[h], 1);
		sum[h] += warp_shuffle_xor(sum[h], 2);
		float inverse = 1.0f / sum[h];
		float *line = shared + (row0 - query0 + 8 * h) * stride + 2 * t;
#pragma unroll
		for (int n = 0; n < NO; n++) *(float2 *)(line + 8 * n) = float2{o[n][2 * h] * inverse, o[n][2 * h + 1] * inverse};
	}
	__syncthreads();
	store_rows<D>(result, shared, together, query0, queries, values, result_step, vectors & VECTOR_RESULT);
}

/* In float32: 64 queries per block, 32 keys at a time. Thread 8y+x has the scores of queries
 * y+16i and keys x+8j, and of the result columns 4x+32j … 4x+32j+3. */
template <int D> __device__ INLINE void attend_fp32(OPERANDS) {
	dynamic_shared(float, shared);
	constexpr int QUERIES = 64, stride = D + 4;
	float *left = shared, *right = left + QUERIES * stride, *weights = right + 2 * KEYS * stride;
	int blocks = (queries + QUERIES - 1) / QUERIES;
	const Head head = heads[blockIdx.x / blocks];
	int x = (int)threadIdx.x % 8, y = (int)threadIdx.x / 8, query0 = (int)(blockIdx.x % blocks) * QUERIES;
	q += head.q, k += head.k, v += head.v, result += head.result;
	if (mask) mask += head.mask;
	load_rows<D>(left, q, q_cosine, q_sine, QUERIES, query0, queries, width, q_step, vectors & VECTOR_QUERIES);
	copy_async_commit();

	float sum[4] = {}, o[4][D / 32][4] = {};
	Top top[4] = {{-infinite()}, {-infinite()}, {-infinite()}, {-infinite()}};
#pragma unroll 1
	for (int first = 0; first < keys; first += KEYS) {
		__syncthreads(); /* the block before has been read */
		load_rows<D>(right, k, k_cosine, k_sine, KEYS, first, keys, width, k_step, vectors & VECTOR_KEYS);
		load_rows<D>(right + KEYS * stride, v, nullptr, nullptr, KEYS, first, keys, values, v_step, vectors & VECTOR_VALUES);
		copy_async_commit();
		copy_async_wait<0>();
		__syncthreads();
		float s[4][4] = {};
#pragma unroll 1
		for (int d = 0; d < D; d += 4) {
			float4 a[4];
#pragma unroll
			for (int i = 0; i < 4; i++) a[i] = *(const float4 *)(left + (y + 16 * i) * stride + d);
#pragma unroll
			for (int j = 0; j < 4; j++) {
				float4 b = *(const float4 *)(right + (x + 8 * j) * stride + d);
#pragma unroll
				for (int i = 0; i < 4; i++) {
					s[i][j] = __builtin_fmaf(a[i].x, b.x, s[i][j]);
					s[i][j] = __builtin_fmaf(a[i].y, b.y, s[i][j]);
					s[i][j] = __builtin_fmaf(a[i].z, b.z, s[i][j]);
					s[i][j] = __builtin_fmaf(a[i].w, b.w, s[i][j]);
				}
			}
		}
#pragma unroll
		for (int i = 0; i < 4; i++) {
			int row = query0 + y + 16 * i;
			const float *line = mask && row < queries ? mask + row * mask_step : nullptr;
			float greatest = -infinite();
#pragma unroll
			for (int j = 0; j < 4; j++) {
				int key = first + x + 8 * j;
				float w = s[i][j] * scale;
				if (line && key < keys) w += line[key];
				s[i][j] = key < keys ? w : -infinite();
				greatest = __builtin_fmaxf(greatest, s[i][j]);
			}
#pragma unroll
			for (int m = 1; m < 8; m *= 2) greatest = __builtin_fmaxf(greatest, warp_shuffle_xor(greatest, (unsigned)m));
			Top next = {__builtin_fmaxf(top[i].value, greatest)};
			float factor = top[i].factor(next);
			top[i] = next;
			sum[i] *= factor;
#pragma unroll
			for (int j = 0; j < D / 32; j++)
#pragma unroll
				for (int c = 0; c < 4; c++) o[i][j][c] *= factor;
#pragma unroll
			for (int j = 0; j < 4; j++) {
				float w = exponential_negative(s[i][j] - next.shift());
				sum[i] += w;
				weights[(y + 16 * i) * (KEYS + 4) + x + 8 * j] = w;
			}
		}
		warp_barrier(); /* the eight threads of a query are in one warp */
		const float *block = right + KEYS * stride;
#pragma unroll 1
		for (int key = 0; key < KEYS; key++) {
			float w[4];
#pragma unroll
			for (int i = 0; i < 4; i++) w[i] = weights[(y + 16 * i) * (KEYS + 4) + key];
#pragma unroll
			for (int j = 0; j < D / 32; j++) {
				float4 b = *(const float4 *)(block + key * stride + 4 * x + 32 * j);
#pragma unroll
				for (int i = 0; i < 4; i++) {
					o[i][j][0] = __builtin_fmaf(w[i], b.x, o[i][j][0]);
					o[i][j][1] = __builtin_fmaf(w[i], b.y, o[i][j][1]);
					o[i][j][2] = __builtin_fmaf(w[i], b.z, o[i][j][2]);
					o[i][j][3] = __builtin_fmaf(w[i], b.w, o[i][j][3]);
				}
			}
		}
	}
	copy_async_wait<0>(); /* without keys nothing has waited for the queries */
	__syncthreads();
#pragma unroll
	for (int i = 0; i < 4; i++) {
#pragma unroll
		for (int m = 1; m < 8; m *= 2) sum[i] += warp_shuffle_xor(sum[i], (unsigned)m);
		float inverse = 1.0f / sum[i];
#pragma unroll
		for (int j = 0; j < D / 32; j++)
			*(float4 *)(left + (y + 16 * i) * stride + 4 * x + 32 * j) = float4{o[i][j][0] * inverse, o[i][j][1] * inverse, o[i][j][2] * inverse, o[i][j][3] * inverse};
	}
	__syncthreads();
	store_rows<D>(result, left, QUERIES, query0, queries, values, result_step, vectors & VECTOR_RESULT);
}

} // namespace

#define ATTENTION(name, MODE, D, BLOCKS) \
	extern "C" __global__ void __launch_bounds__(128, BLOCKS) attention_##name##_##D(OPERANDS) { attend<MODE, D>(OPERAND_NAMES); }
#define ATTENTIONS(name, MODE) \
	ATTENTION(name, MODE, 16, 5) \
	ATTENTION(name, MODE, 32, 4) \
	ATTENTION(name, MODE, 64, 3) \
	ATTENTION(name, MODE, 128, 2)
ATTENTIONS(tf32, TF32)
ATTENTIONS(bf16, BF16)

#define ATTENTION_FP32(D) \
	extern "C" __global__ void __launch_bounds__(128) attention_fp32_##D(OPERANDS) { attend_fp32<D>(OPERAND_NAMES); }
ATTENTION_FP32(32)
ATTENTION_FP32(64)
ATTENTION_FP32(128)

/* attention_wide takes rows of any length, in float32: one query per block of 128
 * threads, 128 keys at a time, a thread for each key and then for every 128th column.
 * Dynamic shared memory: width + values + 128 + 8 floats. */
extern "C" __global__ void __launch_bounds__(128) attention_wide(OPERANDS) {
	dynamic_shared(float, shared);
	float *query = shared, *sums = query + width, *weights = sums + values, *warps = weights + 128;
	const Head head = heads[blockIdx.x / queries];
	int row = (int)(blockIdx.x % queries), thread = (int)threadIdx.x;
	q += head.q + row * q_step, k += head.k, v += head.v, result += head.result + row * result_step;
	if (mask) mask += head.mask + row * mask_step;
#pragma unroll 1
	for (int d = thread; d < width; d += 128)
		query[d] = q_cosine ? turned(q, q_cosine + (long long)row * width, q_sine + (long long)row * width, d, width) : q[d];
#pragma unroll 1
	for (int d = thread; d < values; d += 128) sums[d] = 0.0f;
	float sum = 0.0f;
	Top top = {-infinite()};
#pragma unroll 1
	for (int first = 0; first < keys; first += 128) {
		__syncthreads();
		int key = first + thread;
		float score = -infinite();
		if (key < keys) {
			const float *line = k + key * k_step;
			score = 0.0f;
			if (k_cosine) {
#pragma unroll 1
				for (int d = 0; d < width; d++)
					score = __builtin_fmaf(query[d], turned(line, k_cosine + (long long)key * width, k_sine + (long long)key * width, d, width), score);
			} else {
#pragma unroll 4
				for (int d = 0; d < width; d++) score = __builtin_fmaf(query[d], line[d], score);
			}
			score *= scale;
			if (mask) score += mask[key];
		}
		float greatest = warp_max(score);
		if (thread % 32 == 0) warps[thread / 32] = greatest;
		__syncthreads();
		greatest = __builtin_fmaxf(__builtin_fmaxf(warps[0], warps[1]), __builtin_fmaxf(warps[2], warps[3]));
		Top next = {__builtin_fmaxf(top.value, greatest)};
		float factor = top.factor(next);
		top = next;
		float w = exponential_negative(score - next.shift());
		weights[thread] = w;
		float part = warp_sum(w);
		if (thread % 32 == 0) warps[4 + thread / 32] = part;
		__syncthreads();
		sum = sum * factor + (warps[4] + warps[5] + (warps[6] + warps[7]));
		int n = keys - first < 128 ? keys - first : 128;
#pragma unroll 1
		for (int d = thread; d < values; d += 128) {
			float s = sums[d] * factor;
			const float *column = v + first * v_step + d;
#pragma unroll 4
			for (int i = 0; i < n; i++) s = __builtin_fmaf(weights[i], column[i * v_step], s);
			sums[d] = s;
		}
	}
	float inverse = 1.0f / sum;
#pragma unroll 1
	for (int d = thread; d < values; d += 128) result[d] = sums[d] * inverse;
}
