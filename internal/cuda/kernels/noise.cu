/* Random numbers and noise with the bits of package stat: Philox4x32-10 and the
 * normal quantile from integer operations and correctly rounded + − × ÷ √. */
#include "math.h"
#include "walk.h"

/* A stream of random numbers: the key of the generator and the upper half of its counter. */
struct Key {
	unsigned word[2], stream[2];
};

/* Block number `counter` of a stream: see stat.Philox4x32. */
__device__ inline uint4 random_block(Key key, size counter) {
	unsigned c0 = (unsigned)counter, c1 = (unsigned)(counter >> 32), c2 = key.stream[0], c3 = key.stream[1];
	unsigned k0 = key.word[0], k1 = key.word[1];
#pragma unroll
	for (int round = 0; round < 10; round++) {
		size p0 = (size)c0 * 0xd2511f53u, p1 = (size)c2 * 0xcd9e8d57u;
		c0 = (unsigned)(p1 >> 32) ^ c1 ^ k0;
		c1 = (unsigned)p1;
		c2 = (unsigned)(p0 >> 32) ^ c3 ^ k1;
		c3 = (unsigned)p0;
		k0 += 0x9e3779b9u;
		k1 += 0xbb67ae85u;
	}
	return uint4{c0, c1, c2, c3};
}

/* The words in turn come first. */
__device__ inline uint4 next(uint4 block) { return uint4{block.y, block.z, block.w, block.x}; }

/* stat.logPortable: ln p for a positive normal number. */
__device__ inline double log_portable(double p) {
	size b = double_bits(p) + (0x3ff0000000000000ull - 0x3fe6a09e667f3bcdull);
	long long k = (long long)(b >> 52) - 1023;
	double f = bits_double((b & 0x000fffffffffffffull) + 0x3fe6a09e667f3bcdull) - 1.0;
	double s = f / (2.0 + f);
	double z = s * s;
	double t = z * (1.0 / 23) + 1.0 / 21;
	t = t * z + 1.0 / 19;
	t = t * z + 1.0 / 17;
	t = t * z + 1.0 / 15;
	t = t * z + 1.0 / 13;
	t = t * z + 1.0 / 11;
	t = t * z + 1.0 / 9;
	t = t * z + 1.0 / 7;
	t = t * z + 1.0 / 5;
	t = t * z + 1.0 / 3;
	double h = f * 0.5;
	h = h * f;
	double r = 2.0 * (z * t);
	double tail = s * (h + r);
	double e = (double)k;
	return e * 0x1.62e42fefa38p-1 - ((h - (tail + e * 0x1.ef35793c7673p-45)) - f);
}

/* stat.normalCentral: the quantile of ½ + q for |q| ≤ 0.425. */
__device__ inline double normal_central(double q) {
	double r = 0.180625 - q * q;
	double n = 2509.0809287301226727 * r + 33430.575583588128105;
	n = n * r + 67265.770927008700853;
	n = n * r + 45921.953931549871457;
	n = n * r + 13731.693765509461125;
	n = n * r + 1971.5909503065514427;
	n = n * r + 133.14166789178437745;
	n = n * r + 3.387132872796366608;
	double d = 5226.495278852854561 * r + 28729.085735721942674;
	d = d * r + 39307.89580009271061;
	d = d * r + 21213.794301586595867;
	d = d * r + 5394.1960214247511077;
	d = d * r + 687.1870074920579083;
	d = d * r + 42.313330701600911252;
	d = d * r + 1.0;
	return q * n / d;
}

/* stat.normalTail: minus the quantile of p for 0 < p < 0.075. */
__device__ inline double normal_tail(double p) {
	double r = __builtin_sqrt(-log_portable(p));
	double n, d;
	if (r <= 5.0) {
		r -= 1.6;
		n = 7.7454501427834140764e-4 * r + 0.0227238449892691845833;
		n = n * r + 0.24178072517745061177;
		n = n * r + 1.27045825245236838258;
		n = n * r + 3.64784832476320460504;
		n = n * r + 5.7694972214606914055;
		n = n * r + 4.6303378461565452959;
		n = n * r + 1.42343711074968357734;
		d = 1.05075007164441684324e-9 * r + 5.475938084995344946e-4;
		d = d * r + 0.0151986665636164571966;
		d = d * r + 0.14810397642748007459;
		d = d * r + 0.68976733498510000455;
		d = d * r + 1.6763848301838038494;
		d = d * r + 2.05319162663775882187;
	} else {
		r -= 5.0;
		n = 2.01033439929228813265e-7 * r + 2.71155556874348757815e-5;
		n = n * r + 0.0012426609473880784386;
		n = n * r + 0.026532189526576123093;
		n = n * r + 0.29656057182850489123;
		n = n * r + 1.7848265399172913358;
		n = n * r + 5.4637849111641143699;
		n = n * r + 6.6579046435011037772;
		d = 2.04426310338993978564e-15 * r + 1.4215117583164458887e-7;
		d = d * r + 1.8463183175100546818e-5;
		d = d * r + 7.868691311456132591e-4;
		d = d * r + 0.0148753612908506148525;
		d = d * r + 0.13692988092273580531;
		d = d * r + 0.59983220655588793769;
	}
	return n / (d * r + 1.0);
}

