/* Runs one launch of a kernel on the calling thread, a fiber per CUDA thread. */
#pragma once
#include <string>
#include "twin.h"

struct Launch {
	const Twin *twin;
	unsigned grid[3], block[3], shared;
	void **arguments;
};

/* What tests may change; see fakecuda.h. */
struct EngineOptions {
	bool reversed = false;
	int skipped_barrier = -1;
	int skipped_wait = -1;
};
extern EngineOptions engine_options;
/* The distinct lines of barriers and of waits for copies in the last launch, as they were met. */
extern std::vector<int> engine_barriers, engine_waits;

/* What was not written yet: float32 and float16 NaN. */
constexpr unsigned char poison = 0xff;

/* The text of the error, empty if all went well. One launch at a time. */
std::string engine_run(const Launch &launch);
