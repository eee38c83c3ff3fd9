package app

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/domino-check/domino/checker/lift"
	"github.com/domino-check/domino/checker/verify"
	"github.com/domino-check/domino/cmd/domino/app/term"
	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/runtime/plan"
	"github.com/domino-check/domino/impl/runtime/tcp/cluster"
	"github.com/domino-check/domino/scenarios"
	"github.com/domino-check/domino/spec"
	"github.com/domino-check/domino/spec/fault"
)

// tortureFlags are the flags of cluster torture.
type tortureFlags struct {
	runs      int
	kills     int
	failures  int
	json      bool
	lift      bool
	forTime   time.Duration
	seed      uint64
	protocols string
	kernels   string
	dir       string
	where     hostFlags
	timeout   time.Duration
	out       *outputs
	far       *farmFlags
}

// readTorture reads the flags and the names of scenarios.
func readTorture(args []string, std streams) (o tortureFlags, names []string, err error) {
	f := flags("cluster torture", "[SCENARIO ...]", std, "cluster torture --runs 1000",
		"cluster torture --kills 1000 --failures 4",
		"cluster torture s1 'causal-*' --for 10m --seed 7",
		"cluster torture --protocols hydee,causal",
		"cluster torture --kernel stream,heat --protocols rbml",
		"cluster torture --lift --runs 1000")
	f.IntVar(&o.runs, "runs", 100, "runs with failures")
	f.DurationVar(&o.forTime, "for", 0, "make runs for so long, not --runs")
	f.IntVar(&o.kills, "kills", 0, "make runs until so many failures have struck, not --runs")
	f.IntVar(&o.failures, "failures", 0,
		"allow so many failures in a run instead of the scenario's, where its protocol promises "+
			"to survive them; 0: the scenario's")
	f.Uint64Var(&o.seed, "seed", 1,
		"of scenarios, plans and delays; what happens depends on the machine, too")
	f.StringVar(&o.protocols, "protocols", "",
		"protocols whose scenarios are run (default: all that have programs); each gets its share")
	f.StringVar(&o.kernels, "kernel", "",
		"kernels that are run, and no scenarios but those that are named: "+tortureKernelNames()+
			", or all; none: scenarios alone (default: both)")
	f.StringVar(&o.dir, "dir", "domino-torture",
		"folder for the first wrong run: plan, seeds, traces, disks; new or empty")
	o.where.register(f, "the temporary folder (TMPDIR)")
	f.DurationVar(&o.timeout, "timeout", 30*time.Second,
		"end a run in which nothing has happened for so long; that is wrong")
	f.BoolVar(&o.lift, "lift", false, "find every run of a scenario again in the world that "+
		"check explores, too; one that is not there is wrong")
	f.BoolVar(&o.json, "json", false, "print JSON")
	o.far = registerFarm(f, std)
	o.out = registerOutputs(f, std)
	if err := f.Parse(args); err != nil {
		return o, nil, err
	}
	if err := within(f, positive("runs timeout"), notNegative("for kills"),
		span{"failures", 0, fault.Max}); err != nil {
		return o, nil, err
	}
	if err := o.out.open(); err != nil {
		return o, nil, err
	}
	if o.kills > 0 && o.forTime > 0 || f.Changed("runs") && o.kills+int(o.forTime) > 0 {
		return o, nil, errors.New("only one of --runs, --for and --kills says when it is enough")
	}
	return o, f.Args(), o.far.refuse(f, "hosts", "address", "json", "junit", "sarif", "summary",
		"comment", "annotate")
}

// runTorture makes random failures in runs as processes, until one is wrong.
func runTorture(ctx context.Context, args []string, std streams) (int, error) {
	o, names, err := readTorture(args, std)
	if err != nil {
		return 0, err
	}
	for _, p := range fields(o.protocols) {
		if _, err := std.Find(p); err != nil {
			return 0, err
		}
	}
	if entries, err := os.ReadDir(o.dir); err == nil && len(entries) > 0 {
		return 0, fmt.Errorf("%s has files already: remove it or name another --dir", o.dir)
	}
	if err := couldWrite(o.dir); err != nil {
		return 0, fmt.Errorf("--dir: a wrong run could not be saved: %w", err)
	}
	list, err := std.chosen(ctx, names)
	if err != nil {
		return 0, err
	}
	t := &torture{flags: &o, std: std, rng: rand.New(rand.NewPCG(o.seed, 0)), named: len(names) > 0,
		line: term.NewLine(std.err, o.json)}
	if t.hosting, err = o.where.resolve(ctx); err != nil {
		return 0, err
	}
	if err := t.choose(list); err != nil {
		return 0, err
	}
	if o.far.asked() {
		return o.far.campaign(ctx, std, 1, func(f *farm) (int, error) {
			return t.elsewhere(ctx, f, list)
		})
	}
	folder, err := openFolder("", t.shared, "domino-torture-")
	if err != nil {
		return 0, err
	}
	t.folder = folder.name
	code, err := t.run(ctx)
	return code, errors.Join(err, folder.close(t.keep))
}

