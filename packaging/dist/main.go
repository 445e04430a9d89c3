// Dist writes the released files: an archive of the program for every system, or a wheel of the
// Python package, checksums and a bill of materials. The same commit gives the same bytes.
//
//	go run ./packaging/dist --out dist
//	go run ./packaging/dist --wheels --out dist
//	go run ./packaging/dist --out dist --targets linux/amd64,darwin/arm64
package main

import (
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"repscope/report"
)

// targets are the systems that the program is handed out for.
var targets = []string{"linux/amd64", "linux/arm64", "darwin/amd64", "darwin/arm64", "windows/amd64", "windows/arm64"}

func main() {
	out := flag.String("out", "dist", "folder for the archives")
	list := flag.String("targets", strings.Join(targets, ","), "systems, as GOOS/GOARCH")
	version := flag.String("version", "", "release (default: the declared one, with the commit unless it has the tag)")
	wheels := flag.Bool("wheels", false, "write wheels instead of archives")
	flag.Parse()
	if err := run(*out, strings.Split(*list, ","), *version, *wheels); err != nil {
		fmt.Fprintln(os.Stderr, "dist:", err)
		os.Exit(1)
	}
}

func run(out string, list []string, version string, wheels bool) error {
	for _, target := range list {
		if !slices.Contains(targets, target) {
			return fmt.Errorf("%q is not one of %s", target, strings.Join(targets, ", "))
		}
	}
	if version == "" {
		version = declared()
	}
	if !versions.MatchString(version) {
		return fmt.Errorf("--version %s: want a release, such as %s or %s+g1234abcd", version, report.Version, report.Version)
	}
	moment, err := sourceDate()
	if err != nil {
		return err
	}
	work, err := os.MkdirTemp("", "repscope-dist")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	one := func(target string) (string, error) { return wheel(target, version, out, work, moment) }
	if !wheels {
		shared, err := sharedFiles(work, version, moment)
		if err != nil {
			return err
		}
		one = func(target string) (string, error) { return archiveOf(target, version, out, work, shared, moment) }
	}
	if err := os.MkdirAll(out, 0o755); err != nil {
		return err
	}
	var sums strings.Builder
	for _, target := range list {
		path, err := one(target)
		if err != nil {
			return fmt.Errorf("%s: %w", target, err)
		}
		sum, err := digest(path)
		if err != nil {
			return err
		}
		fmt.Fprintf(&sums, "%s  %s\n", sum, filepath.Base(path))
		fmt.Println(path)
	}
	name := "SHA256SUMS"
	if wheels {
		name = "SHA256SUMS.wheels"
	}
	return os.WriteFile(filepath.Join(out, name), []byte(sums.String()), 0o644)
}

// versions are those that Go's, Python's and conda's tools all take.
var versions = regexp.MustCompile(`^[0-9]+(\.[0-9]+)+(\+[a-z0-9]+(\.[a-z0-9]+)*)?$`)

// declared returns the declared version. It stands alone if the commit has its tag and no file was changed. Otherwise
// the commit follows, or "+devel" without git.
func declared() string {
	commit, err := output("git", "rev-parse", "HEAD")
	if err != nil {
		return report.Version + "+devel"
	}
	changed, err := output("git", "status", "--porcelain", "--untracked-files=no")
	tag, _ := output("git", "tag", "--points-at", "HEAD", "--list", "v"+report.Version)
	switch {
	case err != nil || changed != "":
		return report.Version + "+g" + commit[:8] + ".dirty"
	case tag == "":
		return report.Version + "+g" + commit[:8]
	}
	return report.Version
}

