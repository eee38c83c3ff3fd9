(** Systems that are explored: states, actions, what each step shows, and runs. *)

From Coq Require Import List Arith Lia.
Import ListNotations.

Section Runs.

(** A state of the whole system, the name of a step, and one thing that a step shows to the
    properties: a piece of evidence together with what they are told of other processes. *)
Context {State Action Seen : Type}.

(** What an action does in a state: nothing when it is not possible there; else the next state and
    what the step shows. An action that is possible has one outcome: choices are actions. *)
Variable step : State -> Action -> option (State * list Seen).

(** An action is possible in a state. *)
Definition possible (s : State) (a : Action) : Prop := step s a <> None.

(** A state is an end when nothing is possible in it. *)
Definition is_end (s : State) : Prop := forall a, step s a = None.

(** [run s w t o]: the actions [w], one after the other, lead from [s] to [t] and show [o]. *)
Inductive run : State -> list Action -> State -> list Seen -> Prop :=
| run_nil : forall s, run s [] s []
| run_cons : forall s a s' o w t o',
    step s a = Some (s', o) -> run s' w t o' -> run s (a :: w) t (o ++ o').

(** A run followed by a run is a run. *)
Lemma run_app : forall s w t o, run s w t o ->
  forall w' t' o', run t w' t' o' -> run s (w ++ w') t' (o ++ o').
Proof.
  induction 1; intros; simpl; auto.
  rewrite <- app_assoc. econstructor; eauto.
Qed.

(** One step is a run. *)
Lemma run_one : forall s a t o, step s a = Some (t, o) -> run s [a] t o.
Proof. intros. rewrite <- (app_nil_r o). econstructor; eauto. constructor. Qed.

(** No run goes on from an end. *)
Lemma run_from_end : forall s w t o, is_end s -> run s w t o -> w = [] /\ t = s /\ o = [].
Proof. intros s w t o E R. destruct R; auto. rewrite (E a) in H. discriminate. Qed.

End Runs.
