//go:build cuda && fakecuda

/* The fake driver's functions: devices, contexts, memory, modules, streams, graphs. */
#include "fake.h"
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include "fakecuda.h"

std::recursive_mutex mutex;
std::string message;

namespace {

int devices = 1;
unsigned long long capacity = 1ull << 30;
std::vector<std::unique_ptr<CUctx_st>> primary;
struct Failure { int after; CUresult code; };
std::map<std::string, Failure> failures;
long calls;
unsigned generation;
thread_local CUctx_st *current;
thread_local unsigned current_generation;

bool injected(const char *key, const char *name, CUresult *code) {
	auto f = failures.find(key);
	if (f == failures.end() || f->second.after-- > 0) return false;
	*code = f->second.code;
	failures.erase(f);
	if (*code >= 700 && *code < 800 && context()) context()->lose(*code);
	refuse(*code, "%s: injected error %d", name, *code);
	return true;
}

} // namespace

CUresult refuse(CUresult code, const char *format, ...) {
	char text[512];
	va_list list;
	va_start(list, format);
	vsnprintf(text, sizeof text, format, list);
	va_end(list);
	message = text;
	return code;
}

CUctx_st *context() { return current_generation == generation ? current : nullptr; }

CUresult enter(const char *name, bool needs_context) {
	calls++;
	CUresult code;
	if (injected(name, name, &code) || injected("*", name, &code)) return code;
	if (!needs_context) return CUDA_SUCCESS;
	if (!context()) return refuse(CUDA_ERROR_INVALID_CONTEXT, "%s: the calling thread has no current context", name);
	return CUresult(context()->lost);
}

