//go:build cuda

// The kernels' PTX, one module per family, loaded when a kernel is first launched.

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

// library finds kernels in PTX: ptx by family, the family and the number of
// parameters by kernel.
type library struct {
	ptx, family map[string]string
	parameters  map[string]int
}

// embedded is the library of the binary's own kernels.
var embedded = sync.OnceValues(func() (*library, error) {
	entries, err := ptxFiles.ReadDir("kernels/ptx")
	if err != nil {
		return nil, err
	}
	l := &library{ptx: map[string]string{}, family: map[string]string{}, parameters: map[string]int{}}
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

var entryPoint = regexp.MustCompile(`\.entry (\w+)\(([^)]*)\)`)

func (l *library) add(family, ptx string) error {
	l.ptx[family] = ptx
	for _, m := range entryPoint.FindAllStringSubmatch(ptx, -1) {
		if other, ok := l.family[m[1]]; ok {
			return fmt.Errorf("kernel %s is in %s and in %s", m[1], other, family)
		}
		l.family[m[1]] = family
		l.parameters[m[1]] = strings.Count(m[2], ".param")
	}
	return nil
}

// function finds a kernel by name and loads its family's module on first use.
func (c *Context) function(kernel string) (*function, error) {
	if f, ok := c.functions[kernel]; ok {
		return f, nil
	}
	family, ok := c.library.family[kernel]
	if !ok {
		return nil, fmt.Errorf("kernel %s: no PTX has it", kernel)
	}
	if err := c.loadFamily(family); err != nil {
		return nil, fmt.Errorf("%s: %w", family, err)
	}
	f, err := c.modules[family].Function(kernel)
	if err != nil {
		return nil, fmt.Errorf("kernel %s: %w", kernel, explain(err))
	}
	c.functions[kernel] = &function{function: f}
	return c.functions[kernel], nil
}

func (c *Context) loadFamily(family string) error {
	if _, ok := c.modules[family]; ok {
		return nil
	}
	run := func() error {
		module, err := load(c.library.ptx[family])
		if err == nil {
			c.modules[family] = module
		}
		return err
	}
	if c.capturing {
		return relaxed(run)
	}
	return run()
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
		return module, fmt.Errorf("the driver does not take the kernels: %w: %s", explain(err), text)
	}
	return module, fmt.Errorf("the driver does not take the kernels: %w", explain(err))
}

func (c *Context) unload() error {
	var all error
	for _, module := range c.modules {
		all = errors.Join(all, explain(module.Unload()))
	}
	return all
}
