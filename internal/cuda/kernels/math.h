/* Elementary functions from IEEE additions, multiplications, divisions and square
 * roots: the same on the GPU and in the fake driver. Those that package cpu
 * computes in float32 are written like there and give the same bits; the rarer ones are
 * computed in float64 to about 1e-14 and rounded once. */
#pragma once
#include "device.h"

__device__ inline unsigned float_bits(float v) {
	unsigned b;
	__builtin_memcpy(&b, &v, sizeof b);
	return b;
}
__device__ inline unsigned long long double_bits(double v) {
	unsigned long long b;
	__builtin_memcpy(&b, &v, sizeof b);
	return b;
}
__device__ inline double bits_double(unsigned long long v) {
	double d;
	__builtin_memcpy(&d, &v, sizeof d);
	return d;
}

/* Two to the power of k, −1022 ≤ k ≤ 1023. */
__device__ inline double power2(int k) { return bits_double((unsigned long long)(k + 1023) << 52); }

/* float32, as model/cpu/vector.go computes them */

/* x modulo ln 2, between −½·ln 2 and ½·ln 2; how often ln 2 went into x is in the low bits of n. */
__device__ inline float reduced(float x, unsigned *n) {
	float t = __builtin_fmaf(x, 1.44269504088896341f, 12582912.0f);
	float k = t - 12582912.0f;
	*n = float_bits(t);
	return __builtin_fmaf(k, 2.12194440e-4f, __builtin_fmaf(k, -0.693359375f, x));
}

/* eʳ for such a remainder. */
__device__ inline float exp_series32(float r) {
	float p = __builtin_fmaf(1.9875691500e-4f, r, 1.3981999507e-3f);
	p = __builtin_fmaf(p, r, 8.3334519073e-3f);
	p = __builtin_fmaf(p, r, 4.1665795894e-2f);
	p = __builtin_fmaf(p, r, 1.6666665459e-1f);
	p = __builtin_fmaf(p, r, 5.0000001201e-1f);
	return __builtin_fmaf(p, r * r, r) + 1.0f;
}

/* 2ⁿ for n from −126 on; from 128 on it is infinite. */
__device__ inline float power_of_two(unsigned n) { return bits_float((n + 127u) << 23); }

/* eˣ for x ≤ 89, within two units in the last place; e⁻⁸⁷ below −87. */
__device__ inline float exp_bounded(float x) {
	if (x < -87.0f) x = -87.0f;
	unsigned n;
	float r = reduced(x, &n);
	return exp_series32(r) * power_of_two(n);
}

/* eˣ within two units in the last place. */
__device__ inline float exp32(float x) {
	if (x > 89.0f) x = 89.0f;
	if (x < -104.0f) x = -104.0f;
	unsigned n;
	float r = reduced(x, &n);
	int k = (int)(n - 0x4b400000u), half = k >> 1; /* 2ⁿ may be beyond the normal numbers */
	return exp_series32(r) * power_of_two((unsigned)half) * power_of_two((unsigned)(k - half));
}

/* top/(1 + e⁻ˣ): the logistic function for top = 1, SiLU for top = x. */
__device__ inline float logistic(float x, float top) {
	float v = -x;
	if (v > 89.0f) v = 89.0f;
	return top / (1.0f + exp_bounded(v));
}

__device__ inline float negative(float x) { return bits_float(float_bits(x) | 0x80000000u); }
__device__ inline float signed_as(float y, float x) { return bits_float(float_bits(y) | (float_bits(x) & 0x80000000u)); }

/* ±(1 − e)/(1 + e) with e = e^(−2|x|), and a polynomial near zero. */
__device__ inline float tanh32(float x) {
	float a = negative(x);
	if (a > -0.625f) {
		float z = x * x;
		float p = __builtin_fmaf(-5.70498872745e-3f, z, 2.06390887954e-2f);
		p = __builtin_fmaf(p, z, -5.37397155531e-2f);
		p = __builtin_fmaf(p, z, 1.33314422036e-1f);
		p = __builtin_fmaf(p, z, -3.33332819422e-1f);
		return __builtin_fmaf(p * z, x, x);
	}
	float e = exp_bounded(a + a);
	return signed_as((1.0f - e) / (1.0f + e), x);
}

