(** Vector clocks (Fidge, Mattern): where nobody goes back, one number of each clock tells whether
    one event happened before another one. *)

From Coq Require Import List Arith Bool Lia.
From Domino Require Import Judge.
Import ListNotations.

(** How far along its past a node is, itself included. *)
Definition depth (run : list node) (i : nat) : nat := length (nth i (branches run) []).

(** What the clock of a node says of a process: how far it is known to have come. *)
Definition entry (run : list node) (p j : nat) : nat :=
  fold_right Nat.max 0 (map (fun i => match nth_error run i with
    | Some n => if proc n =? p then depth run i else 0
    | None => 0 end) (j :: nth j (pasts run) [])).

(** A clock consists of these. *)
Lemma clock_entries : forall run processes j,
  clock run processes j = map (fun p => entry run p j) (seq 0 processes).
Proof. reflexivity. Qed.

(** Nobody goes back: of two things that a process does, the one is along the past of the other. *)
Definition steady (run : list node) : Prop := forall i j n m,
  nth_error run i = Some n -> nth_error run j = Some m -> proc n = proc m ->
  along run i j \/ along run j i.

(** Lemma: what is along a past has happened before. *)
Lemma along_before : forall run i j, along run i j -> i = j \/ before run i j.
Proof.
  induction 1 as [L | p j n A IH Hn Hp]; auto. right.
  assert (In p (directly n)) as D by (unfold directly; rewrite Hp; now left).
  destruct IH as [-> | B].
  - now apply before_directly with n.
  - now apply before_more with p n.
Qed.

(** Lemma: who is further along a past has a greater depth. *)
Lemma along_depth : forall run, ordered run -> forall i j, along run i j ->
  i = j \/ depth run i < depth run j.
Proof.
  intros run O i j. induction 1 as [L | p j n A IH Hn Hp]; auto. right.
  assert (p < j) as Lp by (apply (O j n Hn); unfold directly; rewrite Hp; now left).
  assert (depth run j = S (depth run p)) as E.
  { assert (j < length run) by (apply nth_error_Some; congruence).
    unfold depth at 1, branches. fold (build branch_of run).
    rewrite (build_entry branch_of run j n Hn). unfold branch_of at 1. rewrite Hp. simpl.
    rewrite build_same by lia. reflexivity. }
  rewrite E. destruct IH as [-> | IH]; lia.
Qed.

(** Lemma: a node is along its own past, so its depth is not 0. *)
Lemma depth_positive : forall run, ordered run -> forall i, i < length run -> 0 < depth run i.
Proof.
  intros run O i L. assert (In i (nth i (branches run) [])) as H.
  { apply branches_decide; auto. now constructor. }
  unfold depth. destruct (nth i (branches run) []); [destruct H | simpl; lia].
Qed.

(** Lemma: the greatest of some numbers is at least each of them, and one of them if it is not 0. *)
Lemma greatest : forall l, (forall x, In x l -> x <= fold_right Nat.max 0 l) /\
  (0 < fold_right Nat.max 0 l -> In (fold_right Nat.max 0 l) l).
Proof.
  induction l as [|y l (A & B)]; simpl; [split; [intros x [] | lia]|]. split.
  - intros x [-> | H]; [lia|]. specialize (A x H). lia.
  - intros H. destruct (Nat.max_dec y (fold_right Nat.max 0 l)) as [E | E]; rewrite E in *; auto.
Qed.

(** Theorem: of two events the one happened before the other one if and only if the clock of that
    knows of it. *)
Theorem clocks_decide : forall run, ordered run -> steady run -> forall i j n,
  nth_error run i = Some n -> j < length run -> i <> j ->
  before run i j <-> depth run i <= entry run (proc n) j.
Proof.
  intros run O St i j n Hn Lj N.
  assert (i < length run) as Li by (apply nth_error_Some; congruence).
  unfold entry. set (f := fun i0 => match nth_error run i0 with
    | Some n0 => if proc n0 =? proc n then depth run i0 else 0 | None => 0 end).
  destruct (greatest (map f (j :: nth j (pasts run) []))) as (Most & One). split.
  - intros B. apply Most. apply in_map_iff. exists i. split.
    + unfold f. rewrite Hn, Nat.eqb_refl. reflexivity.
    + right. now apply pasts_decide.
  - intros D. pose proof (depth_positive run O i Li) as Pos.
    assert (In (fold_right Nat.max 0 (map f (j :: nth j (pasts run) [])))
      (map f (j :: nth j (pasts run) []))) as In1 by (apply One; lia).
    apply in_map_iff in In1. destruct In1 as (k & Fk & Ik). rewrite <- Fk in D.
    assert (exists m, nth_error run k = Some m /\ proc m = proc n /\ f k = depth run k)
      as (m & Hm & Pm & Dk).
    { unfold f in D |- *. destruct (nth_error run k) as [m|]; [|lia].
      destruct (proc m =? proc n) eqn:E; [|lia]. apply Nat.eqb_eq in E. eauto. }
    rewrite Dk in D.
    assert (k = j \/ before run k j) as Kj.
    { destruct Ik as [-> | Ik]; auto. right. apply pasts_decide in Ik; auto. }
    assert (along run i k) as A.
    { destruct (St i k n m Hn Hm (eq_sym Pm)) as [A | A]; auto.
      destruct (along_depth run O k i A) as [-> | L]; [now constructor | lia]. }
    clear - Kj A N. apply along_before in A. destruct A as [E | A].
    + subst k. destruct Kj as [E | B]; [congruence | exact B].
    + destruct Kj as [E | B]; [subst k; exact A|].
      clear N. induction B as [j m Hm Hk | l j m B IH Hm Hl].
      * now apply before_more with k m.
      * now apply before_more with l m.
Qed.

(** Theorem: a clock knows its own node. *)
Theorem clock_own : forall run, ordered run -> forall i n, nth_error run i = Some n ->
  depth run i <= entry run (proc n) i.
Proof.
  intros run O i n Hn. unfold entry.
  match goal with |- _ <= fold_right _ _ ?l => destruct (greatest l) as (Most & _) end.
  apply Most. simpl. left. now rewrite Hn, Nat.eqb_refl.
Qed.
