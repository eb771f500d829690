//go:build unix

package replay

import (
	"os/exec"
	"syscall"
)

const canRun = true

// own gives a command a process group, so that its end is that of all it started.
func own(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