/* x + x·P(x²) up to 1, beyond it ±(1 − e^(−|x|·R(|x|))). */
__device__ inline float erf32(float x) {
	float a = negative(x);
	if (a > -1.0f) {
		float z = x * x;
		float p = __builtin_fmaf(0.00010016505257226527f, z, -0.0008711757254786789f);
		p = __builtin_fmaf(p, z, 0.005275710951536894f);
		p = __builtin_fmaf(p, z, -0.026905886828899384f);
		p = __builtin_fmaf(p, z, 0.11285083740949631f);
		p = __builtin_fmaf(p, z, -0.37612807750701904f);
		p = __builtin_fmaf(p, z, 0.12837916612625122f);
		return __builtin_fmaf(p, x, x);
	}
	if (a < -4.0f) a = -4.0f;
	float p = __builtin_fmaf(1.4671654665132869e-05f, a, 0.00035767434746958315f);
	p = __builtin_fmaf(p, a, 0.003786250250414014f);
	p = __builtin_fmaf(p, a, 0.024070980027318f);
	p = __builtin_fmaf(p, a, 0.106601782143116f);
	p = __builtin_fmaf(p, a, -0.634926438331604f);
	p = __builtin_fmaf(p, a, 1.1287050247192383f);
	return signed_as(1.0f - exp_bounded(p * a), x);
}

/* x·Φ(x), Φ(−|x|) as ½·e^(−|x|·P(|x|)). */
__device__ inline float gelu32(float x) {
	float u = negative(x);
	float p = __builtin_fmaf(-1.3836631396202392e-08f, u, -4.389422656458919e-07f);
	p = __builtin_fmaf(p, u, -5.94374978390988e-06f);
	p = __builtin_fmaf(p, u, -4.3476655264385045e-05f);
	p = __builtin_fmaf(p, u, -0.00016171667084563524f);
	p = __builtin_fmaf(p, u, 6.489290535682812e-05f);
	p = __builtin_fmaf(p, u, 0.0048917015083134174f);
	p = __builtin_fmaf(p, u, 0.03639857843518257f);
	p = __builtin_fmaf(p, u, -0.3182928264141083f);
	p = __builtin_fmaf(p, u, 0.797886073589325f);
	float h = exp_bounded(p * u) * 0.5f;
	if (x < 0.0f) x = 0.0f;
	return __builtin_fmaf(u, h, x);
}

/* ½·x·(1 + tanh u) = x/(1 + e⁻²ᵘ), u = √(2/π)·(x + 0.044715·x³); the exponent is a sum of two numbers. */
__device__ inline float gelu_tanh32(float y) {
	const float linear = -1.5957691669464111f, linear_low = 4.534068054340423e-08f;
	const float cubic = -0.07135481387376785f, cubic_low = -2.3988324659995897e-09f;
	float x = y;
	if (x > 11.0f) x = 11.0f;
	if (x < -11.0f) x = -11.0f;
	float z = x * x;
	float low = __builtin_fmaf(x, x, -z);
	float p = __builtin_fmaf(cubic, z, linear);
	low = __builtin_fmaf(cubic, low, linear_low);
	low = __builtin_fmaf(cubic_low, z, low);
	low += __builtin_fmaf(cubic, z, linear - p);
	float v = x * p;
	float rest = __builtin_fmaf(x, low, __builtin_fmaf(x, p, -v));
	if (v > 89.0f) v = 89.0f;
	if (v < -87.0f) v = -87.0f;
	unsigned n;
	float r = reduced(v, &n);
	return y / (1.0f + exp_series32(r + rest) * power_of_two(n));
}

/* Go's max and min: a NaN wins, −0 is less than 0. */
template <class T> __device__ inline T larger(T x, T y) {
	if (x != x) return x;
	if (x == T(0) && y == T(0)) return x + y;
	return x > y ? x : y;
}
template <class T> __device__ inline T smaller(T x, T y) {
	if (x != x) return x;
	if (x == T(0) && y == T(0)) return -(-x - y);
	return x < y ? x : y;
}
__device__ inline long long larger(long long x, long long y) { return x > y ? x : y; }
__device__ inline long long smaller(long long x, long long y) { return x < y ? x : y; }

/* float64 */

__device__ inline double magnitude(double x) { return bits_double(double_bits(x) & 0x7fffffffffffffffull); }
__device__ inline double with_sign(double a, double sign) {
	return bits_double((double_bits(a) & 0x7fffffffffffffffull) | (double_bits(sign) & 0x8000000000000000ull));
}
__device__ inline double not_a_number() { return bits_double(0x7ff8000000000000ull); }
__device__ inline double infinity() { return bits_double(0x7ff0000000000000ull); }

