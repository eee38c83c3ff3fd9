package netpipe

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"sync"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/runtime/tcp/internal/mesh"
	"github.com/domino-check/domino/impl/runtime/tcp/launch"
)

// Options are what does not belong to the plan.
type Options struct {
	Congestion string // of TCP; "" leaves the choice to the mesh
	Bind       bool   // each of the two ranks to a core of its own
	Procs      int    // the most that a case needs; 0 means 2
	// Child is the command that calls Run with the instructions that it is given; behind the ranks
	// come their services.
	Child func(rank core.Rank) launch.Command
	// Result is called for each sample, from one goroutine.
	Result func(Result)
}

// Measure starts the processes, waits for them and returns their samples.
func Measure(ctx context.Context, plan Plan, o Options) ([]Result, error) {
	if err := plan.Validate(); err != nil {
		return nil, err
	}
	if err := checkCongestion(o.Congestion); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	var serving sync.WaitGroup
	defer serving.Wait()
	defer cancel()
	procs := max(plan.Ranks(), o.Procs)
	id := mesh.NewIdentity()
	meetings := map[string]Meeting{}
	for _, name := range plan.Links {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, fmt.Errorf("netpipe: %w", err)
		}
		one := id
		one.Run = mesh.NewIdentity().Run
		meetings[name] = Meeting{Run: one.Run, Address: l.Addr().String()}
		serving.Go(func() {
			// if it fails, the processes say what they miss
			(&mesh.Rendezvous{Identity: one, Procs: procs}).Serve(ctx, l)
		})
	}
	var results []Result
	var commands []launch.Command
	for rank := range core.Rank(procs) {
		c := o.Child(rank)
		c.Instructions = Instructions{Rank: rank, Procs: procs, Plan: plan,
			Congestion: o.Congestion, Bind: o.Bind, Secret: id.Secret, Meetings: meetings}
		c.Line = func(line []byte) error {
			var r Result
			if err := json.Unmarshal(line, &r); err != nil {
				return fmt.Errorf("unexpected output %q: %w", line, err)
			}
			results = append(results, r) // only rank 0 writes
			if o.Result != nil {
				o.Result(r)
			}
			return nil
		}
		commands = append(commands, c)
	}
	err := launch.Run(ctx, commands)
	return results, err
}
