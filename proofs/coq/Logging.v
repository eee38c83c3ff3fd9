(** Message logging and orphans [AM], [CAMEL]: when no process survives with a state that depends on
    a reception that nobody remembers. *)

From Coq Require Import List Arith Lia.
Import ListNotations.

Section Logging.

(** Processes, and determinants: each names one reception, its receiver, and its place among the
    receptions of that. *)
Context {Process Determinant : Type}.
Hypothesis same_process : forall p q : Process, {p = q} + {p <> q}.

(** DEPEND(e): the processes whose state depends on the reception, the receiver among them. *)
Variable depend : Determinant -> list Process.

(** LOG(e): the processes that have the determinant in their memory, each listed once. *)
Variable log : Determinant -> list Process.
Hypothesis log_once : forall e, NoDup (log e).

(** A process is an orphan of the crash of [failed] when it has not failed itself and depends on a
    reception that nobody who has not failed remembers. *)
Definition orphan_of (failed : list Process) (p : Process) : Prop :=
  ~ In p failed /\ exists e, In p (depend e) /\ forall q, In q (log e) -> In q failed.

(** No crash of at most [f] processes leaves an orphan. *)
Definition no_orphan (f : nat) : Prop :=
  forall failed, NoDup failed -> length failed <= f -> forall p, ~ orphan_of failed p.

(** Theorem (Alvisi and Marzullo): no crash of at most [f] processes leaves an orphan if and only if
    every determinant with at most [f] holders is held by all that depend on it. *)
Theorem alvisi_marzullo : forall f,
  no_orphan f <-> forall e, length (log e) <= f -> incl (depend e) (log e).
Proof.
  intros f. split.
  - intros H e L p Hp. destruct (in_dec same_process p (log e)) as [I|N]; auto.
    destruct (H (log e) (log_once e) L p). split; auto. exists e. auto.
  - intros H failed U L p (Np & e & Hp & Hlog). apply Np, Hlog, H; auto.
    assert (length (log e) <= length failed); [|lia].
    apply NoDup_incl_length; auto.
Qed.

(** Corollary, pessimistic logging: nobody but the receiver, which holds it, depends on a reception
    before more than [f] processes hold it. *)
Theorem pessimistic : forall f (receiver : Determinant -> Process),
  (forall e, In (receiver e) (log e)) ->
  (forall e, f < length (log e) \/ forall p, In p (depend e) -> p = receiver e) -> no_orphan f.
Proof.
  intros f receiver R H. apply alvisi_marzullo. intros e L p Hp.
  destruct (H e) as [G|G]; [lia|]. rewrite (G p Hp). auto.
Qed.

(** Corollary, causal logging: who begins to depend on a reception gets the determinant with the
    message, until more than [f] processes hold it. *)
Theorem causal : forall f,
  (forall e p, In p (depend e) -> In p (log e) \/ f < length (log e)) -> no_orphan f.
Proof.
  intros f H. apply alvisi_marzullo. intros e L p Hp. destruct (H e p Hp); auto. lia.
Qed.

(** Corollary: what is right for more failures is right for fewer. *)
Theorem fewer_failures : forall f g, g <= f -> no_orphan f -> no_orphan g.
Proof. intros f g L H failed U Lf. apply H; auto. lia. Qed.

(** Theorem: optimistic logging is not free of orphans. One process that depends on a reception and
    does not hold it is an orphan as soon as all holders fail at once, if there are at most [f]. *)
Theorem optimistic : forall f e p, In p (depend e) -> ~ In p (log e) -> length (log e) <= f ->
  ~ no_orphan f.
Proof. intros f e p D N L H. apply N. revert D. apply alvisi_marzullo with f; auto. Qed.

End Logging.
