/* Matrix products. Every parameter takes at most 8 bytes; sizes are in elements;
 * matrices are row-major. */
#include "tile.h"

namespace {

/* Finishes the tile and writes its part of the result. */
template <class T> __device__ INLINE void store_rows(float *shared, float *c, const Finish &f, unsigned row0, unsigned column0, unsigned m, unsigned n) {
	activate_tile<T>(shared, f, column0, n);
	if (n % 4 == 0) {
#pragma unroll 1
	for (unsigned e = threadIdx.x; e < T::BM * T::BN / 4; e += T::threads) {
			unsigned row = row0 + e / (T::BN / 4), column = column0 + e % (T::BN / 4) * 4;
			if (row >= m || column >= n) continue;
			size at = (size)row * n + column;
			float4 v = *(const float4 *)(shared + e / (T::BN / 4) * T::stride + e % (T::BN / 4) * 4);
			*(float4 *)(c + at) = finish(v, f, column, at);
		}
		return;
	}
#pragma unroll 1
	for (unsigned e = threadIdx.x; e < T::BM * T::BN; e += T::threads) {
		unsigned row = row0 + e / T::BN, column = column0 + e % T::BN;
		if (row >= m || column >= n) continue;
		size at = (size)row * n + column;
		c[at] = finish(shared[e / T::BN * T::stride + e % T::BN], f, column, at);
	}
}

/* C[m,n] = activate(A[m,k]·Bᵀ + bias) or A·Bᵀ + bias + other. B is [n, depth], zero from column k
 * on; depth is a multiple of 32, k of 4. The sums of slices of `slice` steps are added up in
 * their order: in this kernel, or, if gridDim.z > 1, each is left in a matrix of its own, m·n
 * apart, for finish_elements. */
template <class T> __device__ INLINE void product(const float *a, const float *b, const float *bias, const float *other, float *c,
		unsigned m, unsigned n, unsigned k, unsigned depth, unsigned slice, int activation) {
	dynamic_shared(float, shared);
	unsigned across = (n + T::BN - 1) / T::BN;
	unsigned row0 = blockIdx.x / across * T::BM, column0 = blockIdx.x % across * T::BN;
	unsigned first = 0, last = depth / DEPTH;
	if (gridDim.z > 1) {
		first = blockIdx.z * slice;
		last = first + slice < last ? first + slice : last;
		c += (size)blockIdx.z * m * n;
	}
	unsigned r = threadIdx.x / 8, u = threadIdx.x % 8;
	const float *left = a + (size)(row0 + r) * k + u * 4, *right = b + (size)(column0 + r) * depth + u * 4;
	T t;
	t.run(shared, first, last, slice, [&](unsigned step, float *to_a, float *to_b) __attribute__((always_inline)) {
#pragma unroll
		for (unsigned i = 0; i < T::BM * 8 / T::threads; i++) {
			unsigned down = i * (T::threads / 8);
			bool valid = row0 + r + down < m && step * DEPTH + u * 4 < k;
			copy_async16(to_a + unit(r + down, u), valid ? left + (size)down * k + step * DEPTH : a, valid);
		}
#pragma unroll
		for (unsigned i = 0; i < T::BN * 8 / T::threads; i++) {
			unsigned down = i * (T::threads / 8);
			bool valid = column0 + r + down < n;
			copy_async16(to_b + unit(r + down, u), valid ? right + (size)down * depth + step * DEPTH : b, valid);
		}
	});
	t.deposit(shared);
	store_rows<T>(shared, c, Finish{bias, other, activation}, row0, column0, m, n);
}

/* C[i][m,n] = activate(α·A·B + β·add + bias) or α·A·B + β·add + bias + other, for any strides: element (i, j) of
 * A lies at i·a_row + j·a_column, of B at i·b_row + j·b_column, of add, which may be null, at
 * i·add_row + j·add_column. The factors of batch element blockIdx.y begin at offsets[2y] and offsets[2y+1]
 * (null: at 0), its result at y·m·n. */
template <class T> __device__ INLINE void matmul(const float *a, const float *b, const float *add, const float *bias, const float *other, float *c,
		const long long *offsets, long long a_row, long long a_column, long long b_row, long long b_column, long long add_row, long long add_column,
		unsigned m, unsigned n, unsigned k, unsigned slice, int activation, float alpha, float beta) {
	dynamic_shared(float, shared);
	if (offsets) {
		a += offsets[2 * blockIdx.y];
		b += offsets[2 * blockIdx.y + 1];
	}
	c += (size)blockIdx.y * m * n;
	unsigned across = (n + T::BN - 1) / T::BN;
	unsigned row0 = blockIdx.x / across * T::BM, column0 = blockIdx.x % across * T::BN;
	int order = (a_column == 1 ? 1 : 0) | (b_row == 1 ? 2 : 0);
	T t;
	t.run(shared, 0, (k + DEPTH - 1) / DEPTH, slice, [&](unsigned step, float *to_a, float *to_b) __attribute__((always_inline)) {
		/* Neighbouring threads read neighbouring elements, whichever axis has them. */
#pragma unroll 1
	for (unsigned e = threadIdx.x; e < T::BM * DEPTH; e += T::threads) {
			bool along = opaque(order) & 1;
			unsigned row = along ? e / DEPTH : e % T::BM, j = along ? e % DEPTH : e / T::BM;
			bool valid = row0 + row < m && step * DEPTH + j < k;
			copy_async4(to_a + unit(row, j / 4) + j % 4, valid ? a + (row0 + row) * a_row + (step * DEPTH + j) * a_column : a, valid);
		}
#pragma unroll 1
	for (unsigned e = threadIdx.x; e < T::BN * DEPTH; e += T::threads) {
			bool along = opaque(order) & 2;
			unsigned column = along ? e / DEPTH : e % T::BN, j = along ? e % DEPTH : e / T::BN;
			bool valid = column0 + column < n && step * DEPTH + j < k;
			copy_async4(to_b + unit(column, j / 4) + j % 4, valid ? b + (column0 + column) * b_column + (step * DEPTH + j) * b_row : b, valid);
		}
	});
	t.deposit(shared);
	if (alpha != 1.0f || add) {
		int has = add ? 1 : 0;
#pragma unroll 1
	for (unsigned e = threadIdx.x; e < T::BM * T::BN; e += T::threads) {
			unsigned row = row0 + e / T::BN, column = column0 + e % T::BN;
			float *v = shared + e / T::BN * T::stride + e % T::BN;
			if (row >= m || column >= n) continue;
			*v *= alpha;
			if (opaque(has) & 1) *v += beta * add[row * add_row + column * add_column];
		}
		__syncthreads();
	}
	store_rows<T>(shared, c, Finish{bias, other, activation}, row0, column0, m, n);
}

} // namespace

