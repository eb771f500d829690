package framework_test

import (
	"context"
	"fmt"
	"sync"

	"github.com/apiskills/apiskills/framework"
)

// A notice is a source with one skill, which can be changed.
type notice struct {
	mu      sync.Mutex
	text    string
	changes chan struct{}
}

func (n *notice) Set(text string) {
	n.mu.Lock()
	n.text = text
	n.mu.Unlock()
	n.changes <- struct{}{}
}

func (n *notice) Skill(_ context.Context, path string) (*framework.Skill, error) {
	if path != "read-notice" {
		return nil, fmt.Errorf("notice %q: %w", path, framework.ErrNotFound)
	}
	n.mu.Lock()
	text := n.text // the skill keeps it, whatever Set does later
	n.mu.Unlock()
	head, err := framework.FormatFrontmatter(path, "What is on the board.", nil)
	return framework.TextSkill(map[string]string{"SKILL.md": head + text}), err
}

func (n *notice) Watch(ctx context.Context, changed func(path string)) error {
	changed("") // for what changed before this call
	for {
		select {
		case <-n.changes:
			changed("read-notice")
		case <-ctx.Done():
			return nil
		}
	}
}

// While Catalog.Watch runs, the catalog keeps what it made until it is told.
func ExampleWatcher() {
	n := &notice{text: "Closed.\n", changes: make(chan struct{})}
	catalog, err := framework.NewCatalog([]framework.Mount{{Generator: n}}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	told := make(chan struct{})
	catalog.OnChange(func() { told <- struct{}{} })
	ctx, stop := context.WithCancel(context.Background())
	watched := make(chan error)
	go func() { watched <- catalog.Watch(ctx) }()
	<-told // it runs

	read := func() {
		content, err := catalog.Read(ctx, "skill://read-notice/SKILL.md")
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Print(string(content.Bytes[len(content.Bytes)-8:]))
	}
	read()
	n.Set("Opened.\n")
	<-told
	read()
	stop()
	fmt.Println(<-watched)
	// Output:
	// Closed.
	// Opened.
	// <nil>
}
