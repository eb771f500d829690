package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// warm has the servers of the rows about requests whose answers are known, which
// run from the first round to the last: ours with the synthetic document, and
// those that are to give the same bytes. Each is asked in turn, in each round.
type warm struct {
	ours, bare, nginx, goSDK, mcpGo *server // nginx is nil if there is none

	get, list, read   []shot // for ours, goSDK and mcpGo
	bareGet, bareList []shot
	nginxGet          []shot
	sdkGet, sdkList   []shot
	mcpRead           []shot
}

// warmSkills is the number of skills that requests go to in turn.
const warmSkills = 20

func (w *warm) prepare(ctx context.Context, b *bench) (err error) {
	if w.ours, err = b.keep(b.start(ctx, "", b.synthetic, "all")); err != nil {
		return err
	}
	var skills []skill
	var page struct{ Skills []json.RawMessage }
	list, err := w.ours.call(ctx, "skills/list", map[string]any{}, &page)
	if err != nil {
		return err
	}
	for _, raw := range page.Skills {
		var s skill
		if err := json.Unmarshal(raw, &s); err != nil {
			return err
		}
		skills = append(skills, s)
	}
	if len(skills) <= warmSkills {
		return errors.New("the first page has too few skills")
	}
	skills = skills[1 : warmSkills+1] // without the guide
	files := map[string]string{}
	var bodies [][]byte
	for _, s := range skills {
		got, err := w.ours.call(ctx, "skills/get", map[string]any{"uri": s.URI}, nil)
		if err != nil {
			return err
		}
		bodies = append(bodies, got)
		var read struct{ Contents []struct{ Text string } }
		if _, err := w.ours.call(ctx, "resources/read", map[string]any{"uri": s.URI}, &read); err != nil {
			return err
		}
		files[s.URI] = read.Contents[0].Text
	}
	bodies = append(bodies, list) // the last one

	if err := w.launch(ctx, b, bodies, map[string]any{"skills": page.Skills, "files": files}); err != nil {
		return err
	}
	return w.aim(ctx, skills, bodies)
}

// launch starts the anchors.
func (w *warm) launch(ctx context.Context, b *bench, bodies [][]byte, served map[string]any) error {
	folder := filepath.Join(b.dir, "bodies")
	if err := os.Mkdir(folder, 0o755); err != nil {
		return err
	}
	var paths []string
	for i, body := range bodies {
		path := filepath.Join(folder, fmt.Sprint(i))
		if err := os.WriteFile(path, body, 0o644); err != nil {
			return err
		}
		paths = append(paths, path)
	}
	data, err := json.Marshal(served)
	if err != nil {
		return err
	}
	file := filepath.Join(b.dir, "served.json")
	if err := os.WriteFile(file, data, 0o600); err != nil {
		return err
	}
	var addrs [4]string
	for i := range addrs {
		if addrs[i], err = freeAddr(); err != nil {
			return err
		}
	}
	if w.bare, err = b.keep(launch(ctx, addrs[0], "", nil, b.bareserver, append([]string{addrs[0]}, paths...)...)); err != nil {
		return err
	}
	if w.goSDK, err = b.keep(launch(ctx, addrs[1], "/", nil, b.mcpserver, "gosdk", addrs[1], file)); err != nil {
		return err
	}
	if w.mcpGo, err = b.keep(launch(ctx, addrs[2], "/mcp", nil, b.mcpserver, "mcpgo", addrs[2], file)); err != nil {
		return err
	}
	servers := []*server{w.bare, w.goSDK, w.mcpGo}
	if w.nginx, err = b.startNginx(ctx, addrs[3], folder); errors.Is(err, errSkip) {
		fmt.Fprintf(b.log, "skipped: row 6 against nginx: %v\n", err)
	} else if err != nil {
		return err
	} else {
		servers = append(servers, w.nginx)
	}
	for _, s := range servers {
		if err := s.reach(ctx); err != nil {
			return err
		}
	}
	return nil
}