/* The nearest integer, ties to even, for |x| < 2⁵¹. */
__device__ inline double nearest(double x) { return x + 6755399441055744.0 - 6755399441055744.0; }

/* (eʳ − 1)/r for |r| ≤ 0.35: the power series. */
__device__ inline double exp_series(double r) {
	double p = 1.0 / 6227020800.0;
	p = __builtin_fma(p, r, 1.0 / 479001600.0);
	p = __builtin_fma(p, r, 1.0 / 39916800.0);
	p = __builtin_fma(p, r, 1.0 / 3628800.0);
	p = __builtin_fma(p, r, 1.0 / 362880.0);
	p = __builtin_fma(p, r, 1.0 / 40320.0);
	p = __builtin_fma(p, r, 1.0 / 5040.0);
	p = __builtin_fma(p, r, 1.0 / 720.0);
	p = __builtin_fma(p, r, 1.0 / 120.0);
	p = __builtin_fma(p, r, 1.0 / 24.0);
	p = __builtin_fma(p, r, 1.0 / 6.0);
	p = __builtin_fma(p, r, 0.5);
	return __builtin_fma(p, r, 1.0);
}

__device__ inline double exponential64(double x) {
	if (x != x) return x;
	if (x > 709.78) return infinity();
	if (x < -745.2) return 0.0;
	double n = nearest(x * 1.4426950408889634);
	double r = __builtin_fma(n, -0x1.62e42fee00000p-1, x); /* ln 2 in two parts, the first of 32 bits */
	r = __builtin_fma(n, -0x1.a39ef35793c76p-33, r);
	double p = __builtin_fma(exp_series(r), r, 1.0);
	int k = (int)n, half = k / 2;
	return p * power2(half) * power2(k - half);
}

/* eˣ − 1. */
__device__ inline double exponential_less_one(double x) {
	if (x > -0.35 && x < 0.35) return x * exp_series(x);
	return exponential64(x) - 1.0;
}

/* ln x: x = 2^k·m with m in [√½, √2), ln m = 2·artanh((m − 1)/(m + 1)) by its power series. */
__device__ inline double logarithm64(double x) {
	if (!(x > 0.0)) return x == 0.0 ? -infinity() : not_a_number();
	if (x > 1.7976931348623157e308) return x;
	int k = -1023;
	if (x < 2.2250738585072014e-308) {
		x *= 18014398509481984.0;
		k -= 54;
	}
	unsigned long long b = double_bits(x) + (0x3ff0000000000000ull - 0x3fe6a09e667f3bcdull);
	k += (int)(b >> 52);
	double f = bits_double((b & 0x000fffffffffffffull) + 0x3fe6a09e667f3bcdull) - 1.0;
	double s = f / (2.0 + f), z = s * s;
	double t = 1.0 / 23;
	t = __builtin_fma(t, z, 1.0 / 21);
	t = __builtin_fma(t, z, 1.0 / 19);
	t = __builtin_fma(t, z, 1.0 / 17);
	t = __builtin_fma(t, z, 1.0 / 15);
	t = __builtin_fma(t, z, 1.0 / 13);
	t = __builtin_fma(t, z, 1.0 / 11);
	t = __builtin_fma(t, z, 1.0 / 9);
	t = __builtin_fma(t, z, 1.0 / 7);
	t = __builtin_fma(t, z, 1.0 / 5);
	t = __builtin_fma(t, z, 1.0 / 3);
	/* 2s = f − s·f keeps the leading term exact. */
	double h = 0.5 * f * f;
	double tail = s * (h + 2.0 * (z * t));
	return __builtin_fma((double)k, 0x1.62e42fee00000p-1, f - (h - __builtin_fma((double)k, 0x1.a39ef35793c76p-33, tail)));
}

/* ln(1 + x): the logarithm of the rounded sum, corrected for what the rounding lost. */
__device__ inline double logarithm_of_one_plus(double x) {
	double w = 1.0 + x;
	if (w == 1.0 || w - w != 0.0 || w <= 0.0) return w == 1.0 ? x : logarithm64(w);
	return logarithm64(w) * (x / (w - 1.0));
}

__device__ inline double softplus64(double x) {
	double a = magnitude(x);
	return (x > 0.0 ? x : x != x ? x : 0.0) + logarithm_of_one_plus(exponential64(-a));
}

