package hydee

import "slices"

// State is a state of the protocol. Sets of messages are by place.
type State struct {
	Sent, Delivered, Held []bool
	Count                 []uint64 // phases of orphans, in any order
}

// Kind is what a step does.
type Kind uint8

// The kinds.
const (
	Sends    Kind = iota // a process sends a message, or says that an orphan would be sent again
	Releases             // a message that is held comes on its way again
	Receives             // a process receives a message
	Fails                // clusters fail, and go back
)

// Step is what can happen.
type Step struct {
	Kind            Kind
	Message         int    // but for Fails
	Failed          []bool // Fails: by cluster
	Sent, Delivered []bool // Fails: what the processes go back to, and all others have
}

// Guard is a condition of a step.
type Guard uint8

// The guards, in the order in which they are asked; nobody refuses a step under None.
const (
	None      Guard = iota
	Unsent          // Sends: it is not sent
	InOrder         // Sends: what its sender sends before it is sent; Receives: so is its channel
	Fed             // Sends: what its sender waits for is received
	Gate            // Sends, Releases: no orphan of a lower phase is counted
	IsHeld          // Releases: it is held
	Unread          // Receives: it is not received
	OnItsWay        // Receives: it is sent and not held
	Less            // Fails: nobody has more than before
	Contained       // Fails: who is in no cluster that fails keeps all
	Line            // Fails: inside a cluster nothing is received and not sent
	Genuine         // Fails: each process goes back to where it was
)

// Refusal is a guard that does not hold, and the message, by place, or the index into Count, for
// which it does not.
type Refusal struct {
	Guard Guard
	Other int
}

// Orphans are the messages that are received and not sent, ascending.
func (s *State) Orphans() (list []int) {
	for i, received := range s.Delivered {
		if received && !s.Sent[i] {
			list = append(list, i)
		}
	}
	return list
}

// Refuses says which guard of a step does not hold in a state, Refusal{} if the step is possible.
func (a *Application) Refuses(s *State, step *Step) Refusal {
	i := step.Message
	switch step.Kind {
	case Sends:
		return a.refusesSend(s, i)
	case Releases:
		if !s.Held[i] {
			return Refusal{Guard: IsHeld}
		}
		return a.gate(s, i)
	case Receives:
		if s.Delivered[i] {
			return Refusal{Guard: Unread}
		}
		for k := range a.Messages {
			if a.earlier(k, i) && a.Messages[k].To == a.Messages[i].To && !s.Delivered[k] {
				return Refusal{Guard: InOrder, Other: k}
			}
		}
		if !s.Sent[i] || s.Held[i] {
			return Refusal{Guard: OnItsWay}
		}
		return Refusal{}
	}
	return a.refusesLine(s, step)
}

// refusesSend is Refuses of a send.
func (a *Application) refusesSend(s *State, i int) Refusal {
	if s.Sent[i] {
		return Refusal{Guard: Unsent}
	}
	for k := i - 1; k >= 0 && a.earlier(k, i); k-- {
		if !s.Sent[k] {
			return Refusal{Guard: InOrder, Other: k}
		}
	}
	for _, k := range a.Messages[i].Needs {
		if !s.Delivered[k] {
			return Refusal{Guard: Fed, Other: k}
		}
	}
	return a.gate(s, i)
}

// gate refuses a message above the phase of an orphan that is counted.
func (a *Application) gate(s *State, i int) Refusal {
	for k, phase := range s.Count {
		if a.Messages[i].Phase > phase {
			return Refusal{Guard: Gate, Other: k}
		}
	}
	return Refusal{}
}

// refusesLine is Refuses of a failure.
func (a *Application) refusesLine(s *State, step *Step) Refusal {
	for i := range a.Messages {
		m := &a.Messages[i]
		if step.Sent[i] && !s.Sent[i] || step.Delivered[i] && !s.Delivered[i] {
			return Refusal{Guard: Less, Other: i}
		}
		if !step.Failed[a.Clusters[m.ID.From]] && step.Sent[i] != s.Sent[i] ||
			!step.Failed[a.Clusters[m.To]] && step.Delivered[i] != s.Delivered[i] {
			return Refusal{Guard: Contained, Other: i}
		}
		if !a.Between(i) && step.Delivered[i] && !step.Sent[i] {
			return Refusal{Guard: Line, Other: i}
		}
		if !step.Sent[i] {
			continue
		}
		if a.follows(i) && !step.Sent[i-1] {
			return Refusal{Guard: Genuine, Other: i}
		}
		for _, k := range m.Needs {
			if !step.Delivered[k] {
				return Refusal{Guard: Genuine, Other: i}
			}
		}
	}
	return Refusal{}
}

// After is the state behind a step that is possible in a state; that one keeps what it has.
func (a *Application) After(s *State, step *Step) State {
	next := State{Sent: slices.Clone(s.Sent), Delivered: slices.Clone(s.Delivered),
		Held: slices.Clone(s.Held), Count: slices.Clone(s.Count)}
	i := step.Message
	switch step.Kind {
	case Sends:
		next.Sent[i] = true
		if k := slices.Index(next.Count, a.Messages[i].Phase); s.Delivered[i] && k >= 0 {
			next.Count = slices.Delete(next.Count, k, k+1)
		}
	case Releases:
		next.Held[i] = false
	case Receives:
		next.Delivered[i] = true
	case Fails:
		copy(next.Sent, step.Sent)
		copy(next.Delivered, step.Delivered)
		for k := range a.Messages {
			m := &a.Messages[k]
			next.Held[k] = step.Sent[k] && !step.Delivered[k] && (s.Held[k] ||
				step.Failed[a.Clusters[m.ID.From]] || step.Failed[a.Clusters[m.To]])
		}
		next.Count = a.Counts(next.Orphans())
	}
	return next
}

// Counts are the phases of orphans.
func (a *Application) Counts(orphans []int) (phases []uint64) {
	for _, i := range orphans {
		phases = append(phases, a.Messages[i].Phase)
	}
	return phases
}
