package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/protocol"
	"github.com/domino-check/domino/impl/runtime/plan"
	"github.com/domino-check/domino/impl/runtime/tcp/cluster"
	"github.com/domino-check/domino/impl/runtime/tcp/launch"
	"github.com/domino-check/domino/scenarios"
	"github.com/domino-check/domino/spec"
	"github.com/domino-check/domino/spec/fault"
)

// clusterRunFlags are the flags of cluster run.
type clusterRunFlags struct {
	kernel, protocol, clusters, variant, options string
	kills, stops, loses, corrupts, fulls         []string
	dir, plan, guard                             string
	where                                        hostFlags
	seed                                         uint64
	timeout, spread, diskDelay, silence, every   time.Duration
	events, json, child, lift, forget            bool
	laws                                         lawFlags
	out                                          *outputs
}

func readClusterRun(args []string, std streams) (o clusterRunFlags, names []string, err error) {
	f := flags("cluster run", "[SCENARIO | FILE]", std, "cluster run ring3",
		"cluster run s1 --kill x@1",
		"cluster run --kernel 'heat ranks=4 n=32 iterations=20 checkpoint=5' --protocol hydee "+
			"--clusters 'r0 r1 | r2 r3' --kill r2@60",
		"cluster run --kernel 'cg ranks=4' --protocol causal --kill r1@150ms",
		"cluster run --kernel 'heat ranks=4 n=512 iterations=400 checkpoint=20' --protocol causal "+
			"--mtbf 200ms --shape 0.7",
		"cluster run s1 --kill x@1 --kill y@x:recovery",
		"cluster run radic-hmpl-spare --kill N1@a:1",
		"cluster run radic-hmpl-zombie --stop N1@b:1+50ms",
		"cluster run ring3 --hosts 127.0.0.2,127.0.0.3",
		"cluster run s1 --address 10.0.0.1:0 --dir /shared/run --hosts '10.0.0.1,10.0.0.2=ssh "+
			"-oBatchMode=yes node2 /shared/domino'",
		"cluster run ring3 --hosts slurm --ports 20000-20999",
		"cluster run --plan domino-torture/plan.json")
	if err := o.register(f); err != nil {
		return o, nil, err
	}
	o.out = registerOutputs(f, std)
	if err := f.Parse(args); err != nil {
		return o, nil, err
	}
	return o, f.Args(), errors.Join(o.check(f), o.out.open())
}

