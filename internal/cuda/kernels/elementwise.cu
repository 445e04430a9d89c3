/* Elementwise operators with broadcasting. An operation is a number that all
 * threads of a launch share; the numbers are those of model/cuda/elementwise.go. */
#include "math.h"
#include "walk.h"

enum { RELU, SIGMOID, SILU, TANH, GELU, GELU_TANH, ERF, EXP, LEAKY_RELU, THRESHOLDED_RELU, HARD_SIGMOID, HARD_SWISH, SOFTSIGN, CLIP,
	SQRT, RECIPROCAL, FLOOR, CEIL, ROUND, NEG, ABS, SIGN, QUOTIENT, SHRINK, SWISH };

__device__ inline float unary(float x, int operation, float alpha, float beta) {
	switch (operation) {
	case RELU: return x < 0.0f ? 0.0f : x;
	case SIGMOID: return logistic(x, 1.0f);
	case SILU: return logistic(x, x);
	case TANH: return tanh32(x);
	case GELU: return gelu32(x);
	case GELU_TANH: return gelu_tanh32(x);
	case ERF: return erf32(x);
	case EXP: return exp32(x);
	case LEAKY_RELU: return x < 0.0f ? alpha * x : x;
	case THRESHOLDED_RELU: return x > alpha ? x : 0.0f;
	case HARD_SIGMOID: return larger(0.0f, smaller(1.0f, alpha * x + beta));
	case HARD_SWISH: return x * larger(0.0f, smaller(1.0f, x / 6.0f + 0.5f));
	case SOFTSIGN: return x / (1.0f + bits_float(float_bits(x) & 0x7fffffffu));
	case CLIP:
		if (x < alpha) x = alpha;
		if (x > beta) x = beta;
		return x;
	case SQRT: return __builtin_sqrtf(x);
	case RECIPROCAL: return 1.0f / x;
	case FLOOR: return __builtin_floorf(x);
	case CEIL: return __builtin_ceilf(x);
	case ROUND: return __builtin_rintf(x);
	case NEG: return -x;
	case ABS: return bits_float(float_bits(x) & 0x7fffffffu);
	case SIGN: return x > 0.0f ? 1.0f : x < 0.0f ? -1.0f : x;
	case QUOTIENT: return x / alpha;
	case SWISH: return logistic(alpha * x, x);
	case SHRINK: return x < -alpha ? x + beta : x > alpha ? x - beta : 0.0f;
	}
	return x;
}

/* unary_f32: y = f(x) for count elements, four at a time; y may be x. x and y lie on 16 bytes. */
extern "C" __global__ void __launch_bounds__(256) unary_f32(const float *x, float *y, size count, int operation, float alpha, float beta) {
	for_each(i, count / 4) {
		float4 v = reinterpret_cast<const float4 *>(x)[i];
		float values[4] = {v.x, v.y, v.z, v.w};
#pragma unroll
		for (int k = 0; k < 4; k++) values[k] = unary(values[k], operation, alpha, beta);
		reinterpret_cast<float4 *>(y)[i] = float4{values[0], values[1], values[2], values[3]};
	}
	size rest = count / 4 * 4 + threadIdx.x;
	if (blockIdx.x == 0 && rest < count) y[rest] = unary(x[rest], operation, alpha, beta);
}

enum { SOFTPLUS, ELU, CELU, SELU, MISH, LOG, SIN, COS, TAN, ASIN, ACOS, ATAN, SINH, COSH, ASINH, ACOSH, ATANH };

