// The folders of a run, where the kernel holds it to them.

package mcp

// wall says what a run may use.
type wall struct{ reads, writes []string }
