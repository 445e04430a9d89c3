/* Convolutions as matrix products of patches by filters. A patch is never stored: a
 * table says where each of its terms lies from the patch's first pixel. Every
 * parameter takes at most 8 bytes; sizes and steps are in elements. */
#include "tile.h"

namespace {

/* Where a term of a patch lies: the distance in memory, and along each spatial axis, which
 * tells whether it is inside of the image. */
struct __attribute__((aligned(16))) Term {
	int offset, z, y, x;
};

/* One patch and its result: where they begin, and the coordinates of the first pixel. */
struct __attribute__((aligned(16))) Patch {
	long long in, out;
	int z, y, x, unused;
};

/* Of the input: size along z, y, x, steps of these in memory and of images. Of the
 * result: number of pixels along z, y, x, steps of these, of images and of columns, and
 * where the first begins. The patch of pixel (z, y, x) begins at z·stride_z − before_z, …. */
struct Geometry {
	unsigned in_z, in_y, in_x;
	int in_step_z, in_step_y, in_step_x;
	long long in_image;
	unsigned out_z, out_y, out_x, out_step_z, out_step_y, out_step_x;
	size out_image, out_first;
	unsigned stride_z, stride_y, stride_x;
	int before_z, before_y, before_x;

	__device__ INLINE Patch patch(unsigned pixel, unsigned m) const {
		if (pixel >= m) return Patch{0, 0, -(1 << 30), 0, 0, 0};
		unsigned x = pixel % out_x, rest = pixel / out_x;
		unsigned y = rest % out_y;
		rest /= out_y;
		unsigned z = rest % out_z;
		size image = rest / out_z;
		Patch p;
		p.out = out_first + image * out_image + (size)z * out_step_z + (size)y * out_step_y + (size)x * out_step_x;
		p.z = (int)(z * stride_z) - before_z, p.y = (int)(y * stride_y) - before_y, p.x = (int)(x * stride_x) - before_x;
		p.in = (long long)image * in_image + (long long)p.z * in_step_z + (long long)p.y * in_step_y + (long long)p.x * in_step_x;
		p.unused = 0;
		return p;
	}
	__device__ INLINE bool inside(const Patch &p, const Term &t) const {
		return (unsigned)(p.z + t.z) < in_z && (unsigned)(p.y + t.y) < in_y && (unsigned)(p.x + t.x) < in_x;
	}
};

#define GEOMETRY unsigned in_z, unsigned in_y, unsigned in_x, int in_step_z, int in_step_y, int in_step_x, long long in_image, \
	unsigned out_z, unsigned out_y, unsigned out_x, unsigned out_step_z, unsigned out_step_y, unsigned out_step_x, size out_image, size out_first, \
	unsigned stride_z, unsigned stride_y, unsigned stride_x, int before_z, int before_y, int before_x
#define GEOMETRY_VALUE Geometry{in_z, in_y, in_x, in_step_z, in_step_y, in_step_x, in_image, \
	out_z, out_y, out_x, out_step_z, out_step_y, out_step_x, out_image, out_first, \
	stride_z, stride_y, stride_x, before_z, before_y, before_x}

/* How terms are read. */
enum { FOURS = 1, /* the table has an entry for four neighbouring terms, 16 bytes aligned */ DOWN = 2, /* neighbouring threads take neighbouring patches */ NORM = 4 /* layer normalisation of the columns */ };

/* Layer normalisation of the tile's rows, after what is still to do; one warp per row. */
template <class T> __device__ INLINE void normalize_tile(float *shared, const Finish &f, unsigned n, const float *scale, const float *shift, float epsilon) {
	unsigned lane = lane_id();
	int has = (scale ? 1 : 0) | (shift ? 2 : 0);
	/* Four rows at a time, so that a warp does not wait for each of its sums. */
	constexpr unsigned WARPS = T::threads / 32, ROWS = 4;
	static_assert(T::BM % (WARPS * ROWS) == 0, "rows of a warp");
#pragma unroll 1
	for (unsigned row = threadIdx.x / 32; row < T::BM; row += ROWS * WARPS) {
		float *line = shared + row * T::stride + lane;
		float v[ROWS][T::BN / 32], sum[ROWS], squares[ROWS];
#pragma unroll
		for (unsigned r = 0; r < ROWS; r++) {
			sum[r] = squares[r] = 0.0f;
#pragma unroll
			for (unsigned j = 0; j < T::BN / 32; j++) {
				v[r][j] = lane + 32 * j < n ? finish(line[r * WARPS * T::stride + 32 * j], f, lane + 32 * j, 0) : 0.0f;
				if (lane + 32 * j < n) sum[r] += v[r][j];
			}
		}
		warp_sums(sum);
#pragma unroll
		for (unsigned r = 0; r < ROWS; r++) {
			sum[r] = sum[r] / (float)n;
#pragma unroll
			for (unsigned j = 0; j < T::BN / 32; j++)
				if (lane + 32 * j < n) squares[r] = __builtin_fmaf(v[r][j] - sum[r], v[r][j] - sum[r], squares[r]);
		}
		warp_sums(squares);
#pragma unroll
		for (unsigned r = 0; r < ROWS; r++) {
			float inverse = reciprocal_sqrt(squares[r] / (float)n + epsilon);
#pragma unroll
			for (unsigned j = 0; j < T::BN / 32; j++) {
				if (lane + 32 * j >= n) continue;
				float w = (v[r][j] - sum[r]) * inverse;
				if (opaque(has) & 1) w *= scale[lane + 32 * j];
				if (opaque(has) & 2) w += shift[lane + 32 * j];
				line[r * WARPS * T::stride + 32 * j] = w;
			}
		}
	}
	__syncthreads();
}

