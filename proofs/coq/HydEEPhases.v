(** The hypotheses of HydEE.v about applications, as what can be executed: of an application that is
    given by tables they are decided, and phases that are those of Algorithm 1 satisfy theirs. *)

From Coq Require Import List Arith Bool Lia.
From Domino Require Import HydEE.
Import ListNotations.

Section Phases.

Variable app : application.

Local Notation id := (id app).
Local Notation ids := (ids app).
Local Notation phase := (phase app).
Local Notation earlier := (earlier app).
Local Notation needs := (needs app).
Local Notation between := (between app).
Local Notation depth := (depth app).

(** Every hypothesis about two messages. *)
Definition checked : bool := all app (fun a => all app (fun b =>
  implb (earlier a b) ((depth a <? depth b) && (phase a <=? phase b)) &&
  implb (needs b a) ((depth a <? depth b) && (phase a <=? phase b) &&
    implb (between a) (phase a <? phase b)))).

(** The phase of a message by what its sender has received before (Algorithm 1, lines 10-18). *)
Definition algorithm1 (m : id) : nat := fold_right Nat.max 1
  (map (fun k => if between k then S (phase k) else phase k) (filter (needs m) ids)).

(** Every message carries that. *)
Definition stamped : bool := all app (fun m => phase m =? algorithm1 m).

(** The list of names is one. *)
Hypothesis names_complete : forall m : id, In m ids.
Hypothesis names_once : NoDup ids.

(** A condition on all names holds of each. *)
Lemma every : forall p, all app p = true <-> forall m, p m = true.
Proof. intros p. unfold all. rewrite forallb_forall. split; auto. Qed.

(** Theorem: what is executed decides the hypotheses. *)
Theorem checked_well_formed : checked = true <-> well_formed app.
Proof.
  unfold checked. rewrite every. split.
  - intros H. assert (forall a b, (earlier a b = true -> depth a < depth b /\ phase a <= phase b) /\
      (needs b a = true -> depth a < depth b /\ phase a <= phase b /\
        (between a = true -> phase a < phase b))) as K.
    { intros a b. specialize (H a). rewrite every in H. specialize (H b).
      rewrite andb_true_iff in H. destruct H as (E & N). split.
      - intros A. rewrite A in E. simpl in E. rewrite andb_true_iff in E.
        rewrite Nat.ltb_lt, Nat.leb_le in E. auto.
      - intros A. rewrite A in N. simpl in N. rewrite !andb_true_iff in N.
        rewrite Nat.ltb_lt, Nat.leb_le in N. destruct N as ((? & ?) & B). repeat split; auto.
        intros C. rewrite C in B. simpl in B. now apply Nat.ltb_lt. }
    constructor; auto; intros a b; destruct (K a b) as (E & N); intros;
      first [apply E; assumption | apply N; assumption].
  - intros W a. rewrite every. intros b. rewrite andb_true_iff. split.
    + destruct (earlier a b) eqn:E; auto. simpl. rewrite andb_true_iff, Nat.ltb_lt, Nat.leb_le.
      split; [eapply earlier_before | eapply earlier_phase]; eauto.
    + destruct (needs b a) eqn:N; auto. simpl. rewrite !andb_true_iff, Nat.ltb_lt, Nat.leb_le.
      repeat split; [eapply needs_before | eapply needs_phase |]; eauto.
      destruct (between a) eqn:B; auto. simpl. apply Nat.ltb_lt. eapply needs_raises; eauto.
Qed.

(** Phases are those of Algorithm 1, and what is received before a send is so before later ones. *)
Hypothesis by_algorithm1 : stamped = true.
Hypothesis receptions_stay : forall a b k,
  earlier a b = true -> needs a k = true -> needs b k = true.

(** A maximum is at least each of its numbers. *)
Lemma at_most_max : forall x l, In x l -> x <= fold_right Nat.max 1 l.
Proof. induction l as [|y l IH]; simpl; [tauto|]. intros [->|H]; [|specialize (IH H)]; lia. Qed.

(** The maximum of more numbers is no smaller. *)
Lemma max_of_more : forall l l', (forall x, In x l -> In x l') ->
  fold_right Nat.max 1 l <= fold_right Nat.max 1 l'.
Proof.
  intros l l' H. induction l as [|x l IH]; simpl.
  - clear H. induction l'; simpl; lia.
  - assert (x <= fold_right Nat.max 1 l') by (apply at_most_max; apply H; now left).
    assert (fold_right Nat.max 1 l <= fold_right Nat.max 1 l') by (apply IH; intros; apply H;
      now right). lia.
Qed.

(** A phase is what Algorithm 1 says. *)
Lemma phase_is : forall m, phase m = algorithm1 m.
Proof.
  intros m. pose proof by_algorithm1 as H. unfold stamped in H. rewrite every in H.
  now apply Nat.eqb_eq.
Qed.

(** Theorem: a message that is received raises the phase, if it comes from another cluster
    (Lemma 3). *)
Theorem algorithm1_raises : forall m m', needs m' m = true ->
  (if between m then S (phase m) else phase m) <= phase m'.
Proof.
  intros m m' N. rewrite (phase_is m'). apply at_most_max. apply in_map_iff. exists m.
  split; auto. apply filter_In. auto.
Qed.

(** Theorem: later sends of a process have no smaller phase (Lemma 1). *)
Theorem algorithm1_grows : forall m m', earlier m m' = true -> phase m <= phase m'.
Proof.
  intros m m' E. rewrite (phase_is m), (phase_is m'). apply max_of_more. intros x H.
  apply in_map_iff in H. destruct H as (k & <- & Hk). apply in_map_iff. exists k. split; auto.
  apply filter_In in Hk. destruct Hk. apply filter_In. split; auto. eapply receptions_stay; eauto.
Qed.

End Phases.