// torture is the state of runTorture.
type torture struct {
	hosting
	flags *tortureFlags
	std   streams
	rng   *rand.Rand
	// scenarios of which it has turned out while they ran that real processes can not keep them
	unfit   []string
	named   bool // by the user, so that nothing is left out in silence
	victims []*victim
	folder  string // for the files of runs
	keep    bool   // they tell something
	made    int    // runs, of any kind
	line    *term.Line
	// runs in which somebody gave up and was right, after more failures than the scenario's
	beyond  int
	unkept  int    // runs that came to what real processes do not keep
	why     string // the last of them
	outside int    // runs that broke something after others had killed more than the model has
	tried   attempt
	tallies
}

// attempt is what a run is made with.
type attempt struct {
	strikes strikes
	seed    uint64
}

// victim is one scenario.
type victim struct {
	clusterCase
	opened    bool
	own       fault.Model // without more failures
	reference *cluster.Result
	lengths   plan.Lengths
	calm      phases // seen in runs without failures
	seen      phases // in any
	made      int    // runs
	unkept    int    // of these
}

// choose takes the scenarios that are expected to hold and that real processes can keep, and the
// kernels.
func (t *torture) choose(list []*scenarios.Scenario) error {
	if t.flags.kernels != "" && t.flags.kernels != noKernels && !t.named {
		list = nil
	}
	for _, s := range list {
		if !t.wants(s.Protocol) || s.Expect != "holds" || s.Force || !t.named && s.Long {
			continue
		}
		r, err := t.std.Resolve(s)
		if err != nil {
			return err
		}
		if err := t.add(s, r); err != nil && (t.named || !errors.Is(err,
			cluster.ErrModel)) {
			return fmt.Errorf("%s: %w", s.Name, err)
		}
	}
	if err := t.addKernels(); err != nil {
		return err
	}
	if len(t.victims) == 0 {
		return errors.New(
			"no scenario is left that is expected to hold and that real processes can keep")
	}
	return nil
}

// wants reports whether the user has asked for the protocol.
func (t *torture) wants(protocol string) bool {
	named := fields(t.flags.protocols)
	return len(named) == 0 || slices.Contains(named, protocol)
}

// add takes one, with as many failures as the user asks for and its protocol promises to survive.
func (t *torture) add(s *scenarios.Scenario, r *verify.Resolved) error {
	if r.Setup.Promises.MaxFailures < 0 { // it survives none
		r.Model.Failures = 0
	}
	own := r.Model
	// of a protocol as printed no more is promised than the scenario says
	if t.flags.failures > own.Failures && own.Failures > 0 && !own.OneInstant &&
		s.Variant != "published" {
		r.Model.Failures = t.flags.failures
		if n := r.Setup.Promises.InAll; n > 0 {
			r.Model.Failures = min(r.Model.Failures, n)
		}
		n := r.Setup.Promises.MaxFailures
		if n > 0 && (own.Overlap == 0 || own.Overlap > n) {
			r.Model.Overlap = n
		}
		for p := range r.Setup.Layout.Names { // or nobody could fail who has mates
			if len(r.Setup.Group(core.Proc(p))) > n && n > 0 {
				r.Model = own
			}
		}
	}
	c := cluster.Config{Setup: r.Setup, Model: r.Model, Dir: "-", Path: "-",
		Address: t.address, Hosts: t.hosts, Ports: t.ports, Fence: t.fence, LostAfter: t.lostAfter,
		Lease: t.lease}
	if err := c.Validate(); err != nil {
		return err
	}
	t.victims = append(t.victims, &victim{own: own,
		clusterCase: clusterCase{scenario: s, resolved: r, std: t.std,
			timeout: patience * t.flags.timeout, idle: t.flags.timeout,
			spread: 5 * time.Millisecond, hosting: t.hosting, quiet: true,
			lifts: t.flags.lift && !strings.HasPrefix(s.Shape, kernelPrefix)}})
	return nil
}

// patience is how many times as long as the time without any progress a run may take that makes
// some.
const patience = 20

