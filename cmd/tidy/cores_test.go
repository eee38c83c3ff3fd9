package tidy

// coreFixtures are pieces of cores with and without a way for time, chance, the
// scheduler or the order of a map to get in.
func coreFixtures() []fixture {
	return append(bannedFixtures(), mapOrderFixtures()...)
}

// bannedFixtures are the imports and the statements.
func bannedFixtures() []fixture {
	return []fixture{
		{
			name: "banned imports",
			rule: "cores",
			files: map[string]string{
				"impl/protocol/hydee/hydee.go": importing("hydee", "time", "math/rand/v2",
					"net/http", "sync/atomic", "log/slog",
					"hash/maphash", "unsafe", "crypto/rand"),
				"impl/core/core.go": importing("core", "context", "os", "math/rand", "sync", "log",
					"net"),
			},
			want: []string{
				"impl/core/core.go:3: import of context in a core",
				"impl/core/core.go:4: import of os in a core",
				"impl/core/core.go:5: import of math/rand in a core",
				"impl/core/core.go:6: import of sync in a core",
				"impl/core/core.go:7: import of log in a core",
				"impl/core/core.go:8: import of net in a core",
				"impl/protocol/hydee/hydee.go:3: import of time in a core",
				"impl/protocol/hydee/hydee.go:4: import of math/rand/v2 in a core",
				"impl/protocol/hydee/hydee.go:5: import of net/http in a core",
				"impl/protocol/hydee/hydee.go:6: import of sync/atomic in a core",
				"impl/protocol/hydee/hydee.go:7: import of log/slog in a core",
				"impl/protocol/hydee/hydee.go:8: import of hash/maphash in a core",
				"impl/protocol/hydee/hydee.go:9: import of unsafe in a core",
				"impl/protocol/hydee/hydee.go:10: import of crypto/rand in a core",
			},
		},
		{
			name: "imports that look alike, drivers, tests of cores",
			rule: "cores",
			files: map[string]string{
				"impl/protocol/hydee/hydee.go": importing("hydee", "math/bits", "hash/fnv",
					"errors"),
				"impl/protocol/hydee/hydee_test.go": importing("hydee", "time", "os",
					"math/rand/v2"),
				"impl/runtime/tcp/tcp.go": importing("tcp", "net", "time", "sync", "os",
					"context", "log/slog"),
				"spec/fault/fault.go": importing("fault", "time"),
				"checker/checker.go":  importing("checker", "sync"),
			},
		},
		{
			name: "goroutines and channels",
			rule: "cores",
			files: map[string]string{
				"impl/protocol/policy/policy.go": `package policy

type box struct{ c chan int }

func f(b box) int {
	go f(b)
	b.c <- 1
	select {
	default:
	}
	for range b.c {
	}
	return <-b.c
}
`,
			},
			want: []string{
				"impl/protocol/policy/policy.go:3: channel type in a core",
				"impl/protocol/policy/policy.go:6: go statement in a core",
				"impl/protocol/policy/policy.go:7: channel send in a core",
				"impl/protocol/policy/policy.go:8: select statement in a core",
				"impl/protocol/policy/policy.go:11: range over the channel b.c in a core",
				"impl/protocol/policy/policy.go:13: channel receive in a core",
			},
		},
	}
}

// mapOrderFixtures are the ranges. The maps hide behind names, fields, results
// of functions, other packages and type parameters.
func mapOrderFixtures() []fixture {
	return []fixture{
		{
			name: "ranges over maps",
			rule: "cores",
			files: map[string]string{
				"spec/trace/trace.go": "package trace\n\ntype Set map[int]bool\n\ntype Trace " +
					"struct{ Seen Set }\n",
				"impl/protocol/msglog/msglog.go": `package msglog

import (
	"maps"
	"strings"

	"example.org/m/spec/trace"
)

type log struct{ kept map[string]int }

func (l *log) all() map[string]int { return l.kept }

func f[M ~map[K]V, K comparable, V any](l *log, t trace.Trace, m M) {
	for range l.kept {
	}
	for range l.all() {
	}
	for range t.Seen {
	}
	for range m {
	}
	for range maps.Clone(l.kept) {
	}
	for _, each := range []map[int]int{{}} {
		for range each {
		}
	}
	for range strings.Missing(m) {
	}
}
`,
			},
			want: []string{
				"impl/protocol/msglog/msglog.go:15: range over the map l.kept: range over " +
					"slices.Sorted(maps.Keys(...))",
				"impl/protocol/msglog/msglog.go:17: range over the map l.all(): range over " +
					"slices.Sorted(maps.Keys(...))",
				"impl/protocol/msglog/msglog.go:19: range over the map t.Seen: range over " +
					"slices.Sorted(maps.Keys(...))",
				"impl/protocol/msglog/msglog.go:21: range over the map m: range over " +
					"slices.Sorted(maps.Keys(...))",
				"impl/protocol/msglog/msglog.go:23: range over the map maps.Clone(l.kept): range " +
					"over slices.Sorted(maps.Keys(...))",
				"impl/protocol/msglog/msglog.go:26: range over the map each: range over " +
					"slices.Sorted(maps.Keys(...))",
				"impl/protocol/msglog/msglog.go:29: range over strings.Missing(m), whose type is " +
					"unknown: it may be a map",
			},
		},
		{
			name: "iterators in map order",
			rule: "cores",
			files: map[string]string{
				"impl/program/script/apps.go": `package apps

import (
	stdmaps "maps"
	"slices"
)

func f(m map[int]int) []int {
	for range stdmaps.Keys(m) {
	}
	later := stdmaps.Values[map[int]int]
	_ = later
	next := stdmaps.All(m)
	for range next {
	}
	return slices.Collect(stdmaps.Keys(m))
}
`,
			},
			want: []string{
				"impl/program/script/apps.go:9: maps.Keys gives map order: wrap it in " +
					"slices.Sorted or slices.SortedFunc",
				"impl/program/script/apps.go:11: maps.Values gives map order: wrap it in " +
					"slices.Sorted or slices.SortedFunc",
				"impl/program/script/apps.go:13: maps.All gives map order: wrap it in " +
					"slices.Sorted or slices.SortedFunc",
				"impl/program/script/apps.go:16: maps.Keys gives map order: wrap it in " +
					"slices.Sorted or slices.SortedFunc",
			},
		},
		{
			name: "sorted ranges, and ranges over anything else",
			rule: "cores",
			files: map[string]string{
				"impl/protocol/hydee/hydee.go": `package hydee

import (
	"cmp"
	"maps"
	"slices"
	"strings"
)

type keys struct{ Keys []int }

func f[S ~[]E, E any](m map[int]string, s S, k keys) {
	for range slices.Sorted(maps.Keys(m)) {
	}
	for range slices.SortedFunc(maps.Values[map[int]string](m), cmp.Compare[string]) {
	}
	again := maps.Collect(maps.All(m))
	delete(again, len(again))
	for range s {
	}
	for range k.Keys {
	}
	for range strings.SplitSeq("a b", " ") {
	}
	for range 3 {
	}
	for range m[1] {
	}
}
`,
				"impl/runtime/local/local.go": "package local\n\nfunc f(m map[int]int) {\n\tfor " +
					"range m {\n\t}\n}\n",
			},
		},
	}
}