// register adds the flags, two of them for domino itself.
func (o *clusterRunFlags) register(f *pflag.FlagSet) error {
	f.StringVar(&o.kernel, "kernel", "",
		"run a kernel instead of a scenario, e.g. 'heat ranks=4 n=32' (domino list programs)")
	f.StringVar(&o.protocol, "protocol", "",
		"protocol, instead of the scenario's; of a kernel by default none")
	f.StringVar(&o.clusters, "clusters", "",
		"clusters, instead of the scenario's, e.g. 'r0 r1 | r2 r3'")
	f.StringVar(&o.variant, "variant", "",
		"repaired, published, or repaired+ERRATUM, instead of the scenario's")
	f.StringVar(&o.options, "options", "", "options of the protocol, instead of the scenario's")
	f.StringArrayVar(&o.kills, "kill", nil,
		"kill -9 at a moment: PROC[+PROC]@N when the first has performed N effects, @iteration=N "+
			"when its program begins that iteration, @date=N after "+
			"so many sends and deliveries, @phase=N (HydEE) when it sends in that phase, "+
			"@recovery[=N] after N effects of a life that is not the first, @says=WORD[#N] when "+
			"it declares (of a snapshot, of a ruling) what begins with the word, @PROC:... when "+
			"another has come so far, @250ms by the clock; may be repeated")
	f.StringVar(&o.plan, "plan", "",
		"repeat the run that is saved in a plan.json of torture or run: scenario, seed and "+
			"failures")
	o.where.register(f, "--dir")
	f.DurationVar(&o.diskDelay, "disk-delay", 0, "every stable write takes so much longer")
	f.StringArrayVar(&o.stops, "stop", nil,
		"false suspicion: kill -STOP at a moment as of --kill, PROC@MOMENT[+DURATION], and -CONT "+
			"when so long (100ms) nobody has suspected it again; may be repeated")
	f.DurationVar(&o.silence, "silence", 0,
		"suspect a process, too, that gives no sign of life for so long; 0: none")
	o.registerDamage(f)
	o.laws.register(f)
	f.DurationVar(&o.every, "every", 0, "ask for a checkpoint so often while the programs run, "+
		"where the environment can; 0: as the plan has it")
	f.StringVar(&o.dir, "dir", "",
		"folder for disks, evidence and traffic.csv (who sent how much to whom: domino plan), "+
			"new or empty, that stays; by default a temporary one that goes when nothing is "+
			"wrong")
	f.Uint64Var(&o.seed, "seed", 1, "of delays of notices and restarts")
	f.DurationVar(&o.timeout, "timeout", time.Minute, "end a run so long after all have begun")
	f.DurationVar(&o.spread, "spread", 5*time.Millisecond,
		"notices and restarts take up to so long")
	f.BoolVar(&o.lift, "lift", false, "find the run again in the world that check explores, too: "+
		"1 if it is not there, 2 if that is unknown")
	f.BoolVar(&o.events, "events", false, "print the merged trace, too")
	f.BoolVar(&o.json, "json", false, "print JSON")
	f.BoolVar(&o.child, childFlag, false, "internal")
	f.StringVar(&o.guard, guardFlag, "", "internal")
	return errors.Join(f.MarkHidden(childFlag), f.MarkHidden(guardFlag))
}

// registerDamage adds the flags of what happens to disks.
func (o *clusterRunFlags) registerDamage(f *pflag.FlagSet) {
	f.StringArrayVar(&o.loses, "lose", nil,
		"PROC@N: one of the records on the disk of PROC is gone when it has performed N effects; "+
			"may be repeated, as the next two")
	f.StringArrayVar(&o.corrupts, "corrupt", nil,
		"PROC@N: one of the records is damaged in its file; in half of all cases no sum of the "+
			"disk shows it")
	f.BoolVar(&o.forget, "forget", false,
		"a process that is killed loses what it has not synced, or some of it")
	f.StringArrayVar(&o.fulls, "disk-full", nil,
		"PROC@N: the next write is refused, for lack of room")
}

// check says what can not be meant.
func (o *clusterRunFlags) check(f *pflag.FlagSet) error {
	if o.child || o.guard != "" {
		return nil
	}
	if err := within(f, positive("timeout spread"),
		notNegative("disk-delay silence every")); err != nil {
		return err
	}
	switch {
	case o.plan != "" && (len(o.kills)+len(o.stops)+len(o.loses)+len(o.corrupts)+
		len(o.fulls) > 0 || o.laws.given() || f.Changed("seed") || f.Changed("every") ||
		f.Changed("spread") || o.forget || f.Changed("disk-delay") || f.Changed("silence")):
		return errors.New(
			"--plan has its own --kill, --mtbf, --stop, --lose, --corrupt, --disk-full, --every, " +
				"--silence, --seed, --spread, --disk-delay and --forget")
	case o.plan != "" && o.kernel == "" && f.NArg() == 0:
	case (o.kernel == "") == (f.NArg() == 0) || f.NArg() > 1:
		kernels := 0
		if o.kernel != "" {
			kernels = 1
		}
		return fmt.Errorf("want one scenario or a --kernel, got %d scenarios and %d kernels",
			f.NArg(), kernels)
	}
	return nil
}