// run makes runs until one is wrong, or it is enough.
func (t *torture) run(ctx context.Context) (int, error) {
	began := time.Now()
	for t.goOn(ctx, began) {
		v := t.draw()
		t.made++
		v.made++
		dir := filepath.Join(t.folder, fmt.Sprintf("%06d", t.made))
		ran, err := t.one(ctx, v, dir)
		unkept := errors.Is(err, cluster.ErrModel)
		if unkept && t.pardons(v, err) {
			if err := os.RemoveAll(dir); err != nil {
				return 0, err
			}
			continue
		}
		if err == nil && ran == nil || unkept && !t.named {
			if err := errors.Join(t.leaveOut(v), os.RemoveAll(dir)); err != nil {
				return 0, err
			}
			continue
		}
		switch {
		case ctx.Err() != nil:
		case err != nil:
			t.line.Clear()
			return 0, t.failed(v, err, dir)
		case t.wrongs(v, ran):
			t.line.Clear()
			t.flags.out.clusterRan(ran, called("domino cluster run --plan "+
				filepath.Join(t.flags.dir, planFile)))
			return max(1, ran.code()), t.wrong(ran, dir)
		}
		if err := os.RemoveAll(dir); err != nil {
			return 0, err
		}
		t.show(began, v.scenario.Name)
	}
	t.line.Clear()
	return t.report(ctx, time.Since(began))
}

// pardons counts a run that has come to what real processes do not keep, and reports whether its
// scenario may go on: not if more than a few and half of its runs do.
func (t *torture) pardons(v *victim, err error) bool {
	if !v.opened {
		return false
	}
	v.unkept++
	t.unkept++
	t.why = err.Error()
	return v.unkept <= fewUnkept+v.made/2
}

// fewUnkept runs of a scenario may be ones that real processes do not keep, before half of them
// must be others.
const fewUnkept = 3

// leaveOut gives up one that can not be run, as may turn out while it runs.
func (t *torture) leaveOut(v *victim) error {
	t.unfit = append(t.unfit, v.scenario.Name)
	t.victims = slices.DeleteFunc(t.victims, func(o *victim) bool { return o == v })
	if len(t.victims) == 0 {
		return errors.New(
			"no scenario is left that can be run within the promises of its protocol")
	}
	return nil
}

// wrongs reports whether a run is wrong, and counts those that are neither that nor fine. Whoever
// gives up without need breaks gives-not-up, so the judge has found that those who did in a run
// without a violation were right; that they had to, after no more failures than the scenario's, is
// wrong all the same, since it is expected to hold.
func (t *torture) wrongs(v *victim, ran *clusterRan) bool {
	if l := ran.lifted; l != nil && ran.result.Complete && (l.Verdict == lift.Unexplained ||
		l.violation() != nil && ran.verdict == spec.Holds) {
		return true
	}
	switch {
	case ran.verdict == spec.Holds:
		return false
	case ran.verdict != spec.OutOfModel:
		return true
	case ran.violation != nil || !gaveUp(&ran.result.Trace):
		t.outside++
		return ran.result.Outside == 0
	}
	t.beyond++
	return ran.result.Failures <= v.own.Failures
}

// tortured is the answer as JSON when no run was wrong.
type tortured struct {
	versioned
	Wrong       int      `json:"wrong"` // 0
	Scenarios   int      `json:"scenarios"`
	Seed        uint64   `json:"seed"`
	Seconds     float64  `json:"seconds"`
	Beyond      int      `json:"beyond"`
	Outside     int      `json:"outside"`
	Unkept      int      `json:"unkept"`
	Interrupted bool     `json:"interrupted"`
	Protocols   []*tally `json:"protocols"`
	All         *tally   `json:"all"`
	// of runtimes that recover, by policy
	Episodes episodeTallies `json:"episodes,omitempty"`
}

// wrongRun is the answer as JSON when one was.
type wrongRun struct {
	versioned
	Wrong    int            `json:"wrong"` // 1
	Seed     uint64         `json:"seed"`
	Run      int            `json:"run"`
	Scenario string         `json:"scenario"`
	Dir      string         `json:"dir"` // with its files
	Report   *clusterReport `json:"report"`
}

// tortureEvent is how far torture has come.
type tortureEvent struct {
	happening
	Scenario string  `json:"scenario"`
	Runs     int     `json:"runs"`
	Kills    int     `json:"kills"`
	Seconds  float64 `json:"seconds"`
}

// show shows how far it is.
func (t *torture) show(began time.Time, name string) {
	t.line.Show("", func() string {
		return fmt.Sprintf("%d runs, %d failures in %s: %s", t.all.Runs, t.all.Kills,
			short3(time.Since(began)), name)
	}, func() any {
		return tortureEvent{underWay, name, t.all.Runs, t.all.Kills, time.Since(began).Seconds()}
	})
}

