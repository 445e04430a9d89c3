// Tests of jobs on a cluster: Debian's Slurm with two nodes on this machine, one of which dies.

package scale_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"repscope/dataset"
	"repscope/internal/run"
	"repscope/internal/runtest"
	"repscope/suite"
	"repscope/tool/scale"
)

const (
	// asBinary is the variable that makes the test's binary the one of a name.
	asBinary = "SCALE_TEST_BINARY"
	// asNode is the variable that makes it what runs its arguments as a node of a cluster.
	asNode = "SCALE_TEST_NODE"
	// holdAt is the variable with the file that an analysis of scale writes when it begins to
	// compute, to hang there until it is killed.
	holdAt = "SCALE_TEST_HOLD"
)

func TestMain(m *testing.M) {
	if os.Getenv(asNode) != "" {
		node(os.Args[1:])
	}
	if name := os.Getenv(asBinary); name == "scale" && os.Getenv(holdAt) != "" {
		run.Main(scale.New(hanging(suite.Analyses(), os.Getenv(holdAt)), suite.Studies()))
	} else if name != "" {
		e, ok := suite.Find(name)
		if !ok {
			panic("no binary " + name)
		}
		run.Main(e.Command)
	}
	var err error
	if ratesDir, err = os.MkdirTemp("", "scale-rates"); err != nil {
		panic(err)
	}
	code := m.Run()
	_ = os.RemoveAll(ratesDir)
	os.Exit(code)
}

// hanging makes analyses that write a file and hang where they would begin to compute.
func hanging(analyses []run.Command, file string) []run.Command {
	for i := range analyses {
		setup := analyses[i].Setup
		analyses[i].Setup = func(flags *run.Flags) run.Job {
			job := setup(flags)
			job.Run = func(ctx context.Context, _ *run.Env) error {
				if err := os.WriteFile(file, nil, 0o666); err != nil {
					return err
				}
				<-ctx.Done()
				return ctx.Err()
			}
			return job
		}
	}
	return analyses
}

// ratesDir keeps what is measured of this machine, once for all tests.
var ratesDir string

// binary runs a binary of ours in a folder.
func binary(t *testing.T, dir, name string, args ...string) (out string, code int) {
	t.Helper()
	return binaryWith(t, nil, dir, name, args...)
}

func binaryWith(t *testing.T, env []string, dir, name string, args ...string) (out string, code int) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.CommandContext(t.Context(), self, args...)
	c.Dir = dir
	c.Env = append(append(os.Environ(), asBinary+"="+name), env...)
	data, err := c.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return string(data), c.ProcessState.ExitCode()
}

// succeeds is binary for what must succeed.
func succeeds(t *testing.T, dir, name string, args ...string) string {
	t.Helper()
	out, code := binary(t, dir, name, args...)
	if code != 0 {
		t.Fatalf("%s %v: exit status %d\n%s", name, args, code, out)
	}
	return out
}

// arrays writes frames f.npy and latents z.npy of n states.
func arrays(t *testing.T, dir string, n int) {
	t.Helper()
	random := rand.New(rand.NewPCG(1, 2))
	frames, latents := make([]uint8, n*48), make([]float32, n*6)
	for i := range frames {
		frames[i] = uint8(random.Uint32())
	}
	for i := range latents {
		latents[i] = float32(frames[i/6*48+i%6]) + float32(random.NormFloat64())
	}
	if err := errors.Join(dataset.WriteNPY(filepath.Join(dir, "f.npy"), []int{n, 48}, frames), dataset.WriteNPY(filepath.Join(dir, "z.npy"), []int{n, 6}, latents)); err != nil {
		t.Fatal(err)
	}
}

// timeless is a result file without what differs from run to run.
func timeless(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var kept []string
	for line := range strings.Lines(string(data)) {
		if !strings.HasPrefix(line, `  "started": `) && !strings.HasPrefix(line, `  "elapsed_s": `) && !strings.HasPrefix(line, `  "latents_from_cache": `) {
			kept = append(kept, line)
		}
	}
	return strings.Join(kept, "")
}

// cluster is a Slurm of two nodes.
type cluster struct {
	dir, conf string
	node      map[string]*exec.Cmd
}

