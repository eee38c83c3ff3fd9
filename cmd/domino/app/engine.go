package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"sync/atomic"

	"github.com/spf13/pflag"

	"github.com/domino-check/domino/checker/shard"
	"github.com/domino-check/domino/checker/shard/campaign"
	"github.com/domino-check/domino/impl/protocol"
)

// Engine carries the work of commands to other processes, perhaps on other machines. domino has
// none; a command that is built with one has more flags, and the commands worker and farm.
type Engine interface {
	// Flags adds the flags that say where the engine is, and returns who goes there. A command asks
	// once.
	Flags(f *pflag.FlagSet) Connector
	// Commands are those that only this engine has.
	Commands() []Command
}

// Connector goes where the flags say.
type Connector interface {
	// Asked reports whether a flag says that the work is to be done elsewhere.
	Asked() bool
	// Connect does not return before it is connected, or there is no hope. The log is for what a
	// user should know while there is hope.
	Connect(ctx context.Context, log func(format string, args ...any)) (*Connection, error)
}

// Connection is an engine that can be used.
type Connection struct {
	Engine   shard.Engine
	Where    string // as a word for messages
	Embedded bool   // it is in this process, which does the work, too
	Close    func()
}

// Command is one of an engine's own.
type Command struct {
	Name, Args, Doc string
	Takes           string // about how long, without flags
	Help            string // paragraphs of its help
	Examples        []string
	// Run registers its flags, parses the arguments and returns the exit code.
	Run func(ctx context.Context, f *pflag.FlagSet, args []string, out, err io.Writer) (int, error)
}

// MainWith is Main with an engine; nil is none.
func MainWith(e Engine, protocols ...protocol.Protocol) int {
	return mainWith(streams{engine: e}, protocols...)
}

// own are the commands that the engine of the streams brings.
func (std *streams) own() []command {
	if std.engine == nil {
		return nil
	}
	list := []command{
		{"worker", "", "do jobs of campaigns, until Ctrl-C", "until Ctrl-C", runWorker},
		{"farm", "status | cancel ID | resume ID | forget ID",
			"campaigns: what there is, and what becomes of them", "at once; resume: as the command",
			runFarm},
	}
	for _, c := range std.engine.Commands() {
		list = append(list, command{c.Name, c.Args, c.Doc, c.Takes, func(ctx context.Context,
			args []string, std streams) (int, error) {
			return c.Run(ctx, flags(c.Name, c.Args, std, c.Examples...), args, std.out, std.err)
		}})
	}
	return list
}

// farmFlags say whether the work of a command is done elsewhere, and how carefully.
type farmFlags struct {
	connector  Connector
	audit      float64
	deliveries int
	window     int
	flags      *pflag.FlagSet
}

// registerFarm adds the flags to a command, where there is an engine.
func registerFarm(f *pflag.FlagSet, std streams) *farmFlags {
	if std.engine == nil {
		return nil
	}
	ff := &farmFlags{connector: std.engine.Flags(f), flags: f}
	f.Float64Var(&ff.audit, "audit", 0,
		"percent of the jobs that are done twice and compared, with --nats")
	f.IntVar(&ff.deliveries, "deliveries", campaign.DefaultDeliveries,
		"workers that a job may end before it is given up, with --nats")
	f.IntVar(&ff.window, "open", campaign.DefaultWindow,
		"jobs that are handed out at a time, with --nats")
	return ff
}

// asked reports whether the work is to be done elsewhere.
func (ff *farmFlags) asked() bool { return ff != nil && ff.connector.Asked() }

// refuse says that something can not be done elsewhere.
func (ff *farmFlags) refuse(f *pflag.FlagSet, names ...string) error {
	for _, n := range names {
		if ff.asked() && f.Changed(n) {
			return fmt.Errorf("--%s contradicts --nats: it is of one process", n)
		}
	}
	return nil
}

// farm is the campaign of a command; nil is none, the work is done here.
type farm struct {
	*campaign.Campaign
	std        streams
	connection *Connection
	stop       func() // own workers
	told       atomic.Pointer[func(campaign.Progress)]
	wrong      error // the first that ended a part
}

// open begins the campaign of a command, or resumes it. It returns nil when the work is done here.
func (ff *farmFlags) open(ctx context.Context, std streams, slots int) (*farm, error) {
	if !ff.asked() {
		return nil, ff.idle()
	}
	if err := ff.valid(); err != nil {
		return nil, err
	}
	build, err := buildName()
	if err != nil {
		return nil, err
	}
	log := std.log()
	connection, err := ff.connector.Connect(ctx, log)
	if err != nil {
		return nil, err
	}
	f := &farm{std: std, connection: connection, stop: func() {}}
	o := campaign.Options{Deliveries: ff.deliveries, Audit: ff.audit / 100, Window: ff.window,
		Log: log, Progress: func(p campaign.Progress) {
			if told := f.told.Load(); told != nil {
				(*told)(p)
			}
		}}
	if std.resuming != "" {
		f.Campaign, err = campaign.Reopen(ctx, connection.Engine, build, std.resuming, o)
	} else {
		f.Campaign, err = campaign.Open(ctx, connection.Engine, build, std.typed, o)
	}
	if err != nil {
		connection.Close()
		return nil, err
	}
	log("campaign %s on %s; if it is ended early, %s farm resume %s goes on", f.ID(),
		connection.Where, self(), f.ID())
	if connection.Embedded {
		f.stop = std.work(ctx, connection.Engine, build, slots,
			[]string{campaign.Plain, campaign.Torture})
	}
	return f, nil
}

