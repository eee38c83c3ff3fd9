package app

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"

	"github.com/domino-check/domino/checker/explore"
	"github.com/domino-check/domino/checker/verify"
	"github.com/domino-check/domino/cmd/domino/app/explorer"
	"github.com/domino-check/domino/scenarios"
)

func runExplore(ctx context.Context, args []string, std streams) (int, error) {
	f := flags("explore", "SCENARIO | FILE", std, "explore s1 --variant published",
		"explore .domino/s1-published.txtar --save runs",
		"explore h10 --script steps.script")
	var instead overrides
	instead.register(f)
	script := f.String("script", "", "file with commands to run instead of serving, - reads "+
		"standard input: domino help explore")
	save := f.String("save", "", "folder for what is saved; \"\" saves nothing")
	listen := f.String("listen", "127.0.0.1:0", "address to serve; port 0 is a free one")
	hosts := f.StringArray("allow-host", nil, "another name under which the server may be asked")
	states := f.Int("max-states", 1_000_000, "stop a search after so many states; 0 = no limit")
	memory := f.Int64("max-memory", 2048, "stop a search when its tables take so many MiB; 0 = no "+
		"limit")
	if err := f.Parse(args); err != nil {
		return 0, err
	}
	if f.NArg() != 1 {
		return 0, fmt.Errorf("want one scenario or replay file, got %d arguments", f.NArg())
	}
	if err := within(f, notNegative("max-states max-memory")); err != nil {
		return 0, err
	}
	s, err := heard(ctx, func() (*scenarios.Scenario, error) { return std.one(f.Arg(0)) })
	if err != nil {
		return 0, err
	}
	if len(instead) > 0 {
		s.Schedule = nil // it is a run of what the file says
	}
	if err := instead.apply(s); err != nil {
		return 0, err
	}
	if *save != "" {
		if info, err := os.Stat(*save); err != nil || !info.IsDir() {
			return 0, fmt.Errorf("--save %s: want a folder that is there: mkdir -p %[1]s", *save)
		}
	}
	c := explorer.Config{List: std.Protocols(), Scenario: s, Save: *save, Hosts: *hosts,
		Search: verify.Options{MaxStates: *states, MaxBytes: *memory << 20}}
	if *script != "" {
		return 0, runScript(ctx, c, *script, std)
	}
	return 0, serveExplorer(ctx, c, *listen, std)
}

// runScript drives a session from a file.
func runScript(ctx context.Context, c explorer.Config, file string, std streams) error {
	text, err := heard(ctx, func() ([]byte, error) {
		if file == "-" {
			return smallText(os.Stdin, "standard input")
		}
		return smallFile(file)
	})
	if err != nil {
		return err
	}
	session, err := explore.Open(ctx, c.List, c.Scenario)
	if err != nil {
		return err
	}
	r := explore.Runner{Session: session, Out: std.out, Bounds: c.Search,
		Save: func(name string, at *explore.Session, path []string) error {
			_, err := explorer.Save(c.Save, name, at, path)
			return err
		}}
	var note string
	if r.Path, note, err = session.Schedule(); err != nil {
		return err
	}
	for _, note := range append(session.Notes(), note) {
		if note != "" {
			fmt.Fprintln(std.err, "note: "+note)
		}
	}
	if err := r.Run(ctx, string(text)); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	return nil
}

// serveExplorer serves until it is interrupted.
func serveExplorer(ctx context.Context, c explorer.Config, address string, std streams) error {
	server, err := explorer.New(ctx, c)
	if err != nil {
		return err
	}
	l, err := net.Listen("tcp", address)
	if err != nil {
		return fmt.Errorf("--listen %s: %w; port 0 takes one that is free", address, err)
	}
	fmt.Fprintf(std.out, "open in a browser:  %s\nuntil Ctrl-C\n", server.Address(l))
	if a, ok := l.Addr().(*net.TCPAddr); ok && !a.IP.IsLoopback() {
		fmt.Fprintf(std.err, "warning: %v can be reached from other machines, and what is sent is "+
			"not encrypted: whoever sees it has the token. It answers to the names of "+
			"--allow-host\n", a)
	}
	if err := server.Serve(ctx, l); err != nil && !errors.Is(err, net.ErrClosed) {
		return err
	}
	return nil
}
