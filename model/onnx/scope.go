// Modules of nodes, as the exporters of PyTorch record them.

package onnx

import (
	"strings"

	"google.golang.org/protobuf/encoding/protowire"
)

// scopesKey is the entry of a node's metadata with the paths of its modules, from the whole model to the operator.
const scopesKey = "pkg.torch.onnx.name_scopes"

// scopeOf is the path of the module that a node belongs to, such as "blocks.7.attn": from its metadata, else from a
// name such as "/blocks/blocks.7/attn/Add_1"; empty if neither tells.
func scopeOf(name, recorded string) string {
	if list := quoted(recorded); len(list) > 1 {
		return list[len(list)-2]
	}
	path, ok := strings.CutPrefix(name, "/")
	if !ok {
		return ""
	}
	parts := strings.Split(path, "/")
	var modules []string
	for _, part := range parts[:len(parts)-1] { // the last one is the operator
		if n := len(modules); n > 0 && strings.HasPrefix(part, modules[n-1]+".") {
			modules[n-1] = part // a list of modules, and one of them
			continue
		}
		modules = append(modules, part)
	}
	return strings.Join(modules, ".")
}

// quoted are the strings of a list as Python prints it.
func quoted(list string) []string {
	var parts []string
	for {
		start := strings.IndexAny(list, `'"`)
		if start < 0 {
			return parts
		}
		part, rest, ok := strings.Cut(list[start+1:], list[start:start+1])
		if !ok {
			return parts
		}
		parts, list = append(parts, part), rest
	}
}

// entry is a StringStringEntryProto.
func (m field) entry() (key, value string, err error) {
	err = m.fields(func(n protowire.Number, v field) error {
		switch n {
		case 1:
			key = v.text()
		case 2:
			value = v.text()
		}
		return nil
	})
	return key, value, err
}
