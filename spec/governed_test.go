package spec_test

import (
	"slices"

	"github.com/domino-check/domino/spec"
	"github.com/domino-check/domino/spec/promise"
	"github.com/domino-check/domino/spec/trace"
)

// The procs of hand-written runs of a job with a head: ranks p and q on nodes n1 and n2, the spare
// s1, the head and the store.
const (
	rankP, rankQ, node1, node2, spare1, head, store = trace.Proc(0), trace.Proc(1), trace.Proc(2),
		trace.Proc(3), trace.Proc(4), trace.Proc(5), trace.Proc(6)
)

// jobFacts are those of a job with the usual stack of policies, whose snapshots are in a store.
func jobFacts() *spec.Facts {
	return &spec.Facts{
		Failures: true, Checkpoints: true,
		Layout: &trace.Layout{
			Names: []string{"p", "q", "N1", "N2", "S1", "head", "store"}, Ranks: 2, Holdings: true,
			Nodes: []trace.Proc{node1, node2}, Spares: []trace.Proc{spare1},
			Hosted: map[trace.Proc]bool{rankP: false, rankQ: false, node1: false, node2: false,
				spare1: false},
		},
		Promises: promise.Promises{
			RollsBack: promise.All,
			Policies: []promise.Policy{{Name: "crmig", Answer: promise.Moves},
				{Name: "autor", Answer: promise.RestoresAll},
				{Name: "abort", Answer: promise.GivesUp}},
			Snapshots: promise.Storage{Promised: true, Copying: 1, Cache: 2},
		},
	}
}

// sustainFacts are those of a job that goes on without a rank.
func sustainFacts() *spec.Facts {
	f := jobFacts()
	f.Policies = slices.Insert(f.Policies, 1,
		promise.Policy{Name: "sustain", Answer: promise.RunsThrough})
	return f
}

// peerFacts are those of a job whose nodes keep each file two times.
func peerFacts() *spec.Facts {
	f := jobFacts()
	f.Snapshots.Replicas = 2
	return f
}

// damagedFacts are those of a job whose files may be spoiled.
func damagedFacts() *spec.Facts {
	f := jobFacts()
	f.Damaged = true
	return f
}

// snap is an event about the part of a rank of snapshot number seq of an episode.
func snap(p trace.Proc, what string, seq, epoch uint64, of trace.Proc,
	digest uint64) trace.Event {
	return trace.Event{Kind: trace.Snapped, Proc: p, Text: what, Peer: of, Digest: digest,
		Stamp: trace.Stamp{Date: seq, Phase: epoch}}
}

// ofHead is what the head says of a whole snapshot.
func ofHead(what string, seq, epoch uint64) trace.Event {
	return snap(head, what, seq, epoch, head, 0)
}

// selects is what the head says when an episode restarts from a snapshot.
func selects(episode, seq, epoch uint64) trace.Event {
	return episodeOf(episode, ofHead(trace.SnapSelected, seq, epoch))
}

// back is what a rank in its second life says when it runs from a snapshot.
func back(rank trace.Proc, episode, seq, epoch, digest uint64) trace.Event {
	return in(1, episodeOf(episode, snap(rank, trace.SnapRestored, seq, epoch, rank, digest)))
}

func episodeOf(episode uint64, e trace.Event) trace.Event {
	e.Stamp.Round = episode
	return e
}

// rules is what the head says of a proc in an episode.
func rules(episode uint64, text string, about trace.Proc) trace.Event {
	return trace.Event{Kind: trace.Ruled, Proc: head, Text: text, Peer: about,
		Stamp: trace.Stamp{Round: episode}}
}

// rulesAt is what another proc says in its first life.
func rulesAt(p trace.Proc, text string, about trace.Proc) trace.Event {
	return trace.Event{Kind: trace.Ruled, Proc: p, Text: text, Peer: about}
}

func starts(node, rank trace.Proc) trace.Event {
	return trace.Event{Kind: trace.Adopted, Proc: node, Peer: rank, Digest: 1}
}

// image is the digest of the image of a rank for a snapshot.
func image(seq uint64, rank trace.Proc) uint64 { return 10*seq + uint64(rank) }

// saved is a snapshot of episode 0 up to the moment at which all files are in the store.
func saved(seq uint64) (events []trace.Event) {
	events = append(events, ofHead(trace.SnapReserved, seq, 0))
	for _, r := range []trace.Proc{rankP, rankQ} {
		events = append(events, snap(r, trace.SnapTaken, seq, 0, r, image(seq, r)),
			snap(node1+r, trace.SnapLocal, seq, 0, r, image(seq, r)),
			snap(head, trace.SnapGranted, seq, 0, r, 0),
			snap(store, trace.SnapCopied, seq, 0, r, image(seq, r)),
			snap(head, trace.SnapReturned, seq, 0, r, 0))
	}
	return events
}

// established is a snapshot of episode 0.
func established(seq uint64) []trace.Event {
	return append(saved(seq), ofHead(trace.SnapEstablished, seq, 0))
}

// failed is the first half of an episode about a rank: the policies are asked next.
func failed(episode uint64, about trace.Proc) []trace.Event {
	return []trace.Event{rules(episode, "opened", about), rules(episode, "stabilised", head)}
}

// walked is an episode up to the claim of autor.
func walked(episode uint64, about trace.Proc) []trace.Event {
	return append(failed(episode, about), rules(episode, "offered crmig", head),
		rules(episode, "deferred crmig", head), rules(episode, "offered autor", head),
		rules(episode, "claimed autor", head))
}

// run joins pieces of a run.
func run(pieces ...any) (events []trace.Event) {
	for _, piece := range pieces {
		switch piece := piece.(type) {
		case trace.Event:
			events = append(events, piece)
		case []trace.Event:
			events = append(events, piece...)
		}
	}
	return events
}
