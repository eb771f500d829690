package proc

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

// A Usage is the resident memory of a process, in megabytes of 10^6 bytes.
type Usage struct {
	MB     float64 // now
	PeakMB float64 // at most, since the process started
}

// Memory reads the usage of a process of this machine.
func Memory(pid int) (Usage, error) {
	file := fmt.Sprintf("/proc/%d/status", pid)
	data, err := os.ReadFile(file)
	if err != nil {
		return Usage{}, fmt.Errorf("reading the memory of a process: %w", err)
	}
	var u Usage
	for _, field := range []struct {
		name string
		to   *float64
	}{{"VmRSS:", &u.MB}, {"VmHWM:", &u.PeakMB}} {
		_, rest, _ := strings.Cut(string(data), "\n"+field.name)
		line, _, _ := strings.Cut(rest, "\n")
		kib, err := strconv.ParseFloat(strings.TrimSpace(strings.TrimSuffix(line, " kB")), 64)
		if err != nil {
			return Usage{}, fmt.Errorf("%s: no %s: %w", file, field.name, err)
		}
		*field.to = kib * 1024 / 1e6
	}
	return u, nil
}

// tick is the unit of the times in a stat file; Linux has it fixed.
const tick = 10 * time.Millisecond

// CPU reads the processor time, of the user and of the system, that a process
// of this machine has had.
func CPU(pid int) (time.Duration, error) {
	file := fmt.Sprintf("/proc/%d/stat", pid)
	data, err := os.ReadFile(file)
	if err != nil {
		return 0, fmt.Errorf("reading the processor time of a process: %w", err)
	}
	// The second field is a name in parentheses, which may have spaces; what
	// follows begins with the third.
	fields := strings.Fields(string(data[strings.LastIndexByte(string(data), ')')+1:]))
	if len(fields) < 13 {
		return 0, fmt.Errorf("%s has %d fields after the name", file, len(fields))
	}
	var total time.Duration
	for _, field := range fields[11:13] {
		n, err := strconv.ParseInt(field, 10, 64)
		if err != nil {
			return 0, fmt.Errorf("%s: %w", file, err)
		}
		total += time.Duration(n) * tick
	}
	return total, nil
}

// Children returns the processes that a process of this machine started and
// that still run.
func Children(pid int) ([]int, error) {
	dirs, err := os.ReadDir("/proc")
	if err != nil {
		return nil, fmt.Errorf("listing processes: %w", err)
	}
	var children []int
	for _, d := range dirs {
		n, err := strconv.Atoi(d.Name())
		if err != nil {
			continue
		}
		data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", n))
		if err != nil {
			continue // it has ended
		}
		fields := strings.Fields(string(data[strings.LastIndexByte(string(data), ')')+1:]))
		if len(fields) > 1 && fields[1] == strconv.Itoa(pid) {
			children = append(children, n)
		}
	}
	return children, nil
}