extern "C" {

void fake_reset(int n, unsigned long long memory) {
	std::lock_guard<std::recursive_mutex> lock(mutex);
	forget_streams();
	free_all();
	failures.clear();
	primary.clear();
	message.clear();
	devices = n;
	capacity = memory;
	calls = 0;
	engine_options = {};
	generation++;
}

void fake_fail(const char *function, int after, int error) {
	std::lock_guard<std::recursive_mutex> lock(mutex);
	failures[function] = {after, CUresult(error)};
}
long fake_calls(void) { return calls; }
void fake_skip_barrier(int index) { engine_options.skipped_barrier = index; }
void fake_skip_wait(int index) { engine_options.skipped_wait = index; }
void fake_reverse(int on) { engine_options.reversed = on; }
void fake_blocks(unsigned long long first, unsigned long long count) {
	engine_options.first_block = first;
	engine_options.blocks = count;
}
int fake_barriers(void) { return int(engine_barriers.size()); }
int fake_waits(void) { return int(engine_waits.size()); }
const char *fake_message(void) { return message.c_str(); }
unsigned long long fake_used(int device) {
	std::lock_guard<std::recursive_mutex> lock(mutex);
	return used(device);
}
int fake_families(void) { return int(Family::families().size()); }
const char *fake_family_name(int i) { return Family::families()[i]->name; }
const char *fake_family_sources(int i) { return Family::families()[i]->sources; }
const char *fake_family_hash(int i) { return Family::families()[i]->hash; }

CUresult cuInit(unsigned int) { return CUDA_SUCCESS; }
CUresult cuDriverGetVersion(int *version) { *version = 12000; return CUDA_SUCCESS; }
CUresult cuGetErrorString(CUresult code, const char **text) {
	if (message.empty()) message = "error " + std::to_string(code);
	*text = message.c_str();
	return CUDA_SUCCESS;
}

CUresult cuDeviceGetCount(int *count) { ENTER("cuDeviceGetCount", false); *count = devices; return CUDA_SUCCESS; }
CUresult cuDeviceGet(CUdevice *device, int ordinal) {
	ENTER("cuDeviceGet", false);
	if (ordinal < 0 || ordinal >= devices) return refuse(CUDA_ERROR_INVALID_DEVICE, "device %d of %d", ordinal, devices);
	*device = ordinal;
	return CUDA_SUCCESS;
}
CUresult cuDeviceGetName(char *name, int length, CUdevice device) { ENTER("cuDeviceGetName", false); snprintf(name, length, "Fake GPU %d", device); return CUDA_SUCCESS; }
CUresult cuDeviceTotalMem(size_t *bytes, CUdevice) { ENTER("cuDeviceTotalMem", false); *bytes = capacity; return CUDA_SUCCESS; }
CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute attribute, CUdevice) {
	ENTER("cuDeviceGetAttribute", false);
	switch (attribute) {
	case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR: *value = 8; break;
	case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR: *value = 0; break;
	case CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT: *value = 4; break;
	case CU_DEVICE_ATTRIBUTE_WARP_SIZE: *value = 32; break;
	case CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK: *value = 1024; break;
	case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK: *value = static_limit; break;
	case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN: *value = shared_limit; break;
	default: return refuse(CUDA_ERROR_NOT_SUPPORTED, "attribute %d", attribute);
	}
	return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRetain(CUcontext *out, CUdevice device) {
	ENTER("cuDevicePrimaryCtxRetain", false);
	if (device < 0 || device >= devices) return refuse(CUDA_ERROR_INVALID_DEVICE, "device %d of %d", device, devices);
	primary.resize(devices);
	auto &p = primary[device];
	if (!p) p.reset(new CUctx_st{device, 0, 0});
	p->references++;
	*out = p.get();
	return CUDA_SUCCESS;
}
/* The last release ends the context with all that it has; the next one starts anew. */
CUresult cuDevicePrimaryCtxRelease(CUdevice device) {
	ENTER("cuDevicePrimaryCtxRelease", false);
	if (device < 0 || device >= int(primary.size()) || !primary[device] || primary[device]->references == 0)
		return refuse(CUDA_ERROR_INVALID_CONTEXT, "the primary context of device %d is not retained", device);
	CUctx_st *c = primary[device].get();
	if (--c->references == 0) {
		drop_work(c);
		free_device(device);
		c->lost = 0;
	}
	return CUDA_SUCCESS;
}
CUresult cuCtxSetCurrent(CUcontext c) {
	ENTER("cuCtxSetCurrent", false);
	current = c;
	current_generation = generation;
	return CUDA_SUCCESS;
}
CUresult cuCtxGetCurrent(CUcontext *c) { std::lock_guard<std::recursive_mutex> lock(mutex); *c = context(); return CUDA_SUCCESS; }

/* Memory. */

CUresult cuMemGetInfo(size_t *available, size_t *total) {
	ENTER("cuMemGetInfo");
	*total = capacity;
	*available = capacity - used(context()->device);
	return CUDA_SUCCESS;
}
CUresult cuMemAlloc(CUdeviceptr *out, size_t n) {
	ENTER("cuMemAlloc");
	REFUSE_IN_CAPTURE("cuMemAlloc");
	if (n == 0) return refuse(CUDA_ERROR_INVALID_VALUE, "cuMemAlloc: 0 bytes");
	unsigned long long u = used(context()->device);
	if (n > capacity - u) return refuse(CUDA_ERROR_OUT_OF_MEMORY, "out of memory: %zu bytes, %llu of %llu are free", n, capacity - u, capacity);
	void *p = take(n, context()->device, false);
	if (!p) return refuse(CUDA_ERROR_OUT_OF_MEMORY, "cuMemAlloc: %zu bytes: the machine has no memory", n);
	*out = CUdeviceptr(p);
	return CUDA_SUCCESS;
}
CUresult cuMemFree(CUdeviceptr p) {
	ENTER("cuMemFree");
	REFUSE_IN_CAPTURE("cuMemFree");
	auto b = blocks.find(p);
	if (b == blocks.end() || b->second.host) return refuse(CUDA_ERROR_INVALID_VALUE, "cuMemFree: %#llx is not the start of an allocation", p);
	if (CUresult r = check("cuMemFree", context(), p, 1)) return r;
	release(b);
	return CUDA_SUCCESS;
}
CUresult cuMemHostAlloc(void **out, size_t n, unsigned int) {
	ENTER("cuMemHostAlloc");
	REFUSE_IN_CAPTURE("cuMemHostAlloc");
	*out = take(n, context()->device, true);
	return *out ? CUDA_SUCCESS : refuse(CUDA_ERROR_OUT_OF_MEMORY, "cuMemHostAlloc: %zu bytes", n);
}
CUresult cuMemFreeHost(void *p) {
	ENTER("cuMemFreeHost");
	REFUSE_IN_CAPTURE("cuMemFreeHost");
	auto b = blocks.find(CUdeviceptr(p));
	if (b == blocks.end() || !b->second.host) return refuse(CUDA_ERROR_INVALID_VALUE, "cuMemFreeHost: %p is not pinned memory", p);
	release(b);
	return CUDA_SUCCESS;
}
/* These wait for no stream, as streams are made here without that. */
CUresult cuMemcpyHtoD(CUdeviceptr to, const void *from, size_t n) {
	ENTER("cuMemcpyHtoD");
	REFUSE_IN_CAPTURE("cuMemcpyHtoD");
	disturb(context());
	if (CUresult r = check("cuMemcpyHtoD", context(), to, n)) return r;
	memcpy(reinterpret_cast<void *>(to), from, n);
	learn(to, n);
	return CUDA_SUCCESS;
}
CUresult cuMemcpyDtoH(void *to, CUdeviceptr from, size_t n) {
	ENTER("cuMemcpyDtoH");
	REFUSE_IN_CAPTURE("cuMemcpyDtoH");
	disturb(context());
	if (CUresult r = check("cuMemcpyDtoH", context(), from, n)) return r;
	memcpy(to, reinterpret_cast<void *>(from), n);
	return CUDA_SUCCESS;
}
CUresult cuMemcpyDtoD(CUdeviceptr to, CUdeviceptr from, size_t n) {
	ENTER("cuMemcpyDtoD");
	REFUSE_IN_CAPTURE("cuMemcpyDtoD");
	if (CUresult r = check("cuMemcpyDtoD", context(), from, n)) return r;
	if (CUresult r = check("cuMemcpyDtoD", context(), to, n)) return r;
	memmove(reinterpret_cast<void *>(to), reinterpret_cast<void *>(from), n);
	learn(to, n, from);
	return CUDA_SUCCESS;
}

} // extern "C"
