package tidy

import "strings"

// widthFixtures are lines at the limit and one column above it.
func widthFixtures() []fixture {
	word := func(n int) string { return strings.TrimSpace(strings.Repeat("wide ", n/5+1)[:n]) }
	return []fixture{
		{
			name: "one column too wide",
			rule: "width",
			files: map[string]string{
				"spec/a.go": "package spec\n\n// " + word(99) + "\n" +
					"func f() {\n\t// " + word(94) + "\n\tg(\"" + word(94) + "\")\n}\n",
			},
			want: []string{
				"spec/a.go:3: 102 columns, the limit is 100",
				"spec/a.go:5: 101 columns, the limit is 100",
				"spec/a.go:6: 103 columns, the limit is 100",
			},
		},
		{
			name: "at the limit, or exempt",
			rule: "width",
			files: map[string]string{
				"spec/a.go": "package spec\n\n// " + word(97) + "\n//\n//\t" + word(120) + "\n" +
					"const a = `" + word(120) + "\n" + word(120) + "`\n" +
					"// see https://" + strings.Repeat("x", 100) + "\n" +
					"func f() {\n\t// " + strings.Repeat("ä ", 46) + "x\n}\n",
			},
		},
	}
}