/* unary_double_f32: the same for functions that are computed in float64. */
extern "C" __global__ void __launch_bounds__(256) unary_double_f32(const float *x, float *y, size count, int operation, float alpha, float beta) {
	for_each(i, count) {
		float f = x[i];
		double v = f, r;
		switch (operation) {
		case SOFTPLUS: r = softplus64(v); break;
		case MISH: r = v * tangent_hyperbolic64(softplus64(v)); break;
		case ELU: r = f < 0.0f ? alpha * (float)exponential_less_one(v) : f; break;
		case CELU: r = larger(f, 0.0f) + smaller(0.0f, alpha * (float)exponential_less_one(f / alpha)); break;
		case SELU: r = f < 0.0f ? (double)beta * (double)alpha * exponential_less_one(v) : (double)(beta * f); break;
		case LOG: r = logarithm64(v); break;
		case SIN: r = sine64(f, 0); break;
		case COS: r = sine64(f, 1); break;
		case TAN: r = tangent64(f); break;
		case ASIN: r = inverse_sine64(v); break;
		case ACOS: r = inverse_cosine64(v); break;
		case ATAN: r = inverse_tangent64(v); break;
		case SINH: r = sine_hyperbolic64(v); break;
		case COSH: r = cosine_hyperbolic64(v); break;
		case ASINH: r = inverse_sine_hyperbolic64(v); break;
		case ACOSH: r = inverse_cosine_hyperbolic64(v); break;
		default: r = inverse_tangent_hyperbolic64(v); break;
		}
		y[i] = (float)r;
	}
}

enum { INTEGER_RELU, INTEGER_NEG, INTEGER_ABS, INTEGER_SIGN, INTEGER_CLIP };

/* unary_i64: the same for integers; low and high are the bounds of INTEGER_CLIP. */
extern "C" __global__ void __launch_bounds__(256) unary_i64(const long long *x, long long *y, size count, int operation, long long low, long long high) {
	for_each(i, count) {
		long long v = x[i], opposite = (long long)(0 - (size)v);
		switch (operation) {
		case INTEGER_RELU: v = v < 0 ? 0 : v; break;
		case INTEGER_NEG: v = opposite; break;
		case INTEGER_ABS: v = v > opposite ? v : opposite; break;
		case INTEGER_SIGN: v = (v > 0) - (v < 0); break;
		default:
			v = v > low ? v : low;
			v = v < high ? v : high;
		}
		y[i] = v;
	}
}

enum { ADD, SUB, MUL, DIV, MAX, MIN, PRELU, REMAINDER, MODULO, BITWISE_AND, BITWISE_OR, BITWISE_XOR, LEFT, RIGHT, LOGICAL_RIGHT, POW };

__device__ inline float binary(float a, float b, int operation) {
	switch (operation) {
	case ADD: return a + b;
	case SUB: return a - b;
	case MUL: return a * b;
	case DIV: return a / b;
	case MAX: return a > b || a != a ? a : b;
	case MIN: return a < b || a != a ? a : b;
	}
	return a < 0.0f ? a * b : a;
}

/* binary_f32: y[i] = f(a, b) at the places that the axes give for element i; y may be a. */
extern "C" __global__ void __launch_bounds__(256) binary_f32(const float *a, const float *b, float *y, size count, const Axis<2> *axes, unsigned rank, int operation) {
	for_each(i, count) {
		long long at[2];
		locate<2>(axes, rank, i, count, at);
		float p = a[at[0]], q = b[at[1]];
		y[i] = operation == REMAINDER ? remainder32(p, q) : binary(p, q, operation);
	}
}

__device__ inline float4 load4(const float *p, bool moves) {
	if (moves) return *reinterpret_cast<const float4 *>(p);
	return float4{*p, *p, *p, *p};
}

/* binary4_f32: the same for groups of four along the last axis, of which there are
 * `count`; an operand moves along it (moves_a, moves_b) or is one number. Not REMAINDER. */
extern "C" __global__ void __launch_bounds__(256) binary4_f32(const float *a, const float *b, float *y, size count, const Axis<2> *axes, unsigned rank, int operation,
		int moves_a, int moves_b) {
	for_each(i, count) {
		long long at[2];
		locate<2>(axes, rank, i, count, at);
		float4 p = load4(a + at[0], moves_a), q = load4(b + at[1], moves_b);
		reinterpret_cast<float4 *>(y)[i] =
			float4{binary(p.x, q.x, operation), binary(p.y, q.y, operation), binary(p.z, q.z, operation), binary(p.w, q.w, operation)};
	}
}

/* binary_i64: the same for integers. A division by zero gives 0; MODULO has the sign of the divisor. A shift by less than 0 or
 * by 64 or more leaves the sign alone. */