/* y = activate(patches·filtersᵀ + bias), normalised if asked. m patches; group blockIdx.y has n
 * filters of `depth` terms, zero beyond those there are, and its channels begin at
 * group_step·group. Slices of the terms are as in product, slice blockIdx.z m·n·groups elements
 * after the first. Columns of the result lie `columns` apart. */
template <class T> __device__ INLINE void convolve(const float *x, const float *filters, const float *bias, const float *scale, const float *shift,
		float *y, const Term *terms, unsigned m, unsigned n, unsigned depth, unsigned slice, int activation, unsigned flags, unsigned group_step, unsigned columns, float epsilon, Geometry g) {
	dynamic_shared(Patch, patches);
	float *shared = (float *)(patches + T::BM);
	unsigned across = (n + T::BN - 1) / T::BN, group = blockIdx.y;
	unsigned row0 = blockIdx.x / across * T::BM, column0 = blockIdx.x % across * T::BN;
	unsigned first = 0, last = depth / DEPTH;
	if (gridDim.z > 1) {
		first = blockIdx.z * slice;
		last = first + slice < last ? first + slice : last;
		y += (size)blockIdx.z * m * n * gridDim.y;
	}
	x += (size)group * group_step;
	filters += (size)group * n * depth;
	y += (size)group * n * columns;
	if (bias) bias += group * n;
#pragma unroll 1
	for (unsigned i = threadIdx.x; i < T::BM; i += T::threads) patches[i] = g.patch(row0 + i, m);
	__syncthreads();

	unsigned r = threadIdx.x / 8, u = threadIdx.x % 8;
	const float *right = filters + (size)(column0 + r) * depth + u * 4;
	/* The thread's entry of the table, read one step ahead. */
	bool fours = flags & FOURS, down = flags & DOWN;
	unsigned stride = fours ? 8 : 32, own = threadIdx.x % stride;
	Term next = first < last ? terms[first * stride + own] : Term{0, 0, 0, 0};
	T t;
	t.run(shared, first, last, slice, [&](unsigned step, float *to_a, float *to_b) __attribute__((always_inline)) {
		Term term = next;
		if (step + 1 < last) next = terms[(step + 1) * stride + own];
		if (fours) {
#pragma unroll
			for (unsigned i = 0; i < T::BM * 8 / T::threads; i++) {
				unsigned row = r + i * (T::threads / 8);
				const Patch &p = patches[row];
				bool valid = g.inside(p, term);
				copy_async16(to_a + unit(row, u), valid ? x + p.in + term.offset : x, valid);
			}
		} else if (!down) {
			unsigned j = threadIdx.x % 32;
#pragma unroll 4
			for (unsigned i = 0; i < T::BM * 32 / T::threads; i++) {
				unsigned row = threadIdx.x / 32 + i * (T::threads / 32);
				const Patch &p = patches[row];
				bool valid = g.inside(p, term);
				copy_async4(to_a + unit(row, j / 4) + j % 4, valid ? x + p.in + term.offset : x, valid);
			}
		} else {
#pragma unroll 1
			for (unsigned e = threadIdx.x; e < T::BM * DEPTH; e += T::threads) {
				unsigned row = e % T::BM, j = e / T::BM;
				const Patch &p = patches[row];
				Term other = terms[step * DEPTH + j];
				bool valid = g.inside(p, other);
				copy_async4(to_a + unit(row, j / 4) + j % 4, valid ? x + p.in + other.offset : x, valid);
			}
		}
#pragma unroll
		for (unsigned i = 0; i < T::BN * 8 / T::threads; i++) {
			unsigned lower = i * (T::threads / 8);
			bool valid = column0 + r + lower < n;
			copy_async16(to_b + unit(r + lower, u), valid ? right + (size)lower * depth + step * DEPTH : filters, valid);
		}
	});
	t.deposit(shared);

	Finish f(bias, nullptr, activation);
	activate_tile<T>(shared, f, column0, n);
	if (flags & NORM) {
		normalize_tile<T>(shared, f, n, scale, shift, epsilon);
		f = Finish(nullptr, nullptr, 0);
	}
	if (columns == 1 && n % 4 == 0) {
#pragma unroll 1
		for (unsigned e = threadIdx.x; e < T::BM * T::BN / 4; e += T::threads) {
			unsigned row = e / (T::BN / 4), column = e % (T::BN / 4) * 4;
			if (row0 + row >= m || column0 + column >= n) continue;
			float4 v = *(const float4 *)(shared + row * T::stride + column);
			*(float4 *)(y + patches[row].out + column0 + column) = finish(v, f, column0 + column, 0);
		}
		return;
	}
#pragma unroll 1
	for (unsigned e = threadIdx.x; e < T::BM * T::BN; e += T::threads) {
		/* Neighbouring threads write neighbouring elements. */
		unsigned row = columns == 1 ? e / T::BN : e % T::BM, column = columns == 1 ? e % T::BN : e / T::BM;
		if (row0 + row >= m || column0 + column >= n) continue;
		y[patches[row].out + (size)(column0 + column) * columns] = finish(shared[row * T::stride + column], f, column0 + column, 0);
	}
}

} // namespace

