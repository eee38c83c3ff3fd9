(** The plain reduction: in some states one step is explored alone, because it commutes with every
    step that can come before it. *)

From Coq Require Import List Arith Lia.
From Domino Require Import Runs.
Import ListNotations.

Section Reduced.

Context {State Action Seen : Type}.
Variable step : State -> Action -> option (State * list Seen).

Local Notation run := (run step).

(** [covered o o']: what [o] shows is no worse than what [o'] shows. It may be equality; or that
    the events that a monitor reads are the same; or that whatever property something in [o]
    breaks, something in [o'] breaks, too; or several of these at once. *)
Variable covered : list Seen -> list Seen -> Prop.
Hypothesis covered_refl : forall o, covered o o.
Hypothesis covered_trans : forall o p q, covered o p -> covered p q -> covered o q.
Hypothesis covered_app : forall o o' p p',
  covered o o' -> covered p p' -> covered (o ++ p) (o' ++ p').

(** The step that the search explores alone in a state, if it does. *)
Variable pick : State -> option Action.

(** The runs that the search explores: where a step is picked, no other one is taken. *)
Inductive reduced : State -> list Action -> State -> list Seen -> Prop :=
| reduced_nil : forall s, reduced s [] s []
| reduced_cons : forall s a s' o w t o',
    (forall b, pick s = Some b -> b = a) ->
    step s a = Some (s', o) -> reduced s' w t o' -> reduced s (a :: w) t (o ++ o').

(** Every run that the search explores is a run: what it finds is there. *)
Lemma reduced_run : forall s w t o, reduced s w t o -> run s w t o.
Proof. induction 1; econstructor; eauto. Qed.

(** [square s a b]: both are possible, either order leads to one state, and what [b] before [a]
    shows is covered by what [a] before [b] shows. *)
Definition square (s : State) (a b : Action) : Prop :=
  exists sa oa sb ob t oab oba,
    step s a = Some (sa, oa) /\ step s b = Some (sb, ob) /\
    step sa b = Some (t, oba) /\ step sb a = Some (t, oab) /\
    covered (ob ++ oab) (oa ++ oba).

(** [front s a]: whatever run begins in [s], possibly made longer at its end, is covered by one that
    begins with [a] and ends in the same state, and that is no longer behind [a]. *)
Definition front (s : State) (a : Action) : Prop :=
  forall w t o, run s w t o ->
  exists e t' p sa oa w' o',
    run t e t' p /\ step s a = Some (sa, oa) /\ run sa w' t' o' /\
    covered (o ++ p) (oa ++ o') /\ length w' <= length w.

(** One picked step follows another. *)
Definition chain (s' s : State) : Prop :=
  exists a o, pick s = Some a /\ step s a = Some (s', o).

(** Picked steps do not follow each other for ever. *)
Hypothesis chains_end : well_founded chain.

(** Every picked step can be put in front. *)
Hypothesis picked_front : forall s a, pick s = Some a -> front s a.

(** Theorem: every run can be made longer so that a run of the search covers it and ends in the same
    state. So whatever any run breaks, the search breaks. *)
Theorem reduction_keeps_runs : forall s w t o, run s w t o ->
  exists e t' p w' o', run t e t' p /\ reduced s w' t' o' /\ covered (o ++ p) o'.
Proof.
  intros s w. remember (length w) as n eqn:Hn. revert s w Hn.
  induction n as [n IHn] using lt_wf_ind.
  intros s. induction (chains_end s) as [s _ IHs]. intros w Hn t o R.
  destruct (pick s) as [a|] eqn:Pick.
  - destruct (picked_front s a Pick w t o R)
      as (e & t' & p & sa & oa & w' & o' & He & Ha & Hw & Hc & Hlen).
    assert (exists e2 t2 p2 w2 o2,
      run t' e2 t2 p2 /\ reduced sa w2 t2 o2 /\ covered (o' ++ p2) o2)
      as (e2 & t2 & p2 & w2 & o2 & He2 & Hr2 & Hc2).
    { destruct (Nat.eq_dec (length w') n) as [E|E].
      - apply (IHs sa) with w'; auto. exists a, oa. auto.
      - apply (IHn (length w')) with w'; auto. lia. }
    exists (e ++ e2), t2, (p ++ p2), (a :: w2), (oa ++ o2). repeat split.
    + eapply run_app; eauto.
    + apply reduced_cons with sa; auto. intros b Hb. congruence.
    + apply covered_trans with ((oa ++ o') ++ p2).
      * rewrite app_assoc. auto.
      * rewrite <- app_assoc. auto.
  - destruct R as [s | s b s' ob w t ow Hb R].
    + exists [], s, [], [], []. repeat split; auto; constructor.
    + simpl in Hn. destruct (IHn (length w)) with (s := s') (w := w) (t := t) (o := ow)
        as (e & t' & p & w' & o' & He & Hr & Hc); auto; try lia.
      exists e, t', p, (b :: w'), (ob ++ o'). repeat split; auto.
      * apply reduced_cons with s'; auto. intros x Hx. congruence.
      * rewrite <- app_assoc. auto.
Qed.

(** Theorem: the search reaches every end, and what it shows on the way covers what any run to that
    end shows. *)
Theorem reduction_keeps_ends : forall s w t o, run s w t o -> is_end step t ->
  exists w' o', reduced s w' t o' /\ covered o o'.
Proof.
  intros s w t o R E.
  destruct (reduction_keeps_runs s w t o R) as (e & t' & p & w' & o' & He & Hr & Hc).
  destruct (run_from_end step _ _ _ _ E He) as (-> & -> & ->).
  rewrite app_nil_r in Hc. eauto.
Qed.

End Reduced.

Section Plain.

Context {State Action Seen : Type}.
Variable step : State -> Action -> option (State * list Seen).
Variable covered : list Seen -> list Seen -> Prop.
Hypothesis covered_refl : forall o, covered o o.
Hypothesis covered_trans : forall o p q, covered o p -> covered p q -> covered o q.
Hypothesis covered_app : forall o o' p p',
  covered o o' -> covered p p' -> covered (o ++ p) (o' ++ p').

(** Two actions can be told apart. *)
Hypothesis same_action : forall a b : Action, {a = b} + {a <> b}.

(** [claim s a]: the step commutes with all that can come before it. *)
Variable claim : State -> Action -> Prop.

(** (i) What is claimed is possible. *)
Hypothesis claim_possible : forall s a, claim s a -> possible step s a.

(** (ii) Every other step commutes with it, and leaves the claim. *)
Hypothesis claim_commutes : forall s a b sb ob, claim s a -> b <> a ->
  step s b = Some (sb, ob) -> square step covered s a b /\ claim sb a.

(** Theorem: a claimed step can be put in front of every run. *)
Theorem plain_front : forall s a, claim s a -> front step covered s a.
Proof.
  intros s a C w. revert s C. induction w as [|b w IH]; intros s C t o R.
  - inversion R; subst. destruct (step t a) as [(sa, oa)|] eqn:Ha.
    + exists [a], sa, oa, sa, oa, [], []. simpl. rewrite app_nil_r. repeat split; auto.
      * now apply run_one.
      * constructor.
    + destruct (claim_possible t a C Ha).
  - inversion R as [|? ? sb ob ? ? ow Hb Rw]; subst. destruct (same_action b a) as [->|N].
    + exists [], t, [], sb, ob, w, ow. rewrite app_nil_r. simpl. repeat split; auto.
      constructor.
    + destruct (claim_commutes s a b sb ob C N Hb) as ((sa & oa & sb' & ob' & x & oab & oba &
        Ha & Hb' & Hab & Hba & Hc) & C').
      rewrite Hb in Hb'. injection Hb' as <- <-.
      destruct (IH sb C' t ow Rw)
        as (e & t' & p & sa' & oa' & w' & o' & He & Ha' & Hw & Hcw & Hlen).
      rewrite Hba in Ha'. injection Ha' as <- <-.
      exists e, t', p, sa, oa, (b :: w'), (oba ++ o'). simpl. repeat split; auto; try lia.
      * econstructor; eauto.
      * apply covered_trans with (ob ++ oab ++ o').
        -- rewrite <- app_assoc. auto.
        -- rewrite !app_assoc. auto.
Qed.

End Plain.