extern "C" __global__ void __launch_bounds__(256) binary_i64(const long long *a, const long long *b, long long *y, size count, const Axis<2> *axes, unsigned rank,
		int operation) {
	for_each(i, count) {
		long long at[2];
		locate<2>(axes, rank, i, count, at);
		long long p = a[at[0]], q = b[at[1]], r = 0;
		switch (operation) {
		case ADD: r = (long long)((size)p + (size)q); break;
		case SUB: r = (long long)((size)p - (size)q); break;
		case MUL: r = (long long)((size)p * (size)q); break;
		case DIV: r = q == 0 ? 0 : q == -1 ? (long long)(0 - (size)p) : p / q; break;
		case MAX: r = p > q ? p : q; break;
		case MIN: r = p < q ? p : q; break;
		case BITWISE_AND: r = p & q; break;
		case BITWISE_OR: r = p | q; break;
		case BITWISE_XOR: r = p ^ q; break;
		case LEFT: r = (size)q < 64 ? (long long)((size)p << q) : 0; break;
		case RIGHT: r = p >> ((size)q < 64 ? q : 63); break;
		case LOGICAL_RIGHT: r = (size)q < 64 ? (long long)((size)p >> q) : 0; break;
		case POW: r = power_of_integers(p, q); break;
		default:
			if (q != 0 && q != -1) r = p % q;
			if (operation == MODULO && r != 0 && (r < 0) != (q < 0)) r += q;
		}
		y[i] = r;
	}
}

/* power: y = a to the power of b in float64; a and y are float32 or, with
 * integer_base, integers of `bits` (see integer_of); b is float32 or, with integer_exponent, int64. */
extern "C" __global__ void __launch_bounds__(256) power(const void *a, const void *b, void *y, size count, const Axis<2> *axes, unsigned rank, int integer_base,
		int integer_exponent, int bits) {
	for_each(i, count) {
		long long at[2];
		locate<2>(axes, rank, i, count, at);
		double base = integer_base ? (double)static_cast<const long long *>(a)[at[0]] : (double)static_cast<const float *>(a)[at[0]];
		double exponent = integer_exponent ? (double)static_cast<const long long *>(b)[at[1]] : (double)static_cast<const float *>(b)[at[1]];
		double r;
		if (!integer_base && !integer_exponent && exponent == 2.0) r = base * base;
		else if (!integer_base && !integer_exponent && exponent == 0.5) r = __builtin_sqrt(base);
		else r = power64(base, exponent);
		if (integer_base) static_cast<long long *>(y)[i] = integer_of(r, bits);
		else static_cast<float *>(y)[i] = (float)r;
	}
}

enum { EQUAL, GREATER, GREATER_OR_EQUAL, LESS, LESS_OR_EQUAL, AND, OR, XOR };

template <class T> __device__ inline void compare(const T *a, const T *b, unsigned char *y, size count, const Axis<2> *axes, unsigned rank, int operation) {
	for_each(i, count) {
		long long at[2];
		locate<2>(axes, rank, i, count, at);
		T p = a[at[0]], q = b[at[1]];
		bool r;
		switch (operation) {
		case EQUAL: r = p == q; break;
		case GREATER: r = p > q; break;
		case GREATER_OR_EQUAL: r = p >= q; break;
		case LESS: r = p < q; break;
		case LESS_OR_EQUAL: r = p <= q; break;
		case AND: r = p != T(0) && q != T(0); break;
		case OR: r = p != T(0) || q != T(0); break;
		default: r = (p != T(0)) != (q != T(0));
		}
		y[i] = r;
	}
}
#define COMPARE(name, T) \
	extern "C" __global__ void __launch_bounds__(256) name(const T *a, const T *b, unsigned char *y, size count, const Axis<2> *axes, unsigned rank, int operation) { \
		compare(a, b, y, count, axes, rank, operation); \
	}
COMPARE(compare_f32, float)
COMPARE(compare_i64, long long)
COMPARE(compare_bool, unsigned char)

/* choose: y = condition ? a : b for elements of 1, 4 or 8 bytes. */
template <class T> __device__ inline void choose(const unsigned char *condition, const T *a, const T *b, T *y, size count, const Axis<3> *axes, unsigned rank) {
	for_each(i, count) {
		long long at[3];
		locate<3>(axes, rank, i, count, at);
		y[i] = condition[at[0]] ? a[at[1]] : b[at[2]];
	}
}
#define CHOOSE(name, T) \
	extern "C" __global__ void __launch_bounds__(256) name(const unsigned char *condition, const T *a, const T *b, T *y, size count, const Axis<3> *axes, unsigned rank) { \
		choose(condition, a, b, y, count, axes, rank); \
	}
