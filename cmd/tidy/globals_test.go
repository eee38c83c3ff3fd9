package tidy

// globalFixtures are package variables of cores that change, could change, and
// do not.
func globalFixtures() []fixture {
	return []fixture{
		embeddedFixture,
		{
			name: "no constant data",
			rule: "globals",
			files: map[string]string{
				"impl/protocol/hydee/hydee.go": `package hydee

var counter int

var (
	limit    = 10
	name, at = "a", 1
	hook     = func() {}
	shared   = &struct{ n int }{}
)
`,
			},
			want: []string{
				"impl/protocol/hydee/hydee.go:3: package variable counter in a core: make it a " +
					"constant, or a table that nothing changes",
				"impl/protocol/hydee/hydee.go:6: package variable limit in a core: make it a " +
					"constant, or a table that nothing changes",
				"impl/protocol/hydee/hydee.go:7: package variable at in a core: make it a " +
					"constant, or a table that nothing changes",
				"impl/protocol/hydee/hydee.go:7: package variable name in a core: make it a " +
					"constant, or a table that nothing changes",
				"impl/protocol/hydee/hydee.go:8: package variable hook in a core: make it a " +
					"constant, or a table that nothing changes",
				"impl/protocol/hydee/hydee.go:9: package variable shared in a core: make it a " +
					"constant, or a table that nothing changes",
			},
		},
		{
			name: "tables that change",
			rule: "globals",
			files: map[string]string{
				"impl/core/core.go": `package core

type set struct{ n []int }

func (s *set) add() {}

var (
	table = []int{1, 2}
	names = map[int]string{}
	sets  = [2]set{}
	one   = set{}
)
`,
				"impl/core/write.go": `package core

func f() *set {
	table = append(table, 3)
	table[0]++
	names[1] += "a"
	sets[0].n[1] = 2
	(one).add()
	for table[0] = range 3 {
	}
	for range 3 {
		delete(names, 1)
		copy(table[1:], table)
		clear(names)
	}
	return &sets[1]
}
`,
			},
			want: []string{
				"impl/core/write.go:4: assigns to the package variable table in a core",
				"impl/core/write.go:5: assigns to the package variable table in a core",
				"impl/core/write.go:6: assigns to the package variable names in a core",
				"impl/core/write.go:7: assigns to the package variable sets in a core",
				"impl/core/write.go:8: calls a pointer method on the package variable one in " +
					"a core",
				"impl/core/write.go:9: assigns to the package variable table in a core",
				"impl/core/write.go:12: changes the content of the package variable names in " +
					"a core",
				"impl/core/write.go:13: changes the content of the package variable table in " +
					"a core",
				"impl/core/write.go:14: changes the content of the package variable names in " +
					"a core",
				"impl/core/write.go:16: takes the address of the package variable sets in a core",
			},
		},
		{
			name: "constant data that is only read, and variables that only look alike",
			rule: "globals",
			files: map[string]string{
				"impl/protocol/hydee/hydee.go": `package hydee

import "errors"

type set struct{ n int }

func (s set) size() int { return s.n }

var ErrStale = errors.New("stale")

var (
	table = []int{1, 2}
	names = map[string]int{"a": 1}
	built = build()
	empty = set{}
)

var _ interface{ size() int } = (*set)(nil)

func build() []int { return nil }

func f(names map[string]int) (int, error) {
	table := append([]int{}, table...)
	table[0] = names["a"]
	names["b"]++
	delete(names, "a")
	for i := range built {
		table[i] = built[i] + empty.size()
	}
	s := set{}
	s.n = 1
	copy(table, built)
	return table[0], ErrStale
}
`,
				"impl/protocol/hydee/hydee_test.go": "package hydee\n\nvar update = " +
					"false\n\nfunc g() { table = nil }\n",
				"impl/runtime/local/local.go": "package local\n\nvar started int\n",
				"spec/spec.go":                "package spec\n\nvar registry []int\n",
			},
		},
	}
}

// embeddedFixture has texts that the compiler embeds, one of which is written to.
var embeddedFixture = fixture{
	name: "an embedded text, and one that is written to",
	rule: "globals",
	files: map[string]string{
		"impl/protocol/hydee/hydee.go": `package hydee

import _ "embed" // of texts

// Text is one.
//
//go:embed text.txt
var Text string

//go:embed more.txt
var more string

func f() { more = "" }
`,
	},
	want: []string{
		"impl/protocol/hydee/hydee.go:13: assigns to the package variable more in a core",
	},
}