// report tells what no wrong run has shown.
func (t *torture) report(ctx context.Context, took time.Duration) (code int, err error) {
	if code = exitSampled; ctx.Err() != nil {
		code = exitCode(spec.Unknown)
	}
	t.flags.out.tortured(t, code, took.Seconds())
	if t.flags.json {
		list := t.settled()
		t.episodes.settle()
		return code, printJSON(t.std.out,
			tortured{versioned: as("torture"), Scenarios: len(t.victims), Seed: t.flags.seed,
				Seconds: took.Seconds(), Beyond: t.beyond, Outside: t.outside, Unkept: t.unkept,
				Interrupted: ctx.Err() != nil, Protocols: list[:len(list)-1],
				All: list[len(list)-1], Episodes: t.episodes})
	}
	fmt.Fprintf(t.std.out,
		"%d runs of %d scenarios in %s, %d failures, none wrong; %d failures did not strike: "+
			"their moment did not come\n", t.all.Runs, len(t.victims),
		short3(took), t.all.Kills, t.all.Unstruck)
	if t.flags.lift {
		fmt.Fprintf(t.std.out, "%d runs were found again in the world, of %d that is unknown%s; "+
			"%d, of kernels, were not looked for there\n", t.all.Lifted, t.all.Unlifted,
			t.unlifted, t.all.Runs-t.all.Lifted-t.all.Unlifted)
	}
	if len(t.unfit) > 0 {
		fmt.Fprintf(t.std.out, "left out, as they are beyond what real processes can keep or what "+
			"is promised: %s\n", strings.Join(t.unfit, " "))
	}
	if t.beyond > 0 {
		fmt.Fprintf(t.std.out,
			"in %d runs somebody gave up and was right: more failures than the scenario's have "+
				"taken a rank and all that protects it\n", t.beyond)
	}
	if t.outside > 0 {
		fmt.Fprintf(t.std.out,
			"%d runs are out of model and not judged: somebody else has killed more processes "+
				"than may fail\n", t.outside)
	}
	if t.unkept > 0 {
		fmt.Fprintf(t.std.out, "%d runs are not judged, as they came to what real processes do "+
			"not keep, the last: %s\n", t.unkept, t.why)
	}
	if t.all.Alarms+t.all.Stops > 0 {
		fmt.Fprintf(t.std.out, "false suspicions: %d; %d processes were stopped and went on\n",
			t.all.Alarms, t.all.Stops)
	}
	if err := t.print(t.std.out); err != nil {
		return 0, err
	}
	if ctx.Err() != nil {
		fmt.Fprintln(t.std.out, "interrupted")
	}
	return code, nil
}

func (t *torture) goOn(ctx context.Context, began time.Time) bool {
	switch {
	case ctx.Err() != nil:
		return false
	case t.flags.forTime > 0:
		return time.Since(began) < t.flags.forTime
	case t.flags.kills > 0:
		return t.all.Kills < t.flags.kills
	}
	return t.all.Runs < t.flags.runs
}

// one makes one run with failures, the first time one without before it. No run at all means that
// the scenario can not be run.
func (t *torture) one(ctx context.Context, v *victim, dir string) (*clusterRan, error) {
	if !v.opened {
		reason, err := v.open(ctx)
		// more is not promised
		if err == nil && reason != "" && v.resolved.Model.Failures != v.own.Failures {
			v.resolved.Model = v.own
			reason, err = v.open(ctx)
		}
		if err != nil || reason != "" {
			return nil, err
		}
		t.tried = attempt{seed: t.flags.seed}
		ran, err := v.run(ctx, strikes{}, t.flags.seed, filepath.Join(dir, "reference"), nil)
		if err != nil || ran.verdict != spec.Holds {
			return ran, err
		}
		v.opened, v.reference, v.calm, v.seen = true, ran.result, phases{}, phases{}
		v.lengths.Note(0, ran.result.Performed)
	}
	seed := t.rng.Uint64()
	drawn := strikes{Plan: plan.Draw(t.rng, v.resolved.Setup, &v.resolved.Model, v.lengths)}
	drawn.spreadRequests(t.rng, v.resolved.Setup, v.lengths)
	drawn.hurry(t.rng)
	drawn.phase(t.rng, v.calm, v.seen)
	drawn.Stops, drawn.Plan.Requests = drawStops(t.rng, v.resolved, drawn.Plan.Requests)
	drawn.Forget = t.rng.IntN(2) == 0
	t.tried = attempt{drawn, seed}
	ran, err := v.run(ctx, drawn, seed, filepath.Join(dir, "run"), v.reference)
	if err != nil {
		return ran, err
	}
	if ran.seed = seed; ctx.Err() == nil {
		t.note(v.scenario.Protocol, ran)
		v.lengths.Note(ran.result.Failures, ran.result.Performed)
		v.seen.note(ran.result)
		if ran.result.Failures == 0 {
			v.calm.note(ran.result)
		}
	}
	return ran, nil
}
