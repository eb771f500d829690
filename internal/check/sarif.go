package check

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"path/filepath"
	"strings"

	"github.com/apiskills/apiskills/framework"
)

// The part of SARIF 2.1.0 that a report has.
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool struct {
			Driver sarifDriver `json:"driver"`
		} `json:"tool"`
		ColumnKind string        `json:"columnKind"`
		Results    []sarifResult `json:"results"`
	}
	sarifDriver struct {
		Name           string      `json:"name"`
		Version        string      `json:"version,omitempty"`
		InformationURI string      `json:"informationUri"`
		Rules          []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID                   string       `json:"id"`
		ShortDescription     sarifMessage `json:"shortDescription"`
		FullDescription      sarifMessage `json:"fullDescription"`
		Help                 sarifMessage `json:"help"`
		DefaultConfiguration struct {
			Level string `json:"level"`
		} `json:"defaultConfiguration"`
		Properties struct {
			Tags []string `json:"tags"`
		} `json:"properties"`
	}
	sarifMessage struct {
		Text string `json:"text"`
	}
	sarifResult struct {
		RuleID       string            `json:"ruleId"`
		RuleIndex    int               `json:"ruleIndex"`
		Level        string            `json:"level"`
		Message      sarifMessage      `json:"message"`
		Locations    []sarifLocation   `json:"locations"`
		Fingerprints map[string]string `json:"partialFingerprints"`
	}
	sarifLocation struct {
		Physical *sarifPhysical `json:"physicalLocation,omitempty"`
		Logical  []sarifLogical `json:"logicalLocations,omitempty"`
	}
	sarifPhysical struct {
		Artifact sarifArtifact `json:"artifactLocation"`
		Region   *sarifRegion  `json:"region,omitempty"`
	}
	sarifArtifact struct {
		URI string `json:"uri"`
	}
	sarifRegion struct {
		StartLine int `json:"startLine"`
	}
	sarifLogical struct {
		FullyQualifiedName string `json:"fullyQualifiedName"`
		Kind               string `json:"kind"`
	}
)

// WriteSARIF writes the report as a SARIF 2.1.0 log. version is that of the
// program, "" if it is not known.
func (r *Report) WriteSARIF(out io.Writer, version string) error {
	var run sarifRun
	run.ColumnKind = "unicodeCodePoints"
	run.Results = []sarifResult{}
	d := &run.Tool.Driver
	d.Name, d.Version, d.InformationURI = "apiskills", version, "https://github.com/apiskills/apiskills"
	index := map[string]int{}
	for i, rule := range table {
		index[rule.ID] = i
		row := sarifRule{
			ID: rule.ID, ShortDescription: sarifMessage{rule.Title + "."},
			FullDescription: sarifMessage{rule.Why}, Help: sarifMessage{rule.Do},
		}
		row.DefaultConfiguration.Level = level(rule.Severity)
		row.Properties.Tags = []string{string(rule.Side)}
		d.Rules = append(d.Rules, row)
	}
	for f := range r.Findings() {
		run.Results = append(run.Results, sarifResult{
			RuleID: f.Rule, RuleIndex: index[f.Rule], Level: level(f.Severity), Message: sarifMessage{plain(f.Message)},
			Locations: []sarifLocation{f.location()}, Fingerprints: map[string]string{"finding/v1": f.fingerprint()},
		})
	}
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(&sarifLog{
		Schema:  "https://json.schemastore.org/sarif-2.1.0.json",
		Version: "2.1.0",
		Runs:    []sarifRun{run},
	})
}

// level is a severity as SARIF has it.
func level(s framework.Severity) string {
	switch s {
	case framework.Error, framework.Warning:
		return string(s)
	}
	return "note"
}

func (f *Finding) location() sarifLocation {
	var l sarifLocation
	uri := fileURI(f.File)
	if f.inSkill || f.File == "" {
		uri = f.uri()
	}
	if uri != "" {
		l.Physical = &sarifPhysical{Artifact: sarifArtifact{uri}}
		if f.Line > 0 {
			l.Physical.Region = &sarifRegion{f.Line}
		}
	}
	if f.Pointer != "" {
		l.Logical = append(l.Logical, sarifLogical{f.Pointer, "value"})
	}
	if f.Skill != "" {
		l.Logical = append(l.Logical, sarifLogical{f.Skill, "resource"})
	}
	return l
}

// fileURI is the URI reference of a file: relative where its name is.
func fileURI(name string) string {
	if strings.Contains(name, "://") {
		return name
	}
	slashed := filepath.ToSlash(name)
	u := url.URL{Path: slashed}
	if filepath.IsAbs(name) {
		u.Scheme = "file"
		if !strings.HasPrefix(slashed, "/") { // a drive
			u.Path = "/" + slashed
		}
	}
	return u.String()
}

// fingerprint identifies a finding where lines have moved.
func (f *Finding) fingerprint() string {
	sum := sha256.New()
	for _, s := range []string{f.Rule, f.File, f.Pointer, f.Skill, f.Message} {
		fmt.Fprintf(sum, "%d %s\n", len(s), s)
	}
	return hex.EncodeToString(sum.Sum(nil)[:16])
}
