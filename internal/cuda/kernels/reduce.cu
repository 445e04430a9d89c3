/* Reductions, softmax, normalisations and running sums. Everything is summed in an
 * order that depends on the length of the reduced axes alone. */
#include "math.h"
#include "walk.h"

/* The value of lane lane_id()^mask. */
__device__ inline float exchanged(float v, unsigned mask) { return warp_shuffle_xor(v, mask); }
__device__ inline long long exchanged(long long v, unsigned mask) {
	unsigned low = warp_shuffle_xor((unsigned)(size)v, mask), high = warp_shuffle_xor((unsigned)((size)v >> 32), mask);
	return (long long)((size)high << 32 | low);
}
__device__ inline double exchanged(double v, unsigned mask) { return bits_double((size)exchanged((long long)double_bits(v), mask)); }

__device__ inline double plus(double a, double b) { return a + b; }
__device__ inline long long plus(long long a, long long b) { return (long long)((size)a + (size)b); }
__device__ inline double times(double a, double b) { return a * b; }
__device__ inline long long times(long long a, long long b) { return (long long)((size)a * (size)b); }
__device__ inline double absolute(double a) { return magnitude(a); }
__device__ inline long long absolute(long long a) { return a < 0 ? (long long)(0 - (size)a) : a; }

enum { SUM, GREATEST, LEAST, PRODUCT, SUM_OF_MAGNITUDES, SUM_OF_SQUARES, SUM_OF_POWERS }; /* e^(x − top) */
enum { KEEP, MEAN, ROOT, LOGARITHM, LOGARITHM_AND_TOP };

template <class A> __device__ inline A least_value();
template <class A> __device__ inline A greatest_value();
template <> __device__ inline double least_value<double>() { return -infinity(); }
template <> __device__ inline double greatest_value<double>() { return infinity(); }
template <> __device__ inline long long least_value<long long>() { return -0x7fffffffffffffffll - 1; }
template <> __device__ inline long long greatest_value<long long>() { return 0x7fffffffffffffffll; }

template <class A> __device__ inline A start(int term) {
	switch (term) {
	case GREATEST: return least_value<A>();
	case LEAST: return greatest_value<A>();
	case PRODUCT: return A(1);
	}
	return A(0);
}
template <class A> __device__ inline A joined(A a, A b, int term) {
	switch (term) {
	case GREATEST: return larger(a, b);
	case LEAST: return smaller(a, b);
	case PRODUCT: return times(a, b);
	}
	return plus(a, b);
}
__device__ inline double power_of(double v, double top) { return exponential64(v - top); }
__device__ inline long long power_of(long long v, long long) { return v; }
/* The compiler must not see that the term is the same in a whole loop, or it writes the loop once for each. */
template <class A> __device__ inline A with_term(A a, A v, int term, A top) {
	asm volatile("" : "+r"(term));
	if (term == SUM) return plus(a, v);
	switch (term) {
	case GREATEST: return larger(a, v);
	case LEAST: return smaller(a, v);
	case PRODUCT: return times(a, v);
	case SUM_OF_MAGNITUDES: return plus(a, absolute(v));
	case SUM_OF_SQUARES: return plus(a, times(v, v));
	}
	return plus(a, power_of(v, top));
}
__device__ inline float finished(double a, int end, size n, double top) {
	switch (end) {
	case MEAN: a /= (double)n; break;
	case ROOT: a = __builtin_sqrt(a); break;
	case LOGARITHM: a = logarithm64(a); break;
	case LOGARITHM_AND_TOP: a = top + logarithm64(a); break;
	}
	return (float)a;
}
__device__ inline long long finished(long long a, int end, size n, long long) {
	if (n == 0) return a == 1 ? 1 : 0; /* there is no greatest and no least; the empty product is 1 */
	return end == MEAN ? a / (long long)n : a;
}

/* The join of a block's or a warp's values, in all lanes of a warp or in thread 0 of
 * a block: neighbours at distance 16, 8, … first, then the warps in order. A block
 * needs a barrier before the next one. */
template <class A, int LANES> __device__ inline A over_lanes(A a, int term) {
	if (LANES == 1) return a;
#pragma unroll 1
	for (unsigned mask = 16; mask; mask /= 2) a = joined(a, exchanged(a, mask), term);
	if (LANES == 32) return a;
	__shared__ A warps[LANES / 32 + 1];
	if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = a;
	__syncthreads();
	if (threadIdx.x == 0)
#pragma unroll 1
		for (int w = 1; w < LANES / 32; w++) a = joined(a, warps[w], term);
	return a;
}

