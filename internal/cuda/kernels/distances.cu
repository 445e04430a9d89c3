/* Distances of points, as keys that order like the distances. Points lie in rows;
 * a block of rows of distances is computed from queries (the rows) to all points. */
#include "device.h"

typedef unsigned long long u64;

/* Products of uint8 points by tensor cores: tiles of 128 queries by 128 points,
 * depth in steps of 64 bytes, three of them in flight. Eight warps compute 64×32
 * each. Rows of points are padded with zeros to a multiple of 64 bytes.
 *
 * A row of a tile has four chunks of 16 bytes; chunk c of row r lies at c ^ (r/2 mod 4),
 * so that the eight rows that one ldmatrix reads lie in different banks. */
enum { tile = 128, depth_step = 64, stages = 3 };

__device__ inline unsigned swizzled(unsigned row, unsigned chunk) { return row * depth_step + ((chunk ^ (row >> 1 & 3)) << 4); }

struct Uint8Tile {
	unsigned char left[stages][tile * depth_step], right[stages][tile * depth_step];
};

/* Copies one step of depth of both operands; rows from `rows` or `columns` on are zeros. */
__device__ inline void load_step(Uint8Tile &s, unsigned stage, const unsigned char *queries, const unsigned char *points,
		unsigned row0, unsigned column0, unsigned rows, unsigned columns, u64 pitch, unsigned depth) {
	for (unsigned i = threadIdx.x; i < tile * 4; i += 256) {
		unsigned r = i / 4, c = i % 4;
		bool valid = row0 + r < rows;
		copy_async16(&s.left[stage][swizzled(r, c)], queries + (valid ? (row0 + r) * pitch + depth + c * 16 : 0), valid);
		valid = column0 + r < columns;
		copy_async16(&s.right[stage][swizzled(r, c)], points + (valid ? (column0 + r) * pitch + depth + c * 16 : 0), valid);
	}
}

/* The first row and column of a block's tile. Tiles are taken in bands of 16 rows of tiles, down and then
 * to the right, so that blocks at work together read few rows of points, which the L2 cache keeps. */
struct TilePlace {
	unsigned row, column;
};
__device__ inline TilePlace tile_place() {
	const unsigned band = 16;
	unsigned at = blockIdx.x + gridDim.x * blockIdx.y, first = at / (band * gridDim.y) * band, in = at - first * gridDim.y;
	unsigned height = gridDim.x - first < band ? gridDim.x - first : band;
	return {(first + in % height) * tile, in / height * tile};
}

/* sum[i][j] is the fragment of rows 16·i…, columns 8·j… of the warp's part. */
__device__ inline void multiply(int sum[4][4][4], const unsigned char *queries, const unsigned char *points,
		unsigned row0, unsigned column0, unsigned rows, unsigned columns, u64 pitch, unsigned first, unsigned last) {
	__shared__ __attribute__((aligned(128))) Uint8Tile s;
	unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
	unsigned top = warp / 4 * 64, side = warp % 4 * 32;
	unsigned steps = (last - first) / depth_step;
#pragma unroll
	for (unsigned k = 0; k < stages - 1; k++) {
		if (k < steps) load_step(s, k, queries, points, row0, column0, rows, columns, pitch, first + k * depth_step);
		copy_async_commit();
	}
	for (unsigned k = 0; k < steps; k++) {
		copy_async_wait<stages - 2>();
		__syncthreads(); /* the step has arrived, and all are done with the one before */
		unsigned ahead = k + stages - 1;
		if (ahead < steps) load_step(s, ahead % stages, queries, points, row0, column0, rows, columns, pitch, first + ahead * depth_step);
		copy_async_commit();
		const unsigned char *left = s.left[k % stages], *right = s.right[k % stages];
#pragma unroll
		for (unsigned half = 0; half < 2; half++) {
			unsigned a[4][4], b[2][4];
			/* Matrices of ldmatrix: rows 0–7 and 8–15 of the first 16 bytes, then of the second. */
#pragma unroll
			for (unsigned i = 0; i < 4; i++)
				ldmatrix_x4(a[i], &left[swizzled(top + 16 * i + lane % 16, half * 2 + lane / 16)]);
			/* Columns 0–7 by both chunks, then columns 8–15. */
#pragma unroll
			for (unsigned j = 0; j < 2; j++)
				ldmatrix_x4(b[j], &right[swizzled(side + 16 * j + lane / 16 * 8 + lane % 8, half * 2 + lane / 8 % 2)]);
#pragma unroll
			for (unsigned i = 0; i < 4; i++)
#pragma unroll
				for (unsigned j = 0; j < 4; j++)
					mma_u8(sum[i][j], a[i], &b[j / 2][j % 2 * 2]);
		}
	}
}

/* squared_u8: keys[r, c] = ‖query r − point c‖² = squares of both less twice their
 * product, for depths at which all fits into 32 bits. pitch is the padded depth.
 * mirrored: queries and points are the same, and a tile beyond the diagonal is
 * written for the pairs the other way round too. */
