package deploy

import (
	"bytes"
	"context"
	"debug/elf"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"gopkg.in/yaml.v3"
)

// The manifests, as much of them as the tests look at. What has a name in them
// that is not here is not checked; there is no schema of Kubernetes here.
type manifest struct {
	Kind     string
	Metadata struct{ Name string }
	Data     map[string]string
	Spec     struct {
		Replicas     int
		MinAvailable int `yaml:"minAvailable"`
		Selector     map[string]any
		Strategy     struct {
			RollingUpdate struct {
				MaxUnavailable *int `yaml:"maxUnavailable"`
			} `yaml:"rollingUpdate"`
		}
		Template struct {
			Metadata struct{ Labels map[string]any }
			Spec     struct {
				TerminationGracePeriodSeconds int            `yaml:"terminationGracePeriodSeconds"`
				SecurityContext               map[string]any `yaml:"securityContext"`
				Containers                    []container
				Volumes                       []struct {
					Name      string
					ConfigMap struct{ Name string } `yaml:"configMap"`
					Secret    struct {
						DefaultMode os.FileMode `yaml:"defaultMode"`
					}
				}
			}
		}
		Ports []struct {
			TargetPort string `yaml:"targetPort"`
		}
	}
}

type container struct {
	Args  []string
	Ports []struct {
		Name          string
		ContainerPort string `yaml:"containerPort"`
	}
	SecurityContext map[string]any `yaml:"securityContext"`
	Startup         probe          `yaml:"startupProbe"`
	Readiness       probe          `yaml:"readinessProbe"`
	Liveness        probe          `yaml:"livenessProbe"`
	Lifecycle       struct {
		PreStop struct{ Sleep struct{ Seconds int } } `yaml:"preStop"`
	}
	VolumeMounts []struct {
		Name      string
		MountPath string `yaml:"mountPath"`
		SubPath   string `yaml:"subPath"`
	} `yaml:"volumeMounts"`
}

type probe struct {
	HTTPGet struct{ Path, Port string } `yaml:"httpGet"`
}

func manifests(t *testing.T) map[string]manifest {
	t.Helper()
	data, err := os.ReadFile("kubernetes.yaml")
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]manifest{}
	for dec := yaml.NewDecoder(bytes.NewReader(data)); ; {
		var m manifest
		if err := dec.Decode(&m); errors.Is(err, io.EOF) {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		all[m.Kind] = m
	}
}

// instructions returns the lines of the container file by their first word.
func instructions(t *testing.T) map[string][]string {
	t.Helper()
	data, err := os.ReadFile("Containerfile")
	if err != nil {
		t.Fatal(err)
	}
	all := map[string][]string{}
	for line := range strings.Lines(string(data)) {
		if word, rest, ok := strings.Cut(strings.TrimSpace(line), " "); ok && word != "#" {
			all[word] = append(all[word], rest)
		}
	}
	return all
}

var (
	scratch string
	build   = sync.OnceValues(func() (string, error) {
		out := filepath.Join(scratch, "apiskills")
		data, err := os.ReadFile("Containerfile")
		if err != nil {
			return "", err
		}
		run := regexp.MustCompile(`(?m)^RUN (CGO_ENABLED=0) go (build .*-o) /apiskills (.*)$`).FindStringSubmatch(string(data))
		if run == nil {
			return "", errors.New("the container file does not build the program")
		}
		cmd := exec.Command("go", append(append(strings.Fields(run[2]), out), strings.Fields(run[3])...)...)
		cmd.Dir, cmd.Env = "../..", append(os.Environ(), run[1])
		if printed, err := cmd.CombinedOutput(); err != nil {
			return "", fmt.Errorf("%v: %w\n%s", cmd.Args, err, printed)
		}
		return out, nil
	})
)

func TestMain(m *testing.M) {
	os.Exit(func() int {
		var err error
		if scratch, err = os.MkdirTemp("", "apiskills-deploy-*"); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		defer os.RemoveAll(scratch)
		return m.Run()
	}())
}

