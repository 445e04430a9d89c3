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
/* One section per family, so that the driver can poison the shared memory before each block. */
#define __shared__ static __attribute__((section(FAKE_SHARED)))

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

struct Family;
struct Twin {
	const char *name;
	std::vector<size_t> sizes;
	void (*function)();
	void (*call)(void (*)(), void **);
	const Family *family;
};

template <class... A, size_t... I> void twin_apply(void (*f)(A...), void **p, std::index_sequence<I...>) {
	f(*static_cast<A *>(p[I])...);
}
template <class... A> Twin twin(const char *name, void (*f)(A...)) {
	return {name, {sizeof(A)...}, reinterpret_cast<void (*)()>(f), [](void (*g)(), void **p) {
		twin_apply(reinterpret_cast<void (*)(A...)>(g), p, std::index_sequence_for<A...>{});
	}, nullptr};
}

/* The kernels of one file, the files they are made of with their SHA-256, and
 * their static shared memory. It enters itself in families(). */
struct Family {
	const char *name, *sources, *hash;
	char *shared, *shared_end;
	std::vector<Twin> twins;
	Family(const char *name, const char *sources, const char *hash, char *shared, char *shared_end, std::vector<Twin> list)
			: name(name), sources(sources), hash(hash), shared(shared), shared_end(shared_end), twins(std::move(list)) {
		for (auto &t : twins) t.family = this;
		families().push_back(this);
	}
	Family(const Family &) = delete;
	static std::vector<const Family *> &families() {
		static std::vector<const Family *> all;
		return all;
	}
};
