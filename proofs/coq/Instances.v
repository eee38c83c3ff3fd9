(** Theorems that have hypotheses about a system, used on a small one that satisfies them: so these
    do not contradict each other, and the theorem says something. Those of HydEE.v are satisfied by
    the applications of HydEEErrata.v; Verdict.v and Sleep.v have systems that lack one. *)

From Coq Require Import List Arith Bool Lia Permutation.
From Domino Require Import Runs Cert Reduce Exchange Postpone Verdict Symmetry Sleep Memo Logging
  SendDet.
From Domino Require Causal.
Import ListNotations.

(** Two processes, each of which takes one step and shows its number. *)
Definition two (s : bool * bool) (a : bool) : option ((bool * bool) * list nat) :=
  match a, s with
  | true, (false, y) => Some ((true, y), [1])
  | false, (x, false) => Some ((x, true), [2])
  | _, _ => None
  end.

(** Certificates: the four states are accepted, and three of them are not. *)
Definition two_next (s : bool * bool) : list (bool * (bool * bool)) :=
  flat_map (fun a => match two s a with Some (t, _) => [(a, t)] | None => [] end) [true; false].
(** Two states are one. *)
Definition two_same (s t : bool * bool) : bool := eqb (fst s) (fst t) && eqb (snd s) (snd t).
(** What is checked, where the end would be bad at which only the first one has taken its step. *)
Definition two_accepted (list : list (bool * bool)) : bool :=
  accepted two_next two_same (fun _ _ _ => false) (fun s => two_same s (true, false)) list
    [(false, false)].

(** Example: of a system with four states. *)
Example certificate_of_two :
  holds two_next (fun _ _ _ => false) (fun s => two_same s (true, false)) [(false, false)] /\
  two_accepted [(true, true); (false, true); (false, false)] = false.
Proof.
  split; [|reflexivity].
  apply certificate_sound with (same := two_same)
    (list := [(false, false); (true, false); (false, true); (true, true)]); [|reflexivity].
  intros [[] []] [[] []]; unfold two_same; simpl; split; auto; discriminate.
Qed.

(** Two reports, and somebody who looks elsewhere: who reports last opens a gate. *)
Inductive reporting := one | other | elsewhere.

(** What each of them does, once. *)
Definition report (s : bool * bool * bool) (a : reporting) :
    option ((bool * bool * bool) * list bool) :=
  match a, s with
  | one, (false, y, z) => Some ((true, y, z), [y])
  | other, (x, false, z) => Some ((x, true, z), [x])
  | elsewhere, (x, y, false) => Some ((x, y, true), [])
  | _, _ => None
  end.

(** The first report may be taken alone where there is none. It is then the last one in no run of
    the search, but the other one is. *)
Definition report_pick (s : bool * bool * bool) : option reporting :=
  match s with (false, false, _) => Some one | _ => None end.

(** The reduction claims that step. *)
Definition report_claim (s : bool * bool * bool) (a : reporting) : Prop :=
  report_pick s = Some a.

(** It exchanges it with the other report. *)
Definition report_exchange (s : bool * bool * bool) (a b : reporting) : Prop :=
  report_pick s = Some one /\ a = one /\ b = other.

(** Both orders of two steps lead to one state. *)
Ltac squares := unfold square, no_worse; simpl; do 7 eexists; repeat split; try reflexivity;
  simpl; auto.

(** Example: the reduction with exchanges finds that the gate opens, and every end. *)
Example gate_opens :
  (exists w t o, reduced report report_pick (false, false, false) w t o /\
    Exists (fun b => b = true) o) /\
  (exists w o, reduced report report_pick (false, false, false) w (true, true, true) o).
