/* Written by ptx.sh: the hash of the kernels that this was compiled with. */
#define FAKE_SOURCES "c902ec3ddeb1a37d06c69d0c6f6c25f690c8ead463f2caaaad91c3a4db555f59"
