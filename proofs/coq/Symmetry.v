(** Processes that are alike: of all states that differ by their names only, an orbit, a search
    keeps one, and may take one step alone there, too. *)

From Coq Require Import List Arith Lia.
From Domino Require Import Runs Reduce Verdict.
Import ListNotations.

Section Symmetry.

Context {State Action Seen : Type}.
Variable step : State -> Action -> option (State * list Seen).
Local Notation run := (run step).

(** Renamings of processes, what they make of a state, of a step and of what is seen. *)
Variable Renaming : Type.
Variable rename : Renaming -> State -> State.
Variable rename_action : Renaming -> Action -> Action.
Variable rename_seen : Renaming -> Seen -> Seen.

(** A renaming turns runs into runs. *)
Hypothesis automorphism : forall g s a t o, step s a = Some (t, o) ->
  step (rename g s) (rename_action g a) = Some (rename g t, map (rename_seen g) o).

(** To rename back undoes it. *)
Variable back : Renaming -> Renaming.
Hypothesis back_again : forall g s, rename (back g) (rename g s) = s.

(** The property does not look at names. *)
Variable breaks : Seen -> Prop.
Hypothesis nameless : forall g x, breaks x -> breaks (rename_seen g x).

(** The renaming that makes of a state the one that stands for its orbit. *)
Variable chosen : State -> Renaming.

(** That state. *)
Definition stands_for (s : State) : State := rename (chosen s) s.

(** The step that the search takes alone, if it does. *)
Variable pick : State -> option Action.

(** The states that the search visits: of each state that it comes to, the one that stands for
    it. *)
Inductive visited (s0 : State) : State -> Prop :=
| visited_first : visited s0 (stands_for s0)
| visited_next : forall s a t o, visited s0 s -> (forall b, pick s = Some b -> b = a) ->
    step s a = Some (t, o) -> visited s0 (stands_for t).

(** The search finds a violation: a step that it takes breaks the property. *)
Definition finds (s0 : State) : Prop := exists s a t o, visited s0 s /\
  (forall b, pick s = Some b -> b = a) /\ step s a = Some (t, o) /\ Exists breaks o.

