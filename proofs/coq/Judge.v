(** The judge of package spec/order: what happened before what, orphans and consistent cuts, of runs
    in which processes may go back, as functions that are extracted to OCaml.

    A run is a list of nodes, each one thing that a process did: behind what it did last along the
    same past, and behind the sends of what it received. Who goes back and does something else adds
    a branch. *)

From Coq Require Import List Arith Bool Lia.
Import ListNotations.

(** A node: its process, what that did before it, if anything, and the sends of what it received.
    Nodes are named by their places in the run, from 0. *)
Record node := { proc : nat; last : option nat; sends : list nat }.

(** What comes directly before a node. *)
Definition directly (n : node) : list nat :=
  match last n with Some p => p :: sends n | None => sends n end.

(** Nodes are behind what comes before them. *)
Definition ordered (run : list node) : Prop :=
  forall j n, nth_error run j = Some n -> forall i, In i (directly n) -> i < j.

(** Happened-before (Lamport): the closure of that. *)
Inductive before (run : list node) (i : nat) : nat -> Prop :=
| before_directly : forall j n, nth_error run j = Some n -> In i (directly n) -> before run i j
| before_more : forall k j n, before run i k -> nth_error run j = Some n -> In k (directly n) ->
    before run i j.

(** What happened before a node, by what happened before those that are done. *)
Definition past_of (done : list (list nat)) (n : node) : list nat :=
  flat_map (fun k => k :: nth k done []) (directly n).

(** What happened before each node of a run. *)
Definition pasts (run : list node) : list (list nat) :=
  fold_left (fun done n => done ++ [past_of done n]) run [].

(** A node with all that its process did before it along its past. *)
Definition branch_of (done : list (list nat)) (n : node) : list nat :=
  length done :: match last n with Some p => nth p done [] | None => [] end.

(** That of each node. *)
Definition branches (run : list node) : list (list nat) :=
  fold_left (fun done n => done ++ [branch_of done n]) run [].

(** Along one past: a node and what its process did before it. *)
Inductive along (run : list node) (i : nat) : nat -> Prop :=
| along_itself : i < length run -> along run i i
| along_more : forall p j n, along run i p -> nth_error run j = Some n -> last n = Some p ->
    along run i j.

(** A list that is made by adding at its end, one for each node. *)
Section Table.
Variable entry : list (list nat) -> node -> list nat.

(** The list. *)
Definition build (run : list node) := fold_left (fun done n => done ++ [entry done n]) run [].

(** One node more is one entry more. *)
Lemma build_more : forall l n, build (l ++ [n]) = build l ++ [entry (build l) n].
Proof. intros. unfold build. now rewrite fold_left_app. Qed.

(** There is an entry for each node. *)
Lemma build_length : forall l, length (build l) = length l.
Proof.
  induction l as [|n l IH] using rev_ind; auto. rewrite build_more, !app_length. simpl. lia.
Qed.

(** An entry is made of those before it. *)
Lemma build_entry : forall l j n, nth_error l j = Some n ->
  nth j (build l) [] = entry (build (firstn j l)) n.
Proof.
  induction l as [|m l IH] using rev_ind; intros j n H.
  - destruct j; discriminate.
  - rewrite build_more. destruct (lt_eq_lt_dec j (length l)) as [[L|E]|G].
    + rewrite nth_error_app1 in H by auto. rewrite app_nth1 by now rewrite build_length.
      rewrite firstn_app. replace (j - length l) with 0 by lia. rewrite app_nil_r. auto.
    + subst j. rewrite nth_error_app2, Nat.sub_diag in H by lia. injection H as <-.
      rewrite app_nth2; rewrite build_length; [|lia]. rewrite Nat.sub_diag. simpl.
      rewrite firstn_app, Nat.sub_diag, firstn_all, app_nil_r. reflexivity.
    + assert (nth_error (l ++ [m]) j = None) as N; [|congruence].
      apply nth_error_None. rewrite app_length. simpl. lia.
Qed.

(** Earlier entries do not change. *)
Lemma build_same : forall l j k, k < j -> k < length l ->
  nth k (build (firstn j l)) [] = nth k (build l) [].
Proof.
  intros l j k H L. rewrite <- (firstn_skipn j l) at 2. generalize (skipn j l). intros r.
  assert (k < length (build (firstn j l))) as K.
  { rewrite build_length, firstn_length. lia. }
  induction r as [|n r IH] using rev_ind; [now rewrite app_nil_r|].
  rewrite app_assoc, build_more, app_nth1; auto.
  rewrite build_length, app_length. rewrite build_length in K. lia.
Qed.
End Table.

(** Theorem: the table of pasts is happened-before. *)
Theorem pasts_decide : forall run, ordered run -> forall j, j < length run ->
  forall i, In i (nth j (pasts run) []) <-> before run i j.