// startCluster starts munged, slurmctld and two slurmd; it skips the test where they are not installed.
func startCluster(t *testing.T) *cluster {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("Slurm is for Linux")
	}
	t.Setenv("PATH", os.Getenv("PATH")+":/usr/sbin")
	for _, program := range []string{"munged", "slurmctld", "slurmd", "sbatch", "squeue", "scontrol"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("%s is not installed (Debian: slurm-wlm munge)", program)
		}
	}
	dir, err := os.MkdirTemp("", "slurm") // the name of a socket is short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	c := &cluster{dir: dir, conf: filepath.Join(dir, "slurm.conf"), node: map[string]*exec.Cmd{}}
	for _, folder := range []string{"state", "spool/n1", "spool/n2"} {
		if err := os.MkdirAll(filepath.Join(dir, folder), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	key := make([]byte, 64)
	random := rand.New(rand.NewPCG(uint64(os.Getpid()), uint64(time.Now().UnixNano())))
	for i := range key {
		key[i] = byte(random.Uint32())
	}
	if err := os.WriteFile(filepath.Join(dir, "munge.key"), key, 0o400); err != nil {
		t.Fatal(err)
	}
	c.configure(t)
	t.Setenv("SLURM_CONF", c.conf)
	c.daemon(t, "munged", "--foreground", "--force", "--key-file="+dir+"/munge.key", "--socket="+dir+"/munge.sock", "--pid-file="+dir+"/munged.pid", "--log-file="+dir+"/munged.log", "--seed-file="+dir+"/munge.seed")
	c.until(t, "munge's socket", func() bool { _, err := os.Stat(dir + "/munge.sock"); return err == nil })
	c.daemon(t, "slurmctld", "-D")
	for _, name := range []string{"n1", "n2"} {
		c.node[name] = c.startNode(t, name)
	}
	c.until(t, "two idle nodes", func() bool {
		out, _ := exec.Command("sinfo", "--noheader", "--Node", "--format=%N %T").Output()
		return strings.Count(string(out), "idle") == 2
	})
	return c
}

// configure writes slurm.conf. Without systemd and control groups: processes are followed by their parents. The times
// leave room on a machine that is busy: a node that answers late must not be taken for the one that is killed, and is
// back as soon as it answers.
func (c *cluster) configure(t *testing.T) {
	t.Helper()
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	me, err := user.Current()
	if err != nil {
		t.Fatal(err)
	}
	ports := freePorts(t, 3)
	text := fmt.Sprintf(`ClusterName=test
SlurmctldHost=%s(127.0.0.1)
SlurmctldPort=%d
SlurmUser=%s
SlurmdUser=%[3]s
AuthType=auth/munge
AuthInfo=socket=%[4]s/munge.sock
StateSaveLocation=%[4]s/state
SlurmdSpoolDir=%[4]s/spool/%%n
SlurmctldPidFile=%[4]s/slurmctld.pid
SlurmdPidFile=%[4]s/slurmd.%%n.pid
SlurmctldLogFile=%[4]s/slurmctld.log
SlurmdLogFile=%[4]s/slurmd.%%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerType=sched/builtin
SchedulerParameters=sched_interval=1,batch_sched_delay=0,requeue_delay=0
SlurmdParameters=config_overrides
MpiDefault=none
ReturnToService=1
SlurmdTimeout=20
MessageTimeout=60
TCPTimeout=20
BatchStartTimeout=300
UnkillableStepTimeout=300
KillWait=1
MaxArraySize=4
NodeName=n1 NodeHostname=%[1]s NodeAddr=127.0.0.1 Port=%[5]d CPUs=2 RealMemory=8000
NodeName=n2 NodeHostname=%[1]s NodeAddr=127.0.0.1 Port=%[6]d CPUs=2 RealMemory=8000
PartitionName=main Nodes=n1,n2 Default=YES MaxTime=INFINITE State=UP
`, host, ports[0], me.Username, c.dir, ports[1], ports[2])
	if err := os.WriteFile(c.conf, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// freePorts are ports that nobody listens on, below those that the system gives to connections.
func freePorts(t *testing.T, n int) []int {
	t.Helper()
	const from, to = 10000, 30000
	var ports []int
	for range 1000 {
		port := from + rand.IntN(to-from)
		l, err := net.Listen("tcp", ":"+strconv.Itoa(port)) // Slurm listens on all addresses
		if err != nil || slices.Contains(ports, port) {
			continue
		}
		_ = l.Close()
		if ports = append(ports, port); len(ports) == n {
			return ports
		}
	}
	t.Fatalf("no %d free ports", n)
	return nil
}

// startNode starts a node: a process below which everything that runs on the node remains, whatever becomes of its
// parents.
func (c *cluster) startNode(t *testing.T, name string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, "slurmd", "-D", "-N", name)
	cmd.Env = append(os.Environ(), asNode+"="+name)
	log, err := os.Create(filepath.Join(c.dir, "slurmd-"+name+".out"))
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		c.kill(t, name)
		_ = cmd.Wait()
		_ = log.Close()
	})
	return cmd
}

