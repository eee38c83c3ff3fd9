(** What the repaired HydEE guarantees: nothing is sent, or sent again out of a log or an image,
    before what it depends on has been sent again (Theorem 1); nothing arrives before what its
    receiver had done when it was sent; and every recovery ends (Theorem 2). The number of
    processes, clusters and failures is any. *)

From Coq Require Import List Arith Bool Lia Wf_nat.
From Domino Require Import HydEE.
Import ListNotations.

Section Replay.

Variable app : application.
Hypothesis app_well_formed : well_formed app.

Local Notation id := (id app).
Local Notation ids := (ids app).
Local Notation phase := (phase app).
Local Notation depth := (depth app).
Local Notation repaired := (repaired app).
Local Notation invariant := (invariant app).
Local Notation allowed := (allowed app repaired).

(** A message that is received and not sent. *)
Definition is_orphan (st : state app) (m : id) : Prop :=
  delivered app st m = true /\ sent app st m = false.

(** What is assumed of the failure-free run says so of one hop. *)
Lemma hop_depth : forall m m', hop app m m' -> depth m < depth m'.
Proof. intros m m' [H|H]; [eapply earlier_before | eapply needs_before]; eauto. Qed.

(** No hop lowers the phase. *)
Lemma hop_phase : forall m m', hop app m m' -> phase m <= phase m'.
Proof. intros m m' [H|H]; [eapply earlier_phase | eapply needs_phase]; eauto. Qed.

(** The gate of a message is open when no orphan has a smaller phase. *)
Lemma gate_open : forall st m, invariant st ->
  gate app st m = true <-> forall o, is_orphan st o -> phase m <= phase o.
Proof.
  intros st m I. rewrite (gate_orphans app app_well_formed st m I). unfold is_orphan, orphan.
  split; intros H o Ho; apply H.
  - destruct Ho as (-> & ->). reflexivity.
  - apply andb_true_iff in Ho. now rewrite negb_true_iff in Ho.
Qed.

(** Lemma: behind an open gate all that precedes a message is sent, if all that precedes it by one
    hop is. The step that the papers' Lemma 5 lacks: a message that is sent may wait for an orphan,
    but then it has a larger phase than that, so the gate is closed. *)