/* y[r] (or partial[r·chunks + chunk], if there are several) = the reduction of n
 * elements of x, of which the block's second index names a chunk of at most 2²⁰, by LANES threads.
 * Output r begins where `kept` says, element i lies where `reduced` says. */
template <class T, class A, int LANES> __device__ inline void reduce(const T *x, T *y, A *partial, const T *top, const Axis<1> *kept, unsigned kept_rank, const Axis<1> *reduced,
		unsigned reduced_rank, size total, size n, unsigned chunk, int term, int end) {
	size r = ((size)blockIdx.x * 256 + threadIdx.x) / LANES;
	bool inside = r < total;
	long long base = 0;
	if (inside) locate<1>(kept, kept_rank, r, total, &base);
	A shift = inside && top ? (A)top[r] : A(0);
	A a = start<A>(term);
	size first = (size)blockIdx.y * chunk;
	unsigned length = !inside ? 0 : first + chunk < n ? chunk : (unsigned)(n - first);
	unsigned i = threadIdx.x % LANES;
	if (reduced_rank <= 1) {
		long long stride = reduced_rank == 1 ? reduced[0].stride[0] : 0;
		const T *from = x + base + (long long)first * stride;
		for (; i < length; i += 4 * LANES) {
			/* Four loads at a time, for the memory's sake. */
			T v[4];
#pragma unroll
			for (unsigned k = 0; k < 4; k++) v[k] = i + k * LANES < length ? from[(long long)(i + k * LANES) * stride] : T(0);
#pragma unroll 1
			for (unsigned k = i; k < i + 4 * LANES && k < length; k += LANES) {
				a = with_term<A>(a, (A)v[0], term, shift);
				v[0] = v[1], v[1] = v[2], v[2] = v[3];
			}
		}
	} else {
		for (; i < length; i += LANES) {
			long long at;
			locate<1>(reduced, reduced_rank, first + i, n, &at);
			a = with_term<A>(a, (A)x[base + at], term, shift);
		}
	}
	a = over_lanes<A, LANES>(a, term);
	if (!inside || threadIdx.x % LANES != 0) return;
	if (gridDim.y == 1) y[r] = finished(a, end, n, shift);
	else partial[r * gridDim.y + blockIdx.y] = a;
}

/* y[r] = the join of the chunks' results, a warp per output. */
template <class T, class A> __device__ inline void join_chunks(const A *partial, T *y, const T *top, size total, size n, unsigned chunks, int term, int end) {
	size r = ((size)blockIdx.x * 256 + threadIdx.x) / 32;
	A a = start<A>(term);
	if (r < total)
		for (unsigned c = threadIdx.x % 32; c < chunks; c += 32) a = joined(a, partial[r * chunks + c], term);
	a = over_lanes<A, 32>(a, term);
	if (r < total && threadIdx.x % 32 == 0) y[r] = finished(a, end, n, top ? (A)top[r] : A(0));
}

/* Two blocks per multiprocessor at least: more would be bought with spilled registers. */
#define REDUCTION(name, T, A, LANES) \
	extern "C" __global__ void __launch_bounds__(256, 2) name(const T *x, T *y, A *partial, const T *top, const Axis<1> *kept, unsigned kept_rank, const Axis<1> *reduced, \
			unsigned reduced_rank, size total, size n, unsigned chunk, int term, int end) { \
		reduce<T, A, LANES>(x, y, partial, top, kept, kept_rank, reduced, reduced_rank, total, n, chunk, term, end); \
	}
REDUCTION(reduce_by_thread_f32, float, double, 1)
REDUCTION(reduce_by_warp_f32, float, double, 32)
REDUCTION(reduce_by_block_f32, float, double, 256)
REDUCTION(reduce_by_thread_i64, long long, long long, 1)
REDUCTION(reduce_by_warp_i64, long long, long long, 32)
REDUCTION(reduce_by_block_i64, long long, long long, 256)
#define JOIN_CHUNKS(name, T, A) \
	extern "C" __global__ void __launch_bounds__(256) name(const A *partial, T *y, const T *top, size total, size n, unsigned chunks, int term, int end) { \
		join_chunks<T, A>(partial, y, top, total, n, chunks, term, end); \
	}
JOIN_CHUNKS(join_chunks_f32, float, double)
JOIN_CHUNKS(join_chunks_i64, long long, long long)

/* y[r] = where along an axis of n elements, `inner` apart, the greatest or the least
 * is; of equal ones the first or the last. A NaN counts only in the first place, where it stays. */