// runClusterRun is cluster run, and each of its processes.
func runClusterRun(ctx context.Context, args []string, std streams) (int, error) {
	o, names, err := readClusterRun(args, std)
	if err != nil {
		return 0, err
	}
	switch {
	case o.guard != "":
		return 0, launch.Keep(os.Stdin, os.Stdout, o.guard)
	case o.child:
		return 0, cluster.Live(os.Stdin, std.out, std.clusterSetup, func() { os.Exit(exitUsage) })
	}
	c, strikes, err := o.prepareFor(ctx, names, std)
	if err != nil {
		return 0, err
	}
	reason, err := heard(ctx, func() (string, error) { return c.open(ctx) })
	if err == nil && reason == "" {
		if err = c.validate(strikes); errors.Is(err, cluster.ErrModel) {
			reason, err = err.Error(), nil
		} else if err != nil {
			return 0, err
		}
	}
	if err != nil || reason != "" {
		if ctx.Err() != nil {
			fmt.Fprintln(std.err, "interrupted before it began")
			o.out.left(c.scenario)
			return exitCode(spec.Unknown), nil
		}
		if reason != "" {
			fmt.Fprintf(std.err, "out of model: %s\n", reason)
			o.out.beyond(c.scenario, reason)
		}
		return exitCode(spec.OutOfModel), err
	}
	return o.runIn(ctx, c, strikes)
}

// runIn makes the run in its folder, and tells.
func (o *clusterRunFlags) runIn(ctx context.Context, c *clusterCase, strikes strikes) (int, error) {
	std := c.std
	dir, err := openFolder(o.dir, c.shared, "domino-cluster-")
	if err != nil {
		return 0, err
	}
	plan := c.saved(strikes, o.seed)
	if plan.Hosting = c.savedHosting(); !dir.temporary { // for who has to go on with it
		lock, err := lockFolder(dir.name)
		if err != nil {
			return 0, err
		}
		defer func() { _ = lock.Close() }() // it was only locked
		if err := plan.save(dir.name); err != nil {
			return 0, err
		}
	}
	ran, err := c.runWithReference(ctx, strikes, dir.name)
	wrong := err == nil && ran.wrong()
	if err == nil {
		o.out.clusterRan(ran, "")
		err = ran.tell(std, o.json, o.events)
	}
	if wrong && ctx.Err() == nil || !dir.temporary {
		err = errors.Join(err, plan.save(dir.name), ran.record(dir.name))
	}
	keep := !dir.temporary || ctx.Err() == nil && (wrong || err != nil && began(dir.name))
	err = errors.Join(err, dir.close(keep))
	switch {
	case err != nil && keep:
		return 0, fmt.Errorf("%w (files are in %s)", err, dir.name)
	case err != nil:
		return 0, err
	case keep && !o.json:
		fmt.Fprintf(std.err, "disks and evidence are in %s\n", dir.name)
	}
	return ran.code(), nil
}

// tell prints the run.
func (r *clusterRan) tell(std streams, asJSON, events bool) error {
	if asJSON {
		return printJSON(std.out, r.report())
	}
	r.print(std.out, events)
	return nil
}

// prepareFor is prepare for who may be interrupted: a file that is named may be a pipe.
func (o *clusterRunFlags) prepareFor(ctx context.Context, names []string,
	std streams) (c *clusterCase, k strikes, err error) {
	type prepared struct {
		*clusterCase
		strikes
	}
	p, err := heard(ctx, func() (prepared, error) {
		c, k, err := o.prepare(ctx, names, std)
		return prepared{c, k}, err
	})
	return p.clusterCase, p.strikes, err
}

