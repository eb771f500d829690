package soak

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestFullDiskUnderTheCacheIsNoFault has the folder of the cache on a file system
// of its own, which is full. The document is served, and so is its next version.
func TestFullDiskUnderTheCacheIsNoFault(t *testing.T) {
	const full = `mkdir cache && mount -t tmpfs -o size=16k full cache || exit
head -c 100k /dev/zero >cache/fill 2>/dev/null
exec "$0" "$@"`
	if testing.Short() {
		t.Skip("builds the command")
	}
	if out, err := exec.Command("unshare", "-m", "sh", "-c", "mount -t tmpfs full /mnt").CombinedOutput(); err != nil {
		t.Skipf("no file system can be mounted here: %v %s", err, out)
	}
	d := readDocument(t)
	p := newProcess(t, d.version(0), "unshare", "-m", "sh", "-c", full)
	var disk syscall.Statfs_t
	cache := filepath.Join(fmt.Sprintf("/proc/%d/root", p.cmd.Process.Pid), p.dir, "cache")
	if err := syscall.Statfs(cache, &disk); err != nil || disk.Bavail != 0 || disk.Blocks > 16 {
		t.Fatalf("%d of %d blocks are free (%v), want none", disk.Bavail, disk.Blocks, err)
	}
	renamed(p, d, 1)
	p.until("the next version is served", func() bool {
		m, _, err := p.call(t.Context(), quiet, "resources/read", map[string]any{"uri": "skill://soak/soak-guide/SKILL.md"})
		return err == nil && len(m.Result.Contents) == 1 && strings.Contains(m.Result.Contents[0].Text, `version-1"`)
	})
	p.terminate()
}
