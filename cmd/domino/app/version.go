package app

import (
	"cmp"
	"context"
	"fmt"
	"runtime/debug"
)

// module is this one, whoever's command it is in.
const module = "github.com/domino-check/domino"

// build says which domino this is.
type build struct {
	Version  string `json:"version"`            // of the module; "(devel)" out of a checkout
	Revision string `json:"revision,omitempty"` // of the checkout, "" when it is not known
	Modified bool   `json:"modified,omitempty"` // since that revision
	Time     string `json:"time,omitempty"`     // of the revision
	Go       string `json:"go"`
	// the module whose command it is, where that is another one
	Command string `json:"command,omitempty"`
}

// buildOf reads what the linker has written. The revision is that of the module of the command.
func buildOf(info *debug.BuildInfo) build {
	b := build{Version: info.Main.Version, Go: info.GoVersion}
	if info.Main.Path != module {
		b.Command = info.Main.Path
		for _, m := range info.Deps {
			if m.Path == module {
				b.Version = m.Version
			}
		}
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.Revision = s.Value
		case "vcs.modified":
			b.Modified = s.Value == "true"
		case "vcs.time":
			b.Time = s.Value
		}
	}
	b.Version = cmp.Or(b.Version, "unknown")
	return b
}

// thisBuild is the build that runs.
func thisBuild() build {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return build{Version: "unknown"}
	}
	return buildOf(info)
}

// String is the build on one line.
func (b build) String() string {
	text := b.Version
	if b.Revision != "" {
		text += " " + b.Revision
	}
	if b.Modified {
		text += " modified"
	}
	return text
}

// versionAnswer is the build as JSON.
type versionAnswer struct {
	versioned
	build
}

func runVersion(_ context.Context, args []string, std streams) (int, error) {
	f := flags("version", "", std, "version", "version --json")
	asJSON := f.Bool("json", false, "print JSON")
	if err := f.Parse(args); err != nil {
		return 0, err
	}
	if f.NArg() > 0 {
		return 0, fmt.Errorf("unexpected %q", f.Arg(0))
	}
	b := thisBuild()
	if *asJSON {
		return 0, printJSON(std.out, versionAnswer{as("version"), b})
	}
	fmt.Fprintf(std.out, "domino %s, %s\n", b, b.Go)
	if b.Command != "" {
		fmt.Fprintf(std.out, "in the command of %s\n", b.Command)
	}
	return 0, nil
}
