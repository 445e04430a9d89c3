/* Kernels of the PTX itself, run by ptxvm. */
#pragma once
#ifdef __cplusplus
extern "C" {
#endif
struct fake_region {
	unsigned char *data, *known; /* a byte of known for each of data: 1 once it is written */
	unsigned long long size;
};
struct fake_launch {
	const char *family, *kernel, *text;
	unsigned long module; /* the same for the same text */
	unsigned grid[3], block[3], shared;
	const unsigned long long *arguments;
	int parameters;
	const struct fake_region *regions;
	int count;
	unsigned long long seed, first_block, blocks;
	int reverse, skip_barrier, skip_wait;
	int barriers, waits; /* out: the distinct ones that were met */
};
#ifdef __cplusplus
}
#endif