// archiveOf builds the program for a target and packs it with the shared files.
func archiveOf(target, version, out, work string, shared []file, moment time.Time) (string, error) {
	system, processor, _ := strings.Cut(target, "/")
	program, err := programFor(target, work, version, moment)
	if err != nil {
		return "", err
	}
	binary, err := os.ReadFile(program)
	if err != nil {
		return "", err
	}
	bill, err := billOf(program, version)
	if err != nil {
		return "", err
	}
	name := fmt.Sprintf("repscope-%s-%s-%s", version, system, machine(processor))
	files := append([]file{{filepath.Base(program), binary, 0o755}, {"sbom.cdx.json", bill, 0o644}}, shared...)
	if system == "windows" {
		return pack(filepath.Join(out, name+".zip"), name, files, moment, writeZip)
	}
	return pack(filepath.Join(out, name+".tar.gz"), name, files, moment, writeTar)
}

// programFor builds the program for a target and returns its path.
func programFor(target, work, version string, moment time.Time) (string, error) {
	system, processor, _ := strings.Cut(target, "/")
	program := filepath.Join(work, system+"-"+processor, "repscope")
	if system == "windows" {
		program += ".exe"
	}
	return program, build(program, system, processor, version, moment)
}

// build compiles the program: static, stripped, without the path it was built in. It is told its version: what Go's
// tool reads from git depends on the depth of the clone and on settings of the machine, and a copy of the sources has
// no git.
func build(program, system, processor, version string, moment time.Time) error {
	cold, err := coldFlags("packaging/cold.txt")
	if err != nil {
		return err
	}
	args := append([]string{"build", "-trimpath", "-buildvcs=false", "-ldflags=" + linkerFlags(version, moment), "-o", program}, cold...)
	c := exec.Command("go", append(args, "./cmd/repscope")...)
	c.Env = append(os.Environ(), "CGO_ENABLED=0",
		"GOOS="+system, "GOARCH="+processor, "GOFLAGS=-mod=readonly", "GOAMD64=v1", "GOARM64=v8.0")
	if said, err := c.CombinedOutput(); err != nil {
		return fmt.Errorf("go build: %w\n%s", err, said)
	}
	return nil
}

// linkerFlags strip a program and tell it what it is.
func linkerFlags(version string, moment time.Time) string {
	flags := "-s -w -buildid= -X repscope/report.version=" + version + " -X repscope/report.moment=" + moment.Format(time.RFC3339)
	if revision, err := output("git", "rev-parse", "HEAD"); err == nil {
		if strings.HasSuffix(version, ".dirty") {
			revision += "+modified"
		}
		flags += " -X repscope/report.revision=" + revision
	}
	return flags
}

// coldFlags are the compiler's for packages that a file lists, in which nothing is inlined.
func coldFlags(path string) ([]string, error) {
	list, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var flags []string
	for line := range strings.Lines(string(list)) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			flags = append(flags, "-gcflags="+line+"=-l")
		}
	}
	return flags, nil
}

// machine is what uname calls a processor.
func machine(processor string) string {
	if processor == "amd64" {
		return "x86_64"
	}
	return processor
}

// sourceDate is the time of all packed files: SOURCE_DATE_EPOCH, or the commit's.
func sourceDate() (time.Time, error) {
	text := os.Getenv("SOURCE_DATE_EPOCH")
	if text == "" {
		var err error
		if text, err = output("git", "log", "-1", "--format=%ct"); err != nil {
			return time.Time{}, err
		}
	}
	seconds, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return time.Time{}, fmt.Errorf("SOURCE_DATE_EPOCH: %w", err)
	}
	return time.Unix(seconds, 0).UTC(), nil
}

func output(name string, args ...string) (string, error) {
	printed, err := exec.Command(name, args...).Output()
	if err != nil {
		var failed *exec.ExitError
		if errors.As(err, &failed) {
			return "", fmt.Errorf("%s: %w\n%s", strings.Join(append([]string{name}, args...), " "), err, failed.Stderr)
		}
		return "", err
	}
	return strings.TrimSpace(string(printed)), nil
}

func digest(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return fmt.Sprintf("%x", h.Sum(nil)), nil
}
