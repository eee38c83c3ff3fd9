(** Send-determinism: where the receptions that a process may choose among lead to the same,
    whatever their order, all complete runs of an application are one run but for the order of
    its steps. *)

From Coq Require Import List Arith Lia Permutation.
From Domino Require Import Runs.
Import ListNotations.

Section SendDeterminism.

(** A state of the application, one step of one process (a send, or the reception of the next
    message of one channel), and what a step shows: what is sent, to whom, with what payload. *)
Context {State Action Sent : Type}.
Variable step : State -> Action -> option (State * list Sent).
Local Notation run := (run step).

(** Two steps can be told apart. *)
Hypothesis same_step : forall a b : Action, {a = b} + {a <> b}.

(** Of two steps that are possible at once neither prevents the other or changes what it sends, and
    both orders lead to the same. Of different processes this is so since channels have one reader;
    of one process it is what its program promises. *)
Hypothesis diamond : forall s a b sa oa sb ob, a <> b ->
  step s a = Some (sa, oa) -> step s b = Some (sb, ob) ->
  exists t, step sa b = Some (t, ob) /\ step sb a = Some (t, oa).

(** Lemma: a complete run takes, at some time, whatever step is possible at its beginning; it may as
    well take it first. *)
Lemma first_step : forall w s t o, run s w t o -> is_end step t ->
  forall a sa oa, step s a = Some (sa, oa) ->
  exists w' o', run sa w' t o' /\ Permutation w (a :: w') /\ Permutation o (oa ++ o').
Proof.
  induction w as [|b w IH]; intros s t o R E a sa oa Ha.
  - inversion R; subst. rewrite (E a) in Ha. discriminate.
  - inversion R as [|? ? sb ob ? ? ow Hb Rw]; subst. destruct (same_step a b) as [<-|N].
    + rewrite Ha in Hb. injection Hb as <- <-. exists w, ow. auto.
    + destruct (diamond s a b sa oa sb ob N Ha Hb) as (x & Hab & Hba).
      destruct (IH sb t ow Rw E a x oa Hba) as (w' & o' & R' & P & Q).
      exists (b :: w'), (ob ++ o'). repeat split.
      * econstructor; eauto.
      * eapply perm_trans; [apply perm_skip; exact P | apply perm_swap].
      * eapply perm_trans; [apply Permutation_app_head; exact Q|].
        rewrite !app_assoc. apply Permutation_app_tail. apply Permutation_app_comm.
Qed.

(** Theorem: every run can be completed to what a complete run is, in another order: the same end,
    the same steps, the same sends. *)
Theorem runs_complete : forall w' s t' o', run s w' t' o' ->
  forall w t o, run s w t o -> is_end step t ->
  exists v p, run t' v t p /\ Permutation w (w' ++ v) /\ Permutation o (o' ++ p).
Proof.
  intros w' s t' o' R'. induction R' as [s | s a s' oa w' t' o' Ha R' IH]; intros w t o R E.
  - exists w, o. auto.
  - destruct (first_step w s t o R E a s' oa Ha) as (w1 & o1 & R1 & P1 & Q1).
    destruct (IH w1 t o1 R1 E) as (v & p & Rv & P & Q).
    exists v, p. repeat split; auto.
    + eapply perm_trans; [exact P1|]. simpl. now constructor.
    + eapply perm_trans; [exact Q1|]. rewrite <- app_assoc. now apply Permutation_app_head.
Qed.

(** Theorem: all complete runs end in one state, with the same steps and the same sends, each as
    often as in the other. *)
Theorem complete_runs_agree : forall s w t o w' t' o',
  run s w t o -> is_end step t -> run s w' t' o' -> is_end step t' ->
  t = t' /\ Permutation w w' /\ Permutation o o'.
Proof.
  intros s w t o w' t' o' R E R' E'.
  destruct (runs_complete w' s t' o' R' w t o R E) as (v & p & Rv & P & Q).
  destruct (run_from_end step _ _ _ _ E' Rv) as (-> & -> & ->).
  rewrite app_nil_r in *. auto.
Qed.

(** Theorem: no run is longer than a complete one, so no schedule runs for ever or ends
    elsewhere. *)
Theorem no_run_is_longer : forall s w t o w' t' o',
  run s w t o -> is_end step t -> run s w' t' o' -> length w' <= length w.
Proof.
  intros s w t o w' t' o' R E R'.
  destruct (runs_complete w' s t' o' R' w t o R E) as (v & p & _ & P & _).
  apply Permutation_length in P. rewrite app_length in P. lia.
Qed.

(** Theorem: of what one process sends, or of any other part of the sends, each complete run has the
    same: what a filter takes out of two complete runs is the same but for its order. *)
Theorem sends_agree : forall s w t o w' t' o' (mine : Sent -> bool),
  run s w t o -> is_end step t -> run s w' t' o' -> is_end step t' ->
  Permutation (filter mine o) (filter mine o').
Proof.
  intros s w t o w' t' o' mine R E R' E'.
  destruct (complete_runs_agree s w t o w' t' o' R E R' E') as (_ & _ & Q). clear - Q.
  induction Q; simpl; auto.
  - destruct (mine x); auto.
  - destruct (mine x), (mine y); auto. apply perm_swap.
  - eapply perm_trans; eauto.
Qed.

End SendDeterminism.
