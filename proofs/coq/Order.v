(** Happened-before, consistent cuts and recovery lines of one run.

    A run is a list of events, the first one first; an event is named by its place. Executions
    that a rollback has cut off are no part of it: it is the surviving past, or a run in which
    nobody goes back. *)

From Coq Require Import List Arith Bool Lia Wf_nat.
Import ListNotations.

(** An event of a process: it sends a message, or receives one. Processes and messages are
    numbers. *)
Inductive kind := Sends (m : nat) | Receives (m : nat).

(** An event. *)
Record event := { proc : nat; what : kind }.

Section Order.

(** The run. *)
Variable run : list event.

(** The event at a place. *)
Definition at_place (i : nat) : option event := nth_error run i.

(** Program order: one process does both, [i] first. *)
Definition program_order (i j : nat) : Prop :=
  i < j /\ exists e f, at_place i = Some e /\ at_place j = Some f /\ proc e = proc f.

(** A message order: what is sent at [i] is received at [j], behind it. *)
Definition message_order (i j : nat) : Prop :=
  i < j /\ exists e f m, at_place i = Some e /\ at_place j = Some f /\
    what e = Sends m /\ what f = Receives m.

(** Happened-before (Lamport): the closure of both. *)
Inductive before : nat -> nat -> Prop :=
| before_program : forall i j, program_order i j -> before i j
| before_message : forall i j, message_order i j -> before i j
| before_both : forall i j k, before i j -> before j k -> before i k.

(** What happened before comes earlier in the run. *)
Lemma before_earlier : forall i j, before i j -> i < j.
Proof. induction 1 as [i j (H & _)|i j (H & _)|]; lia. Qed.

(** Theorem: happened-before is a strict order. *)
Theorem before_strict : (forall i, ~ before i i) /\
  (forall i j k, before i j -> before j k -> before i k).
Proof.
  split; [|exact before_both]. intros i H. apply before_earlier in H. lia.
Qed.

(** What happened before something is in the run. *)
Lemma before_in_run : forall i j, before i j -> i < length run /\ j < length run.
Proof.
  assert (forall i e, at_place i = Some e -> i < length run) as In.
  { intros i e H. apply nth_error_Some. unfold at_place in H. congruence. }
  induction 1 as [i j (_ & e & f & He & Hf & _)|i j (_ & e & f & m & He & Hf & _)|];
    firstorder eauto.
Qed.

(** A cut: how many events of each process are in it. *)
Definition cut := nat -> nat.

(** How many events of a process come before a place. *)
Definition count_before (p i : nat) : nat :=
  length (filter (fun e => proc e =? p) (firstn i run)).

(** An event is in a cut: it is one of the first ones of its process. *)
Definition inside (c : cut) (i : nat) : Prop :=
  exists e, at_place i = Some e /\ count_before (proc e) i < c (proc e).

(** A cut has an orphan: what somebody has received in it nobody has sent in it. *)
Definition orphan (c : cut) (j : nat) : Prop :=
  inside c j /\ exists f m, at_place j = Some f /\ what f = Receives m /\
    ~ exists i e, inside c i /\ at_place i = Some e /\ what e = Sends m.

(** A cut is consistent: whatever happened before something in it is in it. *)
Definition consistent (c : cut) : Prop := forall i j, before i j -> inside c j -> inside c i.

(** A run is genuine: what is received was sent before, once. *)
Definition genuine : Prop :=
  (forall j f m, at_place j = Some f -> what f = Receives m ->
    exists i e, i < j /\ at_place i = Some e /\ what e = Sends m) /\
  (forall i j e f m, at_place i = Some e -> at_place j = Some f ->
    what e = Sends m -> what f = Sends m -> i = j).

(** The events of a process before a place are those before an earlier place, and more. *)
Lemma count_monotone : forall p i j, i <= j -> count_before p i <= count_before p j.
Proof.
  intros p i j H. unfold count_before. replace j with (i + (j - i)) by lia. clear H.
  generalize (j - i). clear j. intros k. revert i. induction run as [|e r IH]; intros i.
  - rewrite !firstn_nil. auto.
  - destruct i as [|i]; simpl; [lia|]. specialize (IH i).
    destruct (proc e =? p); simpl; lia.
