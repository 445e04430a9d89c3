//go:build !linux

// Where threads cannot be placed, the system's choice is left alone.

package cpu

func yield() {}

func processor() int { return -1 }

func leaveProcessor(int) {}
