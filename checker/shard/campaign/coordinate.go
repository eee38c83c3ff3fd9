package campaign

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"hash/fnv"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/domino-check/domino/checker/shard"
)

// Errors that a caller branches on.
var (
	// ErrTwoAnswers: a job that is deterministic was answered in two ways.
	ErrTwoAnswers = errors.New("two answers")
	// ErrLost: somebody else coordinates the campaign now.
	ErrLost = errors.New("another coordinator has taken the campaign")
	// ErrCancelled: somebody has cancelled the campaign.
	ErrCancelled = errors.New("cancelled")
	// ErrEngine: what carries the campaign is gone or full, and has been for long.
	ErrEngine = errors.New("the engine takes nothing")
	// ErrOther: results are those of other jobs.
	ErrOther = errors.New("not the campaign that was begun")
)

// The limits of the zero Options.
const (
	DefaultDeliveries = 4
	DefaultWindow     = 256
)

// MaxWindow is the largest Options.Window.
const MaxWindow = 4096

// Options direct a campaign.
type Options struct {
	Deliveries int     // workers that a job may end, 0 = DefaultDeliveries
	Audit      float64 // share of the jobs that are done twice, in [0, 1]
	Window     int     // jobs that are handed out at a time, 0 = DefaultWindow
	// Log is told what a user should know, e.g. that nobody can work; nil = nobody is told.
	Log func(format string, args ...any)
	// Progress is told of jobs at work; nil = nobody is told.
	Progress func(Progress)
}

// Campaign is one that this process coordinates.
type Campaign struct {
	engine  shard.Engine
	options Options
	header  Header
	stage   int            // calls of Each so far
	tries   map[string]int // by job that was given up before the campaign was resumed: how often
	lost    context.CancelCauseFunc
	whole   context.Context
	group   sync.WaitGroup
	stop    []func()

	mu      sync.Mutex
	answers map[string][]byte // by job, until they are taken
	other   string            // job that has a second answer
	arrived chan struct{}     // holds something when something has come
	sums    Sums
}

// Sums are the figures of a campaign.
type Sums struct {
	Jobs    int            // answers taken
	Found   int            // answers that were there when the campaign was resumed
	Audited int            // compared with a second answer
	Spent   int            // given up
	By      map[string]int // jobs of each worker
}

// Open begins a campaign of a program with the hash build; the command is what resumes it.
func Open(ctx context.Context, e shard.Engine, build string, command []string,
	o Options) (*Campaign, error) {
	now := time.Now().UTC()
	folder, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	h := Header{ID: now.Format("0102-1504-") + strings.ToLower(rand.Text()[:6]), Build: build,
		Command: command, Folder: folder, Began: now.Truncate(time.Second), State: Running}
	if _, err := e.Create(ctx, "campaign."+h.ID, encode(h)); err != nil {
		return nil, fmt.Errorf("begin campaign %s: %w", h.ID, err)
	}
	return begin(ctx, e, h, o)
}

// Reopen goes on with a campaign that has not come to its end, or tells its answers again. Jobs
// that were given up are tried again: it may have been somebody else who has ended their workers.
func Reopen(ctx context.Context, e shard.Engine, build, id string, o Options) (*Campaign, error) {
	h, revision, err := Read(ctx, e, id)
	if err != nil {
		return nil, err
	}
	if h.Build != build {
		return nil, fmt.Errorf("campaign %s is of build %.12s, this is %.12s: %w", id, h.Build,
			build, ErrOther)
	}
	if h.State != Running {
		h.State = Running
		if _, err := e.Update(ctx, "campaign."+id, encode(h), revision); err != nil {
			return nil, fmt.Errorf("resume campaign %s: %w", id, err)
		}
	}
	c, err := begin(ctx, e, h, o)
	if err != nil {
		return nil, err
	}
	list, err := e.List(ctx, "result."+id+".")
	if err != nil {
		return nil, errors.Join(err, c.Close(ctx, Cancelled))
	}
	for _, entry := range list {
		job := entry.Key[strings.LastIndexByte(entry.Key, '.')+1:]
		var a Answer
		if err := Decode(entry.Value, &a); err == nil && a.Spent > 0 {
			name := numbers(entry.Key)
			_, try, _ := strings.Cut(strings.TrimSuffix(job, againMark), tryMark)
			n, _ := strconv.Atoi(try) // 0 for the first
			c.tries[name] = max(c.tries[name], n+1)
			continue
		}
		c.note(job, entry.Value)
		c.sums.Found++
	}
	return c, nil
}

