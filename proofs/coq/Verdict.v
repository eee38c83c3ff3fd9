(** What the reductions keep of verdicts, and what they need for it: that a step which is put off
    shows, and lets others show, nothing worse where it is taken than where it is not. *)

From Coq Require Import List Arith Bool Lia.
From Domino Require Import Runs Reduce Exchange.
Import ListNotations.

(** The first list is no worse than the second for a property that single steps break. *)
Definition no_worse {Seen : Type} (breaks : Seen -> Prop) (o o' : list Seen) : Prop :=
  Exists breaks o -> Exists breaks o'.

(** The first list and the second are the same to who looks at some of what is seen: a property with
    a memory, which reads a run from its beginning to its end. *)
Definition same_view {Seen : Type} (looks : Seen -> bool) (o o' : list Seen) : Prop :=
  filter looks o = filter looks o'.

(** Nothing is worse than itself. *)
Lemma no_worse_refl : forall Seen breaks (o : list Seen), no_worse breaks o o.
Proof. unfold no_worse. auto. Qed.

(** What is no worse than what is no worse is no worse. *)
Lemma no_worse_trans : forall Seen breaks (o p q : list Seen),
  no_worse breaks o p -> no_worse breaks p q -> no_worse breaks o q.
Proof. unfold no_worse. auto. Qed.

(** Nor does it become so by what is seen before and behind it. *)
Lemma no_worse_app : forall Seen breaks (o o' p p' : list Seen),
  no_worse breaks o o' -> no_worse breaks p p' -> no_worse breaks (o ++ p) (o' ++ p').
Proof. unfold no_worse. intros. rewrite Exists_app in *. tauto. Qed.

(** What one sees is the same as itself. *)
Lemma same_view_refl : forall Seen looks (o : list Seen), same_view looks o o.
Proof. reflexivity. Qed.

(** What is the same as what is the same is the same. *)
Lemma same_view_trans : forall Seen looks (o p q : list Seen),
  same_view looks o p -> same_view looks p q -> same_view looks o q.
Proof. unfold same_view. congruence. Qed.

(** Nor does it become different by the same before and behind it. *)
Lemma same_view_app : forall Seen looks (o o' p p' : list Seen),
  same_view looks o o' -> same_view looks p p' -> same_view looks (o ++ p) (o' ++ p').
Proof. unfold same_view. intros. rewrite !filter_app. congruence. Qed.

Section Verdict.

Context {State Action Seen : Type}.
Variable step : State -> Action -> option (State * list Seen).

(** A property that single steps break, by what they show. *)
Variable breaks : Seen -> Prop.

(** Two actions can be told apart. *)
Hypothesis same_action : forall a b : Action, {a = b} + {a <> b}.

(** Claims and exchanges as in Exchange.v, for what that property sees. *)
Variable claim : State -> Action -> Prop.
Variable exchange : State -> Action -> Action -> Prop.
Hypothesis claim_possible : forall s a, claim s a -> possible step s a.
Hypothesis claim_commutes : forall s a b sb ob, claim s a -> b <> a ->
  step s b = Some (sb, ob) ->
  undoes step (no_worse breaks) s a b \/
  square step (no_worse breaks) s a b /\ (claim sb a \/ exchange s a b).
Hypothesis exchange_commutes : forall s a b, exchange s a b ->
  square step (no_worse breaks) s a b.
Hypothesis exchange_kept : forall s a b c sb ob x oc', exchange s a b ->
  step s b = Some (sb, ob) -> step sb c = Some (x, oc') -> c <> a ->
  exists sc oc ob', step s c = Some (sc, oc) /\ step sc b = Some (x, ob') /\
    no_worse breaks (ob ++ oc') (oc ++ ob') /\
    square step (no_worse breaks) s a c /\ exchange sc a b.

(** The search. *)
Variable pick : State -> option Action.
Hypothesis picked_claimed : forall s a, pick s = Some a -> claim s a.
Hypothesis chains_end : well_founded (chain step pick).
Local Notation reduced := (reduced step pick).

(** Theorem: if any run breaks the property, a run of the search does. *)
Theorem search_finds_violations : forall s w t o, run step s w t o -> Exists breaks o ->
  exists w' t' o', reduced s w' t' o' /\ Exists breaks o'.
Proof.
  intros s w t o R B.
  destruct (exchange_keeps_runs step (no_worse breaks) (no_worse_refl _ _) (no_worse_trans _ _)
    (no_worse_app _ _) same_action claim exchange claim_possible claim_commutes exchange_commutes
    exchange_kept pick picked_claimed chains_end s w t o R) as (e & t' & p & w' & o' & _ & Hr & C).
  exists w', t', o'. split; auto. apply C. apply Exists_app. auto.
Qed.

(** Theorem: every end of a run is an end of a run of the search. *)
Theorem search_finds_ends : forall s w t o, run step s w t o -> is_end step t ->
  exists w' o', reduced s w' t o'.
Proof.
  intros s w t o R E.
  destruct (exchange_keeps_ends step (no_worse breaks) (no_worse_refl _ _) (no_worse_trans _ _)
    (no_worse_app _ _) same_action claim exchange claim_possible claim_commutes exchange_commutes
    exchange_kept pick picked_claimed chains_end s w t o R E) as (w' & o' & Hr & _). eauto.
Qed.

(** Theorem: a certificate of a reduced search. A set of states that contains the initial one and is
    closed under the steps of the search, none of which breaks the property, proves of every run
    that it does not break it, and of every end that it is in the set. What the set does not say is
    that the claims are right: the hypotheses above are about all states, and not of those alone. *)
Theorem certificate_reduced : forall (listed : State -> Prop) s, listed s ->
  (forall t a u o, listed t -> (forall b, pick t = Some b -> b = a) ->
    step t a = Some (u, o) -> listed u /\ ~ Exists breaks o) ->
  forall w t o, run step s w t o -> ~ Exists breaks o /\ (is_end step t -> listed t).
Proof.
  intros listed s Hs Closed w t o R.
  assert (forall s w t o, reduced s w t o -> listed s -> listed t /\ ~ Exists breaks o) as Kept.
  { clear - Closed. induction 1 as [s|s a s' o w t o' Hp Ha _ IH]; intros Hs.
    - split; auto. intros E. inversion E.
    - destruct (Closed s a s' o Hs Hp Ha) as (Hs' & N). destruct (IH Hs') as (Ht & N').
      split; auto. rewrite Exists_app. tauto. }
  split.
  - intros B. destruct (search_finds_violations s w t o R B) as (w' & t' & o' & Hr & B').
    destruct (Kept _ _ _ _ Hr Hs). contradiction.
  - intros E. destruct (search_finds_ends s w t o R E) as (w' & o' & Hr).
    destruct (Kept _ _ _ _ Hr Hs). auto.
Qed.

End Verdict.

(** Two processes. The one writes something down and shows nothing; the other one shows a property
    whether that is written down. *)
Inductive hidden_action := write | look.

(** Whether the one has written, and the other one has looked. *)
Definition hidden_step (s : bool * bool) (a : hidden_action) : option ((bool * bool) * list bool) :=
  match a, s with
  | write, (false, looked) => Some ((true, looked), [])
  | look, (written, false) => Some ((written, true), [written])
  | _, _ => None
  end.

(** Commuting is not enough. The write is always possible until it is taken, leads to one state in
    either order, and shows nothing itself; but who takes it alone never sees the run in which the
    other one looks too early. So what a property is told of other processes is part of what a step
    shows: [no_worse] is what fails. *)
Example hidden_violation :
  let claim := fun (s : bool * bool) a => a = write /\ fst s = false in
  let pick := fun s : bool * bool => if fst s then None else Some write in
  (forall s a, claim s a -> exists t, hidden_step s a = Some (t, [])) /\
  (forall s a b sb ob, claim s a -> b <> a -> hidden_step s b = Some (sb, ob) ->
    square hidden_step (fun _ _ => True) s a b /\ claim sb a) /\
  (exists t o, run hidden_step (false, false) [look; write] t o /\ In false o) /\
  (forall w t o, reduced hidden_step pick (false, false) w t o -> ~ In false o).
Proof.
  assert (forall w s t o,
    reduced hidden_step (fun s : bool * bool => if fst s then None else Some write) s w t o ->
    fst s = true -> ~ In false o) as Late.
  { induction 1 as [s|s a s' o w t o' _ Ha _ IH]; intros F; simpl; auto.
    destruct s as [[] l]; simpl in F; [|discriminate]. destruct a, l; simpl in Ha; try discriminate.
    injection Ha as <- <-. simpl. intros [?|?]; [discriminate|]. now apply IH. }
  repeat split.
  - intros [[] l] a (-> & F); simpl in F; [discriminate|]. simpl. eauto.
  - destruct s as [[] l], H as (-> & F); simpl in F; [discriminate|].
    destruct b, l; simpl in H1; try congruence. injection H1 as <- <-.
    exists (true, false), [], (false, true), [false], (true, true), [], [true]. auto.
  - destruct H as (-> & F). auto.
  - destruct s as [[] l], H as (-> & F); simpl in F; [discriminate|].
    destruct b, l; simpl in H1; try congruence. now injection H1 as <- <-.
  - eexists (true, true), ([false] ++ [] ++ []). split; [|now left].
    repeat (econstructor; try reflexivity).
  - intros w t o R. inversion R as [|s a s' o1 w' t' o2 Hp Ha Hr]; subst; auto.
    specialize (Hp write eq_refl). subst a. simpl in Ha. injection Ha as <- <-.
    simpl. now apply Late with w' (true, false) t.
Qed.
