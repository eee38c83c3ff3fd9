package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"golang.org/x/term"

	"github.com/domino-check/domino/checker"
)

// pool runs jobs on a number of workers and hands over their results in the order of the jobs.
func pool[R any](ctx context.Context, workers, jobs int, work func(ctx context.Context, job int) R, done func(job int, r R)) {
	type result struct {
		job   int
		value R
	}
	queue, results := make(chan int), make(chan result)
	var group sync.WaitGroup
	for range min(max(1, workers), max(1, jobs)) {
		group.Go(func() {
			for job := range queue {
				results <- result{job, work(ctx, job)}
			}
		})
	}
	go func() {
		for job := range jobs {
			queue <- job
		}
		close(queue)
		group.Wait()
		close(results)
	}()
	waiting, next := map[int]R{}, 0
	for r := range results {
		waiting[r.job] = r.value
		for value, ok := waiting[next]; ok; value, ok = waiting[next] {
			done(next, value)
			delete(waiting, next)
			next++
		}
	}
}

// progress shows one line about what is running, on a terminal only.
type progress struct {
	mu      sync.Mutex
	w       io.Writer
	active  bool
	total   int
	done    int
	running map[string]checker.Stats
	last    time.Time
}

func newProgress(w io.Writer, total int) *progress {
	f, ok := w.(*os.File)
	return &progress{w: w, active: ok && term.IsTerminal(int(f.Fd())), total: total, running: map[string]checker.Stats{}}
}

// report is called from a search.
func (p *progress) report(name string) func(checker.Stats) {
	return func(s checker.Stats) {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.running[name] = s
		if !p.active || time.Since(p.last) < 200*time.Millisecond {
			return
		}
		p.last = time.Now()
		longest := name
		for n, r := range p.running {
			if r.States > p.running[longest].States || r.States == p.running[longest].States && n < longest {
				longest = n
			}
		}
		r := p.running[longest]
		fmt.Fprintf(p.w, "\r\x1b[K%d/%d done; %s: %s states, %s/s, depth %d, %s waiting, %d MiB", p.done, p.total, longest, count(r.States),
			count(int(float64(r.States)/max(r.Elapsed.Seconds(), 1e-3))), r.Depth, count(r.Frontier), r.Bytes>>20)
	}
}

// finished takes a run off the line.
func (p *progress) finished(name string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done++
	delete(p.running, name)
	p.clearLocked()
}

func (p *progress) clearLocked() {
	if p.active {
		fmt.Fprint(p.w, "\r\x1b[K")
	}
}

// count writes a number with a thousands separator.
func count(n int) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
