// Package local runs the machines of a setup as goroutines: one a proc, links in memory between
// them, and faults by a plan. It is the setup that the world explores, under the same failure
// model.
//
// # What is concurrent
//
// Machines run in parallel, each in the goroutine of its proc. What a step asks of its surroundings
// is done under one lock, the boundary: the input is taken, the effects are performed in order,
// events and the name of the step are recorded. So the order in the trace is consistent with
// causality, and a step is atomic for everybody else, as it is in the world. A step that is still
// running is tentative: when somebody has crashed in the meantime so that its input can not have
// come any more, the machine is put back to where it was.
//
// # Time
//
// Messages, writes, notices, restarts and program steps take a while, drawn by the seed; some
// channels and procs are much slower than others in one run, and others in the next. By default
// time is virtual: when every goroutine waits, the clock goes on to the next instant at which
// something can happen. One proc at a time is woken then, so that a seed is a run; with
// Config.Parallel all are that have something to do at that instant. With Config.Real it is the
// time of package time, which is virtual in a bubble of testing/synctest.
//
// # What it shares with the world
//
// The names of events are the same, so the schedule of a run repeats in the world, and the schedule
// of a counterexample can be enforced on the goroutines (Config.Schedule). A crash may fall between
// any two effects of a step on which the environment acts (core.Effect.Acts).
//
// Procs that are launched, and harm to records, are as there, too. What happens to records is part
// of the plan (plan.Plan.Spoils); which record, and how, is drawn when its time has come.
//
// # Watchdogs
//
// As in the world, a proc that runs gives its signs of life in time, and nothing of that is an
// event: a watchdog expires a while after the life that it is about has ended, otherwise only as a
// false suspicion of the plan (plan.Request.Expires). A protocol whose heartbeats are messages and
// whose watchdogs are timers never comes to rest, so its runs go on up to a bound.
//
// # Bounds
//
// Goroutines end with the Run that owns them, and it waits for them; a machine whose Step never
// returns blocks it, unless Config.MaxStep bounds a step: Run then returns an error that names it
// (ErrHangs), and leaves behind its goroutine, which nobody can end, and the one that waits for it.
// Links are not bounded, but accounted: a run with too much in flight ends (Config.MaxInFlight). A
// run at whose end nothing but faults can happen is complete; if programs have not ended,
// Result.Waits says who waits for what. Nothing is judged here: what the events mean is up to spec.
package local
