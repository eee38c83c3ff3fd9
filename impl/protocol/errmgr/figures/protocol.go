package figures

import "github.com/domino-check/domino/impl/protocol"

// Experiments are all, in the order of the source.
var Experiments = []protocol.Experiment{
	{Name: "ring", Doc: "[ErrMgr] Fig. 2: what a snapshot does to a program that passes a " +
		"message round", Run: disturbance},
	{Name: "latency", Doc: "[ErrMgr] Fig. 2 and Table I: how long a snapshot takes, by where its " +
		"files go", Run: latency},
	{Name: "recovery", Doc: "[ErrMgr] Fig. 4: how long a recovery takes, by ranks and by failures",
		Run: recoveries},
	{Name: "migration", Doc: "[ErrMgr] Fig. 5 and 6: how long a migration takes, by ranks and by " +
		"movers, and with direct images", Run: migrations},
	{Name: "phases", Doc: "the parts of a recovery, and of one with a second failure in each of " +
		"them", Run: breakdown},
	{Name: "codecs", Doc: "where packing pays: gzip, zstd and s2 as this machine runs them, " +
		"against the rate of the store", Run: codecs},
	{Name: "intervals", Doc: "lost work against the interval between snapshots", Run: intervals},
	{Name: "light", Doc: "a policy that restarts few ranks before one that restarts all",
		Run: light},
}
