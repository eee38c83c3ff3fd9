(** Sleep sets with state matching. A state that is met again with other steps asleep is not done:
    what slept before and does not sleep now is made up for, and what sleeps both times goes on
    sleeping. Then a search that leaves out steps which sleep leaves out no state.

    Whether two actions are independent depends on the state: one name, such as the next message of
    a channel, stands for a step that touches this in one state and that in another. So it is asked
    where both are possible, of what they touch there. *)

From Coq Require Import List Arith Lia.
Import ListNotations.

Section Sleep.

Context {State Action Footprint : Type}.

(** What an action leads to, if it is possible, and what it touches. *)
Variable step : State -> Action -> option State.
Variable footprint : State -> Action -> Footprint.

(** What touches the one does not touch the other. *)
Variable disjoint : Footprint -> Footprint -> Prop.

(** [independent s a b]: nothing tells which of the two was first. *)
Definition independent (s : State) (a b : Action) : Prop :=
  disjoint (footprint s a) (footprint s b).

(** Where both are possible each is so behind the other, and both orders lead to the same. *)
Hypothesis independent_commutes : forall s a b sa sb, independent s a b ->
  step s a = Some sa -> step s b = Some sb ->
  exists t, step sa b = Some t /\ step sb a = Some t.

(** Neither changes what the other touches. *)
Hypothesis footprint_stays : forall s a b sa sb, independent s a b ->
  step s a = Some sa -> step s b = Some sb ->
  footprint sa b = footprint s b /\ footprint sb a = footprint s a.

(** [path s w t]: the actions [w] lead from [s] to [t]. *)
Inductive path : State -> list Action -> State -> Prop :=
| path_nil : forall s, path s [] s
| path_cons : forall s a s' w t, step s a = Some s' -> path s' w t -> path s (a :: w) t.

(** [first s b w rest]: from [s] on, [b] is in [w] behind nothing that it depends on; [rest] is [w]
    without it. *)
Inductive first : State -> Action -> list Action -> list Action -> Prop :=
| first_here : forall s b w, first s b (b :: w) w
| first_later : forall s a b sa sb w rest, step s a = Some sa -> step s b = Some sb ->
    independent s a b -> first sa b w rest -> first s b (a :: w) (a :: rest).

(** Lemma: such an action may be taken first. *)
Lemma first_front : forall s b w rest, first s b w rest -> forall t, path s w t ->
  exists sb, step s b = Some sb /\ path sb rest t.
Proof.
  induction 1 as [s b w | s a b sa sb w rest Ha Hb I F IH]; intros t P.
  - inversion P; subst. eauto.
  - inversion P as [|? ? x ? ? Hx Pw]; subst. rewrite Ha in Hx. injection Hx as <-.
    destruct (IH t Pw) as (y & Hy & Py).
    destruct (independent_commutes s a b sa sb I Ha Hb) as (u & Hu & Hsb).
    rewrite Hy in Hu. injection Hu as <-. exists sb. split; auto. econstructor; eauto.
Qed.

(** Lemma: without it the actions are fewer by one. *)
Lemma first_length : forall s b w rest, first s b w rest -> length w = S (length rest).
Proof. induction 1; simpl; auto. Qed.

(** Lemma: what may be taken first behind an action that is independent of it may be before it. *)
Lemma first_behind : forall s a w rest, first s a w rest -> forall b sa sb rest',
  step s a = Some sa -> step s b = Some sb -> independent s a b -> first sa b rest rest' ->
  exists r, first s b w r.
