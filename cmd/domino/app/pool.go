package app

import (
	"context"
	"fmt"
	"sync"
)

// pool runs jobs on a number of workers and hands over their results in the order of the jobs.
func pool[R any](ctx context.Context, workers, jobs int, work func(ctx context.Context, job int) R,
	done func(job int, r R)) {
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

// count writes a number with a thousands separator.
func count(n int) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