__device__ inline double tangent_hyperbolic64(double x) {
	double a = magnitude(x);
	if (a > 20.0) return with_sign(1.0, x);
	double e = exponential_less_one(2.0 * a);
	return with_sign(e / (e + 2.0), x);
}

__device__ inline double sine_hyperbolic64(double x) {
	double a = magnitude(x);
	if (a > 700.0) return with_sign(infinity(), x);
	double e = exponential_less_one(a);
	return x != x ? x : with_sign(0.5 * (e + e / (e + 1.0)), x);
}

__device__ inline double cosine_hyperbolic64(double x) {
	double e = exponential64(magnitude(x));
	return 0.5 * (e + 1.0 / e);
}

__device__ inline double inverse_sine_hyperbolic64(double x) {
	double a = magnitude(x);
	if (!(a < 1e150)) return x;
	double s = a * a;
	return with_sign(logarithm_of_one_plus(a + s / (1.0 + __builtin_sqrt(s + 1.0))), x);
}

__device__ inline double inverse_cosine_hyperbolic64(double x) {
	if (!(x >= 1.0)) return not_a_number();
	double t = x - 1.0;
	return logarithm_of_one_plus(t + __builtin_sqrt(2.0 * t + t * t));
}

__device__ inline double inverse_tangent_hyperbolic64(double x) {
	double a = magnitude(x);
	if (!(a <= 1.0)) return not_a_number();
	if (a == 1.0) return with_sign(infinity(), x);
	return with_sign(0.5 * logarithm_of_one_plus(2.0 * a / (1.0 - a)), x);
}

/* The angle is halved after it was brought below π/4. */
__device__ inline double inverse_tangent64(double x) {
	double a = magnitude(x);
	if (a != a) return x;
	bool inverted = a > 1.0;
	if (inverted) a = 1.0 / a;
	double t = a / (1.0 + __builtin_sqrt(1.0 + a * a)); /* at most tan(π/8) */
	t = t / (1.0 + __builtin_sqrt(1.0 + t * t));        /* at most tan(π/16) */
	double z = t * t;
	double p = 1.0 / 21;
	p = __builtin_fma(p, -z, 1.0 / 19);
	p = __builtin_fma(p, -z, 1.0 / 17);
	p = __builtin_fma(p, -z, 1.0 / 15);
	p = __builtin_fma(p, -z, 1.0 / 13);
	p = __builtin_fma(p, -z, 1.0 / 11);
	p = __builtin_fma(p, -z, 1.0 / 9);
	p = __builtin_fma(p, -z, 1.0 / 7);
	p = __builtin_fma(p, -z, 1.0 / 5);
	p = __builtin_fma(p, -z, 1.0 / 3);
	double angle = 4.0 * __builtin_fma(p * -z, t, t);
	return with_sign(inverted ? 1.5707963267948966 - angle : angle, x);
}

__device__ inline double inverse_sine64(double x) {
	if (!(magnitude(x) <= 1.0)) return not_a_number();
	return inverse_tangent64(x / __builtin_sqrt((1.0 - x) * (1.0 + x)));
}

__device__ inline double inverse_cosine64(double x) {
	if (!(magnitude(x) <= 1.0)) return not_a_number();
	return 2.0 * inverse_tangent64(__builtin_sqrt((1.0 - x) / (1.0 + x)));
}