#define CONV(name, MODE, BM, BN, WM, WN, TM, TN, STAGES, BLOCKS) \
	extern "C" __global__ void __launch_bounds__(BM / WM * (BN / WN) * 32, BLOCKS) conv_##name##_##BM##x##BN(const float *x, const float *filters, \
			const float *bias, const float *scale, const float *shift, float *y, const Term *terms, unsigned m, unsigned n, unsigned depth, unsigned slice, \
			int activation, unsigned flags, unsigned group_step, unsigned columns, float epsilon, GEOMETRY) { \
		convolve<Tile<MODE, BM, BN, WM, WN, TM, TN, STAGES, false>>(x, filters, bias, scale, shift, y, terms, m, n, depth, slice, \
			activation, flags, group_step, columns, epsilon, GEOMETRY_VALUE); \
	}
#define CONVS(name, MODE) \
	CONV(name, MODE, 64, 64, 32, 32, 8, 4, 3, 4) \
	CONV(name, MODE, 16, 32, 16, 8, 2, 2, 8, 4)
CONVS(fp32, FP32)
CONVS(tf32, TF32)
CONVS(bf16, BF16)
CONV(tf32, TF32, 128, 64, 64, 32, 8, 8, 3, 3)
CONV(tf32, TF32, 64, 32, 32, 16, 4, 4, 4, 4)
CONV(bf16, BF16, 128, 64, 64, 32, 8, 8, 3, 3)

/* conv_direct: groups of few filters, a depthwise convolution say, one thread per
 * element of the result, in the order of the terms with fused multiply-add.
 * filters is [terms, n·groups]. */
extern "C" __global__ void __launch_bounds__(256) conv_direct(const float *x, const float *filters, const float *bias, float *y, const Term *terms,
		unsigned m, unsigned n, unsigned groups, unsigned count, int activation, unsigned group_step, unsigned columns, GEOMETRY) {
	size i = (size)blockIdx.x * 256 + threadIdx.x;
	unsigned all = n * groups;
	if (i >= (size)m * all) return;
	bool narrow = fits((size)m * all);
	unsigned pixel = (unsigned)quotient(i, all, narrow), column = (unsigned)i - pixel * all;
	Geometry g = GEOMETRY_VALUE;
	Patch p = g.patch(pixel, m);
	x += p.in + (size)(column / n) * group_step;
	filters += column;
	float sum = 0.0f;
#pragma unroll 4
	for (unsigned k = 0; k < count; k++) {
		Term t = terms[k];
		sum = __builtin_fmaf(g.inside(p, t) ? x[t.offset] : 0.0f, filters[(size)k * all], sum);
	}
	y[p.out + (size)column * columns] = activated(sum + (bias ? bias[column] : 0.0f), activation);
}

/* pack_filters puts filters that are not constant in the order that convolutions want: term k of
 * column j of group i lies at i·group_step + j·column_step + order[k], zero where order[k] < 0.
 * To [group, column, depth], or with `columns` > 0 to [depth, columns]; rounded to tf32 if asked. */
extern "C" __global__ void __launch_bounds__(256) pack_filters(const float *w, float *packed, const int *order, size group_step, size column_step,
		unsigned n, unsigned depth, unsigned columns, int round, size count) {
	size i = (size)blockIdx.x * 256 + threadIdx.x;
	if (i >= count) return;
	bool narrow = fits(count);
	size across = columns ? columns : depth, q = quotient(i, across, narrow), rest = i - q * across;
	size k = columns ? q : rest, column = columns ? rest : q, group = quotient(column, n, narrow);
	float v = order[k] < 0 ? 0.0f : w[group * group_step + (column - group * n) * column_step + (unsigned)order[k]];
	packed[i] = round ? bits_float(to_tf32(v)) : v;
}
