/* Loaded kernels. */
#pragma once
#include "fake.h"

struct CUfunc_st {
	const Twin *twin;
	CUctx_st *context;
	size_t shared;         /* static */
	unsigned most_threads; /* of a block, from __launch_bounds__ */
	unsigned dynamic;      /* what cuFuncSetAttribute allowed */
};

struct CUmod_st {
	CUctx_st *context;
	std::map<std::string, std::unique_ptr<CUfunc_st>> functions;
};
