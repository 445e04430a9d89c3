// The modules that the nodes of a graph belong to, by the names of the tensors.

package statedict

import (
	"iter"
	"strings"

	"repscope/model/graph"
)

// NameModules finds the module of each node: the longest beginning of its name that is the name of a module, which has
// tensors or parts with tensors. The names of tensors count that begin with a prefix.
func NameModules(nodes []*graph.Node, tensors iter.Seq[string], prefix string) {
	modules := map[string]bool{}
	for key := range tensors {
		name, ok := strings.CutPrefix(key, prefix)
		if !ok {
			continue
		}
		for name = parent(name); name != "" && !modules[name]; name = parent(name) {
			modules[name] = true
		}
	}
	for _, node := range nodes {
		scope := node.Name
		if sum, ok := strings.CutSuffix(scope, ".residual"); ok { // the block adds its input to the output of a part
			scope = blockOf(sum)
		}
		for scope != "" && !modules[scope] {
			scope = parent(scope)
		}
		node.Scope = scope
	}
}

// parent is the name of the module that has a part; empty for the whole model.
func parent(name string) string { return name[:max(strings.LastIndexByte(name, '.'), 0)] }

// blockOf is the innermost module around a part whose name ends with a number; empty if there is none.
func blockOf(part string) string {
	for part != "" && !strings.Contains("0123456789", part[len(part)-1:]) {
		part = parent(part)
	}
	return part
}