/* The angle of a float32 less the nearest multiple n of π/2; returns n modulo 4. */
__device__ inline int reduce_angle(float x, double *angle) {
	double a = magnitude((double)x);
	int quadrant;
	if (a < 67108864.0) {
		double n = nearest(a * 0.63661977236758134);
		/* π/2 in parts of 33 bits, so that the products are exact. */
		double r = __builtin_fma(n, -0x1.921fb54400000p+0, a);
		r = __builtin_fma(n, -0x1.0b4611a600000p-34, r);
		r = __builtin_fma(n, -0x1.3198a2e037073p-69, r);
		*angle = r;
		quadrant = (int)((long long)n & 3);
	} else {
		/* x = m·2^e; the bits of 2/π that m·2^e makes multiples of 4 are left out. */
		const unsigned words[7] = {0xa2f9836eu, 0x4e441529u, 0xfc2757d1u, 0xf534ddc0u, 0xdb629599u, 0x3c439041u, 0xfe5163abu};
		unsigned b = float_bits(x) & 0x7fffffffu;
		unsigned long long m = (b & 0x7fffffu) | 0x800000u;
		int e = (int)(b >> 23) - 150;
		int first = e < 2 ? 0 : (e - 2) / 32;
		unsigned long long high = 0, low = 0; /* m times four words, the lower 128 bits */
#pragma unroll
		for (int i = 0; i < 7; i++) {
			int place = i - first;
			if (place < 0 || place > 3) continue;
			unsigned long long part = m * words[i];
			unsigned long long add_high = 0, add_low = 0;
			if (place == 0) add_high = part << 32;
			if (place == 1) add_high = part;
			if (place == 2) add_high = part >> 32, add_low = part << 32;
			if (place == 3) add_low = part;
			low += add_low;
			high += add_high + (low < add_low ? 1 : 0);
		}
		int shift = e - 32 * (first + 1) + 30;
		/* 2 bits of quadrants and 62 of the fraction. */
		unsigned long long q = shift < 0 ? high >> -shift : shift == 0 ? high : high << shift | low >> (64 - shift);
		unsigned long long n = (q + (1ull << 61)) >> 62;
		*angle = (double)(long long)(q - (n << 62)) * 0x1p-62 * 1.5707963267948966;
		quadrant = (int)(n & 3);
	}
	if (x < 0.0f) {
		*angle = -*angle;
		quadrant = -quadrant & 3;
	}
	return quadrant;
}

__device__ inline double sine_series(double r) {
	double z = r * r;
	double p = -1.0 / 1307674368000.0;
	p = __builtin_fma(p, z, 1.0 / 6227020800.0);
	p = __builtin_fma(p, z, -1.0 / 39916800.0);
	p = __builtin_fma(p, z, 1.0 / 362880.0);
	p = __builtin_fma(p, z, -1.0 / 5040.0);
	p = __builtin_fma(p, z, 1.0 / 120.0);
	p = __builtin_fma(p, z, -1.0 / 6.0);
	return __builtin_fma(p * z, r, r);
}

__device__ inline double cosine_series(double r) {
	double z = r * r;
	double p = 1.0 / 20922789888000.0;
	p = __builtin_fma(p, z, -1.0 / 87178291200.0);
	p = __builtin_fma(p, z, 1.0 / 479001600.0);
	p = __builtin_fma(p, z, -1.0 / 3628800.0);
	p = __builtin_fma(p, z, 1.0 / 40320.0);
	p = __builtin_fma(p, z, -1.0 / 720.0);
	p = __builtin_fma(p, z, 1.0 / 24.0);
	p = __builtin_fma(p, z, -0.5);
	return __builtin_fma(p, z, 1.0);
}

/* sin(x + quarter·π/2) and tan x. */
__device__ inline double sine64(float x, int quarter) {
	if (x - x != 0.0f) return not_a_number();
	if (x == 0.0f && quarter == 0) return x;
	double r;
	int n = (reduce_angle(x, &r) + quarter) & 3;
	double y = n & 1 ? cosine_series(r) : sine_series(r);
	return n & 2 ? -y : y;
}
__device__ inline double tangent64(float x) {
	if (x - x != 0.0f) return not_a_number();
	if (x == 0.0f) return x;
	double r;
	int n = reduce_angle(x, &r);
	double s = sine_series(r), c = cosine_series(r);
	return n & 1 ? -c / s : s / c;
}

/* A number as significand · 2^exponent, significand in [½, 1); zero, infinities and NaN as they are. */
__device__ inline double significand(double x, int *exponent) {
	*exponent = 0;
	if (x == 0.0 || x - x != 0.0) return x;
	if (magnitude(x) < 2.2250738585072014e-308) {
		x *= 18014398509481984.0;
		*exponent = -54;
	}
	unsigned long long b = double_bits(x);
	*exponent += (int)(b >> 52 & 0x7ff) - 1022;
	return bits_double((b & 0x800fffffffffffffull) | 0x3fe0000000000000ull);
}

/* x·2^k, rounded once. */
__device__ inline double scaled(double x, int k) {
	int own;
	x = significand(x, &own);
	k += own;
	if (x == 0.0 || x - x != 0.0) return x;
	if (k > 1024) return with_sign(infinity(), x);
	if (k < -1100) return with_sign(0.0, x);
	if (k < -1021) return x * power2(k + 100) * power2(-100);
	return 2.0 * x * power2(k - 1);
}

/* x to the power of y. The whole part of |y| by repeated squaring of the
 * significand, in the order of its bits: with a whole y the bits of Go's math.Pow. */
