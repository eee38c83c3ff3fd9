package level

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/domino-check/domino/checker"
	"github.com/domino-check/domino/checker/effort"
	"github.com/domino-check/domino/checker/shard"
)

// troubled is a process whose calls are late, whose questions are heard twice, or heard and not
// answered.
type troubled struct {
	*shard.Process
	mu     sync.Mutex
	random *rand.Rand
	calm   bool
	late   *sync.WaitGroup // questions that are on their way
}

// draw is a random number below n; 1 when it is calm.
func (p *troubled) draw(n int) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.calm {
		return 1
	}
	return p.random.IntN(n)
}

func (p *troubled) Request(ctx context.Context, subject string, data []byte) ([]byte, error) {
	switch p.draw(40) {
	case 0: // heard twice
		_, _ = p.Process.Request(ctx, subject, data)
	case 2: // heard, and the answer is lost
		_, err := p.Process.Request(ctx, subject, data)
		return nil, fmt.Errorf("the answer is lost: %w", err)
	case 3: // heard again, much later
		late := time.Duration(p.draw(30_000)) * time.Millisecond
		ctx := context.WithoutCancel(ctx)
		p.late.Go(func() {
			_ = pause(ctx, late)
			_, _ = p.Process.Request(ctx, subject, data)
		})
	}
	return p.Process.Request(ctx, subject, data)
}

// stormy explores a toy with processes that crash at random moments and come again under another
// name, or sleep for longer than anybody waits; the coordinator, too.
func stormy(t *toy, c Config, seed uint64) (out Outcome, err error) {
	r := rand.New(rand.NewPCG(seed, 10))
	m := shard.NewMemory()
	c.ID, c.Subject = "x", fmt.Sprint(t.seed)
	c.Make = func() (checker.Portable, error) { return t.fresh(), nil }
	ctx, stop := context.WithCancel(context.Background())
	var group sync.WaitGroup
	process := func(name string, r *rand.Rand, crashes bool, within int) *troubled {
		p := &troubled{random: rand.New(rand.NewPCG(r.Uint64(), seed)), calm: !crashes,
			late: &group}
		p.Process = m.Process(name, func(string) {
			if p.draw(400) == 0 {
				_ = pause(context.Background(), time.Duration(p.draw(45_000))*time.Millisecond)
			}
		})
		if crashes && r.IntN(4) > 0 {
			p.CrashAt(r.IntN(within))
		}
		return p
	}
	for i := range 2 + r.IntN(2) {
		r := rand.New(rand.NewPCG(seed, 100+uint64(i)))
		group.Go(func() {
			for life := 0; ctx.Err() == nil; life++ {
				w := c
				w.Life = fmt.Sprintf("w%d-%d", i, life)
				w.Engine = process(w.Life, r, life < 4, 600)
				_ = Work(ctx, w)
				_ = pause(ctx, time.Duration(r.IntN(3000))*time.Millisecond)
			}
		})
	}
	for life := 0; ; life++ {
		l := c
		l.Life = fmt.Sprintf("lead%d", life)
		l.Engine = process(l.Life, r, life < 4, 900)
		u := t.fresh()
		if out, err = Lead(ctx, l, u); err == nil {
			err = walked(u, out, l.Options)
			break
		}
		if life > 300 {
			break
		}
	}
	stop()
	group.Wait()
	return out, err
}

// storms explores toys under schedules of crashes; it returns how many have wrong numbers, how many
// come to no end, and how many attempts came to nothing.
func storms(t *testing.T, from, to uint64, without rule) (wrong, endless, again int) {
	for seed := from; seed < to; seed++ {
		toy := toys(seed % 30 * 3) // those that hold
		toy.content = 4
		o := checker.Options{All: true}
		want := local(toy, o)
		synctest.Test(t, func(t *testing.T) {
			c := Config{Options: o, Partitions: 8, Block: 1 + int(seed%7)*3, without: without}
			out, err := stormy(toy, c, seed)
			again += out.Again
			switch d := cmp.Diff(want, numbersOut(out, true)); {
			case err != nil:
				endless++
				if without == noRule {
					t.Errorf("schedule %d: %v", seed, err)
				}
			case d != "":
				wrong++
				if without == noRule {
					t.Errorf("schedule %d (-local +here):\n%s", seed, d)
				}
			}
		})
	}
	return wrong, endless, again
}

// TestStorms lets workers and coordinators crash between any two calls, or sleep until others have
// taken their place, and questions come late and twice: the numbers stay right.
func TestStorms(t *testing.T) {
	t.Parallel()
	_, _, again := storms(t, 0, uint64(effort.Cases(20, 300)), noRule)
	t.Logf("%d attempts came to nothing", again)
	if again == 0 {
		t.Error("no attempt came to nothing: the test is of crashes")
	}
}

// TestStormsNeedEveryRule leaves out one of the rules, and the comparison that would hide that:
// some schedule has wrong numbers then.
func TestStormsNeedEveryRule(t *testing.T) {
	t.Parallel()
	for _, without := range []rule{dropRule, attemptRule, keeperRule} {
		const most = 2000
		wrong, seed := 0, uint64(0)
		for ; seed < most && wrong == 0; seed++ {
			w, endless, _ := storms(t, seed, seed+1, without)
			wrong += w + endless
		}
		t.Logf("without rule %d: wrong at schedule %d", without, seed)
		if wrong == 0 {
			t.Errorf("nothing is wrong without rule %d in %d schedules", without, most)
		}
	}
}

// liar is a process of which two of the answers that it gets from a keeper are damaged.
type liar struct {
	*shard.Process
	questions int
}

func (p *liar) Request(ctx context.Context, subject string, data []byte) ([]byte, error) {
	answer, err := p.Process.Request(ctx, subject, data)
	if err == nil && data[0] == toOwn && len(answer) > 0 {
		if p.questions++; p.questions == 6 || p.questions == 12 {
			answer[0] ^= 1
		}
	}
	return answer, err
}

// TestSums damages answers, so that a state is lost or there twice: the sums differ, and the level
// is done again. Nobody notices who does not compare them.
func TestSums(t *testing.T) {
	t.Parallel()
	for _, without := range []rule{noRule, sumRule} {
		synctest.Test(t, func(t *testing.T) {
			toy := toys(0)
			want := local(toy, checker.Options{})
			m := shard.NewMemory()
			c := Config{ID: "x", Block: 5, without: without,
				Make: func() (checker.Portable, error) { return toy.fresh(), nil }}
			worker, leader := c, c
			worker.Life, worker.Engine = "w", &liar{Process: m.Process("w", nil)}
			leader.Life, leader.Engine = "l", m.Process("l", nil)
			var group sync.WaitGroup
			group.Go(func() { _ = Work(t.Context(), worker) })
			out, err := Lead(t.Context(), leader, toy.fresh())
			group.Wait()
			if err != nil {
				t.Fatal(err)
			}
			same := cmp.Equal(want, numbersOut(out, false))
			if same != (without == noRule) || same && out.Again == 0 {
				t.Errorf("without rule %d: the numbers are right: %v, %d attempts came to "+
					"nothing", without, same, out.Again)
			}
		})
	}
}
