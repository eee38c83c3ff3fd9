package app

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/domino-check/domino/impl/runtime/tcp/perf"
)

// trafficOf is a file with what the programs of a kernel have sent under a protocol.
type trafficOf struct {
	Kernel   string `json:"kernel"`
	Protocol string `json:"protocol"`
	File     string `json:"file"`
}

// trafficName is the file of a cell.
func trafficName(c *perf.Cell) string {
	return strings.NewReplacer(" ", "-", "/", "-").Replace(c.Kernel+"."+c.Protocol) + ".csv"
}

// trafficFolder makes the folder for traffic and tries to write there, before anything is measured.
func (r *perfRun) trafficFolder() error {
	if r.flags.traffic == "" {
		return nil
	}
	if err := writable(r.flags.traffic); err != nil {
		return fmt.Errorf("--traffic: %w", err)
	}
	names := map[string]*perf.Cell{}
	for i := range r.plan.Cells {
		c := &r.plan.Cells[i]
		name := trafficName(c)
		if o := names[name]; o != nil {
			return fmt.Errorf("--traffic: %s with %s and %s with %s would both be %s", o.Kernel,
				o.Protocol, c.Kernel, c.Protocol, name)
		}
		names[name] = c
	}
	return nil
}

// recordTraffic makes a run of each cell with evidence, which bare runs have none of, and writes
// what its programs have sent. It ends with the context.
func (r *perfRun) recordTraffic(ctx context.Context) error {
	if r.flags.traffic == "" {
		return nil
	}
	for i := range r.plan.Cells {
		c := &r.plan.Cells[i]
		if ctx.Err() != nil {
			return nil // what is written is whole, and the answer says that it is not complete
		}
		result, err := r.run(ctx, *c, perf.Calm, time.Duration(0))
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return fmt.Errorf("--traffic: kernel %s with protocol %s: %w", c.Kernel, c.Protocol,
				err)
		}
		file := filepath.Join(r.flags.traffic, trafficName(c))
		if err := writeTraffic(file, result); err != nil {
			return fmt.Errorf("--traffic: %w", err)
		}
		r.sent = append(r.sent, trafficOf{c.Kernel, c.Protocol, file})
	}
	return nil
}