__device__ inline double power64(double x, double y) {
	if (y == 0.0 || x == 1.0) return 1.0;
	if (x != x || y != y) return not_a_number();
	double a = magnitude(y), ax = magnitude(x);
	bool whole = a >= 4503599627370496.0 || __builtin_trunc(a) == a;
	bool odd = whole && a < 9007199254740992.0 && ((long long)a & 1);
	if (a == infinity()) {
		if (x == -1.0) return 1.0;
		return (ax > 1.0) == (y > 0.0) ? infinity() : 0.0;
	}
	if (x == 0.0 || ax == infinity()) {
		double r = (x == 0.0) == (y < 0.0) ? infinity() : 0.0;
		return odd ? with_sign(r, x) : r;
	}
	if (x < 0.0 && !whole) return not_a_number();
	if (a >= 9.2e18) {
		if (x == -1.0) return 1.0;
		return (ax < 1.0) == (y > 0.0) ? 0.0 : infinity();
	}
	double count = __builtin_trunc(a), part = a - count, result = 1.0;
	if (part != 0.0) {
		if (part > 0.5) {
			part -= 1.0;
			count += 1.0;
		}
		result = exponential64(part * logarithm64(x));
	}
	int exponent = 0, step;
	double square = significand(x, &step);
	for (unsigned long long i = (unsigned long long)count; i != 0; i >>= 1) {
		if (step < -4096 || step > 4096) {
			exponent += step; /* the result overflows or vanishes */
			break;
		}
		if (i & 1) {
			result *= square;
			exponent += step;
		}
		square *= square;
		step *= 2;
		if (square < 0.5) {
			square += square;
			step--;
		}
	}
	if (y < 0.0) {
		result = 1.0 / result;
		exponent = -exponent;
	}
	return scaled(result, exponent);
}

/* The remainder of a division of float32 numbers truncated towards zero; exact, with the sign of x. */
__device__ inline float remainder32(float x, float y) {
	if (y == 0.0f || x - x != 0.0f || y != y) return bits_float(0x7fc00000u);
	unsigned sign = float_bits(x) & 0x80000000u, a = float_bits(x) ^ sign, b = float_bits(y) & 0x7fffffffu;
	if (a < b) return x;
	int ea = a >> 23 ? (int)(a >> 23) : 1, eb = b >> 23 ? (int)(b >> 23) : 1;
	unsigned long long r = a >> 23 ? (a & 0x7fffffu) | 0x800000u : a;
	unsigned long long m = b >> 23 ? (b & 0x7fffffu) | 0x800000u : b;
	r %= m;
	for (int left = ea - eb; left > 0 && r != 0;) {
		int step = left < 40 ? left : 40;
		r = (r << step) % m;
		left -= step;
	}
	/* r·2^(eb − 150) is exact in float32. */
	double v = (double)(long long)r * power2(eb - 150);
	return bits_float(float_bits((float)v) | sign);
}

/* The low bits of an integer; negative: unsigned; 0 and -64: all. */
__device__ inline long long wrapped(long long v, int bits) {
	if (bits > 0) return (long long)((unsigned long long)v << (64 - bits)) >> (64 - bits);
	return bits < 0 && bits > -64 ? v & ((1ll << -bits) - 1) : v;
}

/* Towards zero to an integer of so many bits, as package cpu has it: by the integers of 32 bits, or of 64 for types of 64 and
 * those of 32 without a sign, whose least one is what they do not have, and their low bits. */
__device__ inline long long integer_of(double v, int bits) {
	bool wide = bits == 0 || bits == -32 || bits == -64, high = bits == -64 && v >= 9223372036854775808.0;
	if (high) v -= 9223372036854775808.0;
	double limit = wide ? 9223372036854775808.0 : 2147483648.0;
	long long least = wide ? -0x7fffffffffffffffll - 1 : -2147483648ll;
	long long i = v < limit && v > -limit - 1.0 ? (long long)v : least;
	return wrapped(high ? i ^ least : i, bits);
}

/* a to the power of b in integers, as package cpu has it: the low bits are right, and what is less than 1 for a negative b is 0. */
__device__ inline long long power_of_integers(long long a, long long b) {
	if (b < 0) {
		if (a != 1 && a != -1) return 0;
		b &= 1;
	}
	unsigned long long base = (unsigned long long)a, result = 1;
	for (; b > 0; b >>= 1) {
		if (b & 1) result *= base;
		base *= base;
	}
	return (long long)result;
}