extern "C" __global__ void __launch_bounds__(256, 2) squared_u8(const unsigned char *queries, const unsigned char *points,
		const unsigned *query_squares, const unsigned *point_squares, unsigned *keys, unsigned rows, unsigned columns, u64 pitch, unsigned mirrored) {
	int sum[4][4][4] = {};
	TilePlace at = tile_place();
	unsigned row0 = at.row, column0 = at.column;
	if (mirrored && column0 < row0) return;
	multiply(sum, queries, points, row0, column0, rows, columns, pitch, 0, (unsigned)pitch);
	unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
#pragma unroll
	for (unsigned i = 0; i < 4; i++)
#pragma unroll
		for (unsigned j = 0; j < 4; j++)
#pragma unroll
			for (unsigned v = 0; v < 4; v++) {
				unsigned r = row0 + warp / 4 * 64 + 16 * i + lane / 4 + v / 2 * 8;
				unsigned c = column0 + warp % 4 * 32 + 8 * j + lane % 4 * 2 + v % 2;
				if (r < rows && c < columns) {
					unsigned key = query_squares[r] + point_squares[c] - 2u * (unsigned)sum[i][j][v];
					keys[(u64)r * columns + c] = key;
					if (mirrored && column0 > row0) keys[(u64)c * columns + r] = key;
				}
			}
}

/* product_u8: out[r, c] (+)= query r · point c over the depths first ≤ k < last, in
 * 64 bits; first and last are multiples of 64 at most 32768 apart. mirrored as above. */
extern "C" __global__ void __launch_bounds__(256, 2) product_u8(const unsigned char *queries, const unsigned char *points, u64 *out,
		unsigned rows, unsigned columns, u64 pitch, unsigned first, unsigned last, unsigned mirrored) {
	int sum[4][4][4] = {};
	TilePlace place = tile_place();
	unsigned row0 = place.row, column0 = place.column;
	if (mirrored && column0 < row0) return;
	multiply(sum, queries, points, row0, column0, rows, columns, pitch, first, last);
	unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
#pragma unroll
	for (unsigned i = 0; i < 4; i++)
#pragma unroll
		for (unsigned j = 0; j < 4; j++)
#pragma unroll
			for (unsigned v = 0; v < 4; v++) {
				unsigned r = row0 + warp / 4 * 64 + 16 * i + lane / 4 + v / 2 * 8;
				unsigned c = column0 + warp % 4 * 32 + 8 * j + lane % 4 * 2 + v % 2;
				if (r < rows && c < columns) {
					u64 *at = &out[(u64)r * columns + c], value = (first ? *at : 0) + (u64)(unsigned)sum[i][j][v];
					*at = value;
					if (mirrored && column0 > row0) out[(u64)c * columns + r] = value;
				}
			}
}

/* squares_u8: squares[i] = Σ_k x_k² of point i. One warp per point. */
extern "C" __global__ void __launch_bounds__(256) squares_u8(const unsigned char *points, u64 *squares, unsigned *low, unsigned count, u64 pitch) {
	unsigned i = blockIdx.x * 8 + threadIdx.x / 32;
	u64 sum = 0;
	if (i < count)
		for (u64 k = lane_id(); k < pitch; k += 32) {
			unsigned v = points[i * pitch + k];
			sum += v * v;
		}
	/* Two parts, since lanes exchange 32 bits; the upper one fits for depths below 2^32. */
	unsigned lower = (unsigned)(sum & 0xffff), upper = (unsigned)(sum >> 16);
	for (unsigned mask = 16; mask; mask /= 2) {
		lower += warp_shuffle_xor(lower, mask);
		upper += warp_shuffle_xor(upper, mask);
	}
	if (i < count && lane_id() == 0) {
		sum = (u64)lower + ((u64)upper << 16);
		squares[i] = sum;
		low[i] = (unsigned)sum;
	}
}

/* From products to keys in place. */
extern "C" __global__ void __launch_bounds__(256) squared_from_products(u64 *keys, const u64 *query_squares, const u64 *point_squares,
		u64 count, unsigned columns) {
	u64 i = (u64)blockIdx.x * 256 + threadIdx.x;
	if (i < count) keys[i] = query_squares[i / columns] + point_squares[i % columns] - 2 * keys[i];
}

__device__ inline u64 double_bits(double v) {
	u64 bits;
	__builtin_memcpy(&bits, &v, sizeof bits);
	return bits;
}

/* max(0, 1 − x·y/√(‖x‖²‖y‖²)); the bits of a double that is not negative order like an integer. */
__device__ inline u64 cosine_key(double dot, double x, double y) {
	double key = 1.0 - dot / __builtin_sqrt(x * y);
	return double_bits(key > 0.0 ? key : 0.0);
}

