package cluster

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/runtime/tcp/internal/awake"
)

// TestPatience: slow is not stuck. A run goes on as long as evidence is written, up to its limit.
func TestPatience(t *testing.T) {
	at := func(live bool, idle time.Duration, seconds, progressed int) (left time.Duration) {
		synctest.Test(t, func(t *testing.T) {
			s := &supervisor{c: &Config{Timeout: time.Minute, Idle: idle}, live: live,
				progressed: time.Duration(progressed) * time.Second}
			runs(s, time.Duration(seconds)*time.Second)
			left = s.patience()
		})
		return left
	}
	const idle = 10 * time.Second
	for _, tt := range []struct {
		now, progressed int
		want            time.Duration
	}{{0, 0, 10 * time.Second}, {10, 0, 0}, {10, 9, 9 * time.Second}, {55, 54, 5 * time.Second},
		{60, 59, 0}} {
		if got := at(true, idle, tt.now, tt.progressed); got != tt.want {
			t.Errorf("after %d s, something at %d s: %v, want %v", tt.now, tt.progressed, got,
				tt.want)
		}
	}
	// nobody is late who has not begun, but it may begin at once
	for now, want := range map[int]time.Duration{0: 10 * time.Second, 30: 10 * time.Second,
		55: 5 * time.Second, 60: 0} {
		if got := at(false, idle, now, 0); got != want {
			t.Errorf("before all have begun, after %d s: %v, want %v", now, got, want)
		}
	}
	if at(true, 0, 30, 0) != 30*time.Second {
		t.Error("without a bound of idleness only the limit counts")
	}
}

// TestStartLimit: many processes have longer to begin than the run has then, and that begins when
// they have.
func TestStartLimit(t *testing.T) {
	for _, tt := range []struct {
		procs int
		begin int // seconds, 0: never
		want  time.Duration
		bound string
	}{
		{40, 0, time.Minute, "time limit 1m0s"}, {40, 50, 110 * time.Second, "time limit 1m0s"},
		{1024, 0, 256 * time.Second, "1023 of 1024 processes have not begun in 4m16s"},
		{1024, 200, 260 * time.Second, "time limit 1m0s"},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := &supervisor{c: &Config{Timeout: time.Minute}, setup: &core.Setup{},
				procs: make([]*proc, tt.procs)}
			for i := range s.procs {
				s.procs[i] = &proc{id: core.Proc(i), up: i == 0}
			}
			began := time.Now()
			s.own.Passed()
			for s.patience() > 0 {
				runs(s, awake.Look)
				if tt.begin > 0 && !s.live && time.Since(began) >= time.Duration(tt.begin)*
					time.Second {
					s.live, s.lived = true, s.own.Passed()
				}
			}
			if took := time.Since(began); took != tt.want {
				t.Errorf("%d procs, begun after %d s: ended after %v, want %v", tt.procs, tt.begin,
					took, tt.want)
			}
			if s.timeOut(); !strings.HasPrefix(s.out.Bound, tt.bound) {
				t.Errorf("%d procs, begun after %d s: %q, want %q", tt.procs, tt.begin,
					s.out.Bound, tt.bound)
			}
		})
	}
}

// runs lets a supervisor look at its clock for so long.
func runs(s *supervisor, d time.Duration) {
	s.own.Passed()
	for range d / awake.Look {
		<-time.After(awake.Look)
		s.own.Passed()
	}
}

// TestStoodStill: a run whose supervisor is stopped for an hour, which its own goroutine does here,
// in virtual time, ends after as much time of its own as one that is not, and with the same words.
func TestStoodStill(t *testing.T) {
	const stopped = time.Hour
	stopAt := map[string]time.Duration{
		"second look at the start": startTimeout + 2*time.Second}
	for _, tt := range []struct {
		name string
		c    Config
		set  func(s *supervisor)
		want string // of the bound, or of the error
		long time.Duration
	}{
		{"time limit", Config{Timeout: 20 * time.Second}, func(s *supervisor) { s.live = true },
			"time limit 20s", 20 * time.Second},
		{"idle", Config{Timeout: time.Minute, Idle: 15 * time.Second},
			func(s *supervisor) { s.live = true }, "nothing has happened for 15s",
			15 * time.Second},
		{"progress", Config{Timeout: time.Minute, Idle: 15 * time.Second},
			func(s *supervisor) {
				s.live = true
				s.later(stopped+10*time.Second, func() { s.progressed = s.own.Passed() })
			}, "nothing has happened for 15s", 25 * time.Second},
		{"start", Config{Timeout: 10 * startTimeout}, func(*supervisor) {},
			"nobody has come for 45s", startTimeout},
		{"second look at the start", Config{Timeout: 10 * startTimeout}, func(s *supervisor) {
			s.later(2*time.Second, func() { s.procs = append(s.procs, &proc{met: true}) })
		}, "nobody has come for 45s", 2 * startTimeout},
		{"end", Config{Timeout: time.Minute}, func(s *supervisor) { s.finish() },
			"do not end 10s after the run", endTimeout},
	} {
		for _, stops := range []bool{false, true} {
			var length time.Duration
			if stops {
				length = stopped
			}
			got, took := endOf(t, tt.c, tt.set, max(time.Second, stopAt[tt.name]), length)
			if !strings.Contains(got, tt.want) {
				t.Errorf("%s, stopped %t: %q, want %q", tt.name, stops, got, tt.want)
			}
			want := tt.long + length
			if !stops && tt.name == "progress" {
				want = 15 * time.Second // it comes too late
			}
			// what is not seen of a stop, and how long they are asked what they do
			if took < want-2*awake.Most || took > want+answerTime {
				t.Errorf("%s, stopped %t: ended after %v, want %v", tt.name, stops, took, want)
			}
		}
	}
}

// endOf runs a run of nobody to its end, says how it ended and when, and stops it meanwhile for so
// long.
func endOf(t *testing.T, c Config, set func(*supervisor), at, stopped time.Duration) (how string,
	took time.Duration) {
	synctest.Test(t, func(t *testing.T) {
		c.Setup, c.Bare, c.Note = &core.Setup{}, true, func(string) {}
		s := newSupervisor(&c, nil)
		began := time.Now()
		set(s)
		s.later(at, func() { <-time.After(stopped) })
		err := s.run(context.Background())
		took = time.Since(began)
		if how = s.out.Bound; err != nil {
			how += err.Error()
		}
	})
	return how, took
}

// TestStoodStillStall: a run is not said to hang because nobody has looked at it.
func TestStoodStillStall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &supervisor{c: &Config{Timeout: time.Minute}, events: make(chan event, 8),
			closed: make(chan struct{})}
		defer close(s.closed)
		s.moved()
		<-time.After(time.Hour)
		if s.watchStall(); s.stall.said {
			t.Error("the supervisor was stopped")
		}
		runs(s, longestStall)
		if s.watchStall(); !s.stall.said {
			t.Error("nothing has happened")
		}
	})
}
