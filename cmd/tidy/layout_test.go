package tidy

// layoutFixtures are trees and tests in and out of order.
func layoutFixtures() []fixture {
	return []fixture{
		{
			name: "strangers at the root",
			rule: "layout",
			files: map[string]string{
				"tools/tools.go": "package tools\n",
				"main.go":        "package main\n",
				"NOTES.md":       "notes\n",
				"domino":         "binary\n",
			},
			want: []string{
				"NOTES.md:1: NOTES.md does not belong at the top level",
				"domino:1: domino does not belong at the top level",
				"main.go:1: main.go does not belong at the top level",
				"tools:1: tools does not belong at the top level",
			},
		},
		{
			name: "all that belongs at the root, and what was built there",
			rule: "layout",
			files: map[string]string{
				"go.sum": "", "README.md": "", "LICENSE": "", ".ci/run": "", ".gitattributes": "",
				".gitignore":   "# binaries\n/domino\n*.test\n*.prof\n",
				"domino":       "binary\n",
				"spec.test":    "binary\n",
				"cpu.prof":     "profile\n",
				"spec/spec.go": "package spec\n", "impl/core/core.go": "package core\n",
				"checker/checker.go": "package checker\n",
				"fuzz/fuzz.go":       "package fuzz\n", "scenarios/a.txtar": "",
				"cmd/domino/main.go": "package main\n",
				"proofs/a.lean":      "",
			},
		},
		{
			name: "vague package names",
			rule: "layout",
			files: map[string]string{
				"impl/util/util.go":    "package util\n",
				"spec/common/words.go": "package words\n",
				"spec/x/x.go":          "package types\n",
				"spec/y/y_test.go":     "package helpers_test\n",
			},
			want: []string{
				"impl/util/util.go:1: package name util says nothing: name the concept",
				"spec/common/words.go:1: package name common says nothing: name the concept",
				"spec/x/x.go:1: package name types says nothing: name the concept",
				"spec/y/y_test.go:1: package name helpers says nothing: name the concept",
			},
		},
		{
			name: "names that contain vague ones",
			rule: "layout",
			files: map[string]string{
				"impl/utility/utility.go": "package utility\n",
				"spec/types.go":           "package spec\n",
			},
		},
		{
			name: "skips without a reason, sleeps",
			rule: "layout",
			files: map[string]string{
				"spec/spec_test.go": `package spec

import (
	"testing"
	clock "time"

	"pgregory.net/rapid"
)

type world struct{ tb testing.TB }

func TestA(t *testing.T) {
	t.Skip()
	t.Run("b", func(sub *testing.T) { sub.SkipNow() })
	w := world{t}
	w.tb.Skip()
	rapid.Check(t, func(draws *rapid.T) { draws.Skip() })
	clock.Sleep(1)
	wait := clock.Sleep
	wait(1)
}
`,
			},
			want: []string{
				"spec/spec_test.go:13: test skipped without a reason: call Skip with one",
				"spec/spec_test.go:14: test skipped without a reason: call Skip with one",
				"spec/spec_test.go:16: test skipped without a reason: call Skip with one",
				"spec/spec_test.go:17: test skipped without a reason: call Skip with one",
				"spec/spec_test.go:18: time.Sleep in a test: wait for the event",
				"spec/spec_test.go:19: time.Sleep in a test: wait for the event",
			},
		},
		{
			name: "skips with a reason, other skips and sleeps, code",
			rule: "layout",
			files: map[string]string{
				"spec/spec_test.go": `package spec

import (
	"testing"
	"time"
)

type decoder struct{}

func (decoder) Skip() {}

func (decoder) Sleep() {}

func TestA(t *testing.T) {
	t.Skip("known blind spot: intermediate states")
	t.Skipf("needs %d ranks", 4)
	var d decoder
	d.Skip()
	d.Sleep()
	<-time.After(time.Second)
}
`,
				"impl/runtime/tcp/tcp.go": "package tcp\n\nimport \"time\"\n\nfunc f() { " +
					"time.Sleep(1) }\n",
			},
		},
	}
}