Proof.
  assert (forall a b : reporting, {a = b} + {a <> b}) as Same by decide equality.
  assert (forall s a, report_claim s a -> possible report s a) as Possible.
  { intros s a C. unfold possible. destruct s as [[[] []] z], a; discriminate. }
  assert (forall s a b, report_exchange s a b ->
    square report (no_worse (fun b => b = true)) s a b) as X1.
  { intros s a b (P & -> & ->). destruct s as [[[] []] z]; try discriminate P. squares. }
  assert (forall s a b sb ob, report_claim s a -> b <> a -> report s b = Some (sb, ob) ->
    undoes report (no_worse (fun b => b = true)) s a b \/
    square report (no_worse (fun b => b = true)) s a b /\
      (report_claim sb a \/ report_exchange s a b)) as Commutes.
  { intros s a b sb ob C N H. right. unfold report_claim in *.
    destruct s as [[[] []] z]; try discriminate C. injection C as <-.
    destruct b; [contradiction | |]; simpl in H.
    - injection H as <- <-. split; [squares|]. right. repeat split.
    - destruct z; [discriminate|]. injection H as <- <-. split; [squares|]. now left. }
  assert (forall s a b c sb ob x oc', report_exchange s a b -> report s b = Some (sb, ob) ->
    report sb c = Some (x, oc') -> c <> a ->
    exists sc oc ob', report s c = Some (sc, oc) /\ report sc b = Some (x, ob') /\
      no_worse (fun b => b = true) (ob ++ oc') (oc ++ ob') /\
      square report (no_worse (fun b => b = true)) s a c /\ report_exchange sc a b) as X2.
  { intros s a b c sb ob x oc' (P & -> & ->) H K N.
    destruct s as [[[] []] z]; try discriminate P. injection H as <- <-.
    destruct c; [contradiction | discriminate K |]. destruct z; [discriminate K|].
    injection K as <- <-. exists (false, false, true), [], [false]. repeat split; try squares.
    unfold no_worse. auto. }
  assert (well_founded (chain report report_pick)) as Ends.
  { intros s. constructor. intros s' (a & o & P & H). constructor. intros s'' (b & q & P' & H').
    destruct s as [[[] []] z]; try discriminate P. injection P as <-. injection H as <- <-.
    discriminate P'. }
  assert (run report (false, false, false) [other; elsewhere; one] (true, true, true)
    ([false] ++ [] ++ [true] ++ [])) as R by (repeat (econstructor; try reflexivity)).
  split.
  - eapply search_finds_violations with (claim := report_claim) (exchange := report_exchange);
      eauto. apply Exists_cons_tl. now constructor.
  - eapply search_finds_ends with (claim := report_claim) (exchange := report_exchange)
      (breaks := fun b => b = true); eauto. intros []; reflexivity.
Qed.

(** Somebody who receives, and whose crash undoes that: 0 at first, 1 behind it, 2 when down. *)
Definition receives_or_fails (s : nat) (crash : bool) : option (nat * list nat) :=
  match s, crash with
  | 0, false => Some (1, [])
  | 0, true | 1, true => Some (2, [7])
  | _, _ => None
  end.

(** Example: a crash that is put off to behind the reception is found there. *)
Example crash_put_off : exists w t o,
  searched receives_or_fails (fun _ => None)
    (fun s c => if c then match s with 0 => Some false | _ => None end else None) 0 w t o /\
  In 7 o /\ length w = 2.
Proof.
  destruct (postponing_keeps_ends receives_or_fails eq (@eq_refl _) (@eq_trans _)
    ltac:(intros; congruence) (fun _ => None)
    (fun s c => if c : bool then match s with 0 => Some false | _ => None end else None))
    with (s := 0) (w := [true]) (t := 2) (o := [7] ++ []) as (w & o & S & <-).
  - discriminate.
  - intros [|[|s]] [] a _ B; try discriminate. injection B as <-. split; auto. intros _.
    do 5 eexists. repeat split; reflexivity.
  - intros s. constructor. intros s' (a & o & H & [P | (c & B)]); [discriminate|].
    destruct s as [|[|s]], c; try discriminate. injection B as <-. injection H as <- <-.
    constructor. intros s'' (b & q & H' & [P | (c & B)]); [discriminate|]. destruct c; discriminate.
  - repeat (econstructor; try reflexivity).
  - intros []; reflexivity.
  - exists w, 2, ([7] ++ []). repeat split; auto; [now left|].
    inversion S as [|? a s' o1 w1 ? o2 E A S1]; subst. destruct a; [discriminate E|].
    injection A as <- <-. inversion S1 as [|? a s' o3 w2 ? o4 E' A' S2]; subst.
    destruct a; [|discriminate A']. injection A' as <- <-.
    inversion S2 as [|? a s' o5 w3 ? o6 E3 A3 S3]; subst; auto. destruct a; discriminate A3.
Qed.

(** Example: of two processes that differ by their names, one order is searched, and shows what the
    other one does. *)
Example orbits_of_two :
  finds two bool (fun g s => if g : bool then (snd s, fst s) else s)
    (fun n => n = 1 \/ n = 2) (fun s => fst s && negb (snd s)) (fun _ => None) (false, false).
Proof.
  apply search_by_orbits with (rename_action := fun g a => if g : bool then negb a else a)
    (rename_seen := fun g n => if g : bool then 3 - n else n) (w := [true]) (t := (true, false))
    (o := [1] ++ []).
  - intros g s a t o H. destruct g, s as [[] []], a; try discriminate;
      injection H as <- <-; reflexivity.
  - intros g x [-> | ->]; destruct g; simpl; auto.
  - intros s. constructor. intros s' (a & t & o & P & _). discriminate.
  - discriminate.
  - repeat (econstructor; try reflexivity).
  - constructor. auto.
Qed.

(** What a search with sleep sets takes of them: behind the second step the first one sleeps. *)
Definition two_taken (s : bool * bool) : list bool :=
  match s with (false, false) => [true; false] | (true, false) => [false] | _ => [] end.

(** Example: with sleep sets every state is visited, though one step is not taken. *)
Example sleep_of_two : forall w t,
  path (fun s a => option_map fst (two s a)) (false, false) w t ->
  In t [(false, false); (true, false); (false, true); (true, true)].
Proof.
  intros w t P. eapply sleep_keeps_states with (s := (false, false)) (taken := two_taken)
    (footprint := fun _ a => a) (disjoint := fun a b : bool => a <> b)
    (asleep := fun s a => s = (false, true) /\ a = true)
    (visited := fun s => In s [(false, false); (true, false); (false, true); (true, true)]);
    eauto.
  - unfold independent. intros s a b sa sb I A B. destruct s as [[] []], a, b; try discriminate;
      try contradiction; injection A as <-; injection B as <-; eexists; split; reflexivity.
  - intros s a s' _ H. destruct s as [[] []], a; try discriminate; simpl; auto.
  - intros s l a l' s' _ T H. split; [destruct s' as [[] []]; simpl; tauto|].
    intros b (E & ->). subst s'. destruct s as [[] []], a; try discriminate.
    unfold independent. destruct l as [|x l]; [discriminate|]. injection T as <- T.
    repeat split; try discriminate. right. now left.
  - now left.
  - intros a (E & _). discriminate.
Qed.

(** Example: all complete runs of both are one, but for their order. *)
Example two_agree : forall w t o w' t' o', run two (false, false) w t o -> is_end two t ->
  run two (false, false) w' t' o' -> is_end two t' -> t = t' /\ Permutation o o'.
Proof.
  assert (forall s a b sa oa sb ob, a <> b -> two s a = Some (sa, oa) -> two s b = Some (sb, ob) ->
    exists t, two sa b = Some (t, ob) /\ two sb a = Some (t, oa)) as Diamond.
  { intros s a b sa oa sb ob N A B. destruct s as [[] []], a, b; try discriminate;
      try contradiction; injection A as <- <-; injection B as <- <-; eexists; split; reflexivity. }
  intros w t o w' t' o' R E R' E'.
  destruct (complete_runs_agree two bool_dec Diamond _ _ _ _ _ _ _ R E R' E') as (T & _ & O). auto.
Qed.

(** Example: and there is one that is complete. *)
Example two_complete : exists w o, run two (false, false) w (true, true) o /\
  is_end two (true, true) /\ o = [2; 1].
Proof.
  exists [false; true], ([2] ++ [1] ++ []). repeat split.
  - repeat (econstructor; try reflexivity).
  - intros []; reflexivity.
Qed.

(** Two steps of it are one. *)
Definition sum_same (k k' : list nat * nat) : bool :=
  if list_eq_dec Nat.eq_dec (fst k) (fst k') then snd k =? snd k' else false.

(** Example: a machine that adds, whose steps may be in a table. *)
Example memo_of_sums : forall t, right (fun l i => (l + i, l)) (fun l => [l]) sum_same t ->
  exists t', memo_step (fun l i => (l + i, l))
    (fun l => [l]) (fun b => match b with [l] => Some l | _ => None end)
    (fun g e => if e <? 2 then Some (e, g) else None) (fun _ _ o => o) sum_same
    t (5, [[3]; [4]]) 1 = Some ((4, [[3]; [9]]), t').
Proof.
  intros t R. assert (forall k k', sum_same k k' = true -> k = k') as Same.
  { intros (b, i) (b', i') H. unfold sum_same in H. simpl in H.
    destruct (list_eq_dec Nat.eq_dec b b'); [|discriminate]. apply Nat.eqb_eq in H. now subst. }
  pose proof (memo_step_right (fun l i => (l + i, l)) (fun l => [l])
    (fun b => match b with [l] => Some l | _ => None end) (fun l => eq_refl)
    (fun g e => if e <? 2 then Some (e, g) else None) (fun _ _ o => o) sum_same Same
    t 5 [3; 4] 1 R) as M.
  simpl in M. destruct M as (t' & M & _). eauto.
Qed.

(** Example: logging by a set of holders, of which one failure leaves none an orphan, and two do. *)
Example logged : forall log, log = (fun _ : nat => [0; 1]) ->
  no_orphan (fun _ => [0; 1; 2]) log 1 /\ ~ no_orphan (fun _ => [0; 1; 2]) log 2.
Proof.
  intros log ->. split.
  - apply alvisi_marzullo; auto using Nat.eq_dec.
    + intros _. repeat constructor; simpl; lia.
    + simpl. lia.
  - apply optimistic with (e := 0) (p := 2); auto using Nat.eq_dec; simpl; try lia.
    intros _. repeat constructor; simpl; lia.
Qed.

(** Who holds the determinants of the receptions 7, of process 0, and 8, of process 1. *)
Definition held_by (seven eight : list nat) (e : nat) : list nat :=
  match e with 7 => seven | 8 => eight | _ => [] end.

(** Example: process 1 depends on a reception of process 0, which fails. The message that it has got
    has carried the determinant. *)
Example causal_at_work : exists s : @Causal.state nat nat nat,
  Causal.reachable Nat.eq_dec 1 s /\ Causal.depends s 1 7 /\ Causal.left s = 0 /\
  ~ Causal.holds s 0 7 /\ exists q, Causal.holds s q 7.
Proof.
  assert (forall l k, NoDup l -> NoDup k -> forall e, NoDup (held_by l k e)) as Once.
  { intros l k L K e. unfold held_by. do 9 (destruct e as [|e]; try constructor; auto). }
  assert (exists s : @Causal.state nat nat nat,
    Causal.reachable Nat.eq_dec 1 s /\ Causal.depends s 1 7 /\ Causal.left s = 0 /\
    ~ Causal.holds s 0 7)
    as (s & R & D & L & N).
  2:{ exists s. repeat split; auto. eapply Causal.no_orphan_process; eauto. }
  eexists. split.
  { eapply Causal.one_more; [eapply Causal.one_more;
      [eapply Causal.one_more; [eapply Causal.one_more; [apply Causal.at_first|]|]|]|].
    - apply Causal.receives with (p := 0) (m := 0) (e0 := 7) (l := held_by [0] []).
      + apply Once; repeat constructor; simpl; lia.
      + intros e. unfold Causal.learns, held_by. simpl. do 9 (destruct e as [|e]; auto).
      + intros e [->|[]]. now left.
    - apply Causal.sends with (p := 0) (m := 1) (c := fun e => e = 7).
      + intros e ->. now left.
      + simpl. intros e [[]|(_ & [->|[]])]. now left.
    - apply Causal.receives with (p := 1) (m := 1) (e0 := 8) (l := held_by [1; 0] [1]).
      + apply Once; repeat constructor; simpl; lia.
      + intros e. unfold Causal.learns, held_by. simpl.
        do 9 (destruct e as [|e]; auto; try (right; simpl; split; [lia | auto])).
      + intros e [->|H]; [now left|]. simpl in H. destruct H as [(_ & ->)|(H & _)]; [now left|].
        now destruct H.
    - apply Causal.fail with (failed := [0]); simpl; auto. repeat constructor. auto. }
  simpl. repeat split.
  - right. split; auto. right. left. split; auto.
  - simpl. lia.
  - unfold Causal.holds. simpl. lia.
Qed.