Qed.

(** Lemma: what a process did before what is in a cut is in it. *)
Lemma inside_program : forall c i j, program_order i j -> inside c j -> inside c i.
Proof.
  intros c i j (L & e & f & He & Hf & P) (f' & Hf' & C). rewrite Hf in Hf'. injection Hf' as <-.
  exists e. split; auto. rewrite P.
  apply Nat.le_lt_trans with (count_before (proc f) j); auto. apply count_monotone. lia.
Qed.

(** Theorem: a cut is consistent if and only if it has no orphan. *)
Theorem consistent_without_orphan : genuine ->
  forall c, consistent c <-> forall j, ~ orphan c j.
Proof.
  intros (Sent & Once) c. split.
  - intros H j (Hj & f & m & Hf & Wf & N). apply N.
    destruct (Sent j f m Hf Wf) as (i & e & L & He & We). exists i, e. repeat split; auto.
    apply H with j; auto. apply before_message. split; auto. exists e, f, m. auto.
  - intros H i j B. induction B as [i j P|i j (L & e & f & m & He & Hf & We & Wf)|]; auto.
    + now apply inside_program.
    + intros Hj. destruct (existsb (fun k => match at_place k with
        | Some g => (count_before (proc g) k <? c (proc g)) &&
            match what g with Sends n => n =? m | _ => false end
        | None => false end) (seq 0 (length run))) eqn:X.
      * apply existsb_exists in X. destruct X as (k & _ & X).
        destruct (at_place k) as [g|] eqn:Hg; [|discriminate]. apply andb_true_iff in X.
        destruct X as (C & W). destruct (what g) as [n|n] eqn:Wg; [|discriminate].
        apply Nat.eqb_eq in W. subst n. rewrite (Once i k e g m He Hg We Wg).
        exists g. split; auto. now apply Nat.ltb_lt.
      * exfalso. apply (H j). split; auto. exists f, m. repeat split; auto.
        intros (k & g & (g' & Hg' & C) & Hg & Wg). rewrite Hg in Hg'. injection Hg' as <-.
        assert (In k (seq 0 (length run))) as Ik.
        { apply in_seq. split; [lia|]. simpl. apply nth_error_Some. unfold at_place in Hg.
          congruence. }
        apply not_true_iff_false in X. apply X. apply existsb_exists. exists k. split; auto.
        rewrite Hg, Wg. apply andb_true_iff. split; [now apply Nat.ltb_lt | now apply Nat.eqb_eq].
Qed.

(** The cut that has what either of two has. *)
Definition join (c d : cut) : cut := fun p => Nat.max (c p) (d p).

(** Something is in the join if it is in one of them. *)
Lemma inside_join : forall c d i, inside (join c d) i <-> inside c i \/ inside d i.
Proof.
  intros c d i. unfold inside, join. split.
  - intros (e & He & H). destruct (Nat.max_spec (c (proc e)) (d (proc e))) as [(_ & E)|(_ & E)];
      rewrite E in H; [right|left]; exists e; auto.
  - intros [(e & He & H)|(e & He & H)]; exists e; split; auto; lia.
Qed.

(** Theorem: the join of consistent cuts is consistent. *)
Theorem join_consistent : forall c d, consistent c -> consistent d -> consistent (join c d).
Proof.
  intros c d C D i j B. rewrite !inside_join. intros [H|H]; [left|right]; eauto.
Qed.

(** One cut is no later than another one. *)
Definition no_later (c d : cut) : Prop := forall p, c p <= d p.

(** The points that processes may go back to: each process has some, the beginning among them. A
    line has one point of each process. *)
Variable point : nat -> nat -> bool.
Hypothesis beginning : forall p, point p 0 = true.

(** A cut at which each process is at one of its points. *)
Definition line (c : cut) : Prop := forall p, point p (c p) = true.

(** The join of lines is a line. *)
Lemma join_line : forall c d, line c -> line d -> line (join c d).
Proof.
  intros c d C D p. unfold join.
  destruct (Nat.max_spec (c p) (d p)) as [(_ & ->)|(_ & ->)]; auto.
Qed.