// daemon starts a program that ends with the test.
func (c *cluster) daemon(t *testing.T, name string, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(name, args...)
	log, err := os.Create(filepath.Join(c.dir, filepath.Base(name)+"-"+args[len(args)-1][max(0, len(args[len(args)-1])-3):]+".out"))
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		done := make(chan struct{})
		go func() { _ = cmd.Wait(); close(done) }()
		select {
		case <-done:
		case <-time.After(5 * time.Second):
			_ = cmd.Process.Kill()
			<-done
		}
		_ = log.Close()
	})
	return cmd
}

// until waits for something, four minutes at most.
func (c *cluster) until(t *testing.T, what string, done func() bool) {
	t.Helper()
	for range 2400 {
		if done() {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	logs, _ := filepath.Glob(filepath.Join(c.dir, "*.log"))
	outs, _ := filepath.Glob(filepath.Join(c.dir, "*.out"))
	for _, path := range append(logs, outs...) {
		data, _ := os.ReadFile(path)
		t.Logf("%s:\n%s", path, data[max(0, len(data)-3000):])
	}
	t.Fatalf("no %s after four minutes", what)
}

// kill ends a node as a cut of its power would: everything that runs on it, at once. All are stopped before the first
// dies, as slurmstepd would still report the end of a task that died before it, which Slurm would then not give to
// another node.
func (c *cluster) kill(t *testing.T, node string) {
	t.Helper()
	root := c.node[node].Process.Pid
	var victims []int
	depth := map[int]int{}
	for more := true; more; { // until nothing is left that could begin anything
		more = false
		for pid, family := range families(t) {
			if slices.Contains(family, root) && depth[pid] == 0 {
				victims, depth[pid], more = append(victims, pid), len(family), true
				halt(pid)
			}
		}
	}
	slices.SortFunc(victims, func(a, b int) int { return depth[b] - depth[a] })
	for _, pid := range victims {
		end(pid)
	}
}

// families are the processes, each with its ancestors and itself.
func families(t *testing.T) map[int][]int {
	t.Helper()
	entries, err := os.ReadDir("/proc")
	if err != nil {
		t.Fatal(err)
	}
	parents := map[int]int{}
	for _, e := range entries {
		if pid, err := strconv.Atoi(e.Name()); err == nil {
			parents[pid] = parent(pid)
		}
	}
	all := map[int][]int{}
	for pid := range parents {
		for p := pid; p > 1 && !slices.Contains(all[pid], p); p = parents[p] {
			all[pid] = append(all[pid], p)
		}
	}
	return all
}

// hurry takes away the two minutes for which Slurm holds jobs of a node that has died, and reports whether there was
// one.
func (c *cluster) hurry() (held bool) {
	out, _ := exec.Command("squeue", "--array", "--noheader", "--states=PENDING", "--format=%i %r").Output()
	for line := range strings.Lines(string(out)) {
		if id, reason, _ := strings.Cut(strings.TrimSpace(line), " "); reason == "BeginTime" {
			held = exec.Command("scontrol", "update", "JobId="+id, "StartTime=now").Run() == nil || held
		}
	}
	return held
}

// hurrying is hurry again and again, until the function that it returns is called.
func (c *cluster) hurrying() (stop func()) {
	end, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for {
			select {
			case <-end:
				return
			case <-time.After(time.Second):
				c.hurry()
			}
		}
	}()
	return func() { close(end); <-ended }
}

// parent is the parent of a process, 0 if it is not known.
func parent(pid int) int {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(data), ") ")
	fields := strings.Fields(rest)
	if len(fields) < 2 {
		return 0
	}
	p, _ := strconv.Atoi(fields[1])
	return p
}