template <class T, int LANES> __device__ inline void argument(const T *x, long long *y, size total, size n, size inner, int least, int take_last) {
	size r = ((size)blockIdx.x * 256 + threadIdx.x) / LANES;
	bool inside = r < total;
	const T *row = x;
	if (inside) {
		size outer = quotient(r, inner, fits(total));
		row += outer * n * inner + (r - outer * inner);
	}
	long long best = -1;
	T value = T(0);
	if (inside)
		for (size i = threadIdx.x % LANES; i < n; i += LANES) {
			T v = row[i * inner];
			bool better = best < 0 ? v == v || i == 0 : (least ? v < value : v > value) || (take_last && v == value);
			if (better) best = (long long)i, value = v;
		}
	if (LANES > 1) {
#pragma unroll
		for (unsigned mask = 16; mask; mask /= 2) {
			long long other = exchanged(best, mask);
			T v = exchanged(value, mask);
			bool better;
			if (other < 0 || best < 0) better = best < 0;
			else if (value != value || v != v) better = v != v; /* the first element, since no other NaN is kept */
			else if (v == value) better = take_last ? other > best : other < best;
			else better = least ? v < value : v > value;
			if (better) best = other, value = v;
		}
	}
	if (inside && threadIdx.x % LANES == 0) y[r] = best;
}
#define ARGUMENT(name, T, LANES) \
	extern "C" __global__ void __launch_bounds__(256) name(const T *x, long long *y, size total, size n, size inner, int least, int take_last) { \
		argument<T, LANES>(x, y, total, n, inner, least, take_last); \
	}
ARGUMENT(argument_by_thread_f32, float, 1)
ARGUMENT(argument_by_warp_f32, float, 32)
ARGUMENT(argument_by_thread_i64, long long, 1)
ARGUMENT(argument_by_warp_i64, long long, 32)

/* softmax_warp_f32: rows of n ≤ 1024 elements, a warp per row, which stays in registers. y may be x. */
extern "C" __global__ void __launch_bounds__(256) softmax_warp_f32(const float *x, float *y, size rows, unsigned n) {
	size r = ((size)blockIdx.x * 256 + threadIdx.x) / 32;
	if (r >= rows) return; /* whole warps */
	const float *row = x + r * n;
	unsigned lane = threadIdx.x % 32;
	float v[32], top = -bits_float(0x7f800000u);
#pragma unroll
	for (unsigned k = 0; k < 32; k++) {
		if (32 * k >= n) break;
		unsigned i = 32 * k + lane;
		v[k] = i < n ? row[i] : -bits_float(0x7f800000u);
		top = __builtin_fmaxf(top, v[k]);
	}
	top = warp_max(top); /* a NaN is found again in the sum */
	float sum = 0.0f;
#pragma unroll
	for (unsigned k = 0; k < 32; k++) {
		if (32 * k >= n) break;
		v[k] = 32 * k + lane < n ? exp_bounded(v[k] - top) : 0.0f;
		sum += v[k];
	}
	float factor = 1.0f / warp_sum(sum);
#pragma unroll
	for (unsigned k = 0; k < 32; k++) {
		if (32 * k >= n) break;
		if (32 * k + lane < n) y[r * n + 32 * k + lane] = v[k] * factor;
	}
}

/* The join of all 256 threads' values, in every thread. */
template <class A> __device__ inline A over_block(A a, int term) {
	__shared__ A result;
	a = over_lanes<A, 256>(a, term);
	if (threadIdx.x == 0) result = a;
	__syncthreads();
	return result;
}

/* softmax_block_f32: rows of any length, a block per row. y may be x. */
extern "C" __global__ void __launch_bounds__(256) softmax_block_f32(const float *x, float *y, size n, int logarithm) {
	const float *row = x + (size)blockIdx.x * n;
	float *to = y + (size)blockIdx.x * n;
	double greatest = -infinity();
	for (size i = threadIdx.x; i < n; i += 256) greatest = larger(greatest, (double)row[i]);
	float top = (float)over_block<double>(greatest, GREATEST);
	double sum = 0.0;
	for (size i = threadIdx.x; i < n; i += 256) sum += (double)exp32(row[i] - top);
	sum = over_block<double>(sum, SUM);
	float l = logarithm ? (float)logarithm64(sum) : 0.0f, factor = (float)(1.0 / sum);
	for (size i = threadIdx.x; i < n; i += 256) to[i] = logarithm ? row[i] - top - l : exp32(row[i] - top) * factor;
}

