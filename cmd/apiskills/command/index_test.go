package command

import (
	"fmt"
	"slices"
	"testing"
)

func TestWhatMatchesBestComesFirst(t *testing.T) {
	x := newIndex()
	for path, text := range map[string]string{
		"gh/pulls/pulls-create":   "POST /repos/{owner}/{repo}/pulls pulls/create Create a pull request",
		"gh/pulls/pulls-list":     "GET /repos/{owner}/{repo}/pulls pulls/list List pull requests",
		"gh/issues/issues-create": "POST /repos/{owner}/{repo}/issues issues/create Create an issue",
		"gh/users/users-get":      "GET /user getAuthenticatedUser Get the authenticated user",
	} {
		x.add(path, text)
	}
	for query, want := range map[string]string{
		"create a pull request": "gh/pulls/pulls-create",
		"listing pull requests": "gh/pulls/pulls-list",
		"open an ISSUE":         "gh/issues/issues-create",
		"authenticated":         "gh/users/users-get",
	} {
		if got := x.rank(query, 3, everyPath); len(got) == 0 || got[0] != want {
			t.Errorf("%s: %q", query, got)
		}
	}
	for _, query := range []string{"zebra", "the of a", "", "\xff\x00"} {
		if got := x.rank(query, 3, everyPath); len(got) != 0 {
			t.Errorf("%q: %q", query, got)
		}
	}
}

func TestRankIsTheSameAtEachCall(t *testing.T) {
	x := newIndex()
	for i := range 100 {
		x.add(fmt.Sprintf("a/b/c-%02d", i), "the same words in each")
	}
	first := x.rank("same words", 10, everyPath)
	if want := "a/b/c-00"; len(first) != 10 || first[0] != want {
		t.Errorf("%q", first)
	}
	for range 10 {
		if again := x.rank("same words", 10, everyPath); !slices.Equal(again, first) {
			t.Fatalf("%q, then %q", first, again)
		}
	}
}

func everyPath(string) bool { return true }
