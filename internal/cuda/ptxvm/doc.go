// Package ptxvm executes PTX on the CPU, for tests. It implements NVIDIA's definition of every instruction in the
// kernels' PTX, and no others: a new instruction is an error until it is implemented.
//
//	module, err := ptxvm.Parse("pool.ptx", text)
//	machine := ptxvm.NewMachine()
//	err = machine.Run(module, &ptxvm.Launch{
//		Kernel: "max_pool_f32", Grid: [3]int{8, 1, 1}, Block: [3]int{256, 1, 1},
//		Arguments: arguments, Memory: regions, Seed: 1,
//	})
//
// Lanes of a warp diverge and meet again at the lowest program counter. The warps of a block and the blocks of a launch
// run in an order drawn from the seed. Mistakes of the kernel are errors of type *Fault, with the line of the PTX and
// the lane:
//
//   - reads of unwritten registers, shared memory and global memory;
//   - accesses out of bounds or misaligned, and of bytes that an asynchronous copy still brings;
//   - races: two threads touch a byte, one of them writes, and no barrier lies between them;
//   - barriers and warp operations that not all lanes reach, lanes outside of a mask;
//   - integer division by zero, and kernels that do not end.
package ptxvm
