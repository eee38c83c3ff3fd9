package app

import (
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/domino-check/domino/checker/effort"
	"github.com/domino-check/domino/checker/shard"
)

// TestShards explores with workers that share no memory, here and by a campaign: what is printed is
// what one search prints, with the run of a violation.
func TestShards(t *testing.T) {
	for name, args := range map[string][]string{
		"holds": {"check", "s1", "--search", "bfs", "--json", "--save="},
		"broken": {"check", "h1", "--variant", "repaired+H1", "--search", "bfs", "--json",
			"--evidence", "--save="},
		"reduced": {"check", "s1", "--search", "bfs", "--reduce", "singletons,crashes", "--save="},
		"limit":   {"check", "s1", "--search", "bfs", "--max-states", "2000", "--json", "--save="},
	} {
		if name != "broken" && !effort.Long() {
			continue
		}
		t.Run(name, func(t *testing.T) {
			code, want, _ := domino(t.Context(), append(args, "--workers", "1")...)
			sharded := append(args, "--shards", "2")
			got, here, wrong := domino(t.Context(), append(sharded, "--blobs", t.TempDir())...)
			if name == "limit" { // a search on many machines ends with a level
				if got != code || !strings.Contains(here, `"verdict":"unknown"`) {
					t.Errorf("exit %d, want %d: %s %s", got, code, here, wrong)
				}
				return
			}
			if d := cmp.Diff(untimed(want), untimed(here)); d != "" || got != code {
				t.Errorf("here: exit %d, want %d: %s %s", got, code, wrong, d)
			}
			got, there, wrong := dominoFarm(t.Context(), newMemory(2),
				append(sharded, "--nats", "x")...)
			if d := cmp.Diff(untimed(want), untimed(there)); d != "" || got != code {
				t.Errorf("by a campaign: exit %d, want %d: %s %s", got, code, wrong, d)
			}
		})
	}
}

// TestShardsResume crashes the coordinator of a search by a campaign; who resumes it goes on with
// the levels that are there.
func TestShardsResume(t *testing.T) {
	args := []string{"check", "s1", "--search", "bfs", "--shards", "2", "--save="}
	_, want, _ := domino(t.Context(), args...)
	for _, moment := range effort.Of([]int{120}, []int{30, 120, 240}) {
		m := newMemory(2)
		m.crash = moment
		_, _, wrong := dominoFarm(t.Context(), m, append(args, "--nats", "x")...)
		id := regexp.MustCompile(`farm resume (\S+)`).FindStringSubmatch(wrong)
		if m.crash = 0; id == nil {
			t.Fatalf("moment %d: there is no campaign: %s", moment, wrong)
		}
		m.Elapse()
		code, out, wrong := dominoFarm(t.Context(), m, "farm", "resume", id[1], "--nats", "x")
		if d := cmp.Diff(untimed(want), untimed(out)); d != "" {
			t.Errorf("moment %d: exit %d: %s %s", moment, code, wrong, d)
		}
	}
}

// TestShardsForget forgets a search that was left unfinished: its levels go, too, and nothing else.
// The short form has them in a folder only.
func TestShardsForget(t *testing.T) {
	for _, folder := range []string{t.TempDir(), ""}[:effort.Of(1, 2)] {
		m := newMemory(2)
		blobs := m.Process("x", nil).Blobs()
		args := []string{"check", "s1", "--search", "bfs", "--shards", "2", "--save=", "--nats",
			"x"}
		if folder != "" {
			blobs, args = shard.NewFolder(folder), append(args, "--blobs", folder)
		}
		if err := blobs.Put(t.Context(), "others/object", nil); err != nil {
			t.Fatal(err)
		}
		m.crash = 120
		_, _, wrong := dominoFarm(t.Context(), m, args...)
		id := regexp.MustCompile(`farm resume (\S+)`).FindStringSubmatch(wrong)
		if m.crash = 0; id == nil {
			t.Fatalf("there is no campaign: %s", wrong)
		}
		m.Elapse()
		levels := id[1] + "-levels"
		if list, err := blobs.List(t.Context(), levels); err != nil || len(list) == 0 {
			t.Fatalf("%v: there are no levels that could be forgotten", err)
		}
		code, _, wrong := dominoFarm(t.Context(), m, "farm", "forget", id[1], "--nats", "x")
		list, err := blobs.List(t.Context(), levels)
		if code != 0 || err != nil || len(list) > 0 {
			t.Errorf("exit %d, %v, %d blobs are left: %s", code, err, len(list), wrong)
		}
		if _, err := blobs.Get(t.Context(), "others/object"); err != nil {
			t.Errorf("what belongs to another one is gone: %v", err)
		}
	}
}

// TestShardsRefuse holds that what a search by several workers can not do is an error.
func TestShardsRefuse(t *testing.T) {
	for _, tt := range []struct{ args, words string }{
		{"s1 --shards 2", "needs --search bfs"},
		{"s1 h10 --search bfs --shards 2", "for one scenario"},
		{"s1 --search bfs --shards 2 --disk .", "contradicts --disk"},
		{"s1 --search bfs --shards 0 --blobs x", "needs --shards"},
		{"s1 --search bfs --shards -1", "--shards"},
		{"s1 --search bfs --shards 2 --reduce alone", "reductions alone"},
	} {
		code, _, wrong := domino(t.Context(), append([]string{"check"},
			strings.Fields(tt.args)...)...)
		if code != exitUsage || !strings.Contains(wrong, tt.words) {
			t.Errorf("%s: exit %d, %q; want %d and %q", tt.args, code, wrong, exitUsage, tt.words)
		}
	}
}