Proof.
  induction 1 as [s a w | s c a sc sa w rest Hc Ha Ica F IH]; intros b sa' sb rest' Ha' Hb Iab Fb.
  - exists (a :: rest'). eapply first_later; eauto.
  - rewrite Ha in Ha'. injection Ha' as <-.
    destruct (independent_commutes s c a sc sa Ica Hc Ha) as (u & Hca & Hac).
    destruct (footprint_stays s c a sc sa Ica Hc Ha) as (Ea & Ec).
    destruct (footprint_stays s a b sa sb Iab Ha Hb) as (Eb & _).
    inversion Fb as [|? ? ? sac sab ? rest0 Hsac Hsab Icb Fb0]; subst.
    + exists w. constructor.
    + rewrite Hac in Hsac. injection Hsac as <-.
      assert (independent s c b) as Icb'.
      { unfold independent in *. now rewrite Ec, Eb in Icb. }
      destruct (independent_commutes s c b sc sb Icb' Hc Hb) as (v & Hcb & _).
      destruct (footprint_stays s c b sc sb Icb' Hc Hb) as (Ebc & _).
      assert (independent sc a b) as Iab'.
      { unfold independent in *. now rewrite Ea, Ebc. }
      destruct (IH b u v rest0 Hca Hcb Iab' Fb0) as (r & Fr).
      exists (c :: r). eapply first_later; eauto.
Qed.

(** What a search has come to: the states that it has visited, which steps sleep in each, and those
    that it has taken there. These are in an order: what was made up for at a later visit is before
    what was taken at an earlier one, and otherwise what was taken first is first. *)
Variable visited : State -> Prop.
Variable asleep : State -> Action -> Prop.
Variable taken : State -> list Action.

(** A step that is possible sleeps or was taken. *)
Hypothesis awake_taken : forall s a s', visited s -> step s a = Some s' ->
  asleep s a \/ In a (taken s).

(** A step that was taken leads to a state that is visited; there sleeps only what is possible here,
    is independent of it, and sleeps here, too, or is before it in that order. *)
Hypothesis taken_leads : forall s l a l' s', visited s -> taken s = l ++ a :: l' ->
  step s a = Some s' ->
  visited s' /\ forall b, asleep s' b ->
    step s b <> None /\ independent s a b /\ (asleep s b \/ In b l).

(** Lemma: whatever a run leads to is visited, unless it could begin with what sleeps. *)
Lemma visited_or_asleep : forall n w s t, length w = n -> visited s -> path s w t ->
  visited t \/ exists b rest, asleep s b /\ first s b w rest.
Proof.
  induction n as [|n IHn]; intros w s t L V P.
  { destruct w; [|discriminate]. inversion P; subst. auto. }
  assert (forall k l a l' rest, length l = k -> taken s = l ++ a :: l' -> first s a w rest ->
    visited t \/ exists b rest', asleep s b /\ first s b w rest') as Taken.
  { induction k as [k IHk] using lt_wf_ind. intros l a l' rest Lk T F.
    destruct (first_front s a w rest F t P) as (sa & Ha & Pa).
    destruct (taken_leads s l a l' sa V T Ha) as (Va & Wa).
    destruct (IHn rest sa t) as [Vt | (b & rest' & Ab & Fb)]; auto.
    { apply first_length in F. lia. }
    destruct (Wa b Ab) as (N & I & Cause).
    destruct (step s b) as [sb|] eqn:Hb; [|now destruct N]. destruct Cause as [As | Il].
    - right. destruct (first_behind s a w rest F b sa sb rest' Ha Hb I Fb) as (r & Hr). eauto.
    - destruct (first_behind s a w rest F b sa sb rest' Ha Hb I Fb) as (r & Hr).
      destruct (in_split b l Il) as (l1 & l2 & E). subst l.
      apply (IHk (length l1)) with l1 b (l2 ++ a :: l') r; auto.
      + rewrite app_length in Lk. simpl in Lk. lia.
      + rewrite T, <- app_assoc. reflexivity. }
  inversion P as [|? a sa w' ? Ha Pa]; subst; [discriminate|].
  destruct (awake_taken s a sa V Ha) as [As | It].
  - right. exists a, w'. split; auto. constructor.
  - destruct (in_split a (taken s) It) as (l & l' & E).
    apply (Taken (length l) l a l' w'); auto. constructor.
Qed.

(** Theorem: a search that begins with nothing asleep visits every state that can be reached. *)
Theorem sleep_keeps_states : forall s, visited s -> (forall a, ~ asleep s a) ->
  forall w t, path s w t -> visited t.
Proof.
  intros s V N w t P.
  destruct (visited_or_asleep (length w) w s t) as [Vt | (b & r & A & _)]; auto.
  destruct (N b A).
Qed.

End Sleep.

Section Meet.

Context {State Action : Type}.
Variable independent : Action -> Action -> Prop.

(** What sleeps in a state, of which [independent] is said, as stored and when it is met again. *)
Variable stored : Action -> Prop.
Variable now : Action -> bool.

(** What is stored from now on. *)
Definition both (a : Action) : Prop := stored a /\ now a = true.

(** What is made up for: it was asleep and is no more. *)
Variable made_up : list Action.
Hypothesis made_up_stored : forall a, stored a -> now a = false -> In a made_up.

(** Theorem: what [taken_leads] says of a step that was taken before stays true, with what is made
    up for in front of it; so it is of each step that is made up for, behind which only that sleeps
    which sleeps in both, or was made up for before it. *)
Theorem meet_keeps : forall (l : list Action) (a : Action) (behind : Action -> Prop),
  (forall b, behind b -> independent a b /\ (stored b \/ In b l)) ->
  forall b, behind b -> independent a b /\ (both b \/ In b (made_up ++ l)).
Proof.
  intros l a behind H b B. destruct (H b B) as (I & [S | L]).
  - split; auto. destruct (now b) eqn:E.
    + left. split; auto.
    + right. apply in_or_app. auto.
  - split; auto. right. apply in_or_app. auto.
Qed.

(** Theorem: whatever is possible sleeps or is taken, as it did before ([awake_taken]). *)
Theorem meet_takes : forall (l : list Action) (a : Action),
  stored a \/ In a l -> both a \/ In a (made_up ++ l).
Proof.
  intros l a [S | L].
  - destruct (now a) eqn:E; [left; now split | right; apply in_or_app; auto].
  - right. apply in_or_app. auto.
Qed.

End Meet.

(** Without that care a state is lost. Of two independent steps the one was taken first, and sleeps
    behind the other one. A search that begins there, or comes there again with nothing asleep, and
    makes up for nothing, never takes both. *)
Example careless :
  let step := fun (s : bool * bool) (a : bool) =>
    match a, s with
    | true, (false, y) => Some (true, y)
    | false, (x, false) => Some (x, true)
    | _, _ => None
    end in
  let visited := fun s : bool * bool => s = (false, true) in
  let asleep := fun (s : bool * bool) (a : bool) => s = (false, true) /\ a = true in
  (forall s a s', visited s -> step s a = Some s' -> asleep s a \/ In a []) /\
  exists t, path step (false, true) [true] t /\ ~ visited t.
Proof.
  split.
  - intros s a s' -> H. destruct a; simpl in H; [left; auto | discriminate].
  - exists (true, true). split; [repeat econstructor | discriminate].
Qed.
