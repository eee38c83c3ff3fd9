package tidy

import "strings"

// longBody returns n statements, one a line.
func longBody(n int) string { return strings.Repeat("\tprintln()\n", n) }

// longSwitch returns a switch of n+2 lines, with extra lines in its first case.
func longSwitch(n int, extra string) string {
	return "\tswitch x {\n\tcase -1:\n" + extra +
		strings.Repeat("\tcase 1:\n", n-strings.Count(extra, "\n")-1) + "\t}\n"
}

// sizeFixtures are files and functions at their limit and one line above it.
func sizeFixtures() []fixture {
	const head = "package spec\n\n"
	function := func(body string) string {
		return head + "// f is long.\nfunc f(x int) {\n" + body + "}\n"
	}
	return []fixture{
		{
			name: "one line too long",
			rule: "sizes",
			files: map[string]string{
				"spec/file.go": "package spec\n" + strings.Repeat("\n", maxFileLines),
				"spec/unended.go": "package spec\n" + strings.Repeat("\n", maxFileLines-1) +
					"// end",
				"spec/file_test.go": "package spec\n" + strings.Repeat("\n", maxTestFileLines),
				"spec/func.go":      function(longBody(maxFuncLines - 1)),
				"spec/func_test.go": function(longBody(maxTestFuncLines - 1)),
				"spec/literal.go":   head + "var f = func() {\n" + longBody(maxFuncLines-1) + "}\n",
			},
			want: []string{
				"spec/file.go:501: file of 501 lines, the limit is 500",
				"spec/file_test.go:801: file of 801 lines, the limit is 800",
				"spec/func.go:4: function f of 61 lines, the limit is 60",
				"spec/func_test.go:4: function f of 151 lines, the limit is 150",
				"spec/literal.go:3: function literal of 61 lines, the limit is 60",
				"spec/unended.go:501: file of 501 lines, the limit is 500",
			},
		},
		{
			name: "at the limit",
			rule: "sizes",
			files: map[string]string{
				"spec/file.go":      "package spec\n" + strings.Repeat("\n", maxFileLines-1),
				"spec/file_test.go": "package spec\n" + strings.Repeat("\n", maxTestFileLines-1),
				"spec/func.go":      function(longBody(maxFuncLines - 2)),
				"spec/func_test.go": function(longBody(maxTestFuncLines - 2)),
				"spec/extern.go":    head + "func f()\n",
			},
		},
		{
			name: "switches that do more than dispatch",
			rule: "sizes",
			files: map[string]string{
				"spec/before.go": function("\tprintln()\n" + longSwitch(60, "")),
				"spec/after.go":  function(longSwitch(60, "") + "\tprintln()\n"),
				"spec/twice.go":  function(longSwitch(60, "") + "\tpanic(x)\n\treturn\n"),
				"spec/loop.go":   function(longSwitch(60, "\tfor range x {\n\t}\n")),
				"spec/nested.go": function(longSwitch(60, "\tswitch {\n\t}\n")),
				"spec/inside.go": function("\tif x > 0 {\n" + longSwitch(60, "") + "\t}\n"),
			},
			want: []string{
				"spec/after.go:4: function f of 65 lines, the limit is 60",
				"spec/before.go:4: function f of 65 lines, the limit is 60",
				"spec/inside.go:4: function f of 66 lines, the limit is 60",
				"spec/loop.go:4: function f of 64 lines, the limit is 60",
				"spec/nested.go:4: function f of 64 lines, the limit is 60",
				"spec/twice.go:4: function f of 66 lines, the limit is 60",
			},
		},
		{
			name: "switches that only dispatch",
			rule: "sizes",
			files: map[string]string{
				"spec/flat.go":   function(longSwitch(100, "\tif x > 1 {\n\t}\n")),
				"spec/return.go": function(longSwitch(100, "") + "\treturn\n"),
				"spec/panic.go":  function(longSwitch(100, "") + "\tpanic(\"invariant: known\")\n"),
				"spec/type.go": head + "func f(v any) {\n" +
					strings.Replace(longSwitch(100, ""), "switch x", "switch v.(type)", 1) + "}\n",
			},
		},
	}
}
