package trace

import "strings"

// The stages of a snapshot of a job, the words of Snapped events. Who declares what is in brackets;
// a rank speaks of its own part, everybody else names the rank in Peer. What is about the whole
// snapshot names its own proc there.
const (
	SnapReserved    = "reserved"    // its number is durable and will not come again (head)
	SnapTaken       = "taken"       // the image is made (rank): Digest, Sent, Received
	SnapImage       = "image"       // the image is made for a migration, it is no snapshot (rank)
	SnapLocal       = "local"       // the file is read back and verified on the node (daemon)
	SnapCopied      = "copied"      // so it is where it was copied to (store, or a peer daemon)
	SnapEstablished = "established" // the commit record is durable (head)
	SnapVoid        = "void"        // it will never be established (head)
	SnapRetired     = "retired"     // a newer one makes it superfluous (head)
	SnapSelected    = "selected"    // the episode in Stamp.Round restarts from it (head)
	SnapPinned      = "pinned"      // somebody reads it: it stays (head)
	SnapUnpinned    = "unpinned"
	SnapBad         = "bad" // some part can not be read from anywhere (head)
	// so many episodes have started from it that the next one starts from an older one (head)
	SnapExhausted = "exhausted"
	SnapDegraded  = "degraded" // some part has fewer replicas than it should (head)
	SnapRestored  = "restored" // the rank runs from it (rank): Digest of the bytes it was given
	SnapEvicted   = "evicted"  // a file is deleted (daemon, store); Peer itself: all of its files
	SnapMoved     = "moved"    // the rank runs from the image for a migration (rank): its Digest
	// the commit record was found at a restart, as whoever established it had left it (head)
	SnapRecorded = "recorded"
	SnapGranted  = "granted"  // the file of Peer may be copied: a token is out (head)
	SnapReturned = "returned" // the token is back, however the copy ended (head)
)

// The steps of the answer to a failure, the words of Ruled events. Behind Offered to Completed, and
// behind OpError, comes what it is about.
const (
	RuleOpened     = "opened"     // the episode is about Peer, among others, which is down (head)
	RuleDuplicate  = "duplicate"  // a report is about a failure that is known (head)
	RuleStale      = "stale"      // a report is about a life that is over (head)
	RuleStabilised = "stabilised" // the runtime is repaired (head)
	RuleOffered    = "offered"    // the policy is asked (head)
	RuleObserved   = "observed"
	RuleDeferred   = "deferred"
	RuleClaimed    = "claimed"
	RuleFailed     = "failed" // the owner can not go on
	RuleCompleted  = "completed"
	RuleFenced     = "fenced"    // nothing of the lives before runs any more (head)
	RuleReleased   = "released"  // Peer, a rank, may run (whoever lets it)
	RulePaused     = "paused"    // the rank stands still (rank)
	RuleContinued  = "continued" // the rank goes on (rank)
	RuleResumed    = "resumed"   // every rank may go on (head)
	RuleAborted    = "aborted"   // the job is given up (head)
	RulePredicted  = "predicted" // a failure of Peer is expected (head)
	RuleMigrating  = "migrating" // Peer, a rank, is to move (head)
	RuleCommitted  = "committed" // the move is final (head)
	RuleCancelled  = "cancelled" // it is given up (head)
	RuleDrained    = "drained"   // nothing needs the node Peer any more (head)
	RuleSustained  = "sustained" // the job goes on without the rank Peer (head, and each rank)
	// an operation of the program ends in an error that the program sees, e.g. "error recv
	// peer-dead"; Peer is who is dead (rank)
	OpError = "error"
	// the same, and the program does not want to see it: the rank stops (rank)
	OpFatal = "fatal"
)

// RuleOf splits the text of a Ruled event into the word and what it is about, e.g. "claimed autor".
func RuleOf(text string) (word, about string) {
	word, about, _ = strings.Cut(text, " ")
	return word, about
}
