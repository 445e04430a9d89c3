//go:build cuda && !fakecuda

/* Finds the driver and its functions. gorgonia.org/cu calls cuInit while the
 * program starts and ends the process if that fails, so cuInit always answers
 * success here, keeps the driver's own answer, and counts no devices without it. */
#include <cuda.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include "forward.h"

static pthread_once_t once = PTHREAD_ONCE_INIT;
static CUresult outcome = CUDA_ERROR_NOT_INITIALIZED;
static char message[512];

static void load(void) {
	void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
	if (!library) {
		const char *why = dlerror();
		snprintf(message, sizeof message, "the NVIDIA driver cannot be loaded: %s", why ? why : "libcuda.so.1");
		return;
	}
	for (struct entry *e = forward_table; e->name; e++)
		e->address = dlsym(library, e->name);
	void *init = forward_table[forward_cuInit].address;
	if (!init || !forward_table[forward_cuDeviceGetCount].address) {
		snprintf(message, sizeof message, "libcuda.so.1 is not an NVIDIA driver: it has no cuInit");
		return;
	}
	outcome = ((CUresult (*)(unsigned int))init)(0);
	if (outcome != CUDA_SUCCESS) {
		const char *text = 0;
		if (cuGetErrorString(outcome, &text) != CUDA_SUCCESS || !text)
			text = "unknown error";
		snprintf(message, sizeof message, "the NVIDIA driver does not start: %s (error %d)", text, outcome);
	}
}

CUresult cuInit(unsigned int flags) {
	pthread_once(&once, load);
	return CUDA_SUCCESS;
}

CUresult cuDeviceGetCount(int *count) {
	pthread_once(&once, load);
	if (outcome != CUDA_SUCCESS) {
		*count = 0;
		return CUDA_SUCCESS;
	}
	return ((CUresult (*)(int *))forward_table[forward_cuDeviceGetCount].address)(count);
}

CUresult forward_missing(void) {
	return outcome == CUDA_ERROR_NOT_INITIALIZED ? outcome : CUDA_ERROR_NOT_FOUND;
}

const char *forward_error(void) {
	pthread_once(&once, load);
	return message;
}