(** The recovery line below a cut: a consistent line that is no later, and no such line is later. *)
Definition recovery_line (limit c : cut) : Prop :=
  consistent c /\ line c /\ no_later c limit /\
  forall d, consistent d -> line d -> no_later d limit -> no_later d c.

(** Theorem: there is one recovery line at most, up to the numbers of each process. *)
Theorem recovery_line_unique : forall limit c d,
  recovery_line limit c -> recovery_line limit d -> forall p, c p = d p.
Proof.
  intros limit c d (C & Lc & Nc & Gc) (D & Ld & Nd & Gd) p.
  apply Nat.le_antisymm; [apply Gd | apply Gc]; auto.
Qed.

(** The beginning is a consistent line. *)
Lemma beginning_consistent : consistent (fun _ => 0) /\ line (fun _ => 0).
Proof. split; [|exact beginning]. intros i j _ (e & _ & H). lia. Qed.

(** What a process gives up to be at one of its points: it is at the last one no later than where it
    may be. *)
Fixpoint last_point (p limit : nat) : nat :=
  if point p limit then limit else match limit with 0 => 0 | S n => last_point p n end.

(** It is a point, no later than the limit, and the last one. *)
Lemma last_point_spec : forall p limit, point p (last_point p limit) = true /\
  last_point p limit <= limit /\
  forall n, point p n = true -> n <= limit -> n <= last_point p limit.
Proof.
  intros p. induction limit as [|l (P & L & G)]; simpl.
  - rewrite beginning. repeat split; auto.
  - destruct (point p (S l)) eqn:E; [repeat split; auto|]. repeat split; auto.
    intros n Hn Hl. apply G; auto. destruct (Nat.eq_dec n (S l)); [congruence | lia].
Qed.

(** Rollback propagation, one step: who has received an orphan goes back to its last point before
    that. *)
Definition propagate (c : cut) (j : nat) : cut := fun p =>
  match at_place j with
  | Some f => if proc f =? p then last_point p (count_before p j) else c p
  | None => c p
  end.

(** Theorem: rollback propagation gives up nothing that a recovery line has. *)
Theorem propagation_keeps : genuine -> forall c j d, orphan c j ->
  consistent d -> line d -> no_later d c -> no_later d (propagate c j).
Proof.
  intros G c j d (Hj & f & m & Hf & Wf & N) D L Nd p. unfold propagate. rewrite Hf.
  destruct (Nat.eqb_spec (proc f) p) as [<-|_]; auto.
  apply last_point_spec; auto. destruct (le_lt_dec (d (proc f)) (count_before (proc f) j)); auto.
  exfalso. assert (inside d j) as Ind by (exists f; auto).
  apply N. destruct G as (Sent & _). destruct (Sent j f m Hf Wf) as (i & e & Lt & He & We).
  exists i, e. repeat split; auto.
  assert (inside d i) as (e' & He' & Hi).
  { apply D with j; auto. apply before_message. split; auto. exists e, f, m. auto. }
  exists e'. split; auto. specialize (Nd (proc e')). lia.
Qed.

(** Theorem: each step of it gives something up, so it ends: the domino effect goes no farther than
    to the beginning of the run. *)
Theorem propagation_ends : forall c j, orphan c j ->
  no_later (propagate c j) c /\ exists p, propagate c j p < c p.
Proof.
  intros c j ((f & Hf & C) & _). unfold propagate. rewrite Hf. split.
  - intros p. destruct (Nat.eqb_spec (proc f) p) as [<-|_]; auto.
    destruct (last_point_spec (proc f) (count_before (proc f) j)) as (_ & H & _). lia.
  - exists (proc f). rewrite Nat.eqb_refl.
    destruct (last_point_spec (proc f) (count_before (proc f) j)) as (_ & H & _). lia.
Qed.

(** Theorem: where it ends, at a line without an orphan that every consistent line is no later than,
    that is the recovery line. *)
Theorem propagation_finds : genuine -> forall limit c, line c -> no_later c limit ->
  (forall d, consistent d -> line d -> no_later d limit -> no_later d c) ->
  (forall j, ~ orphan c j) -> recovery_line limit c.
Proof.
  intros G limit c L N Above No. repeat split; auto. now apply consistent_without_orphan.
Qed.

End Order.
