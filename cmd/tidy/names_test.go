package tidy

// knownFixtures are places that know a protocol by name, and places that may.
func knownFixtures() []fixture {
	const scenario = "t\n-- scenario --\nprotocol: chandy\n"
	return []fixture{
		{
			name: "the command knows a protocol",
			rule: "names",
			files: map[string]string{
				"scenarios/chandy/a.txtar": scenario,
				"cmd/domino/app/perf.go": importing("app",
					"example.org/m/impl/protocol/chandy") +
					"\nvar usual = []string{\"chandy\"}\n",
			},
			want: []string{
				"cmd/domino/app/perf.go:3: cmd/domino/app knows the protocol impl/" +
					"protocol/chandy: " +
					"put what it needs into the descriptor",
				"cmd/domino/app/perf.go:5: \"chandy\" is the name of a protocol: " +
					"put what it needs into the descriptor",
			},
		},
		{
			name: "who may know it",
			rule: "names",
			files: map[string]string{
				"scenarios/chandy/a.txtar":       scenario,
				"impl/protocol/chandy/chandy.go": "package chandy\n\nconst name = \"chandy\"\n",
				"impl/protocol/all/all.go": importing("all",
					"example.org/m/impl/protocol/chandy"),
				"cmd/domino/main.go": importing("main",
					"example.org/m/impl/protocol/all"),
				"checker/world/world_test.go": "package world\n\nconst name = \"chandy\"\n",
				"checker/world/world.go": "package world\n\nconst name = " +
					"\"chandy-like\"\n",
				"checker/verify/resolve.go": importing("verify",
					"example.org/m/impl/protocol/none"),
				"impl/protocol/example/mine/go.mod": "module example.com/mine\n",
			},
		},
	}
}