// startNginx has nginx serve the files of a folder, with its usual settings but
// for those that let connections last and keep open files known.
func (b *bench) startNginx(ctx context.Context, addr, folder string) (*server, error) {
	command, err := exec.LookPath(b.nginx)
	if err != nil {
		return nil, fmt.Errorf("%w: there is no nginx; name one with -nginx", errSkip)
	}
	home := filepath.Join(b.dir, "nginx")
	if err := os.MkdirAll(filepath.Join(home, "logs"), 0o755); err != nil {
		return nil, err
	}
	if err := os.Chmod(b.dir, 0o755); err != nil { // its worker may be another user
		return nil, err
	}
	configuration := fmt.Sprintf(`daemon off; master_process off; worker_processes 1; pid %[1]s/pid; error_log %[1]s/logs/error.log;
events { worker_connections 1024; }
http {
  access_log off; sendfile on; tcp_nopush on; tcp_nodelay on; keepalive_requests 100000000; open_file_cache max=100;
  client_body_temp_path %[1]s/a; proxy_temp_path %[1]s/b; fastcgi_temp_path %[1]s/c; uwsgi_temp_path %[1]s/d; scgi_temp_path %[1]s/e;
  server { listen %[2]s; root %[3]s; default_type application/json; }
}
`, home, addr, folder)
	file := filepath.Join(home, "nginx.conf")
	if err := os.WriteFile(file, []byte(configuration), 0o644); err != nil {
		return nil, err
	}
	return b.keep(launch(ctx, addr, "", nil, command, "-p", home, "-c", file))
}

// aim writes the requests down.
func (w *warm) aim(ctx context.Context, skills []skill, bodies [][]byte) error {
	add := func(to *[]shot, length int, make func() (*http.Request, error)) error {
		r, err := make()
		if err != nil {
			return err
		}
		s, err := wire(r, length)
		*to = append(*to, s)
		return err
	}
	call := func(to *[]shot, s *server, length int, method, uri string) error {
		return add(to, length, func() (*http.Request, error) {
			params := map[string]any{}
			if uri != "" {
				params["uri"] = uri
			}
			return s.request(ctx, method, params)
		})
	}
	last := len(skills)
	err := errors.Join(
		call(&w.list, w.ours, len(bodies[last]), "skills/list", ""),
		call(&w.sdkList, w.goSDK, -1, "skills/list", ""),
	)
	for i, body := range bodies {
		to := &w.bareGet
		if i == last {
			to = &w.bareList
		}
		// The same request, to another path.
		path, uri := fmt.Sprint("/", i), skills[min(i, last-1)].URI
		err = errors.Join(err, add(to, len(body), func() (*http.Request, error) {
			r, err := w.bare.request(ctx, "skills/get", map[string]any{"uri": uri})
			if err == nil {
				r.URL.Path = path
			}
			return r, err
		}))
		if i == last {
			break
		}
		err = errors.Join(err,
			call(&w.get, w.ours, len(body), "skills/get", uri),
			call(&w.read, w.ours, -1, "resources/read", uri),
			call(&w.sdkGet, w.goSDK, -1, "skills/get", uri),
			call(&w.mcpRead, w.mcpGo, -1, "resources/read", uri))
		if w.nginx != nil {
			err = errors.Join(err, add(&w.nginxGet, len(body), func() (*http.Request, error) {
				return http.NewRequestWithContext(ctx, http.MethodGet, "http://"+w.nginx.addr+path, nil)
			}))
		}
	}
	return err
}

func (w *warm) measure(ctx context.Context, b *bench) ([]sample, error) {
	var get, bareGet, nginxGet, sdkGet, list, bareList, sdkList, read, mcpRead salvo
	for _, f := range []struct {
		to     *salvo
		server *server
		shots  []shot
		n      int
	}{
		{&bareGet, w.bare, w.bareGet, 30_000}, {&get, w.ours, w.get, 30_000}, {&nginxGet, w.nginx, w.nginxGet, 60_000}, {&sdkGet, w.goSDK, w.sdkGet, 5_000},
		{&bareList, w.bare, w.bareList, 8_000}, {&list, w.ours, w.list, 8_000}, {&sdkList, w.goSDK, w.sdkList, 500},
		{&read, w.ours, w.read, 20_000}, {&mcpRead, w.mcpGo, w.mcpRead, 4_000},
	} {
		if f.server == nil {
			continue
		}
		var err error
		if *f.to, err = f.server.fire(ctx, f.shots, b.times(f.n)); err != nil {
			return nil, fmt.Errorf("requests to %s: %w", filepath.Base(f.server.cmd.Path), err)
		}
		if f.to.cpu == 0 {
			f.to.cpu = time.Millisecond // less than a tick: only where almost nothing was sent
		}
	}
	samples := []sample{
		under(get.micros(), bareGet.micros()), over(get.perSecond(), bareGet.perSecond()),
		{none: true}, {none: true},
		under(get.micros(), sdkGet.micros()),
		under(list.micros(), bareList.micros()), over(list.perSecond(), bareList.perSecond()),
		under(list.micros(), sdkList.micros()),
		under(read.micros(), mcpRead.micros()),
		over(ms(get.p99), ms(bareGet.p99)),
	}
	if w.nginx != nil {
		samples[2], samples[3] = under(get.micros(), nginxGet.micros()), over(get.perSecond(), nginxGet.perSecond())
	}
	return samples, nil
}