/* After the stages: the blocks for which the shared memory of a multiprocessor suffices, where registers would allow fewer. */
#define PRODUCT(name, MODE, BM, BN, WM, WN, TM, TN, STAGES, ...) \
	extern "C" __global__ void __launch_bounds__(BM / WM * (BN / WN) * 32, ##__VA_ARGS__) product_##name##_##BM##x##BN(const float *a, const float *b, \
			const float *bias, const float *other, float *c, unsigned m, unsigned n, unsigned k, unsigned depth, unsigned slice, int activation) { \
		product<Tile<MODE, BM, BN, WM, WN, TM, TN, STAGES, false>>(a, b, bias, other, c, m, n, k, depth, slice, activation); \
	}
#define PRODUCTS(name, MODE) \
	PRODUCT(name, MODE, 128, 128, 64, 32, 8, 8, 3, 2) \
	PRODUCT(name, MODE, 64, 64, 32, 32, 8, 4, 3) \
	PRODUCT(name, MODE, 16, 32, 16, 8, 2, 2, 8)
PRODUCTS(fp32, FP32)
PRODUCTS(tf32, TF32)
PRODUCTS(bf16, BF16)
PRODUCT(tf32, TF32, 64, 32, 32, 16, 4, 4, 4)

#define MATMUL(name, MODE, BM, BN, WM, WN, TM, TN, STAGES, ...) \
	extern "C" __global__ void __launch_bounds__(BM / WM * (BN / WN) * 32, ##__VA_ARGS__) matmul_##name##_##BM##x##BN(const float *a, const float *b, \
			const float *add, const float *bias, const float *other, float *c, const long long *offsets, long long a_row, long long a_column, \
			long long b_row, long long b_column, long long add_row, long long add_column, unsigned m, unsigned n, unsigned k, unsigned slice, int activation, \
			float alpha, float beta) { \
		matmul<Tile<MODE, BM, BN, WM, WN, TM, TN, STAGES, true>>(a, b, add, bias, other, c, offsets, a_row, a_column, b_row, b_column, \
			add_row, add_column, m, n, k, slice, activation, alpha, beta); \
	}
