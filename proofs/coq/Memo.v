(** Memoisation: a search that keeps local states as bytes, runs a machine once for each pair of a
    local state and an input, and looks the answer up the next time, reaches what the machines
    reach. *)

From Coq Require Import List Arith.
Import ListNotations.

Section Memo.

(** Local states of machines, what they are given, and what they ask for and declare. *)
Context {Local Input Effects : Type}.

(** A machine is a function of its state and its input: it has no hidden state, no clock, no
    dice. *)
Variable machine : Local -> Input -> Local * Effects.

(** The codec. *)
Context {Bytes : Type}.
Variable encode : Local -> Bytes.
Variable decode : Bytes -> option Local.

(** What is written is read back as it was. *)
Hypothesis decode_encode : forall l, decode (encode l) = Some l.

(** Everything else about a system: messages in flight, stable storage, budgets. *)
Context {Environment Event : Type}.

(** Which process an event is about, if it is possible, and what that process is given. *)
Variable offer : Environment -> Event -> option (nat * Input).

(** What the effects of its step change. *)
Variable perform : Environment -> Event -> Effects -> Environment.

(** A list with one place changed. *)
Fixpoint put {A} (n : nat) (x : A) (l : list A) : list A :=
  match l, n with
  | [], _ => []
  | _ :: l', 0 => x :: l'
  | y :: l', S n' => y :: put n' x l'
  end.

(** To change what is written is to write what is changed. *)
Lemma map_put : forall A B (f : A -> B) l n x, map f (put n x l) = put n (f x) (map f l).
Proof. induction l; intros [|n] x; simpl; auto. now rewrite IHl. Qed.

(** One event of the system of machines: from an environment and the local states to the next. *)
Definition real_step (g : Environment * list Local) (e : Event) :
    option (Environment * list Local) :=
  match offer (fst g) e with
  | None => None
  | Some (p, i) =>
      match nth_error (snd g) p with
      | None => None
      | Some l => let (l', o) := machine l i in Some (perform (fst g) e o, put p l' (snd g))
      end
  end.

(** When two local states and inputs are the same. *)
Variable same : Bytes * Input -> Bytes * Input -> bool.
Hypothesis same_correct : forall k k', same k k' = true -> k = k'.

(** A table of steps that have been met, by local state and input: the next local state, and the
    effects. *)
Definition table := list ((Bytes * Input) * (Bytes * Effects)).

(** What the table says of a step. *)
Fixpoint lookup (t : table) (k : Bytes * Input) : option (Bytes * Effects) :=
  match t with
  | [] => None
  | (k', v) :: t' => if same k k' then Some v else lookup t' k
  end.

(** A local step by the table; what is not in it is run on the machine and kept. *)
Definition memo (t : table) (b : Bytes) (i : Input) : option ((Bytes * Effects) * table) :=
  match lookup t (b, i) with
  | Some v => Some (v, t)
  | None =>
      match decode b with
      | None => None
      | Some l => let (l', o) := machine l i in
          Some ((encode l', o), ((b, i), (encode l', o)) :: t)
      end
  end.

(** One event of the search, with the table. *)
Definition memo_step (t : table) (g : Environment * list Bytes) (e : Event) :
    option ((Environment * list Bytes) * table) :=
  match offer (fst g) e with
  | None => None
  | Some (p, i) =>
      match nth_error (snd g) p with
      | None => None
      | Some b =>
          match memo t b i with
          | None => None
          | Some ((b', o), t') => Some ((perform (fst g) e o, put p b' (snd g)), t')
          end
      end
  end.

(** A table is right when what it says is what the machine does. *)
Definition right (t : table) : Prop := forall b i v, lookup t (b, i) = Some v ->
  forall l, encode l = b -> v = (encode (fst (machine l i)), snd (machine l i)).

(** An empty table is right. *)
Lemma empty_right : right [].
Proof. intros b i v H. discriminate. Qed.

(** Different local states have different bytes, so states can be compared by bytes. *)
Theorem encode_injective : forall l l', encode l = encode l' -> l = l'.
Proof.
  intros l l' H. pose proof (decode_encode l) as D. rewrite H, decode_encode in D. congruence.
Qed.

(** Lemma: a local step by a table that is right is the step of the machine, and leaves it right. *)
Lemma memo_right : forall t l i, right t ->
  exists t', memo t (encode l) i = Some ((encode (fst (machine l i)), snd (machine l i)), t') /\
    right t'.
Proof.
  intros t l i R. unfold memo. destruct (lookup t (encode l, i)) as [v|] eqn:E.
  - exists t. split; auto. rewrite (R _ _ _ E l eq_refl). reflexivity.
  - rewrite decode_encode. destruct (machine l i) as (l', o) eqn:M. simpl.
    eexists. split; [reflexivity|]. intros b j v H k <-. simpl in H.
    destruct (same (encode k, j) (encode l, i)) eqn:S.
    + apply same_correct in S. injection S as Sk <-. apply encode_injective in Sk. subst k.
      injection H as <-. now rewrite M.
    + now apply R in H; auto; apply H.
Qed.

(** Theorem: a search by a table takes the steps of the machines and no others. Each event leads
    from the bytes of a state to the bytes of the next one, and is possible in one if it is in
    the other; so, by induction, are runs of any length, and the table stays right. *)
Theorem memo_step_right : forall t v ls e, right t ->
  match real_step (v, ls) e with
  | None => memo_step t (v, map encode ls) e = None
  | Some (v', ls') => exists t', memo_step t (v, map encode ls) e =
      Some ((v', map encode ls'), t') /\ right t'
  end.
Proof.
  intros t v ls e R. unfold real_step, memo_step. simpl.
  destruct (offer v e) as [(p, i)|]; auto.
  rewrite nth_error_map. destruct (nth_error ls p) as [l|]; simpl; auto.
  destruct (memo_right t l i R) as (t' & M & R'). rewrite M.
  destruct (machine l i) as (l', o). simpl. exists t'. split; auto. now rewrite map_put.
Qed.

End Memo.
