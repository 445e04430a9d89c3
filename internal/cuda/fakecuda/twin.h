/* CUDA C++ for the processor: a kernel compiled with this runs in a fiber per thread. */
#pragma once
#include <cstddef>
#include <utility>
#include <vector>

/* Fused multiply-add in hardware, and only where the source asks for it, as in the PTX. */
#ifdef __x86_64__
#pragma GCC target("fma")
#endif
#pragma GCC optimize("fp-contract=off")

#define FAKE_DEVICE
#define __global__
#define __device__
#define __launch_bounds__(threads)
/* One section, so that the driver can poison all shared memory before each block. */
#define __shared__ static __attribute__((section("fake_shared")))

struct index3 {
	unsigned x, y, z;
};
extern index3 fake_thread, fake_block, fake_block_size, fake_grid_size;
#define threadIdx fake_thread
#define blockIdx fake_block
#define blockDim fake_block_size
#define gridDim fake_grid_size

void fake_barrier(int line);
#define __syncthreads() fake_barrier(__LINE__)

struct Twin {
	const char *name;
	std::vector<size_t> sizes;
	void (*function)();
	void (*call)(void (*)(), void **);
};

template <class... A, size_t... I> void twin_apply(void (*f)(A...), void **p, std::index_sequence<I...>) {
	f(*static_cast<A *>(p[I])...);
}
template <class... A> Twin twin(const char *name, void (*f)(A...)) {
	return {name, {sizeof(A)...}, reinterpret_cast<void (*)()>(f), [](void (*g)(), void **p) {
		twin_apply(reinterpret_cast<void (*)(A...)>(g), p, std::index_sequence_for<A...>{});
	}};
}
const std::vector<Twin> &fake_twins();