// buildImage runs the build of the container file, once for all tests, and
// returns the program.
func buildImage(t *testing.T) string {
	t.Helper()
	if testing.Short() {
		t.Skip("builds the command anew, without cgo")
	}
	path, err := build()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

func TestManifestsFitTogether(t *testing.T) {
	m := manifests(t)
	deployment := m["Deployment"].Spec
	if len(deployment.Template.Spec.Containers) != 1 {
		t.Fatal("the deployment is to have one container")
	}
	c := deployment.Template.Spec.Containers[0]
	label := deployment.Template.Metadata.Labels["app.kubernetes.io/name"]
	for what, got := range map[string]any{
		"the deployment selects":        deployment.Selector["matchLabels"].(map[string]any)["app.kubernetes.io/name"],
		"the service selects":           m["Service"].Spec.Selector["app.kubernetes.io/name"],
		"the disruption budget selects": m["PodDisruptionBudget"].Spec.Selector["matchLabels"].(map[string]any)["app.kubernetes.io/name"],
	} {
		if label == nil || got != label {
			t.Errorf("%s %v, the pods are %v", what, got, label)
		}
	}
	if max := deployment.Strategy.RollingUpdate.MaxUnavailable; max == nil || *max != 0 {
		t.Error("a roll takes replicas away before there are others")
	}
	if m["PodDisruptionBudget"].Spec.MinAvailable >= deployment.Replicas {
		t.Error("the disruption budget lets no node be drained")
	}
	port := c.Ports[0]
	for what, got := range map[string]string{
		"the service": m["Service"].Spec.Ports[0].TargetPort, "the startup probe": c.Startup.HTTPGet.Port,
		"the readiness probe": c.Readiness.HTTPGet.Port, "the liveness probe": c.Liveness.HTTPGet.Port,
	} {
		if got != port.Name {
			t.Errorf("%s goes to the port %q, which is %q", what, got, port.Name)
		}
	}
	if exposed := instructions(t)["EXPOSE"]; len(exposed) != 1 || exposed[0] != port.ContainerPort || !strings.Contains(m["ConfigMap"].Data["apiskills.yaml"], "addr: :"+port.ContainerPort+"\n") {
		t.Errorf("the image exposes %q, the pod has %q", exposed, port.ContainerPort)
	}
	var cmd []string
	if err := json.Unmarshal([]byte(instructions(t)["CMD"][0]), &cmd); err != nil || strings.Join(cmd, " ") != strings.Join(c.Args, " ") {
		t.Errorf("the image runs %q, the pod %q", cmd, c.Args)
	}
	// Five seconds are what the command takes to end at most.
	if grace := deployment.Template.Spec.TerminationGracePeriodSeconds; grace <= c.Lifecycle.PreStop.Sleep.Seconds+5 {
		t.Errorf("%d seconds are not enough to end in", grace)
	}
	user, _, _ := strings.Cut(instructions(t)["USER"][0], ":")
	if pod := deployment.Template.Spec.SecurityContext; pod["runAsNonRoot"] != true || user != "65532" || pod["runAsUser"] != 65532 {
		t.Errorf("the image runs as %s, the pod as %v", user, pod["runAsUser"])
	}
	if c.SecurityContext["readOnlyRootFilesystem"] != true || c.SecurityContext["allowPrivilegeEscalation"] != false {
		t.Error("the container may do what it need not")
	}
	volumes := map[string]bool{}
	for _, v := range deployment.Template.Spec.Volumes {
		volumes[v.Name] = true
		if v.ConfigMap.Name != "" && v.ConfigMap.Name != m["ConfigMap"].Metadata.Name {
			t.Errorf("the volume %s is of the ConfigMap %s", v.Name, v.ConfigMap.Name)
		}
	}
	for _, mount := range c.VolumeMounts {
		if !volumes[mount.Name] || mount.SubPath != "" {
			t.Errorf("%s is mounted from %q, subPath %q", mount.MountPath, mount.Name, mount.SubPath)
		}
	}
}

func TestImageHasOneStaticProgram(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("it is a program for Linux")
	}
	f, err := elf.Open(buildImage(t))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	libraries, err := f.ImportedLibraries()
	if err != nil || len(libraries) > 0 || f.Section(".interp") != nil {
		t.Errorf("it needs %q (%v)", libraries, err)
	}
}

