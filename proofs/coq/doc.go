// Package coq holds theorems about what the checker does and about protocols, proved by Coq (8.16)
// without axioms, for any number of processes. What a theorem assumes is a hypothesis, and those
// that are claims about Go code are executed on that code by a test, or are said to be assumed
// here. Readers begin with the sentences above definitions and theorems of a file; the order of
// files is that of _CoqProject.
//
//	Cert         a certificate that is accepted proves a property, for runs of any length
//	Reduce       one step explored alone keeps every end and every violation
//	Exchange     so it does where another one may take its part: the reduction of the checker
//	Postpone     so it does where crashes are put off to behind what they undo, too
//	Verdict      what that says of properties, and what has to be asked of them for it
//	Symmetry     so does a search that keeps one state of all that differ by names only
//	Sleep        sleep sets leave out steps, and no state, where states are met again
//	Memo         a local step looked up in a table is the step of the machine
//	Order        happened-before, consistent cuts, the recovery line and how it is found
//	Judge        the same where processes go back, as functions that are extracted (proofs/judge)
//	Clocks       vector clocks tell what happened before what, where nobody goes back
//	Logging      when no process is an orphan ([AM], [CAMEL])
//	Causal       causal logging leaves none as long as at most f fail ([CAMEL] Theorem 1)
//	SendDet      why all complete runs of an application are one
//	HydEE        the protocol as repaired, any number of clusters and failures
//	HydEEReplay  [HydEE] Theorems 1 and 2, and that what arrives is not too early
//	HydEEPhases  what they assume of programs, as it is executed
//	HydEEErrata  what is printed, read as one likes, breaks them
//	Instances    small systems that satisfy the hypotheses of the others, and what follows there
//
// # Hypotheses
//
// Each theorem of a file, then each hypothesis of that file with what stands for it: "proved" names
// a lemma that proves it of what it is used for, "tested" a folder and a Go test there that
// executes it, "judged" a property that every search and every trace is judged by, "assumed" says
// why it is believed. A test reads both sides of this table.
//
//	Cert: certificate_sound, certificate_complete, certificate_closed
//	  same_correct        assumed: states are compared word by word
//	Reduce: reduction_keeps_runs, reduction_keeps_ends, plain_front
//	  covered_refl        proved: no_worse_refl
//	  covered_trans       proved: no_worse_trans
//	  covered_app         proved: no_worse_app
//	  picked_front        proved: claimed_front
//	  chains_end          assumed: the argument is at eagerness in checker/world
//	  same_action         assumed: steps are compared by number
//	  claim_possible      tested: checker/world TestClaimsCommute
//	  claim_commutes      tested: checker/world TestClaimsCommute
//	Exchange: claimed_front, exchange_keeps_ends, exchange_keeps_runs
//	  covered_refl        proved: no_worse_refl
//	  covered_trans       proved: no_worse_trans
//	  covered_app         proved: no_worse_app
//	  same_action         assumed: steps are compared by number
//	  claim_possible      tested: checker/world TestClaimsCommute
//	  claim_commutes      tested: checker/world TestClaimsCommute
//	  exchange_commutes   tested: checker/world TestClaimsCommute
//	  exchange_kept       tested: checker/world TestClaimsCommute
//	  picked_claimed      tested: checker/world TestClaimsCommute
//	  chains_end          assumed: the argument is at eagerness in checker/world
//	Postpone: postponing_keeps_runs, postponing_keeps_ends
//	  covered_refl        proved: no_worse_refl
//	  covered_trans       proved: no_worse_trans
//	  covered_app         proved: no_worse_app
//	  picked_front        proved: claimed_front
//	  put_off_undoes      tested: checker/world TestAuditOfToys
//	  chains_end          assumed: the argument is at crashing in checker/world
//	Verdict: search_finds_violations, search_finds_ends, certificate_reduced
//	  same_action         assumed: steps are compared by number
//	  claim_possible      tested: checker/world TestClaimsCommute
//	  claim_commutes      tested: checker/world TestAuditNeedsOtherRules
//	  exchange_commutes   tested: checker/world TestClaimsCommute
//	  exchange_kept       tested: checker/world TestClaimsCommute
//	  picked_claimed      tested: checker/world TestClaimsCommute
//	  chains_end          assumed: the argument is at eagerness in checker/world
//	Symmetry: orbits_keep_violations, orbits_keep_ends, search_by_orbits
//	  automorphism        tested: checker/world TestAutomorphism
//	  back_again          assumed: to exchange two names twice changes nothing
//	  nameless            assumed: such protocols are judged by properties that look at no names
//	  chains_end          assumed: the argument is at eagerness in checker/world
//	  picked_front        proved: claimed_front
//	Sleep: sleep_keeps_states, meet_keeps, meet_takes
//	  independent_commutes tested: checker/world TestIndependence
//	  footprint_stays     tested: checker/world TestIndependence
//	  awake_taken         tested: checker/search TestSleepAssumed
//	  taken_leads         tested: checker/search TestSleepAssumed
//	  made_up_stored      tested: checker/search TestSleepAssumed
//	Memo: encode_injective, memo_step_right
//	  decode_encode       tested: impl/core TestRoundTrip
//	  same_correct        assumed: pairs of numbers are compared
//	Order: before_strict, consistent_without_orphan, join_consistent, recovery_line_unique
//	Order: propagation_keeps, propagation_ends, propagation_finds
//	  beginning           tested: spec/order TestLine
//	Judge: pasts_decide, orphans_decide, lines_decide, consistent_lines_decide
//	Clocks: clocks_decide, clock_own
//	Logging: alvisi_marzullo, pessimistic, causal, fewer_failures, optimistic
//	  same_process        assumed: processes are compared by number
//	  log_once            assumed: a set of holders
//	Causal: no_orphan_process, no_orphan_message
//	  same_process        assumed: processes are compared by number
//	SendDet: runs_complete, complete_runs_agree, no_run_is_longer, sends_agree
//	  same_step           assumed: steps are compared by number
//	  diamond             tested: checker/world TestCertify
//	HydEE:
//	  app_well_formed     assumed: the fields of well_formed are
//	HydEEReplay: causal_replay, causal_release, arrival_in_order
//	HydEEReplay: progress, stuck_is_complete, recovery_ends
//	  app_well_formed     proved: checked_well_formed
//	  ids_complete        assumed: names are places in a list
//	  ids_once            assumed: names are places in a list
//	  earlier_before      tested: checker/world TestHypotheses
//	  needs_before        tested: checker/world TestHypotheses
//	  earlier_phase       proved: algorithm1_grows
//	  needs_phase         proved: algorithm1_raises
//	  needs_raises        proved: algorithm1_raises
//	HydEEPhases: checked_well_formed, algorithm1_raises, algorithm1_grows
//	  names_complete      assumed: names are places in a list
//	  names_once          assumed: names are places in a list
//	  by_algorithm1       judged: phases-derived
//	  receptions_stay     tested: checker/world TestHypotheses
//
// These tests audit (World.Audit in checker/world): each hypothesis about steps is asked at every
// state of an unreduced search, of every pair of steps, by taking both in both orders, no_worse
// included. In continuous integration that is every scenario there is, of large ones the first
// states.
//
// # What code does
//
// That real HydEE does nothing but what HydEEReplay is about is judged, in every search and of
// every trace of goroutines and of clusters: refines and refines-arrivals hold each send, each copy
// out of a log, each gate and each reception against package spec/hydee, which has the steps of
// HydEE.v and their guards. proofs/judge compares these with what is extracted from there.
//
// # Assumed throughout
//
// Coq's kernel, and that its libraries are closed, which it is asked; that an event is atomic and a
// crash falls between two; that no process lies; that Go does what it says.
package coq
