/* Written by ptx.sh: the hash of the kernels that this was compiled with. */
#define FAKE_SOURCES "b65710c6c5fc2d3b0e57e06b8f033930de67c2571db0e0bd5e92362d41fc28bc"