// campaign runs what a command does in a campaign of its own; nil is none.
func (ff *farmFlags) campaign(ctx context.Context, std streams, slots int,
	do func(*farm) (int, error)) (int, error) {
	f, err := ff.open(ctx, std, slots)
	if err != nil {
		return 0, err
	}
	code, err := do(f)
	return code, errors.Join(err, f.close(ctx))
}

// without says that a flag which is given is about this process.
func (ff *farmFlags) without(name string, given bool) error {
	if given && ff.asked() {
		return fmt.Errorf("%s contradicts --nats: it is of one process", name)
	}
	return nil
}

// hear has somebody told of the progress of jobs from now on.
func (f *farm) hear(told func(campaign.Progress)) {
	if f != nil {
		f.told.Store(&told)
	}
}

// idle reports flags that say how the work is done elsewhere, where it is done here.
func (ff *farmFlags) idle() error {
	if ff == nil {
		return nil
	}
	for _, n := range []string{"audit", "deliveries", "open", "credentials", "farm-dir"} {
		if ff.flags.Changed(n) {
			return fmt.Errorf("--%s needs --nats: the work is done here", n)
		}
	}
	return nil
}

// valid reports flags that make no sense.
func (ff *farmFlags) valid() error {
	switch {
	case !(ff.audit >= 0 && ff.audit <= 100): // no number is neither
		return fmt.Errorf("--audit %g: want 0 to 100", ff.audit)
	case ff.deliveries < 1:
		return fmt.Errorf("--deliveries %d: want 1 or more", ff.deliveries)
	case ff.window < 1 || ff.window > campaign.MaxWindow:
		return fmt.Errorf("--open %d: want 1 to %d", ff.window, campaign.MaxWindow)
	}
	return nil
}

// log writes lines for the user beside the answers.
func (std *streams) log() func(string, ...any) {
	return func(format string, args ...any) {
		fmt.Fprintf(std.err, "%s: "+format+"\n", append([]any{self()}, args...)...)
	}
}

// work has this process do jobs until stop is called.
func (std *streams) work(ctx context.Context, e shard.Engine, build string, slots int,
	classes []string) (stop func()) {
	here := *std
	here.carrier = e
	w := &campaign.Worker{Engine: e, Build: build, Classes: classes, Slots: slots,
		Work: here.perform, Log: std.log()}
	own, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = w.Run(own) // it ends when it is told to
	}()
	return func() { cancel(); <-done }
}

// close ends the campaign. A command that was interrupted leaves it to be resumed.
func (f *farm) close(ctx context.Context) error {
	if f == nil {
		return nil
	}
	state := campaign.Done
	if ctx.Err() != nil || f.wrong != nil {
		state = campaign.Cancelled
	}
	err := f.Close(context.WithoutCancel(ctx), state)
	f.stop()
	f.connection.Close()
	sums := f.Sums()
	words := fmt.Sprintf("campaign %s is %s", f.ID(), state)
	if err != nil || errors.Is(f.wrong, campaign.ErrEngine) ||
		errors.Is(f.wrong, campaign.ErrLost) {
		words = fmt.Sprintf("campaign %s is over here, not at the engine", f.ID())
	}
	if sums.Jobs > 0 { // the workers of one search have one each, which it ends
		words += fmt.Sprintf(": %s jobs by %d workers", count(sums.Jobs), len(sums.By))
	}
	for _, s := range []struct {
		n    int
		what string
	}{{sums.Found, "answers of before"}, {sums.Audited, "compared with a second answer"},
		{sums.Spent, "given up"}} {
		if s.n > 0 {
			words += fmt.Sprintf(", %s %s", count(s.n), s.what)
		}
	}
	if sums.Spent > 0 {
		words += fmt.Sprintf("; %s farm resume %s tries those again", self(), f.ID())
	}
	f.std.log()("%s", words)
	return err
}

// distribute has jobs done here by a pool, or by a campaign, and hands over their results in order.
// Each job has its data; read makes a result of an answer. What was interrupted, or comes after an
// error of the campaign, is the zero R.
func distribute[R any](ctx context.Context, f *farm, workers, jobs int, kind string,
	data func(job int) any, read func(job int, a *campaign.Answer) R,
	work func(ctx context.Context, job int) R, done func(job int, r R)) error {
	if f == nil {
		pool(ctx, workers, jobs, work, done)
		return nil
	}
	taken := 0
	err := f.Each(ctx, campaign.Batch{Kind: kind, Class: classOf(kind), Loose: isLoose(kind),
		Job: func(i int) ([]byte, bool, error) {
			if i >= jobs {
				return nil, false, nil
			}
			return encodeJob(data(i)), true, nil
		},
		Take: func(i int, a *campaign.Answer) (bool, error) {
			taken++
			done(i, read(i, a))
			return true, nil
		}})
	for ; taken < jobs; taken++ {
		var none R
		done(taken, none)
	}
	switch {
	case err == nil || ctx.Err() != nil:
		return nil
	case errors.Is(err, campaign.ErrCancelled):
		f.std.log()("%v", err)
		f.wrong, err = err, errInterrupted
		return err
	}
	f.wrong = err
	return err
}

// spent is why a job that has ended its workers has no answer.
func spent(a *campaign.Answer) string {
	return fmt.Sprintf("it has ended %d workers, and nobody tries it again", a.Spent)
}

// defaultSlots is how many jobs a worker does at a time unless told.
func defaultSlots() int { return runtime.GOMAXPROCS(0) }
