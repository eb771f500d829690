package main

import (
	"context"
	"fmt"
	"iter"
	"strings"

	"github.com/apiskills/apiskills/framework"
	"github.com/apiskills/apiskills/generators/templates"
)

// A Service is what is known of one service at one moment.
type Service struct {
	Name string // lower-case letters, digits and hyphens: it becomes a file name
	Down bool
	Note string // what somebody wrote about the fault
}

// A Source tells the state of the services.
type Source interface {
	// Services returns all of them as they are now, in the order to show them.
	Services(ctx context.Context) ([]Service, error)
}

// Status has two skills about the services of a source.
type Status struct{ Source Source }

// The paths of the two skills. They are siblings: a skill's manifest has the
// files of the skills nested in it, so a dynamic skill nested in a static one, as
// "read-status/current-status", would leave both without digests.
const (
	current = "current-status"
	reading = "read-status"
)

// Paths implements framework.Lister.
func (s Status) Paths(ctx context.Context, after string) iter.Seq2[string, error] {
	return framework.PathList{current, reading}.Paths(ctx, after)
}

// Skill implements framework.Generator.
func (s Status) Skill(ctx context.Context, path string) (*framework.Skill, error) {
	switch path {
	case current:
		return s.current(ctx)
	case reading:
		return framework.TextSkill(map[string]string{"SKILL.md": readingText}), nil
	}
	return nil, fmt.Errorf("%q: %w", path, framework.ErrNotFound)
}

// current asks the source once, so that all files are of the same moment. The
// catalog calls Skill for each read of a dynamic skill.
func (s Status) current(ctx context.Context) (*framework.Skill, error) {
	services, err := s.Source.Services(ctx)
	if err != nil {
		return nil, fmt.Errorf("state of the services: %w", err)
	}
	var text strings.Builder
	text.WriteString(currentText)
	skill := &framework.Skill{Dynamic: true}
	for _, service := range services {
		if !service.Down {
			fmt.Fprintf(&text, "| %s | up | |\n", service.Name)
			continue
		}
		file := "incidents/" + service.Name + ".md"
		fmt.Fprintf(&text, "| %s | down | [%[1]s](%[2]s) |\n", service.Name, file)
		skill.Files = append(skill.Files, framework.TextFile(file, incident(service)))
	}
	skill.Files = append(skill.Files, framework.TextFile("SKILL.md", text.String()))
	return skill, nil
}

// incident quotes the note: it is somebody's words, and no instructions of ours.
func incident(s Service) string {
	return fmt.Sprintf("# %s is down\n\nIts team says:\n\n%s\n", s.Name, templates.Quote(templates.Prose(s.Note)))
}

// Nothing of the state is in the frontmatter, also not "2 services are down" in
// its description: hosts refuse a skill whose frontmatter is not that of its
// entry.
const currentText = `---
name: current-status
description: "The state of each service at this moment. Use before you blame your own change for a failure, and read it again each time."
---

# Current status

| Service | State | Incident |
|---|---|---|
`

const readingText = `---
name: read-status
description: "How to read the status of the services, and what to do when one is down. Use with the skill current-status."
---

# Reading the status

1. Read SKILL.md of the skill current-status. It is made at each read: what you
   read some minutes ago is out of date.
2. A service that is down has a file below incidents/. Read that, and tell the
   user what its team says.
3. Do not restart anything because it is down: its team knows.
`