CHOOSE(choose_1, unsigned char)
CHOOSE(choose_4, unsigned)
CHOOSE(choose_8, size)

/* The power of two for |v|, from 2⁻¹²⁷ to 2¹²⁷: the next greater one (mode 0), the next smaller one (1), or the nearest, halves up (2). */
__device__ inline float power_of_two(float v, int mode, bool saturate) {
	const unsigned least = 1u << 22, most = 254u << 23;
	unsigned b = float_bits(v) & 0x7fffffffu;
	if (b > 0x7f800000u || ((b < least || b > most) && !saturate)) return bits_float(0x7fc00000u);
	b = b < least ? least : b > most ? most : b;
	unsigned step = b < 1u << 23 ? least : 1u << 23, part = b & (step - 1u);
	b -= part;
	if ((mode == 0 && part > 0) || (mode == 2 && part >= step / 2)) b += step;
	return bits_float(b);
}

/* A type of floats of at most 8 bits: its bits of mantissa, the exponent of its least number with all of them, the bits of its greatest
 * number as a float32, and what stands for greater ones: NaN, NaN without a negative zero, infinity, or nothing. */
struct Small {
	int mantissa, least;
	unsigned most;
	int special;
};
constexpr int LAST_NAN = 0, ZERO_NAN = 1, INFINITIES = 2, NO_SPECIAL = 3;

/* The nearest number of the type, halves to even. */
__device__ inline float small_float(float v, Small t, bool saturate) {
	unsigned b = float_bits(v), sign = b & 0x80000000u;
	int drop = 23 - t.mantissa;
	b ^= sign;
	if (b > 0x7f800000u) return t.special == NO_SPECIAL ? 0.0f : v;
	if (b < (unsigned)(t.least + 127) << 23) {
		/* The sum has the unit of the least numbers in its last place. */
		float unit = bits_float((unsigned)(t.least + drop + 127) << 23);
		b = float_bits(bits_float(b) + unit - unit);
	} else {
		b = (b + (1u << (drop - 1)) - 1u + (b >> drop & 1u)) & ~((1u << drop) - 1u);
	}
	if (b > t.most) b = saturate || t.special == NO_SPECIAL ? t.most : t.special == INFINITIES ? 0x7f800000u : 0x7fc00000u;
	if (t.special == ZERO_NAN && b == 0) sign = 0;
	return bits_float(b | sign);
}

/* The nearest number of a narrower type, halves to even: float16 (kind 1), bfloat16 (2), float8e4m3fn (3), float8e4m3fnuz (4),
 * float8e5m2 (5), float8e5m2fnuz (6), float4e2m1 (7) and, by their rounding, the powers of two (8 to 10). 16 more: saturated. */
__device__ inline float narrow(float v, int kind) {
	bool saturate = kind & 16;
	unsigned b = float_bits(v), sign = b & 0x80000000u;
	b ^= sign;
	switch (kind & 15) {
	case 0: return v;
	case 1:
		if (b > 0x7f800000u) return v;
		if (b >= 0x477ff000u) return bits_float(sign | 0x7f800000u);
		if (b < 0x38800000u) return bits_float(float_bits(bits_float(b) + 0.5f - 0.5f) | sign); /* units of 2⁻²⁴ */
		return bits_float(sign | ((b + 0xfffu + (b >> 13 & 1u)) & ~0x1fffu));
	case 2: return b > 0x7f800000u ? v : bits_float(sign | ((b + 0x7fffu + (b >> 16 & 1u)) & ~0xffffu));
	case 3: return small_float(v, Small{3, -6, 0x43e00000u, LAST_NAN}, saturate);
	case 4: return small_float(v, Small{3, -7, 0x43700000u, ZERO_NAN}, saturate);
	case 5: return small_float(v, Small{2, -14, 0x47600000u, INFINITIES}, saturate);
	case 6: return small_float(v, Small{2, -15, 0x47600000u, ZERO_NAN}, saturate);
	case 7: return small_float(v, Small{1, 0, 0x40c00000u, NO_SPECIAL}, saturate);
	}
	return power_of_two(v, (kind & 15) - 8, saturate);
}

