package tidy

// docFixtures are documented and undocumented names, and marks of unfinished
// work. The marks are spelled in parts, for the rule reads this file too.
func docFixtures() []fixture {
	return append(nameFixtures(), markFixtures()...)
}

// nameFixtures are the comments on packages and exported names.
func nameFixtures() []fixture {
	return []fixture{
		{
			name: "package comments missing or misplaced",
			rule: "docs",
			files: map[string]string{
				"spec/verdict.go": "// Package spec is described where nobody looks.\npackage " +
					"spec\n",
				"cmd/domino/main.go": "package main\n",
				"cmd/domino/list.go": "// List is no package.\npackage main\n",
				"fuzz/doc.go":        "//go:build linux\n\npackage fuzz\n",
			},
			want: []string{
				"cmd/domino/list.go:2: package main has no package comment in doc.go or main.go",
				"fuzz/doc.go:3: package fuzz has no package comment in doc.go or fuzz.go",
				"spec/verdict.go:2: package spec has no package comment in doc.go or spec.go",
			},
		},
		{
			name: "package comments in their place",
			rule: "docs",
			files: map[string]string{
				"spec/doc.go":              "// Package spec is documented.\npackage spec\n",
				"spec/verdict.go":          "package spec\n",
				"fuzz/fuzz.go":             "// Package fuzz is documented.\npackage fuzz\n",
				"cmd/domino/main.go":       "// Command domino is documented.\npackage main\n",
				"spec/conform/all_test.go": "package conform\n",
			},
		},
		{
			name: "exported names without a comment",
			rule: "docs",
			files: map[string]string{
				"spec/spec.go": `// Package spec is documented.
package spec

type Verdict int

func Judge() {}

func (v *Verdict) String() string { return "" }

const (
	Holds = iota
	Violated
)

var Registry []int

// These share a comment, which describes neither.
type (
	A int
	B int
)

type Set[T any] struct{}

//go:noinline
func (Set[T]) Add() {}
`,
			},
			want: []string{
				"spec/spec.go:4: exported type Verdict has no doc comment",
				"spec/spec.go:6: exported function Judge has no doc comment",
				"spec/spec.go:8: exported function String has no doc comment",
				"spec/spec.go:11: exported const Holds has no doc comment",
				"spec/spec.go:12: exported const Violated has no doc comment",
				"spec/spec.go:15: exported var Registry has no doc comment",
				"spec/spec.go:19: exported type A has no doc comment",
				"spec/spec.go:20: exported type B has no doc comment",
				"spec/spec.go:23: exported type Set has no doc comment",
				"spec/spec.go:26: exported function Add has no doc comment",
			},
		},
		{
			name: "documented and unexported names, commands, tests",
			rule: "docs",
			files: map[string]string{
				"spec/spec.go": `// Package spec is documented.
package spec

// Verdict is documented.
type Verdict int

// The verdicts.
const (
	Holds = iota
	Violated
)

const (
	// Unknown is documented.
	Unknown = 2
	OutOfModel = 3 // documented here
)

// These aliases are documented where they come from.
type (
	A = int
	B = int
)

type set[T any] struct{}

func (s *set[T]) Len() int { return 0 }

func judge() {}
`,
				"spec/spec_test.go": "package spec\n\nfunc TestJudge() {}\n\ntype Fixture int\n",
				"cmd/domino/main.go": "// Command domino is documented.\npackage main\n\nfunc " +
					"Exported() {}\n",
			},
		},
	}
}

// markFixtures are the marks.
func markFixtures() []fixture {
	const documented = "// Package spec is documented.\npackage spec\n\n"
	const todo = "TO" + "DO"
	return []fixture{
		{
			name: "marks that must not land",
			rule: "docs",
			files: map[string]string{
				"spec/spec.go":            documented + "func f() {} // FIX" + "ME: wrong\n",
				"spec/spec_test.go":       "package spec\n\n// XX" + "X\n",
				"README.md":               "domino\n\nXX" + "X: write this\n",
				".ci/run":                 "# FIX" + "ME\n",
				"spec/testdata/a.txtar":   "FIX" + "ME\n",
				"scenarios/hydee-1.txtar": "FIX" + "ME\nFIX" + "ME\n",
			},
			want: []string{
				".ci/run:1: FIX" + "ME must not land",
				"README.md:3: XX" + "X must not land",
				"scenarios/hydee-1.txtar:1: FIX" + "ME must not land",
				"scenarios/hydee-1.txtar:2: FIX" + "ME must not land",
				"spec/spec.go:4: FIX" + "ME must not land",
				"spec/spec_test.go:3: XX" + "X must not land",
				"spec/testdata/a.txtar:1: FIX" + "ME must not land",
			},
		},
		{
			name: "to-do marks without a text",
			rule: "docs",
			files: map[string]string{
				"spec/spec.go": documented + "// " + todo + "\n\n// " + todo +
					" say more about this\n\n/*\n" +
					todo + ": too short\n*/\n\n/* " + todo + "(me): too short */\n",
				"spec/spec_test.go": "package spec\n\n// " + todo +
					":\n// the text must be on the same line\n",
			},
			want: []string{
				"spec/spec.go:4: " + todo +
					" without a text: say what is missing and what breaks meanwhile",
				"spec/spec.go:6: " + todo +
					" without a text: say what is missing and what breaks meanwhile",
				"spec/spec.go:9: " + todo +
					" without a text: say what is missing and what breaks meanwhile",
				"spec/spec.go:12: " + todo +
					" without a text: say what is missing and what breaks meanwhile",
				"spec/spec_test.go:3: " + todo +
					" without a text: say what is missing and what breaks meanwhile",
			},
		},
		{
			name: "near misses of marks",
			rule: "docs",
			files: map[string]string{
				"spec/spec.go": documented + "// " + todo +
					": torn writes are not seen yet\n\n// " + todo +
					"(#12): orphans of spares pass\n\nvar x = context." + todo +
					"()\n\nvar y = \"" + todo + "\"\n",
				"README.md": "mktemp domino.XX" + "XXXX, FIX" + "MEUP, fix" +
					"me\n",
				"logo.bin":                    "FIX" + "ME\x00",
				"spec/testdata/fuzz/F/seed":   "[]byte(\"XX" + "X\")\n",
				"spec/testdata/rapid/T/a.txt": "XX" + "X\n",
			},
		},
	}
}
