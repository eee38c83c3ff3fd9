(** Crashes that are put off: where a process can take a step that its crash undoes without a trace,
    its crash is explored behind the step only. Here together with steps that are taken alone. *)

From Coq Require Import List Arith Lia.
From Domino Require Import Runs Reduce Exchange.
Import ListNotations.

Section Postpone.

Context {State Action Seen : Type}.
Variable step : State -> Action -> option (State * list Seen).
Local Notation run := (run step).

(** What one run shows is covered by what another one shows: see Reduce.v. *)
Variable covered : list Seen -> list Seen -> Prop.
Hypothesis covered_refl : forall o, covered o o.
Hypothesis covered_trans : forall o p q, covered o p -> covered p q -> covered o q.
Hypothesis covered_app : forall o o' p p',
  covered o o' -> covered p p' -> covered (o ++ p) (o' ++ p').

(** The step that the search takes alone in a state, if it does, and for each other step the one
    behind which it is put off, if it is. *)
Variable pick : State -> option Action.
Variable behind : State -> Action -> option Action.

(** What the search explores. *)
Definition explored (s : State) (a : Action) : Prop :=
  match pick s with Some b => b = a | None => behind s a = None end.

(** The runs that it explores. *)
Inductive searched : State -> list Action -> State -> list Seen -> Prop :=
| searched_nil : forall s, searched s [] s []
| searched_cons : forall s a s' o w t o', explored s a ->
    step s a = Some (s', o) -> searched s' w t o' -> searched s (a :: w) t (o ++ o').

(** A picked step can be put in front of every run. *)
Hypothesis picked_front : forall s a, pick s = Some a -> front step covered s a.

(** What is put off undoes the step behind which it is, and that one is explored. *)
Hypothesis put_off_undoes : forall s c a, pick s = None -> behind s c = Some a ->
  behind s a = None /\ (step s c <> None -> undoes step covered s a c).

(** A step that is taken alone, or behind which another one is put off, leads on. *)
Definition leads_on (s' s : State) : Prop := exists a o, step s a = Some (s', o) /\
  (pick s = Some a \/ exists c, behind s c = Some a).

(** Such steps do not follow each other for ever. *)
Hypothesis chains_end : well_founded leads_on.

(** Theorem: every run can be made longer so that a run of the search covers it and ends in the same
    state. *)
Theorem postponing_keeps_runs : forall s w t o, run s w t o ->
  exists e t' p w' o', run t e t' p /\ searched s w' t' o' /\ covered (o ++ p) o'.
Proof.
  intros s w. remember (length w) as n eqn:Hn. revert s w Hn.
  induction n as [n IHn] using lt_wf_ind.
  intros s. induction (chains_end s) as [s _ IHs]. intros w Hn t o R.
  assert (forall a s1 o1 w1 e t' p o2, explored s a -> step s a = Some (s1, o1) ->
    run t e t' p -> run s1 w1 t' o2 -> covered (o ++ p) (o1 ++ o2) ->
    length w1 < n \/ length w1 = n /\ leads_on s1 s ->
    exists e t' p w' o', run t e t' p /\ searched s w' t' o' /\ covered (o ++ p) o') as Next.
  { intros a s1 o1 w1 e t' p o2 X A Re R1 C L.
    assert (exists e2 t2 p2 w2 o3, run t' e2 t2 p2 /\ searched s1 w2 t2 o3 /\
      covered (o2 ++ p2) o3) as (e2 & t2 & p2 & w2 & o3 & He & Hs & Hc).
    { destruct L as [L | (L & Ch)].
      - apply (IHn (length w1) L) with w1; auto.
      - apply (IHs s1 Ch) with w1; auto. }
    exists (e ++ e2), t2, (p ++ p2), (a :: w2), (o1 ++ o3). repeat split.
    - eapply run_app; eauto.
    - eapply searched_cons; eauto.
    - apply covered_trans with ((o1 ++ o2) ++ p2).
      + rewrite app_assoc. auto.
      + rewrite <- app_assoc. auto. }
  destruct (pick s) as [a|] eqn:Pick.
  - destruct (picked_front s a Pick w t o R)
      as (e & t' & p & sa & oa & w' & o' & He & Ha & Hw & Hc & L).
    apply (Next a sa oa w' e t' p o'); auto.
    + unfold explored. now rewrite Pick.
    + destruct (Nat.eq_dec (length w') n); [|left; lia].
      right. split; auto. exists a, oa. auto.
  - destruct R as [s | s c s1 o1 w t o2 Hc R].
    { exists [], s, [], [], []. repeat split; auto; constructor. }
    simpl in Hn. destruct (behind s c) as [a|] eqn:B.
    + destruct (put_off_undoes s c a Pick B) as (Ba & U).
      destruct U as (sa & oa & s1' & o1' & o1'' & Ha & Hc' & Hac & Cov).
      { intros E. congruence. }
      rewrite Hc in Hc'. injection Hc' as <- <-.
      apply (Next a sa oa (c :: w) [] t [] (o1'' ++ o2)); auto.
      * unfold explored. now rewrite Pick.
      * constructor.
      * econstructor; eauto.
      * rewrite app_nil_r, app_assoc. auto.
      * right. split; auto. exists a, oa. split; auto. right. exists c. auto.
    + apply (Next c s1 o1 w [] t [] o2); auto.
      * unfold explored. now rewrite Pick.
      * constructor.
      * rewrite app_nil_r. auto.
      * left. lia.
Qed.

(** Theorem: the search reaches every end, and what it shows on the way covers what any run to that
    end shows. *)
Theorem postponing_keeps_ends : forall s w t o, run s w t o -> is_end step t ->
  exists w' o', searched s w' t o' /\ covered o o'.
Proof.
  intros s w t o R E.
  destruct (postponing_keeps_runs s w t o R) as (e & t' & p & w' & o' & He & Hs & Hc).
  destruct (run_from_end step _ _ _ _ E He) as (-> & -> & ->).
  rewrite app_nil_r in Hc. eauto.
Qed.

End Postpone.