(** One picked step follows another, behind a renaming. *)
Definition renamed_chain (s' s : State) : Prop :=
  exists a t o, pick s = Some a /\ step s a = Some (t, o) /\ s' = stands_for t.

(** Picked steps do not follow each other for ever, and each can be put in front of every run. *)
Hypothesis chains_end : well_founded renamed_chain.
Hypothesis picked_front : forall s a, pick s = Some a -> front step (no_worse breaks) s a.

(** Lemma: what a run breaks it breaks when it is renamed. *)
Lemma renamed_breaks : forall g o, Exists breaks o -> Exists breaks (map (rename_seen g) o).
Proof.
  induction 1; simpl; [constructor 1; now apply nameless | now constructor 2].
Qed.

(** Lemma: a run is a run when it is renamed. *)
Lemma renamed_run : forall g s w t o, run s w t o ->
  run (rename g s) (map (rename_action g) w) (rename g t) (map (rename_seen g) o).
Proof.
  induction 1; simpl; [constructor|]. rewrite map_app. econstructor; eauto.
Qed.

(** Lemma: an end is an end when it is renamed. *)
Lemma renamed_end : forall g s, is_end step s -> is_end step (rename g s).
Proof.
  intros g s E a. destruct (step (rename g s) a) as [(t, o)|] eqn:H; auto.
  apply (automorphism (back g)) in H. rewrite back_again, E in H. discriminate.
Qed.

(** [alike s t]: renamings make the one of the other. *)
Inductive alike (s : State) : State -> Prop :=
| alike_same : alike s s
| alike_renamed : forall g t, alike s t -> alike s (rename g t).

(** Lemma: what is made of a renamed state is made of the state. *)
Lemma alike_before : forall g s t, alike (rename g s) t -> alike s t.
Proof. induction 1; repeat constructor; auto. Qed.

(** Theorem: if any run from an initial state breaks the property, the search finds that. *)
Theorem orbits_keep_violations : forall s0 s, visited s0 s ->
  forall w t o, run s w t o -> Exists breaks o -> finds s0.
Proof.
  intros s0 s V w. remember (length w) as n eqn:Hn. revert s V w Hn.
  induction n as [n IHn] using lt_wf_ind.
  intros s. induction (chains_end s) as [s _ IHs]. intros V w Hn t o R B.
  assert (forall a s1 o1 w1 t1 o2, (forall b, pick s = Some b -> b = a) ->
    step s a = Some (s1, o1) -> run s1 w1 t1 o2 -> Exists breaks (o1 ++ o2) ->
    length w1 < n \/ length w1 = n /\ pick s = Some a -> finds s0) as Next.
  { intros a s1 o1 w1 t1 o2 P A R1 B1 L. apply Exists_app in B1. destruct B1 as [B1|B1].
    - exists s, a, s1, o1. auto.
    - assert (visited s0 (stands_for s1)) as V1 by (eapply visited_next; eauto).
      pose proof (renamed_run (chosen s1) _ _ _ _ R1) as R2.
      apply (renamed_breaks (chosen s1)) in B1. destruct L as [L | (L & P')].
      + eapply (IHn (length w1) L (stands_for s1) V1 (map (rename_action (chosen s1)) w1));
          eauto. now rewrite map_length.
      + eapply (IHs (stands_for s1)) with (w := map (rename_action (chosen s1)) w1); eauto.
        * exists a, s1, o1. auto.
        * now rewrite map_length. }
  destruct (pick s) as [a|] eqn:Pick.
  - destruct (picked_front s a Pick w t o R)
      as (e & t' & p & sa & oa & w' & o' & _ & Ha & Hw & C & L).
    assert (Exists breaks (oa ++ o')) as B' by (apply C, Exists_app; auto).
    apply (Next a sa oa w' t' o'); auto. { intros b H. congruence. }
    destruct (Nat.eq_dec (length w') n); [right; auto | left; lia].
  - destruct R as [s | s a s1 o1 w1 t1 o2 A R]; [inversion B|].
    simpl in Hn. apply (Next a s1 o1 w1 t1 o2); auto; [intros b H; discriminate | left; lia].
Qed.

(** Theorem: of every end of a run from an initial state, the search visits one that differs from it
    by names only. *)
Theorem orbits_keep_ends : forall s0 s, visited s0 s ->
  forall w t o, run s w t o -> is_end step t -> exists u, visited s0 u /\ alike t u.
Proof.
  intros s0 s V w. remember (length w) as n eqn:Hn. revert s V w Hn.
  induction n as [n IHn] using lt_wf_ind.
  intros s. induction (chains_end s) as [s _ IHs]. intros V w Hn t o R E.
  assert (forall a s1 o1 w1 o2, (forall b, pick s = Some b -> b = a) ->
    step s a = Some (s1, o1) -> run s1 w1 t o2 ->
    length w1 < n \/ length w1 = n /\ pick s = Some a ->
    exists u, visited s0 u /\ alike t u) as Next.
  { intros a s1 o1 w1 o2 P A R1 L.
    assert (visited s0 (stands_for s1)) as V1 by (eapply visited_next; eauto).
    pose proof (renamed_run (chosen s1) _ _ _ _ R1) as R2.
    pose proof (renamed_end (chosen s1) t E) as E2.
    assert (exists u, visited s0 u /\ alike (rename (chosen s1) t) u) as (u & Vu & Au).
    { destruct L as [L | (L & P')].
      - eapply (IHn (length w1) L (stands_for s1) V1 (map (rename_action (chosen s1)) w1));
          eauto. now rewrite map_length.
      - eapply (IHs (stands_for s1)) with (w := map (rename_action (chosen s1)) w1); eauto.
        + exists a, s1, o1. auto.
        + now rewrite map_length. }
    exists u. split; auto. eapply alike_before; eauto. }
  destruct (pick s) as [a|] eqn:Pick.
  - destruct (picked_front s a Pick w t o R)
      as (e & t' & p & sa & oa & w' & o' & He & Ha & Hw & _ & L).
    destruct (run_from_end step _ _ _ _ E He) as (-> & -> & ->).
    apply (Next a sa oa w' o'); auto. { intros b H. congruence. }
    destruct (Nat.eq_dec (length w') n); [right; auto | left; lia].
  - destruct R as [s | s a s1 o1 w1 t1 o2 A R].
    + exists s. split; auto. constructor.
    + simpl in Hn. apply (Next a s1 o1 w1 o2); auto; [intros b H; discriminate | left; lia].
Qed.

(** Theorem: if any run from the initial state breaks the property, the search finds that. *)
Theorem search_by_orbits : forall s0 w t o, run s0 w t o -> Exists breaks o -> finds s0.
Proof.
  intros s0 w t o R B. apply (renamed_run (chosen s0)) in R.
  eapply orbits_keep_violations; [apply visited_first | exact R | now apply renamed_breaks].
Qed.

End Symmetry.
