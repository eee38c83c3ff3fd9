(** The steps of HydEE.v and the hypotheses of HydEEPhases.v as OCaml, where numbers are those of
    the machine. *)

From Coq Require Import Extraction ExtrOcamlBasic ExtrOcamlNatInt.
From Domino Require Import HydEE HydEEPhases.

Extraction Language OCaml.
Extraction "steps.ml" allowed after repaired checked stamped.
