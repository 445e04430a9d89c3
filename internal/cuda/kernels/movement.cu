/* Kernels that move or make elements of 1, 4, 8 or 16 bytes. */
#include "math.h"
#include "walk.h"

/* y[at 1] = x[at 0] for count elements, at the places that the axes give. */
template <class T> __device__ inline void copy_box(const T *x, T *y, size count, const Axis<2> *axes, unsigned rank) {
	for_each(i, count) {
		long long at[2];
		locate<2>(axes, rank, i, count, at);
		y[at[1]] = x[at[0]];
	}
}
#define COPY_BOX(name, T) \
	extern "C" __global__ void __launch_bounds__(256) name(const T *x, T *y, size count, const Axis<2> *axes, unsigned rank) { copy_box(x, y, count, axes, rank); }
COPY_BOX(copy_box_1, unsigned char)
COPY_BOX(copy_box_4, unsigned)
COPY_BOX(copy_box_8, size)
COPY_BOX(copy_box_16, uint4)

/* Transposes matrices of rows×columns elements in tiles of 32×32: element (r, c) of
 * matrix m is read at r + c·column_stride and written at r·row_stride + c, both from where
 * the axes say that the matrix lies. Blocks of 32×8 threads; the first index of
 * the grid counts tiles of rows, the others tiles of columns and matrices; there are fewer than 2³¹ of any. */
template <class T> __device__ inline void transpose_tiles(const T *x, T *y, unsigned rows, unsigned columns, long long column_stride, long long row_stride, unsigned matrices,
		const Axis<2> *axes, unsigned rank) {
	__shared__ T tile[32][sizeof(T) == 1 ? 36 : 33];
	for (unsigned m = blockIdx.z; m < matrices; m += gridDim.z) {
		long long at[2] = {0, 0};
		if (rank > 0) {
			unsigned n = outermost<2>(axes, rank, m, at);
			at[0] += n * axes[0].stride[0], at[1] += n * axes[0].stride[1];
		}
		unsigned row = blockIdx.x * 32, height = rows - row;
		for (unsigned column = blockIdx.y * 32; column < columns; column += gridDim.y * 32) {
			unsigned width = columns - column;
			const T *from = x + at[0] + (long long)(row + threadIdx.x) + (long long)(column + threadIdx.y) * column_stride;
#pragma unroll
			for (unsigned k = 0; k < 32; k += 8, from += 8 * column_stride)
				if (threadIdx.x < height && threadIdx.y + k < width) tile[threadIdx.y + k][threadIdx.x] = *from;
			__syncthreads();
			T *to = y + at[1] + (long long)(row + threadIdx.y) * row_stride + (long long)(column + threadIdx.x);
#pragma unroll
			for (unsigned k = 0; k < 32; k += 8, to += 8 * row_stride)
				if (threadIdx.x < width && threadIdx.y + k < height) *to = tile[threadIdx.x][threadIdx.y + k];
			__syncthreads();
		}
	}
}
#define TRANSPOSE_TILES(name, T) \
	extern "C" __global__ void __launch_bounds__(256) name(const T *x, T *y, unsigned rows, unsigned columns, long long column_stride, long long row_stride, unsigned matrices, \
			const Axis<2> *axes, unsigned rank) { \
		transpose_tiles(x, y, rows, columns, column_stride, row_stride, matrices, axes, rank); \
	}
TRANSPOSE_TILES(transpose_tiles_1, unsigned char)
TRANSPOSE_TILES(transpose_tiles_4, unsigned)
TRANSPOSE_TILES(transpose_tiles_8, size)

/* y[i] = x at the sum of one offset per axis; where one is negative, the value. The
 * strides of an axis are where its offsets begin in the table. */
template <class T> __device__ inline void pad(const T *x, T *y, size count, const Axis<1> *axes, unsigned rank, const long long *offsets, T value) {
	for_each(i, count) {
		size n = i;
		long long at = 0;
		bool inside = true;
#pragma unroll 1
		for (unsigned a = rank; a-- > 0;) {
			size rest, q = axes[a].divide(n, &rest);
			long long o = offsets[axes[a].stride[0] + (long long)rest];
			inside = inside && o >= 0;
			at += o;
			n = q;
		}
		y[i] = inside ? x[at] : value;
	}
}
#define PAD(name, T) \
	extern "C" __global__ void __launch_bounds__(256) name(const T *x, T *y, size count, const Axis<1> *axes, unsigned rank, const long long *offsets, T value) { \
		pad(x, y, count, axes, rank, offsets, value); \
	}
PAD(pad_1, unsigned char)
PAD(pad_4, unsigned)
PAD(pad_8, size)

/* y[i] = value. */
#define FILL(name, T) \
	extern "C" __global__ void __launch_bounds__(256) name(T *y, size count, T value) { \
		for_each(i, count) y[i] = value; \
	}
FILL(fill_1, unsigned char)
FILL(fill_4, unsigned)
FILL(fill_8, size)

/* range: y[i] = start + i·step. */
extern "C" __global__ void __launch_bounds__(256) range_f32(const float *start, const float *step, float *y, size count) {
	for_each(i, count) y[i] = (float)((double)*start + (double)i * (double)*step);
}
extern "C" __global__ void __launch_bounds__(256) range_i64(const size *start, const size *step, size *y, size count) {
	for_each(i, count) y[i] = *start + i * *step;
}

/* trilu: matrices of rows×columns elements, those on the other side of a diagonal zero. */
template <class T> __device__ inline void trilu(const T *x, T *y, size count, size rows, size columns, long long diagonal, int upper) {
	for_each(i, count) {
		size q = quotient(i, columns, fits(count)), c = i - q * columns, r = q - quotient(q, rows, fits(count)) * rows;
		long long above = (long long)c - (long long)r;
		y[i] = (upper ? above >= diagonal : above <= diagonal) ? x[i] : T(0);
	}
}
#define TRILU(name, T) \
	extern "C" __global__ void __launch_bounds__(256) name(const T *x, T *y, size count, size rows, size columns, long long diagonal, int upper) { \
		trilu(x, y, count, rows, columns, diagonal, upper); \
	}
TRILU(trilu_1, unsigned char)
TRILU(trilu_4, unsigned)
TRILU(trilu_8, size)