/* The bits of a number as float32 (kind 0), float16 (1) or bfloat16 (2), which it is rounded to. */
__device__ inline long long bits_of(float v, int kind) {
	unsigned b = float_bits(v), sign = b >> 31;
	if (kind == 0) return b;
	b = float_bits(narrow(v, kind));
	/* Without this the compiler takes the absolute value as a float, which need not keep the bits of NaN. */
	asm volatile("" : "+r"(b));
	b &= 0x7fffffffu;
	if (kind == 2) return (b > 0x7f800000u ? b | 0x400000u : b) >> 16 | sign << 15;
	if (b > 0x7f800000u) return sign << 15 | 0x7e00u;
	if (b >= 0x47800000u) return sign << 15 | 0x7c00u;
	if (b < 0x38800000u) return sign << 15 | (unsigned)(bits_float(b) * 0x1p24f);
	return sign << 15 | (b - 0x38000000u) >> 13;
}

/* The number of which the low bits are those, as float32 (kind 0), float16 (1), bfloat16 (2) or float64 (3). */
__device__ inline float of_bits(long long v, int kind) {
	unsigned b = (unsigned)v, sign = (b & 0x8000u) << 16, rest = b & 0x7fffu;
	switch (kind) {
	case 0: return bits_float(b);
	case 2: return bits_float(b << 16);
	case 3: return (float)bits_double((size)v);
	}
	if (rest >= 0x7c00u) return bits_float(sign | 0x7f800000u | (rest & 0x3ffu) << 13);
	if (rest < 0x400u) return bits_float(sign | float_bits((float)rest * 0x1p-24f));
	return bits_float(sign | ((rest << 13) + 0x38000000u));
}

enum { FLOAT_TO_FLOAT, INTEGER_TO_FLOAT, BOOL_TO_FLOAT, FLOAT_TO_INTEGER, INTEGER_TO_INTEGER, BOOL_TO_INTEGER, FLOAT_TO_BOOL, INTEGER_TO_BOOL, NOT, IS_NAN, IS_INF,
	BITS_OF, OF_BITS };

/* convert: y = x in another type, or what x is. detail: the narrower float (see narrow), the bits
 * of the narrower integer (see wrapped), which infinities count (1 negative, 2 positive, 3 both), or whose bits are
 * taken or given (0 float32, 1 float16, 2 bfloat16, 3 float64). */
extern "C" __global__ void __launch_bounds__(256) convert(const void *x, void *y, size count, int operation, int detail) {
	const float *floats = static_cast<const float *>(x);
	const long long *integers = static_cast<const long long *>(x);
	const unsigned char *bits = static_cast<const unsigned char *>(x);
	float *to_float = static_cast<float *>(y);
	long long *to_integer = static_cast<long long *>(y);
	unsigned char *to_bool = static_cast<unsigned char *>(y);
	for_each(i, count) {
		switch (operation) {
		case FLOAT_TO_FLOAT: to_float[i] = narrow(floats[i], detail); break;
		case INTEGER_TO_FLOAT: to_float[i] = narrow((float)integers[i], detail); break;
		case BOOL_TO_FLOAT: to_float[i] = narrow(bits[i] ? 1.0f : 0.0f, detail); break;
		case FLOAT_TO_INTEGER: to_integer[i] = integer_of((double)floats[i], detail); break;
		case INTEGER_TO_INTEGER: to_integer[i] = wrapped(integers[i], detail); break;
		case BOOL_TO_INTEGER: to_integer[i] = bits[i] != 0; break;
		case FLOAT_TO_BOOL: to_bool[i] = floats[i] != 0.0f; break;
		case INTEGER_TO_BOOL: to_bool[i] = integers[i] != 0; break;
		case NOT: to_bool[i] = !bits[i]; break;
		case IS_NAN: to_bool[i] = floats[i] != floats[i]; break;
		case BITS_OF: to_integer[i] = bits_of(floats[i], detail); break;
		case OF_BITS: to_float[i] = of_bits(integers[i], detail); break;
		default: {
			unsigned b = float_bits(floats[i]);
			to_bool[i] = ((detail & 1) && b == 0xff800000u) || ((detail & 2) && b == 0x7f800000u);
		}
		}
	}
}