/* softmax_columns_f32: n elements that lie `inner` apart, a thread for each of `total` such columns. y may be x. */
extern "C" __global__ void __launch_bounds__(256) softmax_columns_f32(const float *x, float *y, size total, size n, size inner, int logarithm) {
	for_each(r, total) {
		size outer = r / inner, base = outer * n * inner + (r - outer * inner);
		float top = -bits_float(0x7f800000u);
		for (size i = 0; i < n; i++) top = larger(top, x[base + i * inner]);
		double sum = 0.0;
		for (size i = 0; i < n; i++) sum += (double)exp32(x[base + i * inner] - top);
		float l = logarithm ? (float)logarithm64(sum) : 0.0f, factor = (float)(1.0 / sum);
		for (size i = 0; i < n; i++) {
			float v = x[base + i * inner] - top;
			y[base + i * inner] = logarithm ? v - l : exp32(v) * factor;
		}
	}
}

/* layer_norm_*_f32: rows of at most so many elements, a multiple of 4, a warp per row,
 * which stays in registers: (x − mean)/√(variance + ε)·scale + bias. Scale, bias
 * and the outputs mean and inverse (of the standard deviation) may be null; y may be x.
 * The sums are of float32: that of the differences from a first mean corrects it. With
 * root, the mean counts as 0. */
template <int PARTS> __device__ inline void layer_norm(const float *x, const float *scale, const float *bias, float *y, float *mean, float *inverse, size rows,
		unsigned width, float epsilon, int root) {
	size r = ((size)blockIdx.x * 256 + threadIdx.x) / 32;
	if (r >= rows) return; /* whole warps */
	const float4 *row = reinterpret_cast<const float4 *>(x + r * width);
	unsigned lane = threadIdx.x % 32, quarters = width / 4;
	float v[4 * PARTS], sum = 0.0f;
#pragma unroll
	for (unsigned k = 0; k < PARTS; k++) {
		float4 part = float4{0.0f, 0.0f, 0.0f, 0.0f};
		if (32 * k + lane < quarters) part = row[32 * k + lane];
		v[4 * k] = part.x, v[4 * k + 1] = part.y, v[4 * k + 2] = part.z, v[4 * k + 3] = part.w;
		sum += (part.x + part.y) + (part.z + part.w);
	}
	float n = (float)width, centre = root ? 0.0f : warp_sum(sum) / n;
	float rest = 0.0f, squares = 0.0f;
#pragma unroll
	for (unsigned k = 0; k < PARTS; k++) {
		if (32 * k + lane >= quarters) continue;
#pragma unroll
		for (unsigned j = 0; j < 4; j++) {
			float d = v[4 * k + j] - centre;
			rest += d;
			squares = __builtin_fmaf(d, d, squares);
		}
	}
	rest = root ? 0.0f : warp_sum(rest) / n;
	float variance = __builtin_fmaf(-rest, rest, warp_sum(squares) / n);
	float factor = 1.0f / __builtin_sqrtf(variance + epsilon);
	if (lane == 0 && mean) mean[r] = centre + rest;
	if (lane == 0 && inverse) inverse[r] = factor;
	float4 *to = reinterpret_cast<float4 *>(y + r * width);
#pragma unroll
	for (unsigned k = 0; k < PARTS; k++) {
		unsigned i = 32 * k + lane;
		if (i >= quarters) continue;
		float u[4];
#pragma unroll
		for (unsigned j = 0; j < 4; j++) u[j] = (v[4 * k + j] - centre - rest) * factor;
		if (scale) {
			float4 w = reinterpret_cast<const float4 *>(scale)[i];
			u[0] *= w.x, u[1] *= w.y, u[2] *= w.z, u[3] *= w.w;
		}
		if (bias) {
			float4 w = reinterpret_cast<const float4 *>(bias)[i];
			u[0] += w.x, u[1] += w.y, u[2] += w.z, u[3] += w.w;
		}
		to[i] = float4{u[0], u[1], u[2], u[3]};
	}
}
#define LAYER_NORM(name, PARTS) \
	extern "C" __global__ void __launch_bounds__(256) name(const float *x, const float *scale, const float *bias, float *y, float *mean, float *inverse, size rows, \
			unsigned width, float epsilon, int root) { \
		layer_norm<PARTS>(x, scale, bias, y, mean, inverse, rows, width, epsilon, root); \
	}
LAYER_NORM(layer_norm_512_f32, 4)
LAYER_NORM(layer_norm_1024_f32, 8)
LAYER_NORM(layer_norm_2048_f32, 16)