// Marks in the name of an answer, behind that of the job.
const (
	againMark = "-again" // of an audit
	otherMark = "-other" // one that differs
	// before the number of the new try of a job that was given up; its answer of before stays what
	// it is
	tryMark = "-try"
)

// name is that of the i-th job of the stage.
func (c *Campaign) name(i int) string {
	name := fmt.Sprintf("%d-%d", c.stage, i)
	if try := c.tries[name]; try > 0 {
		name += tryMark + strconv.Itoa(try)
	}
	return name
}

// Read is what is known of a campaign.
func Read(ctx context.Context, e shard.Engine, id string) (h Header, revision uint64, err error) {
	if err := shard.CheckKey(id); err != nil {
		return h, 0, fmt.Errorf("campaign %w", err)
	}
	entry, err := e.Get(ctx, "campaign."+id)
	if errors.Is(err, shard.ErrMissing) {
		return h, 0, fmt.Errorf("there is no campaign %s", id)
	}
	if err == nil {
		err = Decode(entry.Value, &h)
	}
	if err != nil {
		return h, 0, fmt.Errorf("campaign %s: %w", id, err)
	}
	return h, entry.Revision, nil
}

// begin takes the lease and listens.
func begin(ctx context.Context, e shard.Engine, h Header, o Options) (*Campaign, error) {
	if o.Deliveries <= 0 {
		o.Deliveries = DefaultDeliveries
	}
	if o.Window <= 0 {
		o.Window = DefaultWindow
	}
	o.Window = min(o.Window, MaxWindow)
	if o.Log == nil {
		o.Log = func(string, ...any) {}
	}
	c := &Campaign{engine: e, options: o, header: h, answers: map[string][]byte{},
		tries: map[string]int{}, arrived: make(chan struct{}, 1), sums: Sums{By: map[string]int{}}}
	c.whole, c.lost = context.WithCancelCause(context.WithoutCancel(ctx))
	name := fmt.Sprintf("%s-%d-%s", host(), os.Getpid(), rand.Text()[:6])
	err := hold(ctx, c.whole, e, "lease.campaign."+h.ID, []byte(name), o.Log,
		&c.group, c.lost)
	if err != nil {
		c.lost(err)
		return nil, err
	}
	if o.Progress != nil {
		stop, err := e.Serve("progress."+h.ID, c.told)
		if err != nil {
			c.lost(err)
			return nil, err
		}
		c.stop = append(c.stop, stop)
	}
	c.group.Go(c.listen)
	c.group.Go(c.heed)
	return c, nil
}

// heed notices that somebody else has cancelled the campaign.
func (c *Campaign) heed() {
	for pause(c.whole, stateEvery) {
		if h, _, err := Read(c.whole, c.engine, c.header.ID); err == nil && h.State == Cancelled {
			c.lost(fmt.Errorf("campaign %s was %w", c.header.ID, ErrCancelled))
		}
	}
}

// told takes the progress of a job.
func (c *Campaign) told(data []byte) ([]byte, error) {
	var p Progress
	if err := Decode(data, &p); err != nil {
		return nil, err
	}
	c.options.Progress(p)
	return nil, nil
}

// ID is what the campaign is called.
func (c *Campaign) ID() string { return c.header.ID }

// Sums are the figures so far.
func (c *Campaign) Sums() Sums {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.sums
}