/* The standard normal number of 32 random bits, as stat.FillNormal32 has it. */
__device__ inline float normal_of(unsigned word) {
	double q = (double)(2 * ((long long)word - (1ll << 31)) + 1) * 0x1p-33;
	double a = magnitude(q);
	if (a <= 0.425) return (float)normal_central(q);
	return (float)with_sign(normal_tail(0.5 - a), q);
}
/* The multiple of 2⁻²⁴ in [0, 1) of 32 random bits. */
__device__ inline float uniform_of(unsigned word) { return (float)(word >> 8) * 0x1p-24f; }

/* random_f32: y[i] = element offset + i of a stream's standard normal or uniform sequence. */
extern "C" __global__ void __launch_bounds__(256) random_f32(float *y, size count, size key_word, size key_stream, size offset, int uniform) {
	Key key = {{(unsigned)key_word, (unsigned)(key_word >> 32)}, {(unsigned)key_stream, (unsigned)(key_stream >> 32)}};
	size first = offset / 4;
	for_each(i, (count + offset % 4 + 3) / 4) {
		uint4 block = random_block(key, first + i);
#pragma unroll 1
		for (unsigned k = 0; k < 4; k++, block = next(block)) {
			size at = 4 * i + k - offset % 4; /* wraps around before the first element */
			if (at < count) y[at] = uniform ? uniform_of(block.x) : normal_of(block.x);
		}
	}
}

enum { GAUSSIAN, SALT_PEPPER, BRIGHTNESS };
enum { CLIP_NONE, CLIP_RANGE, CLIP_REFLECT };

/* A changed pixel outside the range [low, high]. */
__device__ inline float bounded(float v, float low, float high, int clip) {
	if (clip == CLIP_RANGE) return smaller(larger(v, low), high);
	if (clip == CLIP_NONE || (v >= low && v <= high)) return v;
	float twice = 2.0f * (high - low);
	float offset = remainder32(v - low, twice);
	if (offset < 0.0f) offset += twice;
	return low + smaller(offset, twice - offset);
}

/* How states change: struct change of package model/cuda. For GAUSSIAN and BRIGHTNESS level is
 * what the numbers are multiplied with, for SALT_PEPPER the share of pixels. */
struct Change {
	int kind, clip;
	float low, high;
	double level;
};

/* noise: y = states changed as analysis/robustness does, `width` elements each, of which element e
 * takes word e mod 4 of block e/4 of the state's own stream. */
template <class T> __device__ inline void noise(const T *x, float *y, size rows, size width, const Change *how, const Key *keys) {
	Change change = *how;
	size quads = (width + 3) / 4;
	for_each(i, rows * quads) {
		size r = quotient(i, quads, fits(rows * quads)), first = 4 * (i - r * quads);
		Key key = keys[r];
		uint4 block = random_block(key, change.kind == BRIGHTNESS ? 0 : first / 4);
		float scale = change.kind == BRIGHTNESS && (block.x & 1) ? -(float)change.level : (float)change.level;
#pragma unroll 1
		for (unsigned k = 0; k < 4 && first + k < width; k++, block = next(block)) {
			float v = (float)x[r * width + first + k];
			if (change.kind == GAUSSIAN) v = v + scale * normal_of(block.x);
			else if (change.kind == BRIGHTNESS) v = v + scale;
			else {
				double u = (double)uniform_of(block.x);
				v = u < change.level / 2.0 ? change.low : u < change.level ? change.high : v;
			}
			y[r * width + first + k] = bounded(v, change.low, change.high, change.clip);
		}
	}
}

/* displacement: out[r] = ‖y − x‖₂ for state r, one per block. The squares are added in the order of
 * the elements, by one thread while others compute the next ones. */
template <class T> __device__ inline void displacement(const T *x, const float *y, double *out, size width) {
	constexpr unsigned tile = 1024, adders = 32;
	__shared__ double squares[2][tile];
	x += blockIdx.x * width;
	y += blockIdx.x * width;
	double sum = 0.0;
	unsigned ready = 0;
	for (size first = 0, t = 0; first < width || ready > 0; first += tile, t ^= 1) {
		unsigned length = first >= width ? 0 : width - first < tile ? (unsigned)(width - first) : tile;
		if (threadIdx.x >= adders) {
			for (unsigned i = threadIdx.x - adders; i < length; i += blockDim.x - adders) {
				double d = (double)y[first + i] - (double)x[first + i];
				squares[t][i] = d * d;
			}
		} else if (threadIdx.x == 0) {
#pragma unroll 8
			for (unsigned i = 0; i < ready; i++) sum += squares[t ^ 1][i];
		}
		ready = length;
		__syncthreads();
	}
	if (threadIdx.x == 0) out[blockIdx.x] = __builtin_sqrt(sum);
}

#define STATES(name, T) \
	extern "C" __global__ void __launch_bounds__(256) noise_##name(const T *x, float *y, size rows, size width, const Change *how, const Key *keys) { \
		noise(x, y, rows, width, how, keys); \
	} \
	extern "C" __global__ void __launch_bounds__(256) displacement_##name(const T *x, const float *y, double *out, size width) { \
		displacement(x, y, out, width); \
	}
STATES(f32, float)
STATES(u8, unsigned char)
