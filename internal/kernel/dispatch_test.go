// Tests of the choice of an implementation, in processes of their own.

package kernel

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// The selection by the environment variable, in processes of their own.
func TestSelection(t *testing.T) {
	if os.Getenv("KERNEL_TEST_CHILD") != "" {
		name, err := Selected()
		fmt.Printf("name=%s err=%v\n", name, err)
		return
	}
	var names []string
	for _, impl := range implementations() {
		names = append(names, impl.name)
	}
	best := names[len(names)-1]
	cases := map[string]string{
		"":       "name=" + best + " err=<nil>",
		"sse9":   "name=" + best + ` err=REPSCOPE_KERNEL="sse9" is unknown`,
		"AVX2":   "is unknown",
		"avx512": "",
		"avx2":   "",
		"amx":    "",
	}
	for _, name := range names {
		cases[name] = "name=" + name + " err=<nil>"
	}
	for _, name := range []string{"avx2", "avx512", "amx"} {
		if cases[name] == "" {
			cases[name] = "is not supported by this processor or build"
		}
	}
	if withoutTiles != "" {
		cases["amx"] = "cannot be used: " + withoutTiles
	}
	executable, err := os.Executable()
	if err != nil {
		t.Skipf("cannot run itself: %v", err)
	}
	for value, want := range cases {
		command := exec.Command(executable, "-test.run=^TestSelection$")
		command.Env = append(os.Environ(), "KERNEL_TEST_CHILD=1", Environment+"="+value)
		out, err := command.CombinedOutput()
		if err != nil || !strings.Contains(string(out), want) {
			t.Errorf("%s=%q: %v, output %q, want %q", Environment, value, err, out, want)
		}
	}
}
