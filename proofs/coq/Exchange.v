(** The reduction that the checker uses. A claimed step is taken alone although another one may take
    its part: of several reports that are only counted, the last one opens a gate, whichever it is.
    So the plain theorem (Reduce.v) does not apply: behind another report, a report shows something
    that it does not show before it, and is claimed no more. A run in which [a] is the last one is
    covered by the run in which another is, at the same place. *)

From Coq Require Import List Arith Lia.
From Domino Require Import Runs Reduce.
Import ListNotations.

Section Exchange.

Context {State Action Seen : Type}.
Variable step : State -> Action -> option (State * list Seen).
Local Notation run := (run step).

(** What one run shows is covered by what another one shows: see Reduce.v. *)
Variable covered : list Seen -> list Seen -> Prop.
Hypothesis covered_refl : forall o, covered o o.
Hypothesis covered_trans : forall o p q, covered o p -> covered p q -> covered o q.
Hypothesis covered_app : forall o o' p p',
  covered o o' -> covered p p' -> covered (o ++ p) (o' ++ p').
Local Notation square := (square step covered).

(** Two actions can be told apart. *)
Hypothesis same_action : forall a b : Action, {a = b} + {a <> b}.

(** [claim s a]: the step may be taken first. It must be wider than what the search asks: a claim
    stays until the step is taken, undone, or exchanged. *)
Variable claim : State -> Action -> Prop.

(** [exchange s a b]: [a] and [b] are only counted, and who comes last does what is to be done. *)
Variable exchange : State -> Action -> Action -> Prop.

(** [undoes s a b]: [b] leads to the same state whether [a] has been taken before it or not, and
    shows no less after it: the crash of a process that has only received something. *)
Definition undoes (s : State) (a b : Action) : Prop :=
  exists sa oa sb ob ob',
    step s a = Some (sa, oa) /\ step s b = Some (sb, ob) /\ step sa b = Some (sb, ob') /\
    covered ob (oa ++ ob').

(** (i) What is claimed is possible. *)
Hypothesis claim_possible : forall s a, claim s a -> possible step s a.

(** (ii) Every other step undoes it, or commutes with it, and then leaves the claim or may be
    exchanged with it. *)
Hypothesis claim_commutes : forall s a b sb ob, claim s a -> b <> a ->
  step s b = Some (sb, ob) ->
  undoes s a b \/ square s a b /\ (claim sb a \/ exchange s a b).

(** X1: of two steps that are exchanged, both orders lead to one state, and what is shown is
    covered. *)
Hypothesis exchange_commutes : forall s a b, exchange s a b -> square s a b.

(** X2: to be counted enables nothing. Whatever other step [c] is possible behind [b] was possible
    before it; it commutes with [a], and with [b]; and behind [c] both may still be exchanged. *)
Hypothesis exchange_kept : forall s a b c sb ob x oc', exchange s a b ->
  step s b = Some (sb, ob) -> step sb c = Some (x, oc') -> c <> a ->
  exists sc oc ob', step s c = Some (sc, oc) /\ step sc b = Some (x, ob') /\
    covered (ob ++ oc') (oc ++ ob') /\ square s a c /\ exchange sc a b.

(** Lemma: where [a] and [b] may be exchanged, a run that begins with [b] is covered by one that
    begins with [a]. *)
Lemma exchange_front : forall w s a b sb ob t o, exchange s a b ->
  step s b = Some (sb, ob) -> run sb w t o ->
  exists e t' p sa oa w' o', run t e t' p /\ step s a = Some (sa, oa) /\ run sa w' t' o' /\
    covered (ob ++ o ++ p) (oa ++ o') /\ length w' <= S (length w).