// prepare makes the case and its failures of what the user asks for.
func (o *clusterRunFlags) prepare(ctx context.Context, names []string,
	std streams) (*clusterCase, strikes, error) {
	var k strikes
	var s *scenarios.Scenario
	var err error
	if o.kernel != "" || len(names) > 0 {
		if s, err = o.scenario(names, std); err != nil {
			return nil, k, err
		}
	}
	var saved *savedRun
	if o.plan != "" {
		if saved, s, err = readPlan(o.plan, s); err != nil {
			return nil, k, err
		}
		o.seed, o.spread, o.diskDelay = saved.Seed, saved.Spread, saved.DiskDelay
	}
	resolved, err := std.Resolve(s)
	if err != nil {
		return nil, k, withoutFile(err)
	}
	c := &clusterCase{scenario: s, resolved: resolved, std: std, seed: o.seed, timeout: o.timeout,
		spread: o.spread, diskDelay: o.diskDelay, lifts: o.lift,
		keeps: o.dir != ""}
	if c.hosting, err = o.where.resolve(ctx); err != nil {
		return nil, k, err
	}
	if saved != nil {
		resolved.Model = saved.Model
		return c, saved.strikes, nil
	}
	if k, err = parseKills(o.kills, resolved.Setup, 0); err != nil {
		return nil, k, err
	}
	if err := o.laws.add(&k, o.seed, resolved.Setup, o.timeout); err != nil {
		return nil, k, err
	}
	if k.Stops, err = parseStops(o.stops, resolved.Setup); err != nil {
		return nil, k, err
	}
	if err := o.damage(&k, resolved.Setup); err != nil {
		return nil, k, err
	}
	k.Silence, k.Every, k.Forget = o.silence, o.every, o.forget
	if o.every > 0 {
		resolved.Model.Checkpoints = fault.Max
	}
	c.allow(k)
	if k.Lawful {
		c.carry()
	}
	c.allowStops(k)
	c.allowSpoils(k.Plan.Spoils)
	return c, k, nil
}

// damage adds the damage to disks that the user asks for.
func (o *clusterRunFlags) damage(k *strikes, setup *core.Setup) error {
	for _, d := range []struct {
		what plan.Damage
		list []string
	}{{plan.Lose, o.loses}, {plan.Corrupt, o.corrupts}, {plan.Full, o.fulls}} {
		spoils, err := parseSpoils(d.what, d.list, setup)
		if err != nil {
			return err
		}
		k.Plan.Spoils = append(k.Plan.Spoils, spoils...)
	}
	return nil
}

// scenario is what is to run.
func (o *clusterRunFlags) scenario(names []string, std streams) (*scenarios.Scenario, error) {
	var s *scenarios.Scenario
	if o.kernel != "" {
		name := protocol.Baseline
		if _, err := std.Find(name); err != nil { // a command without it
			name = std.Protocols()[0].Name
		}
		text := "A kernel\n-- scenario --\nprotocol: " + name + "\nprogram: kernel " + o.kernel +
			"\n"
		parsed, err := scenarios.Parse(kernelFile, []byte(text))
		if err != nil {
			return nil, withoutFile(err)
		}
		s = parsed
	} else {
		list, err := std.Select(names)
		if err != nil {
			return nil, err
		}
		if len(list) != 1 {
			return nil, fmt.Errorf("%s names %d scenarios, want one", names[0], len(list))
		}
		s = list[0]
	}
	for _, v := range []struct{ from, to *string }{{&o.protocol, &s.Protocol},
		{&o.clusters, &s.Clusters}, {&o.variant, &s.Variant}, {&o.options, &s.Options}} {
		if *v.from != "" {
			*v.to = *v.from
		}
	}
	return s, nil
}

// kernelFile is the name of the file that a kernel would be in.
const kernelFile = "kernel.txtar"

// withoutFile takes away where the error is in that file, which nobody has seen.
func withoutFile(err error) error {
	if place, text, ok := strings.Cut(err.Error(), ": "); ok &&
		strings.HasPrefix(place, kernelFile) {
		return errors.New(text)
	}
	return err
}

// clusterSetup makes the setup of a case, in a child.
func (std streams) clusterSetup(text json.RawMessage) (*core.Setup, error) {
	var file string
	if err := json.Unmarshal(text, &file); err != nil {
		return nil, err
	}
	s, err := scenarios.Parse("cluster.txtar", []byte(file))
	if err != nil {
		return nil, err
	}
	r, err := std.Resolve(s)
	if err != nil {
		return nil, err
	}
	return r.Setup, nil
}
