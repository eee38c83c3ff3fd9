(** Causal message logging [CAMEL], Theorem 1: as long as no more than [f] processes fail, at
    once or one after the other, nobody who lives depends on a reception that nobody remembers.
    For any number of processes, receptions and messages, and any order of sends, receptions,
    failures and recoveries. *)

From Coq Require Import List Arith Bool Lia.
Import ListNotations.

Section Causal.

(** Processes, determinants (each of one reception), and messages. *)
Context {Process Determinant Message : Type}.
Hypothesis same_process : forall p q : Process, {p = q} + {p <> q}.

(** A state: whose state depends on which receptions, who holds which determinants, of each message
    the receptions that it depends on and the determinants that it carries, and how many more
    processes may fail. *)
Record state := {
  depends : Process -> Determinant -> Prop;
  log : Determinant -> list Process;
  past : Message -> Determinant -> Prop;
  carries : Message -> Determinant -> Prop;
  left : nat }.

(** A process is among the holders. *)
Definition holds (s : state) (p : Process) (e : Determinant) : Prop := In p (log s e).

(** What the log of a determinant is when somebody may have learnt it. *)
Definition learns (p : Process) (l l' : list Process) : Prop :=
  l' = l \/ ~ In p l /\ l' = p :: l.

(** What can happen. *)
Inductive step (s : state) : state -> Prop :=

(** A process sends a message. It depends on what its sender depends on; what it does not carry of
    that, more processes hold than may still fail. *)
| sends : forall p m (c : Determinant -> Prop),
    (forall e, c e -> holds s p e) ->
    (forall e, depends s p e -> c e \/ left s < length (log s e)) ->
    step s {| depends := depends s; log := log s;
      past := fun m' e => m' = m /\ depends s p e \/ m' <> m /\ past s m' e;
      carries := fun m' e => m' = m /\ c e \/ m' <> m /\ carries s m' e; left := left s |}

(** A process receives a message. It depends on the reception itself, and holds its determinant; it
    depends on what the message depends on, and holds what the message carries. *)
| receives : forall p m e0 (l : Determinant -> list Process),
    (forall e, NoDup (l e)) ->
    (forall e, learns p (log s e) (l e)) ->
    (forall e, e = e0 \/ carries s m e -> In p (l e)) ->
    step s {| depends := fun q e => depends s q e \/ q = p /\ (e = e0 \/ past s m e);
      log := l; past := past s; carries := carries s; left := left s |}

(** A process is told of determinants, by an acknowledgement or when it recovers, and repeats a
    reception of which it has been told. *)
| is_told : forall p (l : Determinant -> list Process),
    (forall e, NoDup (l e)) -> (forall e, learns p (log s e) (l e)) ->
    step s {| depends := depends s; log := l; past := past s; carries := carries s;
      left := left s |}
| repeats : forall p e0, holds s p e0 ->
    step s {| depends := fun q e => depends s q e \/ q = p /\ e = e0; log := log s;
      past := past s; carries := carries s; left := left s |}

(** Some processes fail, no more than may: they depend on nothing and hold nothing. *)
| fail : forall failed, NoDup failed -> length failed <= left s ->
    step s {| depends := fun q e => depends s q e /\ ~ In q failed;
      log := fun e => filter (fun q => if in_dec same_process q failed then false else true)
        (log s e);
      past := past s; carries := carries s; left := left s - length failed |}.

(** At first there is nothing, and [f] processes may fail. *)
Definition initial (f : nat) : state := {|
  depends := fun _ _ => False; log := fun _ => []; past := fun _ _ => False;
  carries := fun _ _ => False; left := f |}.

(** The states that can be reached. *)
Inductive reachable (f : nat) : state -> Prop :=
| at_first : reachable f (initial f)
| one_more : forall s t, reachable f s -> step s t -> reachable f t.

(** What holds in all of them: who depends on a reception holds its determinant, or more
    processes do than may still fail; and so it is with messages. *)
Record invariant (s : state) : Prop := {
  once : forall e, NoDup (log s e);
  held : forall p e, depends s p e -> holds s p e \/ left s < length (log s e);
  carried : forall m e, past s m e -> carries s m e \/ left s < length (log s e) }.

(** Lemma: a log that somebody learns has no fewer holders, and those that it had. *)
Lemma learns_more : forall p l l', learns p l l' -> length l <= length l' /\ incl l l'.
Proof.
  intros p l l' [->|(_ & ->)]; simpl; split; auto using incl_refl, incl_tl.
Qed.

(** Lemma: of different processes no more are lost than fail. *)
Lemma survivors : forall failed l, NoDup l ->
  length l <= length failed +
    length (filter (fun q => if in_dec same_process q failed then false else true) l).
Proof.
  intros failed l U.
  assert (length (filter (fun q => if in_dec same_process q failed then true else false) l) <=
    length failed) as Lost.
  { apply NoDup_incl_length; [now apply NoDup_filter|]. intros q Hq. apply filter_In in Hq.
    destruct Hq as (_ & Hq). destruct (in_dec same_process q failed); auto; discriminate. }
  clear U. revert Lost. generalize (length failed). induction l as [|q l IH]; intros n Lost;
    simpl in *; [lia|].
  destruct (in_dec same_process q failed); simpl in *.
  - destruct n as [|n]; [lia|]. specialize (IH n). lia.
  - specialize (IH n Lost). lia.
Qed.

(** Lemma: it holds in all states. *)
Lemma invariant_holds : forall f s, reachable f s -> invariant s.
Proof.
  induction 1 as [|s t R I St].
  - constructor; simpl; try tauto. constructor.
  - destruct I as [O H C].
    destruct St as [p m c Hc Hd | p m e0 l U L E | p l U L | p e0 K | failed U Lf];
      constructor; unfold holds in *; simpl in *; auto.
    + intros m' e [(-> & D)|(N & P)].
      * destruct (Hd e D); auto.
      * destruct (C m' e P); auto.
    + intros q e [D|(-> & D)].
      * destruct (learns_more _ _ _ (L e)) as (Le & In). destruct (H q e D); [left; auto | lia].
      * destruct D as [->|P]; [left; auto|]. destruct (C m e P) as [K|K]; [left; auto|].
        destruct (learns_more _ _ _ (L e)). lia.
    + intros m' e P. destruct (learns_more _ _ _ (L e)). destruct (C m' e P); auto. lia.
    + intros q e D. destruct (learns_more _ _ _ (L e)) as (Le & In).
      destruct (H q e D); [left; auto | lia].
    + intros m' e P. destruct (learns_more _ _ _ (L e)). destruct (C m' e P); auto. lia.
    + intros q e [D|(-> & ->)]; auto.
    + intros e. apply NoDup_filter. auto.
    + intros q e (D & N). destruct (H q e D) as [K|K].
      * left. apply filter_In. split; auto. destruct (in_dec same_process q failed); auto.
      * right. pose proof (survivors failed (log s e) (O e)). lia.
    + intros m' e P. destruct (C m' e P) as [K|K]; auto.
      right. pose proof (survivors failed (log s e) (O e)). lia.
Qed.

(** Theorem: nobody who lives is an orphan. Whatever fails, and whenever, as long as no more than
    [f] processes do, a reception that anybody depends on is remembered by somebody who lives. *)
Theorem no_orphan_process : forall f s, reachable f s ->
  forall p e, depends s p e -> exists q, holds s q e.
Proof.
  intros f s R p e D. destruct (held s (invariant_holds f s R) p e D) as [K|K]; eauto.
  unfold holds. destruct (log s e) as [|q l]; simpl in K; [lia|]. exists q. now left.
Qed.

(** Theorem: nor will anybody become one by a message that is on its way, from whomever, also when
    its sender has failed since: its receiver will hold the determinants that it needs, or somebody
    else does. *)
Theorem no_orphan_message : forall f s, reachable f s ->
  forall m e, past s m e -> carries s m e \/ exists q, holds s q e.
Proof.
  intros f s R m e P. destruct (carried s (invariant_holds f s R) m e P) as [K|K]; auto.
  right. unfold holds. destruct (log s e) as [|q l]; simpl in K; [lia|]. exists q. now left.
Qed.

End Causal.
