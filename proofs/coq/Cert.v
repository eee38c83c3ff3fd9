(** Certificates: a list of states that proves of a system what a search of it would.

    Who believes a certificate believes the functions [next], [bad_step] and [bad_end] and the
    check of this file, and nothing of the search that has written it: neither its order, nor its
    reductions, nor its fingerprints, nor its disk. *)

From Coq Require Import List Bool.
Import ListNotations.

Section Certificate.

(** A state and the name of a step. *)
Context {State Label : Type}.

(** All steps of a state, with the states that they lead to. *)
Variable next : State -> list (Label * State).

(** When two states are the same one. *)
Variable same : State -> State -> bool.
Hypothesis same_correct : forall s t, same s t = true <-> s = t.

(** Which steps break a property, and which ends of runs do. *)
Variable bad_step : State -> Label -> State -> bool.
Variable bad_end : State -> bool.

(** [reaches s t]: some run, of any length, leads from [s] to [t]. *)
Inductive reaches : State -> State -> Prop :=
| reaches_refl : forall s, reaches s s
| reaches_step : forall s t l u, reaches s t -> In (l, u) (next t) -> reaches s u.

(** The property holds: no run from an initial state takes a bad step or stops at a bad end. *)
Definition holds (initial : list State) : Prop :=
  forall s t, In s initial -> reaches s t ->
    (forall l u, In (l, u) (next t) -> bad_step t l u = false) /\
    (next t = [] -> bad_end t = false).

(** A state is listed. *)
Definition listed (list : list State) (s : State) : bool := existsb (same s) list.

(** What is checked of one state: every step leads to a listed state and is not bad, and if there
    is no step, that is not a bad end. *)
Definition closed_at (list : list State) (s : State) : bool :=
  forallb (fun lu => listed list (snd lu) && negb (bad_step s (fst lu) (snd lu))) (next s) &&
  negb (match next s with [] => bad_end s | _ :: _ => false end).

(** What is checked of a certificate: the initial states are listed, and every listed one passes. *)
Definition accepted (list initial : list State) : bool :=
  forallb (listed list) initial && forallb (closed_at list) list.

(** To be listed is to be in the list. *)
Lemma listed_in : forall list s, listed list s = true <-> In s list.
Proof.
  intros list s. unfold listed. rewrite existsb_exists. split.
  - intros (t & Hin & Hsame). apply same_correct in Hsame. now subst.
  - intros Hin. exists s. split; auto. now apply same_correct.
Qed.

(** What a listed state that passes says of its steps. *)
Lemma closed_at_steps : forall list s, closed_at list s = true ->
  (forall l u, In (l, u) (next s) -> In u list /\ bad_step s l u = false) /\
  (next s = [] -> bad_end s = false).
Proof.
  intros list s H. apply andb_true_iff in H. destruct H as (Hall & Hend). split.
  - intros l u Hin. rewrite forallb_forall in Hall. specialize (Hall _ Hin). simpl in Hall.
    apply andb_true_iff in Hall. destruct Hall as (Hl & Hb).
    split; [now apply listed_in | now apply negb_true_iff].
  - intros E. rewrite E in Hend. now apply negb_true_iff.
Qed.

(** Theorem: a certificate that is accepted proves the property, for runs of any length. *)
Theorem certificate_sound : forall list initial,
  accepted list initial = true -> holds initial.
Proof.
  intros list initial H. apply andb_true_iff in H. destruct H as (Hi & Hc).
  rewrite forallb_forall in Hi, Hc.
  assert (forall s t, In s list -> reaches s t -> In t list) as Hin.
  { intros s t Hs R. induction R; auto. specialize (IHR Hs).
    apply (closed_at_steps list t (Hc _ IHR)) in H. tauto. }
  intros s t Hs R.
  assert (In t list) as Ht.
  { apply Hin with s; auto. apply listed_in. now apply Hi. }
  destruct (closed_at_steps list t (Hc _ Ht)) as (Hsteps & Hend). split; auto.
  intros l u Hu. now apply Hsteps.
Qed.

(** Theorem: nothing true is refused. Where the property holds, the list of the states that can be
    reached is accepted, in any order and with any repetition. *)
Theorem certificate_complete : forall list initial,
  (forall t, In t list <-> exists s, In s initial /\ reaches s t) ->
  holds initial -> accepted list initial = true.
Proof.
  intros list initial Hl Hh. apply andb_true_iff. split; apply forallb_forall.
  - intros s Hs. apply listed_in. apply Hl. exists s. split; auto. constructor.
  - intros t Ht. apply Hl in Ht. destruct Ht as (s & Hs & R).
    destruct (Hh s t Hs R) as (Hsteps & Hend). apply andb_true_iff. split.
    + apply forallb_forall. intros (l, u) Hu. simpl. apply andb_true_iff. split.
      * apply listed_in. apply Hl. exists s. split; auto. now apply reaches_step with t l.
      * apply negb_true_iff. auto.
    + apply negb_true_iff. destruct (next t); auto.
Qed.

(** Theorem: a state that is left out is noticed. If a listed state has a step to a state that is
    not listed, the certificate is refused. *)
Theorem certificate_closed : forall list initial s l u,
  In s list -> In (l, u) (next s) -> ~ In u list -> accepted list initial = false.
Proof.
  intros list initial s l u Hs Hu Hn. apply not_true_iff_false. intros H.
  apply andb_true_iff in H. destruct H as (_ & Hc). rewrite forallb_forall in Hc.
  apply (closed_at_steps list s (Hc _ Hs)) in Hu. tauto.
Qed.

End Certificate.
