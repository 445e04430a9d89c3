// Systems on which the address space is not limited, or nothing is known of it.

//go:build !linux

package memory

// AddressSpace is the limit of the address space in bytes; 0: none.
func AddressSpace() int64 { return 0 }

func left() (bytes int64, ok bool) { return 0, false }