Lemma past_is_sent : forall st m', invariant st -> gate app st m' = true ->
  (forall k, needs app m' k = true -> delivered app st k = true) ->
  (forall k, earlier app k m' = true -> sent app st k = true) ->
  forall m, must_past app m' m -> sent app st m = true /\ phase m <= phase m'.
Proof.
  intros st m' I G N E. pose proof (proj1 (gate_open st m' I) G) as Open.
  assert (forall k j, needs app j k = true -> delivered app st k = true ->
    phase j <= phase m' -> sent app st k = true) as Fed.
  { intros k j Hn Hd Hj. destruct (sent app st k) eqn:S; auto.
    assert (between app k = true) as B by (apply (lemma2 app st I); auto).
    pose proof (needs_raises app app_well_formed k j Hn B).
    pose proof (Open k (conj Hd S)). lia. }
  induction 1 as [m H | m k _ (Hk & Pk) H].
  - split; [|now apply hop_phase]. destruct H as [H|H]; auto. eauto.
  - split; [|apply hop_phase in H; lia]. destruct H as [H|H].
    + eapply ordered; eauto.
    + apply Fed with k; auto. eapply fed; eauto.
Qed.

(** Theorem 1, causal replay: where a message may be sent, all that it depends on in failure-free
    runs has been sent (again). *)
Theorem causal_replay : forall st m', reachable app repaired st ->
  allowed st (Send app m') = true ->
  forall m, must_past app m' m -> sent app st m = true.
Proof.
  intros st m' R A m P. pose proof (invariant_holds app app_well_formed st R) as I.
  simpl in A. rewrite !andb_true_iff, !(all_each app app_well_formed) in A.
  destruct A as (((_ & He) & Hn) & G).
  destruct (past_is_sent st m' I G) with m; auto; intros k Hk.
  - specialize (Hn k). now rewrite Hk in Hn.
  - specialize (He k). now rewrite Hk in He.
Qed.

(** Theorem 1 for what a log or an image has: where it may come again, all that it depends on has
    been sent (again). *)
Theorem causal_release : forall st m', reachable app repaired st ->
  allowed st (Release app m') = true ->
  forall m, must_past app m' m -> sent app st m = true.
Proof.
  intros st m' R A m P. pose proof (invariant_holds app app_well_formed st R) as I.
  simpl in A. rewrite andb_true_iff in A. destruct A as (Hh & G).
  destruct (kept app st I m' Hh) as (Hs & _).
  destruct (past_is_sent st m' I G) with m; auto; intros k Hk.
  - eapply fed; eauto.
  - eapply ordered; eauto.
Qed.

(** What is on its way to a cluster finds there what was done before it was sent. *)
Definition behind_its_past (st : state app) : Prop := forall m, sent app st m = true ->
  delivered app st m = false -> held app st m = false -> forall k, must_past app m k ->
  cluster app (from app k) = cluster app (to app m) -> sent app st k = true.

(** Lemma: in every state of the repaired protocol. When a cluster fails, what is on its way to it
    is held, so what is not was on its way to others, which keep their past. *)
Lemma arrivals_behind : forall st, reachable app repaired st -> behind_its_past st.
Proof.
  unfold behind_its_past. induction 1 as [|st e R IH A]; [discriminate|].
  intros m Hs Hd Hh k P C. destruct e as [m'|m'|m'|failed s d]; simpl in Hs, Hd, Hh |- *.
  - apply add_true. apply add_true in Hs. right. destruct Hs as [<-|Hs]; [|eapply IH; eauto].
    eapply causal_replay; eauto.
  - unfold drop in Hh. destruct (same app m' m) as [<-|N]; [|eapply IH; eauto].
    eapply causal_release; eauto.
  - unfold add in Hd. destruct (same app m' m); [discriminate|]. eapply IH; eauto.
  - rewrite Hs, Hd in Hh. simpl in Hh. apply orb_false_iff in Hh. destruct Hh as (Hh & T).
    unfold touched in T. apply orb_false_iff in T. destruct T as (_ & T).
    simpl in A. unfold recovery_line in A. rewrite (all_each app app_well_formed) in A.
    pose proof (A m) as Am. pose proof (A k) as Ak. rewrite !andb_true_iff in Am, Ak.
    destruct Am as (((((Sm & _) & _) & Dm) & _) & _). destruct Ak as ((((_ & Sk) & _) & _) & _).
    rewrite Hs in Sm. rewrite T in Dm. rewrite C, T in Sk. simpl in Sm, Dm, Sk.
    apply eqb_prop in Dm. apply eqb_prop in Sk. rewrite Sk.
    apply (IH m); auto. congruence.
Qed.

(** Theorem: a message arrives only where its receiver, and whoever is in its cluster, has sent
    (again) all that the message depends on: it does not overtake what was received before. *)
Theorem arrival_in_order : forall st m, reachable app repaired st ->
  allowed st (Receive app m) = true -> forall k, must_past app m k ->
  cluster app (from app k) = cluster app (to app m) -> sent app st k = true.
Proof.
  intros st m R A k P C. simpl in A. rewrite !andb_true_iff, !negb_true_iff in A.
  destruct A as ((Hd & _) & Hs & Hh). eapply arrivals_behind; eauto.
Qed.

(** All that an application sends and receives without failures. *)
Definition complete (st : state app) : Prop :=
  forall m, sent app st m = true /\ delivered app st m = true.

(** Anything but a failure. *)
Definition goes_on (e : event app) : Prop :=
  match e with Send _ _ | Release _ _ | Receive _ _ => True | Rollback _ _ _ _ => False end.

(** The message of an event is of no larger phase than another one. *)
Definition up_to (f : nat) (e : event app) : Prop :=
  match e with
  | Send _ m | Release _ m | Receive _ m => phase m <= f
  | Rollback _ _ _ _ => False
  end.

(** A condition on all names either holds of each, or one does not satisfy it. *)
Lemma all_or_not : forall p, all app p = true \/ exists m, p m = false.
Proof.
  intros p. destruct (all app p) eqn:H; auto. right.
  destruct (existsb (fun m => negb (p m)) ids) eqn:E.
  - apply existsb_exists in E. destruct E as (m & _ & Hm). exists m. now apply negb_true_iff.
  - exfalso. assert (all app p = true); [|congruence].
    apply (all_each app app_well_formed). intros m. destruct (p m) eqn:Pm; auto.
    assert (existsb (fun m => negb (p m)) ids = true); [|congruence].
    apply existsb_exists. exists m. split; [apply ids_complete; auto | now rewrite Pm].
Qed.

(** Lemma: a message that is sent and not received, or one before it on its channel, can arrive,
    where no orphan has a smaller phase. *)
Lemma arrival_possible : forall st f, invariant st -> (forall o, is_orphan st o -> f <= phase o) ->
  forall m, sent app st m = true -> delivered app st m = false -> phase m <= f ->
  exists e, allowed st e = true /\ goes_on e /\ up_to f e.
Proof.
  intros st f I F m. induction m as [m IH] using (well_founded_induction
    (well_founded_ltof _ depth)). unfold ltof in IH.
  intros S D P. destruct (all_or_not (fun k => implb (earlier app k m && (to app k =? to app m))
    (delivered app st k))) as [H | (k & H)].
  - destruct (held app st m) eqn:Hh.
    + exists (Release app m). simpl. rewrite Hh. repeat split; auto.
      apply gate_open; auto. intros o Ho. apply F in Ho. lia.
    + exists (Receive app m). simpl. rewrite D, H, S, Hh. simpl. auto.
  - destruct (earlier app k m) eqn:E; simpl in H; [|discriminate].
    destruct (to app k =? to app m); simpl in H; [|discriminate].
    apply (IH k); auto.
    + eapply earlier_before; eauto.
    + eapply ordered; eauto.
    + pose proof (earlier_phase app app_well_formed k m E). lia.
Qed.

(** Lemma: of a message that is not sent, or of what it waits for, something can happen, where no
    orphan has a smaller phase. *)
Lemma send_possible : forall st f, invariant st -> (forall o, is_orphan st o -> f <= phase o) ->
  forall m, sent app st m = false -> phase m <= f ->
  exists e, allowed st e = true /\ goes_on e /\ up_to f e.
Proof.
  intros st f I F m. induction m as [m IH] using (well_founded_induction
    (well_founded_ltof _ depth)). unfold ltof in IH. intros S P.
  destruct (all_or_not (fun k => implb (earlier app k m) (sent app st k))) as [He | (k & H)].
  - destruct (all_or_not (fun k => implb (needs app m k) (delivered app st k))) as [Hn | (k & H)].
    + exists (Send app m). simpl. rewrite S, He, Hn. simpl. repeat split; auto.
      apply gate_open; auto. intros o Ho. apply F in Ho. lia.
    + destruct (needs app m k) eqn:N; simpl in H; [|discriminate].
      pose proof (needs_phase app app_well_formed k m N).
      destruct (sent app st k) eqn:Sk.
      * apply arrival_possible with k; auto; lia.
      * apply (IH k); auto; [eapply needs_before; eauto | lia].
  - destruct (earlier app k m) eqn:E; simpl in H; [|discriminate].
    apply (IH k); auto; [eapply earlier_before; eauto |].
    pose proof (earlier_phase app app_well_formed k m E). lia.
Qed.

(** Of the orphans, if there are any, one has the least phase. *)
Lemma least_orphan : forall st, (exists o, is_orphan st o) ->
  exists o, is_orphan st o /\ forall o', is_orphan st o' -> phase o <= phase o'.
Proof.
  intros st (o & Ho). induction o as [o IH] using (well_founded_induction
    (well_founded_ltof _ phase)). unfold ltof in IH.
  destruct (all_or_not (fun k => negb (orphan app (sent app st) (delivered app st) k) ||
    (phase o <=? phase k))) as [H | (k & H)].
  - exists o. split; auto. intros o' (D & S). rewrite (all_each app app_well_formed) in H.
    specialize (H o'). unfold orphan in H. rewrite D, S in H. simpl in H. now apply Nat.leb_le.
  - apply orb_false_iff in H. destruct H as (H & L). apply negb_false_iff in H.
    unfold orphan in H. apply andb_true_iff in H. rewrite negb_true_iff in H.
    apply (IH k); auto. apply Nat.leb_gt. auto.
Qed.

(** Theorem 2, progress: while there is an orphan, something that is not of a larger phase than any
    orphan can be sent or received. *)
Theorem progress : forall st, reachable app repaired st -> (exists o, is_orphan st o) ->
  exists e, allowed st e = true /\ goes_on e /\ forall o, is_orphan st o -> up_to (phase o) e.
Proof.
  intros st R H. pose proof (invariant_holds app app_well_formed st R) as I.
  destruct (least_orphan st H) as (o & (D & S) & Least).
  destruct (send_possible st (phase o) I Least o S (le_n _)) as (e & A & G & U).
  exists e. repeat split; auto. intros o' Ho'. specialize (Least o' Ho').
  destruct e; simpl in *; auto; lia.
Qed.

(** Theorem: where nothing can be sent or received any more, all that the application sends without
    failures is sent and received, so there is no orphan: no recovery deadlocks. *)
Theorem stuck_is_complete : forall st, reachable app repaired st ->
  (forall e, goes_on e -> allowed st e = false) -> complete st.
Proof.
  intros st R H. pose proof (invariant_holds app app_well_formed st R) as I.
  assert (forall o, ~ is_orphan st o) as None.
  { intros o Ho. destruct (progress st R (ex_intro _ o Ho)) as (e & A & G & _).
    rewrite (H e G) in A. discriminate. }
  assert (forall m, sent app st m = true) as AllSent.
  { intros m. destruct (sent app st m) eqn:S; auto.
    destruct (send_possible st (phase m) I) with m as (e & A & G & _); auto.
    - intros o Ho. destruct (None o Ho).
    - rewrite (H e G) in A. discriminate. }
  intros m. split; auto. destruct (delivered app st m) eqn:D; auto.
  destruct (arrival_possible st (phase m) I) with m as (e & A & G & _); auto.
  - intros o Ho. destruct (None o Ho).
  - rewrite (H e G) in A. discriminate.
Qed.

(** How many messages are not sent, not received, and held. *)
Definition left_to_do (st : state app) : nat :=
  length (filter (fun m => negb (sent app st m)) ids) +
  length (filter (fun m => negb (delivered app st m)) ids) +
  length (filter (held app st) ids).

(** One message more in a set is one less outside. *)
Lemma one_less : forall m set, set m = false ->
  S (length (filter (fun k => negb (add app m set k)) ids)) =
  length (filter (fun k => negb (set k)) ids).
Proof.
  intros m set H. pose proof (ids_complete app app_well_formed m) as Hin.
  pose proof (ids_once app app_well_formed) as U. induction ids as [|x l IH]; [destruct Hin|].
  inversion U as [|? ? Hx U']; subst. simpl. unfold add at 1.
  destruct (same app m x) as [<-|N].
  - rewrite H. simpl. f_equal. f_equal. apply filter_ext_in. intros k Hk. unfold add.
    destruct (same app m k) as [<-|]; auto. contradiction.
  - destruct Hin as [E|Hin]; [congruence|]. specialize (IH Hin U').
    destruct (set x); simpl; [|f_equal]; exact IH.
Qed.

(** One message less in a set. *)
Lemma one_dropped : forall m set, set m = true ->
  S (length (filter (drop app m set) ids)) = length (filter set ids).
Proof.
  intros m set H. pose proof (one_less m (fun k => negb (set k))) as E.
  cbv beta in E. rewrite H in E. specialize (E eq_refl).
  rewrite (filter_ext (drop app m set)
    (fun k => negb (add app m (fun j => negb (set j)) k))).
  - rewrite E. f_equal. apply filter_ext. intros k. apply negb_involutive.
  - intros k. unfold drop, add. destruct (same app m k); auto. now rewrite negb_involutive.
Qed.

(** Theorem: between failures every recovery ends. Each event leaves one less to do, so after at
    most three times as many events as there are messages nothing is left, and that is the end of a
    failure-free run (stuck_is_complete). *)
Theorem recovery_ends : forall st e, allowed st e = true -> goes_on e ->
  S (left_to_do (after app repaired st e)) = left_to_do st.
Proof.
  intros st e A G. destruct e as [m|m|m|]; [| | |destruct G]; simpl in A |- *;
    rewrite !andb_true_iff in A; unfold left_to_do; simpl.
  - destruct A as (((A & _) & _) & _). apply negb_true_iff in A. rewrite <- (one_less m _ A). lia.
  - destruct A as (A & _). rewrite <- (one_dropped m _ A). lia.
  - destruct A as ((A & _) & _). apply negb_true_iff in A. rewrite <- (one_less m _ A). lia.
Qed.

End Replay.