// program writes a script that runs scale; before is what it does before.
func program(t *testing.T, dir, before string) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "scale it's.sh")
	text := "#!/bin/sh\n" + asBinary + "=scale; export " + asBinary + "\nself='" + self + "'\n" + before + "exec \"$self\" \"$@\"\n"
	if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

// A node dies in the middle of a task, which Slurm gives to the other node; a task fails once, and is submitted
// again. The bytes are those of one process.
func TestSlurm(t *testing.T) { //nolint:paralleltest // it sets the environment
	runtest.Long(t, "it starts a cluster")
	c := startCluster(t)
	dir := filepath.Join(t.TempDir(), "an odd 100%n $HOME 'folder'")
	if err := os.MkdirAll(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	arrays(t, dir, 1500)
	args := []string{"--frames", "f.npy", "--latents", "z=z.npy", "--permutations", "0", "--bootstrap", "0"}
	succeeds(t, dir, "neighborhood", append([]string{"--quiet", "--out", "one"}, args...)...)

	// What runs on node n2 hangs while it holds its lock, until the node dies; the first try of number 3, which is
	// then on n1, fails. On n2 its failure could die with the node before it is known.
	wrapper := program(t, dir, `
if [ "$1" = task ] && [ "$SLURMD_NODENAME" = n2 ]; then
	`+holdAt+`='`+c.dir+`/holds' exec "$self" "$@"
fi
if [ "$1" = task ] && [ "$SLURM_ARRAY_TASK_ID" = 3 ] && mkdir `+"'"+c.dir+"'"+`/failed 2>/dev/null; then exit 1; fi
`)
	command := append([]string{"slurm", "--shards", "6", "--cpus", "1", "--submit", "--out", "many", "--memory", "300MB", "--program", wrapper, "--rates", ratesDir, "--"}, append([]string{"neighborhood"}, args...)...)
	out := succeeds(t, dir, "scale", command...)
	if !strings.Contains(out, "6 tasks submitted: jobs ") {
		t.Errorf("got %s", out)
	}
	c.until(t, "task on n2", func() bool { _, err := os.Stat(c.dir + "/holds"); return err == nil })
	c.kill(t, "n2")
	c.until(t, "job that is given to the other node", c.hurry)
	stop := c.hurrying()
	follow, code := binary(t, dir, "scale", "slurm", "many", "--follow", "--poll", "300ms")
	stop()
	if code != 1 || !strings.Contains(follow, "1 missing") || !strings.Contains(follow, "scale slurm ") || !strings.Contains(follow, " --resubmit") {
		c.show(t, dir)
		t.Fatalf("after a node has died and a task has failed: exit status %d\n%s", code, follow)
	}
	again, code := binary(t, dir, "scale", "slurm", "many", "--resubmit", "--follow", "--poll", "300ms", "--program", wrapper)
	if code != 0 || !strings.Contains(again, "1 task submitted") {
		c.show(t, dir)
		t.Fatalf("submitted again: exit status %d\n%s", code, again)
	}
	for _, name := range []string{"neighborhood.json"} {
		if timeless(t, filepath.Join(dir, "one", name)) != timeless(t, filepath.Join(dir, "many", name)) {
			t.Errorf("%s differs from that of one process", name)
		}
	}
	if out := succeeds(t, dir, "scale", "status", "many"); out != "6 tasks: 6 complete\n" {
		t.Errorf("got %q", out)
	}
	if out := succeeds(t, dir, "scale", "slurm", "many", "--resubmit"); !strings.Contains(out, "nothing to submit") {
		t.Errorf("got %q", out)
	}
}

// show logs what Slurm says.
func (c *cluster) show(t *testing.T, dir string) {
	t.Helper()
	for _, command := range [][]string{{"sinfo"}, {"squeue", "--array"}, {"scontrol", "show", "job"}, {"tail", "-n", "30", c.dir + "/slurmctld.log"}} {
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		out, _ := exec.CommandContext(ctx, command[0], command[1:]...).CombinedOutput()
		cancel()
		t.Logf("%v\n%s", command, out)
	}
	files, _ := filepath.Glob(filepath.Join(strings.NewReplacer("*", `\*`).Replace(dir), "many", "slurm", "*"))
	for _, file := range files {
		data, _ := os.ReadFile(file)
		t.Logf("%s:\n%s", file, data)
	}
}
