//go:build cuda

// The kernels' PTX, a file per family and a module per kernel, loaded when the kernel is first launched.

package cuda

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"

	"gorgonia.org/cu"
)

//go:embed kernels/ptx/*.ptx
var ptxFiles embed.FS

// library finds kernels in PTX. By family it has the declarations and functions that all kernels of the family share;
// by kernel the family, the text and the number of parameters.
type library struct {
	shared       map[string]string
	family, text map[string]string
	parameters   map[string]int
}

func newLibrary() *library {
	return &library{shared: map[string]string{}, family: map[string]string{}, text: map[string]string{}, parameters: map[string]int{}}
}

// embedded is the library of the binary's own kernels.
var embedded = sync.OnceValues(func() (*library, error) {
	entries, err := ptxFiles.ReadDir("kernels/ptx")
	if err != nil {
		return nil, err
	}
	l := newLibrary()
	for _, entry := range entries {
		text, err := ptxFiles.ReadFile("kernels/ptx/" + entry.Name())
		if err != nil {
			return nil, err
		}
		if err := l.add(entry.Name(), string(text)); err != nil {
			return nil, err
		}
	}
	return l, nil
})

// entryPoint matches a kernel from its name, at the beginning of a line, to the end of its body.
var entryPoint = regexp.MustCompile(`(?ms)^\.visible \.entry (\w+)\(([^)]*)\).*?^}$`)

func (l *library) add(family, ptx string) error {
	var shared strings.Builder
	start := 0
	for _, m := range entryPoint.FindAllStringSubmatchIndex(ptx, -1) {
		name := ptx[m[2]:m[3]]
		if other, ok := l.family[name]; ok {
			return fmt.Errorf("kernel %s is in %s and in %s", name, other, family)
		}
		l.family[name] = family
		l.text[name] = ptx[m[0]:m[1]]
		l.parameters[name] = strings.Count(ptx[m[4]:m[5]], ".param")
		shared.WriteString(ptx[start:m[0]])
		start = m[1]
	}
	shared.WriteString(ptx[start:])
	l.shared[family] = shared.String()
	return nil
}

// module is PTX with one kernel: the driver takes seconds to compile a whole family, but a program needs only a few
// kernels.
func (l *library) module(kernel string) (ptx string, ok bool) {
	family, ok := l.family[kernel]
	return l.shared[family] + l.text[kernel] + "\n", ok
}

// function finds a kernel by name and loads its module on first use.
func (c *Context) function(kernel string) (*function, error) {
	if f, ok := c.functions[kernel]; ok {
		return f, nil
	}
	ptx, ok := c.library.module(kernel)
	if !ok {
		return nil, fmt.Errorf("kernel %s is in no PTX module", kernel)
	}
	var module cu.Module
	run := func() (err error) {
		module, err = load(ptx)
		return err
	}
	err := error(nil)
	if c.capturing {
		err = relaxed(run)
	} else {
		err = run()
	}
	if err != nil {
		return nil, fmt.Errorf("kernel %s: %w", kernel, err)
	}
	c.modules = append(c.modules, module)
	f, err := module.Function(kernel)
	if err != nil {
		return nil, fmt.Errorf("kernel %s: %w", kernel, explain(err))
	}
	c.functions[kernel] = &function{function: f}
	return c.functions[kernel], nil
}

// load gives PTX to the driver; the error has the driver's log.
func load(ptx string) (cu.Module, error) {
	log := make([]byte, 16<<10)
	module, err := cu.LoadDataEx(ptx, &cu.JITErrorLogBuffer{Buffer: log})
	if err == nil {
		return module, nil
	}
	text, _, _ := bytes.Cut(log, []byte{0})
	if text = bytes.TrimSpace(text); len(text) > 0 {
		return module, fmt.Errorf("the driver rejects the kernels: %w: %s", explain(err), text)
	}
	return module, fmt.Errorf("the driver rejects the kernels: %w", explain(err))
}

func (c *Context) unload() error {
	var all error
	for _, module := range c.modules {
		all = errors.Join(all, explain(module.Unload()))
	}
	return all
}