Proof.
  intros run O j. induction j as [j IH] using lt_wf_ind. intros L i.
  destruct (nth_error run j) as [n|] eqn:Hn; [|apply nth_error_None in Hn; lia].
  unfold pasts. fold (build past_of run). rewrite (build_entry past_of run j n Hn).
  unfold past_of at 1. rewrite in_flat_map. split.
  - intros (k & Hk & Hi). pose proof (O j n Hn k Hk) as Lk. destruct Hi as [<-|Hi].
    + eapply before_directly; eauto.
    + apply before_more with k n; auto. apply IH; auto; [lia|].
      rewrite build_same in Hi by lia. exact Hi.
  - intros B. inversion B as [? m Hm Hi | k ? m B' Hm Hk]; subst;
      rewrite Hn in Hm; injection Hm as <-.
    + exists i. split; [auto | now left].
    + pose proof (O j n Hn k Hk) as Lk. exists k. split; auto. right.
      rewrite build_same by lia. apply (IH k Lk); auto. lia.
Qed.

(** Lemma: the table of branches is what processes did along their pasts. *)
Lemma branches_decide : forall run, ordered run -> forall j, j < length run ->
  forall i, In i (nth j (branches run) []) <-> along run i j.
Proof.
  intros run O j. induction j as [j IH] using lt_wf_ind. intros L i.
  destruct (nth_error run j) as [n|] eqn:Hn; [|apply nth_error_None in Hn; lia].
  unfold branches. fold (build branch_of run). rewrite (build_entry branch_of run j n Hn).
  unfold branch_of at 1. rewrite build_length, firstn_length_le by lia.
  assert (forall p, last n = Some p -> p < j) as Lp.
  { intros p Hp. apply (O j n Hn). unfold directly. rewrite Hp. now left. }
  split.
  - intros [<-|Hi]; [now constructor|]. destruct (last n) as [p|] eqn:Hp; [|destruct Hi].
    specialize (Lp p eq_refl). apply along_more with p n; auto. apply IH; auto; [lia|].
    rewrite build_same in Hi by lia. exact Hi.
  - intros A. inversion A as [Li | p ? m A' Hm Hp]; subst; [now left|]. right.
    rewrite Hn in Hm. injection Hm as <-. rewrite Hp. specialize (Lp p Hp).
    rewrite build_same by lia. apply (IH p Lp); auto. lia.
Qed.

(** A cut: where each process is, or nothing for its beginning. *)
Definition cut := list (option nat).

(** A node is in a cut: its process has come past it. *)
Definition inside (run : list node) (c : cut) (i : nat) : Prop :=
  exists t, In (Some t) c /\ along run i t.

(** The same as a function: all nodes that are in a cut. *)
Definition members (run : list node) (c : cut) : list nat :=
  flat_map (fun o => match o with Some t => nth t (branches run) [] | None => [] end) c.

(** A number is in a list. *)
Definition has (i : nat) (l : list nat) : bool := existsb (Nat.eqb i) l.

(** That is what it says. *)
Lemma has_in : forall i l, has i l = true <-> In i l.
Proof.
  intros. unfold has. rewrite existsb_exists. split.
  - intros (k & H & E). apply Nat.eqb_eq in E. now subst.
  - intros H. exists i. split; auto. apply Nat.eqb_refl.
Qed.

(** A cut of a run has nodes of it. *)
Definition cut_of (run : list node) (c : cut) : Prop := forall t, In (Some t) c -> t < length run.

(** The members are those inside. *)
Lemma members_decide : forall run c, ordered run -> cut_of run c ->
  forall i, In i (members run c) <-> inside run c i.
Proof.
  intros run c O C i. unfold members. rewrite in_flat_map. split.
  - intros ([t|] & Hc & Hi); [|destruct Hi]. exists t. split; auto.
    apply branches_decide; auto.
  - intros (t & Hc & A). exists (Some t). split; auto. apply branches_decide; auto.
Qed.

(** The orphans of a cut: the receptions in it of what is not sent in it. *)
Definition orphans (run : list node) (c : cut) : list nat :=
  let inner := members run c in
  filter (fun j => has j inner && match nth_error run j with
    | Some n => existsb (fun s => negb (has s inner)) (sends n)
    | None => false end) (seq 0 (length run)).

(** A cut is consistent: whatever happened before something in it is in it. *)
Definition consistent (run : list node) (c : cut) : Prop :=
  forall i j, before run i j -> inside run c j -> inside run c i.

(** Theorem: a cut is consistent if and only if it has no orphan. *)
Theorem orphans_decide : forall run c, ordered run -> cut_of run c ->
  orphans run c = [] <-> consistent run c.
Proof.
  intros run c O C. split.
  - intros E. assert (forall i j n, nth_error run j = Some n -> In i (directly n) ->
      inside run c j -> inside run c i) as One.
    { intros i j n Hn Hi Hj. destruct (has i (members run c)) eqn:M.
      - apply has_in in M. now apply members_decide in M.
      - assert (In i (sends n) -> False) as NS.
        { intros Hs. assert (In j (orphans run c)) as B; [|rewrite E in B; destruct B].
          apply filter_In. split.
          - apply in_seq. split; [lia|]. apply nth_error_Some. congruence.
          - apply andb_true_iff. split; [apply has_in; now apply members_decide|].
            rewrite Hn. apply existsb_exists. exists i. split; auto. now rewrite M. }
        unfold directly in Hi. destruct (last n) as [p|] eqn:Hp; [|now destruct NS].
        destruct Hi as [<-|Hi]; [|now destruct NS].
        destruct Hj as (t & Ht & A). exists t. split; auto. clear - A Hn Hp O.
        assert (p < length run) as Lp.
        { assert (p < j); [apply (O j n Hn); unfold directly; rewrite Hp; now left|].
          assert (j < length run); [apply nth_error_Some; congruence | lia]. }
        induction A as [L|q k m A IH Hm Hq].
        + apply along_more with p n; auto. now constructor.
        + apply along_more with q m; auto. }
    intros i j B. induction B as [j n Hn Hi|k j n B IH Hn Hk]; intros Hj; eauto.
  - intros K. destruct (orphans run c) as [|j l] eqn:E; auto. exfalso.
    assert (In j (orphans run c)) as Hj by (rewrite E; now left).
    apply filter_In in Hj. destruct Hj as (_ & Hj). apply andb_true_iff in Hj.
    destruct Hj as (Hin & Hs). destruct (nth_error run j) as [n|] eqn:Hn; [|discriminate].
    apply existsb_exists in Hs. destruct Hs as (s & Hs & N). apply negb_true_iff in N.
    apply not_true_iff_false in N. apply N. apply has_in. apply members_decide; auto.
    apply K with j; [|apply members_decide; auto; now apply has_in].
    apply before_directly with n; auto. unfold directly. destruct (last n); simpl; auto.
Qed.

(** The vector clock of a node: of each process, how far along its past it is known to have come. *)
Definition clock (run : list node) (processes j : nat) : list nat :=
  map (fun p => fold_right Nat.max 0 (map (fun i => match nth_error run i with
    | Some n => if proc n =? p then length (nth i (branches run) []) else 0
    | None => 0 end) (j :: nth j (pasts run) []))) (seq 0 processes).

(** All lines: one point of each process, of those that it may go back to. *)
Fixpoint lines (points : list (list (option nat))) : list cut :=
  match points with
  | [] => [[]]
  | l :: rest => flat_map (fun o => map (cons o) (lines rest)) l
  end.

(** These are all. *)
Theorem lines_decide : forall points c,
  In c (lines points) <-> Forall2 (fun o l => In o l) c points.
Proof.
  induction points as [|l points IH]; intros c; simpl.
  - split; [intros [<-|[]]; constructor | intros H; inversion H; auto].
  - rewrite in_flat_map. split.
    + intros (o & Ho & Hc). apply in_map_iff in Hc. destruct Hc as (d & <- & Hd).
      constructor; auto. now apply IH.
    + intros H. inversion H as [|o ? d ? Ho Hd]; subst. exists o. split; auto.
      apply in_map_iff. exists d. split; auto. now apply IH.
Qed.

(** Those of them that are consistent cuts, of which the recovery line is the last one. *)
Definition consistent_lines (run : list node) (points : list (list (option nat))) : list cut :=
  filter (fun c => match orphans run c with [] => true | _ :: _ => false end) (lines points).

(** Theorem: they are the lines that are consistent. *)
Theorem consistent_lines_decide : forall run points, ordered run ->
  (forall l t, In l points -> In (Some t) l -> t < length run) ->
  forall c, In c (consistent_lines run points) <->
    Forall2 (fun o l => In o l) c points /\ consistent run c.
Proof.
  intros run points O P c. unfold consistent_lines. rewrite filter_In, lines_decide. split.
  - intros (F & E). split; auto. apply orphans_decide; auto.
    + intros t Ht. clear - F P Ht. induction F as [|o l c points Ho F IH]; [destruct Ht|].
      destruct Ht as [->|Ht]; [apply (P l); simpl; auto|]. apply IH; auto.
      intros l' t' Hl. apply P. now right.
    + destruct (orphans run c); auto; discriminate.
  - intros (F & K). split; auto. apply orphans_decide in K; auto; [now rewrite K|].
    intros t Ht. clear - F P Ht. induction F as [|o l c points Ho F IH]; [destruct Ht|].
    destruct Ht as [->|Ht]; [apply (P l); simpl; auto|]. apply IH; auto.
    intros l' t' Hl. apply P. now right.
Qed.