Proof.
  induction w as [|c w IH]; intros s a b sb ob t o X Hb R.
  - inversion R; subst.
    destruct (exchange_commutes s a b X) as (sa & oa & sb' & ob' & x & oab & oba & Ha & Hb' &
      Hab & Hba & Hc).
    rewrite Hb in Hb'. injection Hb' as <- <-.
    exists [a], x, oab, sa, oa, [b], oba. simpl. repeat split; auto using run_one.
  - inversion R as [|? ? sc' oc' ? ? o3 Hc' R3]; subst.
    destruct (same_action c a) as [->|N].
    + destruct (exchange_commutes s a b X) as (sa & oa & sb' & ob' & x & oab & oba & Ha & Hb' &
        Hab & Hba & Hc).
      rewrite Hb in Hb'. injection Hb' as <- <-. rewrite Hba in Hc'. injection Hc' as <- <-.
      exists [], t, [], sa, oa, (b :: w), (oba ++ o3). simpl.
      repeat split; auto; try constructor.
      * econstructor; eauto.
      * rewrite app_nil_r, !app_assoc. auto.
    + destruct (exchange_kept s a b c sb ob sc' oc' X Hb Hc' N)
        as (sc & oc & ob' & Hsc & Hscb & Hcov & Sq & X').
      destruct (IH sc a b sc' ob' t o3 X' Hscb R3)
        as (e & t' & p & sca & oca & w' & o' & He & Hsca & Rw & Hcw & Hlen).
      destruct Sq as (sa & oa & sc2 & oc2 & x & oac & oca' & Ha & Hc2 & Hac & Hca & Hsq).
      rewrite Hsc in Hc2. injection Hc2 as <- <-. rewrite Hsca in Hca. injection Hca as <- <-.
      exists e, t', p, sa, oa, (c :: w'), (oca' ++ o'). simpl. repeat split; auto; try lia.
      * econstructor; eauto.
      * apply covered_trans with (oc ++ ob' ++ o3 ++ p).
        -- replace (ob ++ (oc' ++ o3) ++ p) with ((ob ++ oc') ++ o3 ++ p)
             by (rewrite <- !app_assoc; reflexivity).
           rewrite (app_assoc oc). auto.
        -- apply covered_trans with (oc ++ oca ++ o'); auto.
           rewrite !app_assoc. auto.
Qed.

(** Theorem: a claimed step can be put in front of every run. *)
Theorem claimed_front : forall s a, claim s a -> front step covered s a.
Proof.
  intros s a C w. revert s C. induction w as [|b w IH]; intros s C t o R.
  - inversion R; subst. destruct (step t a) as [(sa, oa)|] eqn:Ha.
    + exists [a], sa, oa, sa, oa, [], []. simpl. rewrite app_nil_r. repeat split; auto.
      * now apply run_one.
      * constructor.
    + destruct (claim_possible t a C Ha).
  - inversion R as [|? ? sb ob ? ? ow Hb Rw]; subst. destruct (same_action b a) as [->|N].
    { exists [], t, [], sb, ob, w, ow. rewrite app_nil_r. simpl.
      repeat split; auto. constructor. }
    destruct (claim_commutes s a b sb ob C N Hb) as [U | (Sq & [C' | X])].
    + destruct U as (sa & oa & sb' & ob1 & ob2 & Ha & Hb' & Hab & Hc).
      rewrite Hb in Hb'. injection Hb' as <- <-.
      exists [], t, [], sa, oa, (b :: w), (ob2 ++ ow). simpl.
      repeat split; auto; try constructor.
      * econstructor; eauto.
      * rewrite app_nil_r, app_assoc. auto.
    + destruct Sq as (sa & oa & sb' & ob' & x & oab & oba & Ha & Hb' & Hab & Hba & Hc).
      rewrite Hb in Hb'. injection Hb' as <- <-.
      destruct (IH sb C' t ow Rw)
        as (e & t' & p & sa' & oa' & w' & o' & He & Ha' & Hw & Hcw & Hlen).
      rewrite Hba in Ha'. injection Ha' as <- <-.
      exists e, t', p, sa, oa, (b :: w'), (oba ++ o'). simpl. repeat split; auto; try lia.
      * econstructor; eauto.
      * apply covered_trans with (ob ++ oab ++ o').
        -- rewrite <- app_assoc. auto.
        -- rewrite !app_assoc. auto.
    + destruct (exchange_front w s a b sb ob t ow X Hb Rw)
        as (e & t' & p & sa & oa & w' & o' & He & Ha & Hw & Hc & Hlen).
      exists e, t', p, sa, oa, w', o'. simpl. rewrite <- app_assoc. repeat split; auto.
Qed.

(** The search takes a claimed step alone, or all steps. *)
Variable pick : State -> option Action.
Hypothesis picked_claimed : forall s a, pick s = Some a -> claim s a.
Hypothesis chains_end : well_founded (chain step pick).

(** Theorem: the search reaches every end, and covers what any run to it shows. *)
Theorem exchange_keeps_ends : forall s w t o, run s w t o -> is_end step t ->
  exists w' o', reduced step pick s w' t o' /\ covered o o'.
Proof.
  intros. eapply reduction_keeps_ends; eauto. intros. apply claimed_front. auto.
Qed.

(** Theorem: every run can be made longer so that a run of the search covers it. *)
Theorem exchange_keeps_runs : forall s w t o, run s w t o ->
  exists e t' p w' o', run t e t' p /\ reduced step pick s w' t' o' /\ covered (o ++ p) o'.
Proof.
  intros. eapply reduction_keeps_runs; eauto. intros. apply claimed_front. auto.
Qed.

End Exchange.
