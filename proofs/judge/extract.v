(** The functions of Judge.v as OCaml, where numbers are those of the machine. *)

From Coq Require Import Extraction ExtrOcamlBasic ExtrOcamlNatInt.
From Domino Require Import Judge.

Extraction Language OCaml.
Extraction "judge.ml" pasts members orphans clock consistent_lines.
