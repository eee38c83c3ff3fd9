package app

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/domino-check/domino/checker/shard"
	"github.com/domino-check/domino/checker/shard/campaign"
	"github.com/domino-check/domino/cmd/domino/app/term"
)

func runWorker(ctx context.Context, args []string, std streams) (int, error) {
	f := flags("worker", "", std, "worker --nats .domino/farm/worker.json",
		"worker --nats nats://10.0.0.1:4222 --credentials worker.json --slots 8",
		"worker --nats .domino/farm/worker.json --allow torture --slots 1")
	connector := std.engine.Flags(f)
	slots := f.Int("slots", defaultSlots(), "jobs at a time")
	allow := f.StringSlice("allow", nil,
		"other classes of jobs to do, too: torture, which starts and kills processes, one at a "+
			"time, with the machine to itself")
	blobs := f.String("blobs", "",
		"folder that all machines have, for what one search on many machines keeps")
	if err := f.Parse(args); err != nil {
		return 0, err
	}
	if *blobs != "" {
		std.blobs = shard.NewFolder(*blobs)
	}
	if err := within(f, span{"slots", 1, maxWorkers}); err != nil {
		return 0, err
	}
	for _, c := range *allow {
		if c != campaign.Torture {
			return 0, fmt.Errorf("--allow %s: want %s", c, campaign.Torture)
		}
	}
	switch {
	case f.NArg() > 0:
		return 0, fmt.Errorf("want no arguments, got %q", f.Args())
	case !connector.Asked():
		return 0, errors.New("where are the jobs? want --nats")
	}
	build, err := buildName()
	if err != nil {
		return 0, err
	}
	log := std.log()
	c, err := connector.Connect(ctx, log)
	if ctx.Err() != nil {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	defer c.Close()
	log("worker of build %s at %s, %d at a time; Ctrl-C ends it", build, c.Where, *slots)
	stop := std.work(ctx, c.Engine, build, *slots,
		append([]string{campaign.Plain}, slices.Compact(*allow)...))
	<-ctx.Done()
	stop()
	log("ended; what was not done is done by others")
	return 0, nil
}

func runFarm(ctx context.Context, args []string, std streams) (int, error) {
	f := flags("farm", "status | cancel ID | resume ID | forget ID", std,
		"farm status --nats .domino/farm/operator.json", "farm resume 1124-0912-k3m8d2 "+
			"--nats .domino/farm/operator.json", "farm cancel 1124-0912-k3m8d2 --nats embed")
	connector := std.engine.Flags(f)
	asJSON := f.Bool("json", false, "print JSON")
	if err := f.Parse(args); err != nil {
		return 0, err
	}
	what, id := f.Arg(0), f.Arg(1)
	want := 2
	if what == "status" {
		want = 1
	}
	switch {
	case !slices.Contains([]string{"status", "cancel", "resume", "forget"}, what):
		return 0, fmt.Errorf("unknown word %q: want status, cancel, resume or forget", what)
	case f.NArg() != want:
		return 0, fmt.Errorf("%s: want %d arguments, got %d", what, want-1, f.NArg()-1)
	case *asJSON && what != "status":
		return 0, fmt.Errorf("%s prints no JSON but that of its command", what)
	case !connector.Asked():
		return 0, errors.New("where are the campaigns? want --nats")
	}
	c, err := connector.Connect(ctx, std.log())
	if err != nil {
		return 0, err
	}
	switch what {
	case "cancel":
		err = campaign.Cancel(ctx, c.Engine, id)
	case "forget":
		err = campaign.Forget(ctx, c.Engine, id, func(h campaign.Header) error {
			return forgetLevels(ctx, c.Engine, h)
		})
	case "resume":
		h, _, failed := campaign.Read(ctx, c.Engine, id)
		if c.Close(); failed != nil {
			return 0, failed
		}
		if len(h.Command) == 0 || h.Command[0] == "farm" || h.Command[0] == "worker" {
			return 0, fmt.Errorf("campaign %s was begun by no command of ours: %q", id, h.Command)
		}
		return std.resume(ctx, h), nil
	default:
		err = std.status(ctx, c, *asJSON)
	}
	c.Close()
	return 0, err
}

// resume runs the command of a campaign once more, which goes on where it was.
func (std *streams) resume(ctx context.Context, h campaign.Header) int {
	std.resuming = h.ID
	std.log()("campaign %s: %s", h.ID, brief(h.Command))
	return dispatch(ctx, h.Command, *std)
}

// brief is a command line as far as people want to see it: a shell makes ten thousand words of *.
func brief(words []string) string { return term.Cut(strings.Join(words, " "), 100) }

// farmStatus is what farm status prints as JSON.
type farmStatus struct {
	versioned
	Campaigns []campaign.Header `json:"campaigns"`
	Workers   []campaign.Member `json:"workers"`
}

// status prints campaigns and workers.
func (std *streams) status(ctx context.Context, c *Connection, asJSON bool) error {
	headers, err := campaign.Headers(ctx, c.Engine)
	if err != nil {
		return err
	}
	for i := range headers {
		h := &headers[i]
		if h.State != campaign.Running {
			continue
		}
		if h.Taken, err = campaign.Answered(ctx, c.Engine, h.ID); err != nil {
			return err
		}
	}
	members, err := campaign.Members(ctx, c.Engine)
	if err != nil {
		return err
	}
	if asJSON {
		return printJSON(std.out, farmStatus{as("farm-status"), headers, members})
	}
	t := term.NewTable(std.out, 0, term.Column{Title: "campaign", Width: 18, Left: true},
		term.Column{Title: "state", Width: 10, Left: true}, term.Column{Title: "jobs", Width: 9},
		term.Column{Title: "begun", Width: 17}, term.Column{Title: " command", Left: true})
	for _, h := range headers {
		t.Row(h.ID, string(h.State), count(h.Taken), h.Began.Local().Format("Jan 2 15:04:05"),
			" "+brief(h.Command))
	}
	if len(headers) > 0 && len(members) > 0 {
		fmt.Fprintln(std.out)
	}
	t = term.NewTable(std.out, 0, term.Column{Title: "worker", Width: 30, Left: true},
		term.Column{Title: "build", Width: 17, Left: true}, term.Column{Title: "slots", Width: 5},
		term.Column{Title: "jobs", Width: 9}, term.Column{Title: " classes", Left: true})
	for _, m := range members {
		t.Row(m.Name, m.Build, count(m.Slots), count(m.Done), " "+strings.Join(m.Classes, " "))
	}
	if len(headers)+len(members) == 0 {
		fmt.Fprintf(std.err, "no campaign and no worker at %s, %s\n", c.Where,
			time.Now().Format("15:04:05"))
	}
	return nil
}