/* normalize_block_f32: the same for rows of any width, a block per row, summed in
 * float64. Scale and bias have an element for each of the row, or, with `inner` > 0,
 * one per `inner` elements: those of row r begin at (r mod groups)·channels.
 * With root, the mean counts as 0. */
extern "C" __global__ void __launch_bounds__(256) normalize_block_f32(const float *x, const float *scale, const float *bias, float *y, float *mean, float *inverse,
		size width, float epsilon, size inner, unsigned groups, unsigned channels, int root) {
	const float *row = x + (size)blockIdx.x * width;
	float *to = y + (size)blockIdx.x * width;
	double sum = 0.0;
	for (size i = threadIdx.x; i < width; i += 256) sum += (double)row[i];
	double middle = root ? 0.0 : over_block<double>(sum, SUM) / (double)width;
	sum = 0.0;
	for (size i = threadIdx.x; i < width; i += 256) {
		double d = (double)row[i] - middle;
		sum += d * d;
	}
	double variance = over_block<double>(sum, SUM) / (double)width;
	float factor = (float)(1.0 / __builtin_sqrt(variance + (double)epsilon)), centre = (float)middle;
	if (threadIdx.x == 0 && mean) mean[blockIdx.x] = centre;
	if (threadIdx.x == 0 && inverse) inverse[blockIdx.x] = factor;
	size first = inner ? (size)(blockIdx.x % groups) * channels : 0;
	for (size i = threadIdx.x; i < width; i += 256) {
		size at = inner ? first + i / inner : i;
		float v = (row[i] - centre) * factor;
		if (scale) v *= scale[at];
		if (bias) v += bias[at];
		to[i] = v;
	}
}

/* batch_norm_factors: what batch normalisation multiplies the elements of each channel with and adds to them. */
extern "C" __global__ void __launch_bounds__(256) batch_norm_factors(const float *scale, const float *bias, const float *mean, const float *variance, double *factors,
		size channels, float epsilon) {
	for_each(c, channels) {
		double factor = (double)scale[c] / __builtin_sqrt((double)variance[c] + (double)epsilon);
		factors[2 * c] = factor;
		factors[2 * c + 1] = (double)bias[c] - (double)mean[c] * factor;
	}
}

/* batch_norm_f32: y = x·factor + shift for planes of `inner` elements, channel by channel. y may be x. */
extern "C" __global__ void __launch_bounds__(256) batch_norm_f32(const float *x, const double *factors, float *y, size count, size inner, size channels) {
	for_each(i, count) {
		size plane = quotient(i, inner, fits(count)), c = plane - quotient(plane, channels, fits(count)) * channels;
		y[i] = (float)((double)x[i] * factors[2 * c] + factors[2 * c + 1]);
	}
}

/* local_response_f32: y = x/(bias + alpha/window · Σ x²)^beta, summed over the channels from
 * `before` before to `after` after an element's own, in planes of `inner` elements. */
extern "C" __global__ void __launch_bounds__(256) local_response_f32(const float *x, float *y, size count, size inner, size channels, size before, size after, float alpha,
		float beta, float bias) {
	for_each(i, count) {
		size plane = quotient(i, inner, fits(count)), c = plane - quotient(plane, channels, fits(count)) * channels;
		size first = c < before ? c : before, last = channels - 1 - c < after ? channels - 1 - c : after;
		double sum = 0.0;
		for (size k = i - first * inner; k <= i + last * inner; k += inner) sum += (double)x[k] * (double)x[k];
		double base = (double)bias + (double)alpha * sum / (double)(before + after + 1);
		y[i] = (float)((double)x[i] / power64(base, (double)beta));
	}
}

/* Running sums along n elements that lie `inner` apart, a thread for each of `total` lines. */
template <class T> __device__ inline void running_sum(const T *x, T *y, size total, size n, size inner, int exclusive, int reverse) {
	for_each(r, total) {
		size outer = quotient(r, inner, fits(total)), base = outer * n * inner + (r - outer * inner);
		T sum = T(0);
		for (size k = 0; k < n; k++) {
			size at = base + (reverse ? n - 1 - k : k) * inner;
			T before = sum;
			sum += x[at];
			y[at] = exclusive ? before : sum;
		}
	}
}
extern "C" __global__ void __launch_bounds__(256) running_sum_f32(const float *x, float *y, size total, size n, size inner, int exclusive, int reverse) {
	running_sum(x, y, total, n, inner, exclusive, reverse);
}
extern "C" __global__ void __launch_bounds__(256) running_sum_i64(const size *x, size *y, size total, size n, size inner, int exclusive, int reverse) {
	running_sum(x, y, total, n, inner, exclusive, reverse);
}