// listen takes answers as they come.
func (c *Campaign) listen() {
	for c.whole.Err() == nil {
		for e, err := range c.engine.Watch(c.whole, "result."+c.header.ID+".") {
			if err != nil {
				break
			}
			if !e.Gone {
				c.note(e.Key[strings.LastIndexByte(e.Key, '.')+1:], e.Value)
			}
		}
		pause(c.whole, time.Second)
	}
}

// note keeps an answer until it is wanted.
func (c *Campaign) note(job string, value []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if first, ok := strings.CutSuffix(job, otherMark); ok {
		c.other = first
	} else {
		c.answers[job] = value
	}
	select {
	case c.arrived <- struct{}{}:
	default:
	}
}

// farewellTime bounds the end of a campaign, with an engine that may be starting again.
const farewellTime = 30 * time.Second

// Close ends the work of this process at the campaign: as done, or as cancelled, which removes
// the jobs that wait. The answers stay, also those of a campaign of which the engine does not take
// the end in half a minute: it then counts as running, and the error says so.
func (c *Campaign) Close(ctx context.Context, s State) error {
	last, cancel := context.WithTimeout(ctx, farewellTime)
	defer cancel()
	err := c.finish(last, s)
	c.lost(nil)
	for _, stop := range c.stop {
		stop()
	}
	c.group.Wait()
	return err
}

// finish writes how the campaign has ended, unless it is somebody else's now, or the engine has
// been in trouble for so long that Each has ended by it.
func (c *Campaign) finish(ctx context.Context, s State) error {
	if c.whole.Err() != nil {
		return nil
	}
	var last error // what the engine has said, not that there was no more time
	err := persist(ctx, c.options.Log, 0, "end campaign "+c.header.ID, func() error {
		entry, err := c.engine.Get(ctx, "campaign."+c.header.ID)
		if err == nil {
			h := c.header
			h.State, h.Taken = s, c.sums.Jobs
			_, err = c.engine.Update(ctx, entry.Key, encode(h), entry.Revision)
		}
		if err == nil {
			err = c.engine.Purge(ctx, c.header.ID)
		}
		if err != nil && ctx.Err() == nil {
			last = err
		}
		return err
	})
	if err == nil {
		return nil
	}
	if last == nil {
		last = err
	}
	return fmt.Errorf("end campaign %s: the engine does not take that it is %s: %w; nothing that "+
		"was answered is lost, but it counts as running, and jobs of it may wait: farm resume %s "+
		"tells the answers again, farm cancel %s and farm forget %s end it", c.header.ID, s, last,
		c.header.ID, c.header.ID, c.header.ID)
}

// audited reports whether a job is done twice, which depends on nothing but its name.
func (c *Campaign) audited(job string) bool {
	h := fnv.New64a()
	_, _ = h.Write([]byte(c.header.ID + "/" + job)) // it never fails
	return float64(h.Sum64()%10_000) < c.options.Audit*10_000
}

// members are the workers that there are.
func members(ctx context.Context, e shard.Engine) ([]Member, error) {
	list, err := e.List(ctx, "lease.worker.")
	if err != nil {
		return nil, err
	}
	var all []Member
	for _, entry := range list {
		var m Member
		if Decode(entry.Value, &m) == nil { // else it is of a build that is no use to us
			all = append(all, m)
		}
	}
	return all, nil
}

// complain tells the user of workers that can not help, where none can.
func (c *Campaign) complain(ctx context.Context, class string) {
	all, err := members(ctx, c.engine)
	if err != nil {
		return
	}
	others := map[string]int{}
	for _, m := range all {
		if m.Build != c.header.Build {
			others[m.Build]++
		} else if slices.Contains(m.Classes, class) {
			return
		}
	}
	words := "nobody works: start workers, domino-farm worker --nats URL"
	for build, n := range others {
		words = fmt.Sprintf("%d workers of build %.12s wait: this is %.12s", n, build,
			c.header.Build)
	}
	c.options.Log("campaign %s: %s", c.header.ID, words)
}
