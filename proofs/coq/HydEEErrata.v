(** Errata of HydEE that have a counterpart in HydEE.v: in each, one thing that the repaired
    protocol does is read as the papers print it, or leave it open, and a short run of an
    application that satisfies every hypothesis breaks Theorem 1, or what is said of arrivals, and
    then the repaired protocol takes the same run up to its last event, and refuses that; or it
    breaks Theorem 2. *)

From Coq Require Import List Arith Bool Lia Permutation.
From Domino Require Import HydEE HydEEReplay.
Import ListNotations.

Section Runs.
Variable app : application.

(** The state that events lead to, if each is possible when it comes. *)
Fixpoint follow (r : reading app) (st : state app) (w : list (event app)) : option (state app) :=
  match w with
  | [] => Some st
  | e :: w' => if allowed app r st e then follow r (after app r st e) w' else None
  end.

(** [breaks r w e m' m]: the events [w] are possible under a reading, then the event [e] is, by
    which [m'] is sent or arrives, and [m], which is sent before [m'] in every failure-free run, is
    not sent. The repaired protocol takes [w], too, and refuses [e]. *)
Definition breaks (r : reading app) (w : list (event app)) (e : event app) (m' m : id app) : Prop :=
  length w < 12 /\ must_past app m' m /\
  (exists st, follow r (initial app) w = Some st /\ allowed app r st e = true /\
    sent app st m = false) /\
  (exists st, follow (repaired app) (initial app) w = Some st /\
    allowed app (repaired app) st e = false).

(** [miscounts r w]: after the events, what is counted is not what is an orphan. *)
Definition miscounts (r : reading app) (w : list (event app)) : Prop :=
  exists st, follow r (initial app) w = Some st /\
    length (count app st) <> length (orphans app (sent app st) (delivered app st)).

(** [stuck r w]: behind the events nothing but a failure is possible, and it is not the end. *)
Definition stuck (r : reading app) (w : list (event app)) : Prop :=
  exists st, follow r (initial app) w = Some st /\
    (forall e, goes_on app e -> allowed app r st e = false) /\ ~ complete app st.

End Runs.

(** Proves that an application given by tables satisfies the hypotheses. *)
Ltac by_cases := constructor; simpl;
  [ intros []; simpl; tauto
  | repeat constructor; simpl; intuition discriminate
  | intros [] []; cbv; intros; try discriminate; lia ..].

(** Finds that a run breaks the theorem. *)
Ltac by_running hops := split; [simpl; lia|]; split; [hops|]; split; eexists;
  repeat split; vm_compute; reflexivity.

(** The application of Figure 4, without what is not needed. Cluster 0 is x and y, cluster 1 is c
    and d. x sends m2 to y; y, then, m3 to c; c, then, m5 to d; and d, then, m7 to y. *)
Inductive figure4_id := m2 | m3 | m5 | m7.

(** Its tables. *)
Definition figure4 : application := {|
  id := figure4_id; ids := [m2; m3; m5; m7];
  same := ltac:(decide equality);
  from := fun m => match m with m2 => 0 | m3 => 1 | m5 => 2 | m7 => 3 end;
  to := fun m => match m with m2 => 1 | m3 => 2 | m5 => 3 | m7 => 1 end;
  cluster := fun p => if p <? 2 then 0 else 1;
  earlier := fun _ _ => false;
  needs := fun m' m => match m', m with m3, m2 | m5, m3 | m7, m5 => true | _, _ => false end;
  phase := fun m => match m with m2 | m3 => 1 | m5 | m7 => 2 end;
  depth := fun m => match m with m2 => 0 | m3 => 2 | m5 => 4 | m7 => 6 end |}.

(** It satisfies every hypothesis of the theorems. *)
Example figure4_well_formed : well_formed figure4.
Proof. by_cases. Qed.

(** m7 depends on m5, that on m3, and that on m2. *)
Ltac figure4_past := apply past_more with m3; [apply past_more with m5; [apply past_hop|]|];
  right; reflexivity.

(** Nothing, and one or two messages. *)
Definition none (m : figure4_id) : bool := false.
Definition only (a b : figure4_id) (m : figure4_id) : bool :=
  if same figure4 a m then true else if same figure4 b m then true else false.

(** Only cluster 0 fails, or both. *)
Definition one_cluster (c : nat) : bool := c =? 0.
Definition both_clusters (c : nat) : bool := true.

(** x and y fail when c has received m3 and sent m5: m3 is an orphan. *)
Definition after_m5 : list (event figure4) :=
  [Send figure4 m2; Receive figure4 m2; Send figure4 m3; Receive figure4 m3; Send figure4 m5;
   Rollback figure4 one_cluster (only m5 m5) (only m3 m3)].

(** H6. The gates are opened at each report: here at those before the report of c, so that nothing
    is counted. *)
Definition h6 : reading figure4 := {|
  counts := fun _ _ _ => [];
  holds := touched figure4;
  may_send := may_send figure4 (repaired figure4);
  may_arrive := may_arrive figure4 (repaired figure4) |}.

(** m7 is sent although m2 is not: what is counted is not what is an orphan. *)
Example h6_breaks : miscounts figure4 h6 after_m5 /\
  breaks figure4 h6 (after_m5 ++ [Receive figure4 m5]) (Send figure4 m7) m7 m2.
Proof.
  split; [eexists; split; [reflexivity | discriminate] | by_running figure4_past].
Qed.

(** H7. Messages that are in flight at the failure are not dropped, so they pass no gate. *)
Definition h7 : reading figure4 := {|
  counts := counts figure4 (repaired figure4);
  holds := fun _ _ => false;
  may_send := may_send figure4 (repaired figure4);
  may_arrive := may_arrive figure4 (repaired figure4) |}.

(** m7 is sent before the failure of x and y, and arrives after it, although m2 is not sent. *)
Example h7_breaks : breaks figure4 h7
  [Send figure4 m2; Receive figure4 m2; Send figure4 m3; Receive figure4 m3; Send figure4 m5;
   Receive figure4 m5; Send figure4 m7;
   Rollback figure4 one_cluster (only m5 m7) (only m3 m5)] (Receive figure4 m7) m7 m2.
Proof. by_running figure4_past. Qed.

(** H7, the other way: what the failed cluster has sent in its former life may arrive. *)
Definition h7b : reading figure4 := {|
  counts := counts figure4 (repaired figure4);
  holds := touched figure4;
  may_send := may_send figure4 (repaired figure4);
  may_arrive := fun _ _ => true |}.

(** m3 is in flight when x and y fail, and arrives behind the count: it is an orphan that nobody has
    counted, and m7 is sent although m2 is not. The repaired protocol refuses that arrival. *)
Example h7b_breaks :
  let w := [Send figure4 m2; Receive figure4 m2; Send figure4 m3;
            Rollback figure4 one_cluster none none; Receive figure4 m3] in
  miscounts figure4 h7b w /\
  (exists st, follow figure4 h7b (initial figure4) (w ++ [Send figure4 m5; Receive figure4 m5]) =
    Some st /\ allowed figure4 h7b st (Send figure4 m7) = true /\ sent figure4 st m2 = false) /\
  follow figure4 (repaired figure4) (initial figure4) w = None.
Proof.
  split; [eexists; split; [reflexivity | discriminate]|]. split; [|reflexivity].
  eexists. repeat split; vm_compute; reflexivity.
Qed.

(** H10. Only the first send after a failure waits, for the phase that its process was in then. *)
Definition h10 : reading figure4 := {|
  counts := counts figure4 (repaired figure4);
  holds := touched figure4;
  may_send := fun st m =>
    forallb (fun f => reported figure4 st (from figure4 m) <=? f) (count figure4 st);
  may_arrive := may_arrive figure4 (repaired figure4) |}.

(** d is in phase 1 when x and y fail, as m5 is in flight to it. It receives that, which depends on
    the orphan m3, and sends m7 in phase 2: the guard "phase m <= phase o" is what is missing. *)
Example h10_breaks :
  breaks figure4 h10 (after_m5 ++ [Receive figure4 m5]) (Send figure4 m7) m7 m2.
Proof. by_running figure4_past. Qed.

(** H11. A process that has rolled back itself reports no orphans. *)
Definition h11 : reading figure4 := {|
  counts := fun failed s d => map (phase figure4)
    (filter (fun m => negb (failed (cluster figure4 (to figure4 m)))) (orphans figure4 s d));
  holds := touched figure4;
  may_send := may_send figure4 (repaired figure4);
  may_arrive := may_arrive figure4 (repaired figure4) |}.

(** Both clusters fail, and c and d go back to where they have received m3 and m5. *)
Example h11_breaks :
  let w := [Send figure4 m2; Receive figure4 m2; Send figure4 m3; Receive figure4 m3;
            Send figure4 m5; Receive figure4 m5;
            Rollback figure4 both_clusters (only m5 m5) (only m3 m5)] in
  miscounts figure4 h11 w /\ breaks figure4 h11 w (Send figure4 m7) m7 m2.
Proof.
  split; [eexists; split; [reflexivity | discriminate] | by_running figure4_past].
Qed.

(** H11a. Who has rolled back waits for the date of each process outside, and one that has rolled
    back, too, sends none: both wait for ever, as if an orphan of phase 0 were never sent. *)
Definition h11a : reading figure4 := {|
  counts := fun failed s d => (if failed 0 && failed 1 then [0] else []) ++
    counts figure4 (repaired figure4) failed s d;
  holds := touched figure4;
  may_send := may_send figure4 (repaired figure4);
  may_arrive := may_arrive figure4 (repaired figure4) |}.

(** Both clusters fail, and nothing is possible any more. Of one cluster that is not so. *)
Example h11a_breaks :
  stuck figure4 h11a [Send figure4 m2; Rollback figure4 both_clusters none none] /\
  ~ stuck figure4 h11a [Send figure4 m2; Rollback figure4 one_cluster none none].
Proof.
  split.
  - eexists. split; [reflexivity|]. split.
    + intros [[]|[]|[]|] G; try reflexivity; destruct G.
    + intros C. destruct (C m2). discriminate.
  - intros (st & F & N & _). specialize (N (Send figure4 m2) I). injection F as <-.
    discriminate.
Qed.

(** Two orphans of one phase. Cluster 0 is x and y, cluster 1 is c. x sends m2 to y; y sends o1 to
    c, receives m2, and sends o2 to c; c receives both and sends m7 to y. *)
Inductive two_id := t2 | o1 | o2 | t7.

(** Its tables. *)
Definition two : application := {|
  id := two_id; ids := [t2; o1; o2; t7];
  same := ltac:(decide equality);
  from := fun m => match m with t2 => 0 | o1 | o2 => 1 | t7 => 2 end;
  to := fun m => match m with t2 => 1 | o1 | o2 => 2 | t7 => 1 end;
  cluster := fun p => if p <? 2 then 0 else 1;
  earlier := fun m m' => match m, m' with o1, o2 => true | _, _ => false end;
  needs := fun m' m => match m', m with o2, t2 | t7, o1 | t7, o2 => true | _, _ => false end;
  phase := fun m => match m with t7 => 2 | _ => 1 end;
  depth := fun m => match m with t2 => 0 | o1 => 0 | o2 => 2 | t7 => 5 end |}.

(** It satisfies every hypothesis of the theorems. *)
Example two_well_formed : well_formed two.
Proof. by_cases. Qed.

(** H4. The phases of orphans are a set. *)
Definition h4 : reading two := {|
  counts := fun _ s d => nodup Nat.eq_dec (map (phase two) (orphans two s d));
  holds := touched two;
  may_send := may_send two (repaired two);
  may_arrive := may_arrive two (repaired two) |}.

(** x and y fail when c has received o1 and o2. When o1 has been sent again the gate opens, and m7
    is sent although o2 and m2 are not. *)
Example h4_breaks :
  let w := [Send two o1; Send two t2; Receive two t2; Send two o2; Receive two o1; Receive two o2;
            Rollback two one_cluster (fun _ => false)
              (fun m => match m with o1 | o2 => true | _ => false end); Send two o1] in
  miscounts two h4 w /\ breaks two h4 w (Send two t7) t7 t2.
Proof.
  split; [eexists; split; [reflexivity | discriminate]|].
  by_running ltac:(apply past_more with o2; [apply past_hop|]; right; reflexivity).
Qed.

(** A path that closes outside of a cluster. Cluster 0 is p and q, cluster 1 is d. d sends k to p;
    p, then, j to d; d, then, jj to q; and q, then, m to p. *)
Inductive path_id := k | j | jj | m.

(** Its tables. *)
Definition path : application := {|
  id := path_id; ids := [k; j; jj; m];
  same := ltac:(decide equality);
  from := fun i => match i with k | jj => 2 | j => 0 | m => 1 end;
  to := fun i => match i with k | m => 0 | j => 2 | jj => 1 end;
  cluster := fun p => if p <? 2 then 0 else 1;
  earlier := fun a b => match a, b with k, jj => true | _, _ => false end;
  needs := fun b a => match b, a with j, k | jj, j | m, jj => true | _, _ => false end;
  phase := fun i => match i with k => 1 | j => 2 | jj => 3 | m => 4 end;
  depth := fun i => match i with k => 0 | j => 2 | jj => 4 | m => 6 end |}.

(** It satisfies every hypothesis of the theorems. *)
Example path_well_formed : well_formed path.
Proof. by_cases. Qed.

(** H24. What an image has of messages on their way inside the cluster passes no gate. *)
Definition h24 : reading path := {|
  counts := counts path (repaired path);
  holds := fun failed i => between path i && touched path failed i;
  may_send := may_send path (repaired path);
  may_arrive := may_arrive path (repaired path) |}.

(** p stores its image at the beginning, and q when it has sent m: a consistent cut of the cluster,
    as no message inside it is received and not sent. p fails and receives m, which depends on j,
    which it has not sent, and so on k, which it has not received. *)
Example h24_breaks : breaks path h24
  [Send path k; Receive path k; Send path j; Receive path j; Send path jj; Receive path jj;
   Send path m; Rollback path one_cluster (fun i => match i with j => false | _ => true end)
     (fun i => match i with j | jj => true | _ => false end)] (Receive path m) m j.
Proof.
  by_running ltac:(apply past_more with jj; [apply past_hop|]; right; reflexivity).
Qed.
