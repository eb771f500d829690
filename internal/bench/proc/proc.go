package proc

import (
	"fmt"
	"os"
	"strconv"
	"strings"
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