#define MATMULS(name, MODE) \
	MATMUL(name, MODE, 64, 64, 32, 32, 8, 4, 3, 4) \
	MATMUL(name, MODE, 16, 32, 16, 8, 2, 2, 4)
MATMULS(fp32, FP32)
MATMULS(tf32, TF32)
MATMULS(bf16, BF16)

/* finish_elements adds up the slices of a product, `count` elements each, and finishes
 * them: y[i] = activate(Σ slices + bias) or Σ slices + bias + other. */
extern "C" __global__ void __launch_bounds__(256) finish_elements(const float *slices, const float *bias, const float *other, float *y,
		unsigned number, unsigned n, int activation, size count) {
	size i = (size)blockIdx.x * 256 + threadIdx.x;
	if (i >= count) return;
	float v = slices[i];
#pragma unroll 4
	for (unsigned s = 1; s < number; s++) v += slices[s * count + i];
	if (bias) v += bias[i - quotient(i, n, fits(count)) * n];
	if (other) v += other[i];
	y[i] = activated(v, activation);
}

/* finish_rows is finish_elements, and then a layer normalisation of every row; one
 * warp per row. scale and shift may be null; slices may be the result itself. */
extern "C" __global__ void __launch_bounds__(128) finish_rows(const float *slices, const float *bias, const float *scale, const float *shift,
		float *y, unsigned number, unsigned m, unsigned n, int activation, float epsilon) {
	size row = (size)blockIdx.x * 4 + threadIdx.x / 32;
	if (row >= m) return;
	size count = (size)m * n;
	slices += row * n;
	y += row * n;
	int has = (bias ? 1 : 0) | (scale ? 2 : 0) | (shift ? 4 : 0);
	float sum = 0.0f;
#pragma unroll 1
	for (unsigned i = lane_id(); i < n; i += 32) {
		float v = slices[i];
#pragma unroll 1
		for (unsigned s = 1; s < number; s++) v += slices[s * count + i];
		if (opaque(has) & 1) v += bias[i];
		v = activated(v, opaque(activation));
		y[i] = v;
		sum += v;
	}
	float mean = warp_sum(sum) / (float)n;
	float squares = 0.0f;
#pragma unroll 1
	for (unsigned i = lane_id(); i < n; i += 32) squares = __builtin_fmaf(y[i] - mean, y[i] - mean, squares);
	float inverse = reciprocal_sqrt(warp_sum(squares) / (float)n + epsilon);
#pragma unroll 1
	for (unsigned i = lane_id(); i < n; i += 32) {
		float v = (y[i] - mean) * inverse;
		if (opaque(has) & 2) v *= scale[i];
		if (opaque(has) & 4) v += shift[i];
		y[i] = v;
	}
}
