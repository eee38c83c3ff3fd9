package app

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/domino-check/domino/impl/runtime/tcp/netpipe"
	"github.com/domino-check/domino/impl/runtime/tcp/perf"
	"github.com/domino-check/domino/spec/report/chart"
)

// plotFolder makes the folder for plots and tries to write there, before anything is measured.
func plotFolder(dir string) error {
	if dir == "" {
		return nil
	}
	if err := writable(dir); err != nil {
		return fmt.Errorf("--plot: %w", err)
	}
	return nil
}

// ifAny leaves out a figure that has nothing to show.
func ifAny(err error) error {
	if errors.Is(err, chart.ErrNothing) {
		return nil
	}
	return err
}

// plotPerf draws what cluster perf has measured.
func plotPerf(dir string, plan *perf.Plan, rows []perf.Row, recoveries []perf.Recovery) error {
	err := errors.Join(
		ifAny(perf.Overheads(plan, rows).Save(dir, "perf-time")),
		ifAny(perf.Bytes(plan, rows).Save(dir, "perf-bytes")),
		ifAny(perf.Volumes(plan, rows).Save(dir, "perf-logged")))
	for _, k := range plan.Kernels() {
		err = errors.Join(err, ifAny(perf.Stages(recoveries, k).Save(dir,
			"perf-recovery-"+strings.ReplaceAll(k, " ", "-"))))
	}
	return err
}

// plotNetpipe draws what netpipe has measured.
func plotNetpipe(dir string, plan *netpipe.Plan, rows []netpipe.Row) (err error) {
	if dir == "" {
		return nil
	}
	style := func(name string) int { return slices.Index(plan.Cases, name) }
	for _, link := range plan.Links {
		latency, bandwidth := netpipe.Charts(plan, rows, link, style)
		err = errors.Join(err, ifAny(latency.Save(dir, "netpipe-latency-"+link)),
			ifAny(bandwidth.Save(dir, "netpipe-bandwidth-"+link)))
	}
	return err
}
