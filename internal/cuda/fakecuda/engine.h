/* Runs one launch of a kernel on the calling thread, a fiber per CUDA thread. */
#pragma once
#include <string>
#include "twin.h"

struct Launch {
	const Twin *twin;
	unsigned grid[3], block[3], shared;
	void **arguments;
	size_t first_block = 0, blocks = 0; /* the part of the grid that runs; 0 blocks: all from the first */
};

/* What tests may change; see fakecuda.h. */
struct EngineOptions {
	bool reversed = false;
	int skipped_barrier = -1;
	int skipped_wait = -1;
	size_t first_block = 0, blocks = 0; /* of the launches that follow; see Launch */
};
extern EngineOptions engine_options;
/* The distinct lines of barriers and of waits for copies in the last launch, as they were met. */
extern std::vector<int> engine_barriers, engine_waits;

/* What was not written yet: float32 and float16 NaN. */
constexpr unsigned char poison = 0xff;

/* The text of the error, empty if all went well. One launch at a time. */
std::string engine_run(const Launch &launch);
