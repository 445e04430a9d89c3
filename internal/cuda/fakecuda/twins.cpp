//go:build cuda && fakecuda

/* The kernels, compiled for the processor. */
#include "sources.h"
#include "twin.h"
#include "../kernels/encode.cu"

const std::vector<Twin> &fake_twins() {
	static const std::vector<Twin> all = {
		twin("normalize_u8", normalize_u8),
		twin("product_f32", product_f32),
	};
	return all;
}

extern "C" const char *fake_sources(void) { return FAKE_SOURCES; }