// TestManifestsServe runs the program of the image on the files that the manifests
// mount, laid out as the kubelet does: a change swaps a symbolic link. The program
// has no home, no writable folder and no environment.
func TestManifestsServe(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there are no such links and modes")
	}
	m := manifests(t)
	pod := m["Deployment"].Spec.Template.Spec
	c := pod.Containers[0]
	root := t.TempDir()
	at := func(path string) string { return filepath.Join(root, filepath.FromSlash(path)) }

	const token = "token-of-the-test-0123456789"
	layOut(t, at("/etc/apiskills"), "..1", m["ConfigMap"].Data, 0o644)
	mode := os.FileMode(0)
	for _, v := range pod.Volumes {
		mode |= v.Secret.DefaultMode
	}
	layOut(t, at("/etc/apiskills-tokens"), "..1", map[string]string{"hosts": token}, mode)
	for _, mount := range c.VolumeMounts {
		if _, err := os.Stat(at(mount.MountPath)); err != nil {
			t.Errorf("%s is mounted, and not known to this test", mount.MountPath)
		}
	}

	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := l.Addr().String()
	l.Close()
	args := append([]string{}, c.Args...)
	for i := range args {
		if strings.HasPrefix(args[i], "/") {
			args[i] = at(args[i])
		}
	}
	var log bytes.Buffer
	cmd := exec.Command(buildImage(t), args...)
	cmd.Dir, cmd.Env = "/", []string{"APISKILLS_ADDR=" + addr, "GOMEMLIMIT=200MiB"} // the port may be taken here
	cmd.Stdout, cmd.Stderr = &log, &log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ctx, ended := context.WithCancelCause(t.Context())
	exited := make(chan struct{})
	go func() {
		defer close(exited)
		ended(errors.Join(errors.New("the program ended"), cmd.Wait()))
	}()
	defer func() {
		cmd.Process.Signal(syscall.SIGTERM)
		<-exited
		if !cmd.ProcessState.Success() {
			t.Errorf("told to stop, it ended with %v", cmd.ProcessState)
		}
		if t.Failed() {
			t.Logf("%s", log.Bytes())
		}
	}()

	until(ctx, t, "http://"+addr+c.Startup.HTTPGet.Path, "", "ok")
	until(ctx, t, "http://"+addr+c.Readiness.HTTPGet.Path, "", "ready: document 1")
	until(ctx, t, "http://"+addr+c.Liveness.HTTPGet.Path, "", "ok")
	until(ctx, t, "http://"+addr+"/mcp", token, "List the orders")
	until(ctx, t, "http://"+addr+"/mcp", "another-token-0123456789", "Unauthorized")
	until(ctx, t, "http://"+addr+"/metrics", token, "apiskills_requests_total")

	next := map[string]string{}
	for name, text := range m["ConfigMap"].Data {
		next[name] = strings.ReplaceAll(text, "List the orders", "Show the orders")
	}
	layOut(t, at("/etc/apiskills"), "..2", next, 0o644)
	until(ctx, t, "http://"+addr+"/mcp", token, "Show the orders")
}

// layOut writes the files of a volume into a folder of their own, and has the
// links of the mounted folder lead there.
func layOut(t *testing.T, dir, generation string, files map[string]string, mode os.FileMode) {
	t.Helper()
	own := filepath.Join(dir, generation)
	if err := os.MkdirAll(own, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(own, name), []byte(text), mode); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(filepath.Join(own, name), mode); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(filepath.Join("..data", name), filepath.Join(dir, name)); err != nil && !errors.Is(err, os.ErrExist) {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(generation, filepath.Join(dir, "..data_tmp")); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(filepath.Join(dir, "..data_tmp"), filepath.Join(dir, "..data")); err != nil {
		t.Fatal(err)
	}
}

// until asks until the answer has text: with a POST of skills/list at the endpoint,
// else with a GET.
func until(ctx context.Context, t *testing.T, url, token, text string) {
	t.Helper()
	const list = `{"jsonrpc":"2.0","id":1,"method":"skills/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`
	for {
		method, body := http.MethodGet, ""
		if strings.HasSuffix(url, "/mcp") {
			method, body = http.MethodPost, list
		}
		r, err := http.NewRequestWithContext(ctx, method, url, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Mcp-Protocol-Version", "2026-07-28")
		r.Header.Set("Mcp-Method", "skills/list")
		if token != "" {
			r.Header.Set("Authorization", "Bearer "+token)
		}
		resp, err := http.DefaultClient.Do(r)
		if err == nil {
			answer, _ := io.ReadAll(resp.Body)
			resp.Body.Close()
			if strings.Contains(string(answer), text) {
				return
			}
		}
		select {
		case <-ctx.Done():
			t.Fatalf("waiting for %q at %s: %v", text, url, context.Cause(ctx))
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// TestScalingNamesWhatExists keeps the document about operation to the metrics,
// settings and flags that there are.
func TestScalingNamesWhatExists(t *testing.T) {
	text, err := os.ReadFile("../../docs/scaling.md")
	if err != nil {
		t.Fatal(err)
	}
	program := buildImage(t)
	help := func(args ...string) string {
		out, err := exec.CommandContext(t.Context(), program, args...).CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %v\n%s", args, err, out)
		}
		return string(out)
	}
	settings := help("help", "config") + help("serve", "--help")
	metrics, err := os.ReadFile("../../cmd/apiskills/command/metrics.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range regexp.MustCompile(`apiskills_[a-z_]+[a-z]`).FindAllString(string(text), -1) {
		if base := strings.TrimSuffix(strings.TrimSuffix(name, "_bucket"), "_count"); !strings.Contains(string(metrics), base) {
			t.Errorf("there is no metric %s", name)
		}
	}
	for _, match := range regexp.MustCompile("(?:`http\\.|\\| `)([a-zA-Z]+)`").FindAllStringSubmatch(string(text), -1) {
		if !regexp.MustCompile(`(?m)(^|[ #])` + match[1] + `:`).MatchString(settings) {
			t.Errorf("there is no setting %s", match[0])
		}
	}
	for _, match := range regexp.MustCompile("`(--[a-z-]+)").FindAllStringSubmatch(string(text), -1) {
		if !strings.Contains(settings, match[1]) {
			t.Errorf("there is no flag %s", match[1])
		}
	}
}
