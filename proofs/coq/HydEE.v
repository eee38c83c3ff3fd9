(** HydEE [HydEE], Theorems 1 and 2, as repaired: for any number of processes, clusters and
    failures, in any order, also at once and during a recovery.

    The papers' Lemma 5 looks at two sends that "can both happen" in the state after the rollback.
    A message between survivors that is in flight breaks that (erratum H10). Here each send is
    compared with the outstanding orphans when it happens, and the argument goes over what a send
    depends on. HydEEErrata.v has runs in which a guard of this file is left out. *)

From Coq Require Import List Arith Bool Lia Permutation.
Import ListNotations.

(** A send-deterministic application: its messages have names, and in every failure-free run the
    same messages are sent, each behind the same sends and the same set of receptions. *)
Record application := {
  (** names of messages; there are finitely many *)
  id : Type;
  ids : list id;
  same : forall a b : id, {a = b} + {a <> b};
  (** the process that sends a message, the one that receives it, and the cluster of a process *)
  from : id -> nat;
  to : id -> nat;
  cluster : nat -> nat;
  (** [earlier m m']: one process sends both, [m] first *)
  earlier : id -> id -> bool;
  (** [needs m' m]: the sender of [m'] receives [m] before it sends [m'] *)
  needs : id -> id -> bool;
  (** the phase that a message carries *)
  phase : id -> nat;
  (** how many events precede the send of a message in some failure-free run *)
  depth : id -> nat }.

Section HydEE.
Variable app : application.
Local Notation id := (id app).
Local Notation ids := (ids app).
Local Notation phase := (phase app).
Local Notation earlier := (earlier app).
Local Notation needs := (needs app).

(** A message between clusters. *)
Definition between (m : id) : bool :=
  negb (cluster app (from app m) =? cluster app (to app m)).

(** What is assumed of an application: names are complete and without repetition; what precedes a
    send does so in the failure-free run; phases are those of Algorithm 1 (Lemmas 3 and 4): nothing
    that precedes a send has a larger phase, and a message between clusters has a smaller one. *)
Record well_formed : Prop := {
  ids_complete : forall m, In m ids;
  ids_once : NoDup ids;
  earlier_before : forall m m', earlier m m' = true -> depth app m < depth app m';
  needs_before : forall m m', needs m' m = true -> depth app m < depth app m';
  earlier_phase : forall m m', earlier m m' = true -> phase m <= phase m';
  needs_phase : forall m m', needs m' m = true -> phase m <= phase m';
  needs_raises : forall m m', needs m' m = true -> between m = true -> phase m < phase m' }.

(** One message precedes another by one step: by program order, or by a reception. *)
Definition hop (m m' : id) : Prop := earlier m m' = true \/ needs m' m = true.

(** [must_past m' m]: [m] is sent before [m'] in every failure-free run. *)
Inductive must_past (m' : id) : id -> Prop :=
| past_hop : forall m, hop m m' -> must_past m' m
| past_more : forall m k, must_past m' k -> hop m k -> must_past m' m.

(** A state: the messages that are sent, and received, in the past that has survived; those that
    were on their way when an end of their channel rolled back, which a log or an image has; the
    phases of orphans that the recovery process counts; and the phase that each process was in when
    the last recovery began, which the repaired protocol does not look at. *)
Record state := mk {
  sent : id -> bool; delivered : id -> bool; held : id -> bool;
  count : list nat; reported : nat -> nat }.

(** An orphan: received and not sent. *)
Definition orphan (s d : id -> bool) (m : id) : bool := d m && negb (s m).
Definition orphans (s d : id -> bool) : list id := filter (orphan s d) ids.

(** The phase of a process by what it has received (Algorithm 1, lines 10-18). *)
Definition own_phase (d : id -> bool) (p : nat) : nat :=
  fold_right Nat.max 1 (map (fun m => if between m then S (phase m) else phase m)
    (filter (fun m => d m && (to app m =? p)) ids)).

(** How a protocol reads what the papers leave open: what is counted when clusters have rolled back,
    which messages on their way are held then, and whether a message may be sent, or arrive, in a
    state. *)
Record reading := {
  counts : (nat -> bool) -> (id -> bool) -> (id -> bool) -> list nat;
  holds : (nat -> bool) -> id -> bool;
  may_send : state -> id -> bool;
  may_arrive : state -> id -> bool }.

(** No counted orphan has a smaller phase than a message. *)
Definition gate (st : state) (m : id) : bool := forallb (fun f => phase m <=? f) (count st).

(** An end of the channel of a message is in a cluster that has failed. *)
Definition touched (failed : nat -> bool) (m : id) : bool :=
  failed (cluster app (from app m)) || failed (cluster app (to app m)).

(** The repaired protocol counts every orphan, and holds every send back until no orphan of a
    smaller phase is left. What is on its way to or from a cluster that fails, or inside it, is
    dropped, and comes again through that gate: between clusters out of the log of its sender,
    inside one out of the image. Other messages on their way arrive. *)
Definition repaired : reading := {|
  counts := fun _ s d => map phase (orphans s d);
  holds := touched;
  may_send := gate;
  may_arrive := fun st m => sent st m && negb (held st m) |}.

(** What can happen: a send (or, of an orphan, the notice that it would be sent again); a message
    that is held comes on its way again; a reception; and a failure of clusters, whose processes
    roll back to what they had sent and received. *)
Inductive event :=
| Send (m : id)
| Release (m : id)
| Receive (m : id)
| Rollback (failed : nat -> bool) (s d : id -> bool).

(** All names satisfy a condition. *)
Definition all (p : id -> bool) : bool := forallb p ids.

(** Where processes may roll back to: to less than they had, only in failed clusters, each to a
    state that it was in, and a cluster to a consistent cut. *)
Definition recovery_line (st : state) (failed : nat -> bool) (s d : id -> bool) : bool :=
  all (fun m =>
    implb (s m) (sent st m) && implb (d m) (delivered st m) &&
    (failed (cluster app (from app m)) || eqb (s m) (sent st m)) &&
    (failed (cluster app (to app m)) || eqb (d m) (delivered st m)) &&
    implb (negb (between m) && d m) (s m) &&
    all (fun k => implb (s m && earlier k m) (s k) && implb (s m && needs m k) (d k))).

(** When an event is possible: a process sends in its order and when it has received what it waits
    for; channels keep their order. *)
Definition allowed (r : reading) (st : state) (e : event) : bool :=
  match e with
  | Send m => negb (sent st m) && all (fun k => implb (earlier k m) (sent st k)) &&
      all (fun k => implb (needs m k) (delivered st k)) && may_send r st m
  | Release m => held st m && may_send r st m
  | Receive m => negb (delivered st m) &&
      all (fun k => implb (earlier k m && (to app k =? to app m)) (delivered st k)) &&
      may_arrive r st m
  | Rollback failed s d => recovery_line st failed s d
  end.

(** One more message. *)
Definition add (m : id) (set : id -> bool) (k : id) : bool := if same app m k then true else set k.

(** One phase less, once. *)
Fixpoint remove_one (f : nat) (l : list nat) : list nat :=
  match l with [] => [] | g :: l' => if f =? g then l' else g :: remove_one f l' end.

(** One message less. *)
Definition drop (m : id) (set : id -> bool) (k : id) : bool :=
  if same app m k then false else set k.

(** What an event does. The send of an orphan is counted down. *)
Definition after (r : reading) (st : state) (e : event) : state :=
  match e with
  | Send m => mk (add m (sent st)) (delivered st) (held st)
      (if delivered st m then remove_one (phase m) (count st) else count st) (reported st)
  | Release m => mk (sent st) (delivered st) (drop m (held st)) (count st) (reported st)
  | Receive m => mk (sent st) (add m (delivered st)) (held st) (count st) (reported st)
  | Rollback failed s d => mk s d
      (fun m => s m && negb (d m) && (held st m || holds r failed m))
      (counts r failed s d) (own_phase d)
  end.

(** At first nothing is sent or received. *)
Definition initial : state :=
  mk (fun _ => false) (fun _ => false) (fun _ => false) [] (fun _ => 1).

(** The states that a protocol can be in. *)
Inductive reachable (r : reading) : state -> Prop :=
| reach_initial : reachable r initial
| reach_step : forall st e, reachable r st -> allowed r st e = true -> reachable r (after r st e).

(** What holds in every state of the repaired protocol: sends are in order, and behind what they
    wait for; what is held is sent and not received; orphans are between clusters (Lemma 2); and the
    count is that of the orphans. *)
Record invariant (st : state) : Prop := {
  ordered : forall m m', sent st m' = true -> earlier m m' = true -> sent st m = true;
  fed : forall m m', sent st m' = true -> needs m' m = true -> delivered st m = true;
  kept : forall m, held st m = true -> sent st m = true /\ delivered st m = false;
  lemma2 : forall m, delivered st m = true -> sent st m = false -> between m = true;
  counted : Permutation (count st) (map phase (orphans (sent st) (delivered st))) }.

Hypothesis app_well_formed : well_formed.

(** A condition on all names holds of each. *)
Lemma all_each : forall p, all p = true <-> forall m, p m = true.
Proof.
  intros p. unfold all. rewrite forallb_forall. split; intros H m; auto.
  apply H. now apply ids_complete.
Qed.

(** To be one of the messages with one more. *)
Lemma add_true : forall m set k, add m set k = true <-> m = k \/ set k = true.
Proof.
  intros m set k. unfold add. destruct (same app m k) as [E|N]; split; auto.
  intros [H|H]; [contradiction | auto].
Qed.

(** The gate compares with every orphan. *)
Lemma gate_orphans : forall st m, invariant st -> gate st m = true <->
  forall o, orphan (sent st) (delivered st) o = true -> phase m <= phase o.
Proof.
  intros st m I. unfold gate. rewrite forallb_forall. split.
  - intros H o Ho. apply Nat.leb_le. apply H. eapply Permutation_in.
    + apply Permutation_sym. apply counted. auto.
    + apply in_map. apply filter_In. split; auto. apply ids_complete. auto.
  - intros H f Hf. apply Nat.leb_le. apply Permutation_in with (1 := counted _ I) in Hf.
    apply in_map_iff in Hf. destruct Hf as (o & <- & Ho). apply filter_In in Ho. apply H. tauto.
Qed.

(** To take out once what is there. *)
Lemma remove_one_permutation : forall f l l', Permutation l (f :: l') ->
  Permutation (remove_one f l) l'.
Proof.
  intros f l l' P. assert (Permutation (f :: remove_one f l) l) as Q.
  { assert (In f l) as H by (eapply Permutation_in; [apply Permutation_sym; eauto | now left]).
    clear P. induction l as [|g l IH]; [destruct H|]. simpl.
    destruct (f =? g) eqn:E; [apply Nat.eqb_eq in E; subst; auto|].
    destruct H as [->|H]; [rewrite Nat.eqb_refl in E; discriminate|].
    eapply perm_trans; [apply perm_swap|]. constructor. auto. }
  apply Permutation_cons_inv with f. eapply perm_trans; eauto.
Qed.

(** An orphan that is sent again is one less. *)
Lemma orphans_less : forall s d m, orphan s d m = true ->
  Permutation (orphans s d) (m :: orphans (add m s) d).
Proof.
  intros s d m H. apply NoDup_Permutation.
  - apply NoDup_filter. apply ids_once. auto.
  - constructor; [|apply NoDup_filter; apply ids_once; auto].
    unfold orphans. rewrite filter_In. intros (_ & C). unfold orphan, add in C.
    destruct (same app m m); [|contradiction]. rewrite andb_false_r in C. discriminate.
  - intros x. unfold orphans. simpl. rewrite !filter_In.
    pose proof (ids_complete app_well_formed x) as Hx.
    unfold orphan, add. destruct (same app m x) as [<-|N].
    + split; auto.
    + split; [tauto|]. intros [E|E]; [contradiction|tauto].
Qed.

(** The send of a message that is no orphan changes no orphan, nor does the reception of one that is
    sent. *)
Lemma orphans_same : forall s d s' d', (forall x, orphan s d x = orphan s' d' x) ->
  orphans s d = orphans s' d'.
Proof. intros. apply filter_ext. auto. Qed.

(** Lemma: the invariant holds in every state of the repaired protocol. *)
Lemma invariant_holds : forall st, reachable repaired st -> invariant st.
Proof.
  induction 1 as [|st e R I A].
  - constructor; simpl; try discriminate. unfold orphans, orphan. simpl.
    induction ids; simpl; auto.
  - destruct e as [m|m|m|failed s d]; simpl in A |- *.
    + rewrite !andb_true_iff, !all_each in A. destruct A as (((Hn & He) & Hd) & Hg).
      apply negb_true_iff in Hn. constructor; simpl.
      * intros a b Hb E. apply add_true in Hb. apply add_true. destruct Hb as [<-|Hb].
        -- right. specialize (He a). now rewrite E in He.
        -- right. eapply ordered; eauto.
      * intros a b Hb E. apply add_true in Hb. destruct Hb as [<-|Hb].
        -- specialize (Hd a). now rewrite E in Hd.
        -- eapply fed; eauto.
      * intros a Ha. destruct (kept _ I a Ha). split; auto. apply add_true. auto.
      * intros a Ha Hs. apply (lemma2 _ I); auto. unfold add in Hs.
        destruct (same app m a); auto; discriminate.
      * destruct (delivered st m) eqn:D.
        -- apply remove_one_permutation. eapply perm_trans; [apply (counted _ I)|].
           change (phase m :: ?l) with (phase m :: l).
           rewrite <- (map_cons phase m). apply Permutation_map. apply orphans_less.
           unfold orphan. now rewrite D, Hn.
        -- erewrite <- orphans_same; [apply (counted _ I)|]. intros x. unfold orphan, add.
           destruct (same app m x); auto. subst. now rewrite D.
    + constructor; simpl; try apply I. intros a. unfold drop.
      destruct (same app m a); [discriminate | apply I].
    + rewrite !andb_true_iff in A. destruct A as ((Hn & _) & Hs & Hh).
      apply negb_true_iff in Hh. constructor; simpl; try apply I.
      * intros a b Hb E. apply add_true. right. eapply fed; eauto.
      * intros a Ha. destruct (kept _ I a Ha) as (Sa & Da). split; auto. unfold add.
        destruct (same app m a) as [<-|]; [congruence | auto].
      * intros a Ha Hs'. apply add_true in Ha. destruct Ha as [<-|Ha]; [congruence|].
        apply (lemma2 _ I); auto.
      * erewrite <- orphans_same; [apply (counted _ I)|]. intros x. unfold orphan, add.
        destruct (same app m x); auto. subst. rewrite Hs. now rewrite andb_false_r.
    + pose proof (proj1 (all_each _) A) as A'. clear A. simpl in A'.
      assert (forall m, (implb (negb (between m) && d m) (s m) = true) /\
        forall k, implb (s m && earlier k m) (s k) = true /\
          implb (s m && needs m k) (d k) = true) as L.
      { intros m. specialize (A' m). rewrite !andb_true_iff, all_each in A'.
        destruct A' as ((_ & Ho) & Hk). split; auto. intros k. apply andb_true_iff. auto. }
      constructor; simpl; auto.
      * intros a b Hb E. destruct (L b) as (_ & K). destruct (K a) as (K1 & _).
        now rewrite Hb, E in K1.
      * intros a b Hb E. destruct (L b) as (_ & K). destruct (K a) as (_ & K2).
        now rewrite Hb, E in K2.
      * intros a Ha. rewrite !andb_true_iff in Ha. destruct Ha as ((Sa & Da) & _).
        split; auto. now apply negb_true_iff.
      * intros a Ha Hs. destruct (L a) as (K & _). rewrite Ha, Hs in K.
        destruct (between a); auto.
Qed.

End HydEE.