extern "C" __global__ void __launch_bounds__(256) cosine_from_products(u64 *keys, const u64 *query_squares, const u64 *point_squares,
		u64 count, unsigned columns) {
	u64 i = (u64)blockIdx.x * 256 + threadIdx.x;
	if (i < count) keys[i] = cosine_key((double)keys[i], (double)query_squares[i / columns], (double)point_squares[i % columns]);
}

/* Distances of floating point points by the definition: float64 differences, or
 * products, added in the order of the coordinates, nothing fused. Tiles of 64×64,
 * 256 threads with 4×4 pairs each, depth in steps of 16. mirrored as above: a pair has
 * the same bits the other way round. */
template <class T, bool cosine>
__device__ inline void direct(const T *queries, const T *points, const double *query_squares, const double *point_squares,
		u64 *keys, unsigned rows, unsigned columns, unsigned depth, unsigned mirrored) {
	__shared__ double left[16][64 + 2], right[16][64 + 2];
	unsigned tx = threadIdx.x % 16, ty = threadIdx.x / 16, row0 = blockIdx.x * 64, column0 = blockIdx.y * 64;
	if (mirrored && column0 < row0) return;
	double sum[4][4] = {};
	for (unsigned k0 = 0; k0 < depth; k0 += 16) {
		for (unsigned i = threadIdx.x; i < 64 * 16; i += 256) {
			unsigned r = i / 16, k = i % 16;
			left[k][r] = row0 + r < rows && k0 + k < depth ? (double)queries[(u64)(row0 + r) * depth + k0 + k] : 0.0;
			right[k][r] = column0 + r < columns && k0 + k < depth ? (double)points[(u64)(column0 + r) * depth + k0 + k] : 0.0;
		}
		__syncthreads();
		unsigned steps = depth - k0 < 16 ? depth - k0 : 16;
		for (unsigned k = 0; k < steps; k++) {
			double x[4], y[4];
#pragma unroll
			for (unsigned i = 0; i < 4; i++) {
				x[i] = left[k][ty + 16 * i];
				y[i] = right[k][tx + 16 * i];
			}
#pragma unroll
			for (unsigned i = 0; i < 4; i++)
#pragma unroll
				for (unsigned j = 0; j < 4; j++) {
					if (cosine) {
						sum[i][j] = sum[i][j] + x[i] * y[j];
					} else {
						double d = x[i] - y[j];
						sum[i][j] = sum[i][j] + d * d;
					}
				}
		}
		__syncthreads();
	}
#pragma unroll
	for (unsigned i = 0; i < 4; i++)
#pragma unroll
		for (unsigned j = 0; j < 4; j++) {
			unsigned r = row0 + ty + 16 * i, c = column0 + tx + 16 * j;
			if (r < rows && c < columns) {
				u64 key = cosine ? cosine_key(sum[i][j], query_squares[r], point_squares[c]) : double_bits(sum[i][j]);
				keys[(u64)r * columns + c] = key;
				if (mirrored && column0 > row0) keys[(u64)c * columns + r] = key;
			}
		}
}

#define DIRECT(name, type, cosine) \
	extern "C" __global__ void __launch_bounds__(256, 2) name(const type *queries, const type *points, const double *query_squares, \
			const double *point_squares, u64 *keys, unsigned rows, unsigned columns, unsigned depth, unsigned mirrored) { \
		direct<type, cosine>(queries, points, query_squares, point_squares, keys, rows, columns, depth, mirrored); \
	}
DIRECT(squared_f32, float, false)
DIRECT(squared_f64, double, false)
DIRECT(cosine_f32, float, true)
DIRECT(cosine_f64, double, true)

/* Pairs that are no candidates get the largest key: the point itself, and those at
 * most `window` away in the same episode (episode may be null). Query r is point first + r. */
template <class K> __device__ inline void exclude(K *keys, unsigned first, unsigned columns, unsigned window, const int *episode) {
	unsigned r = blockIdx.x;
	u64 width = 2 * (u64)window + 1;
	for (u64 o = threadIdx.x; o < width; o += blockDim.x) {
		unsigned i = first + r;
		if (i + o < window || i + o - window >= columns) continue;
		unsigned j = (unsigned)(i + o - window);
		if (j == i || !episode || episode[i] == episode[j]) keys[(u64)r * columns + j] = ~(K)0;
	}
}
extern "C" __global__ void __launch_bounds__(128) exclude_32(unsigned *keys, unsigned first, unsigned columns, unsigned window, const int *episode) {
	exclude(keys, first, columns, window, episode);
}
extern "C" __global__ void __launch_bounds__(128) exclude_64(u64 *keys, unsigned first, unsigned columns, unsigned window, const int *episode) {
	exclude(keys, first, columns, window, episode);
}

/* gather_rows: to[i] = from[index[i]] for rows of `units` words of 4 bytes. */
extern "C" __global__ void __launch_bounds__(256) gather_rows(const unsigned *from, unsigned *to, const unsigned *index, u64 count, unsigned units) {
	u64 i = (u64)blockIdx.x * 256 + threadIdx.x;
	if (i < count) to[i] = from[(u64)index[i / units] * units + i % units];
}
