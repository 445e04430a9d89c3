// What a run may use, where the kernel holds it to that.

package mcp

// wall says what a run may use.
type wall struct{ reads, writes []string }
