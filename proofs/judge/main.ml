(* Reads one run a line, as numbers, and writes what the judge that is extracted from Judge.v says
   of it. A run is: how many processes; 1 if clocks are wanted, else 0; its nodes (how many; of
   each its process, the node before it or -1, how many sends it received, and these); a cut (of
   each process a node or -1); points (of each process how many, and these, in order). What is said:
   of each node the set of those that happened before it, as bits; the cut as bits, and its orphans;
   the clock of each node, if wanted; and where each process is in the recovery line: of the
   consistent lines the one that is farthest. *)

open Judge

let bits l = List.fold_left (fun set i -> set lor (1 lsl i)) 0 l

let rec place x i = function
  | [] -> failwith "no such point"
  | y :: l -> if x = y then i else place x (i + 1) l

let judge line =
  let words = ref (List.map int_of_string (String.split_on_char ' ' line)) in
  let next () = match !words with [] -> failwith "short line" | w :: l -> words := l; w in
  let rec times n f = if n = 0 then [] else let x = f () in x :: times (n - 1) f in
  let point () = match next () with -1 -> None | t -> Some t in
  let processes = next () in
  let clocks = next () = 1 in
  let node () =
    let proc = next () in
    let last = point () in
    let sends = times (next ()) next in
    { proc; last; sends } in
  let run = times (next ()) node in
  let cut = times processes point in
  let points = times processes (fun () -> times (next ()) point) in
  let far line = List.fold_left2 (fun sum x l -> sum + place x 0 l) 0 line points in
  let better a b = if far b > far a then b else a in
  let said = List.concat
    [ List.map bits (pasts run);
      [ bits (members run cut); bits (orphans run cut) ];
      (if clocks then List.concat (List.mapi (fun j _ -> clock run processes j) run) else []);
      (match consistent_lines run points with
       | [] -> [ -2 ]
       | l :: rest -> List.map2 (fun x l -> place x 0 l) (List.fold_left better l rest) points) ] in
  print_string (String.concat " " (List.map string_of_int said));
  print_char '\n'

(* An answer to each line may wait, at most until an empty one asks for all. *)
let () =
  try while true do match input_line stdin with "" -> flush stdout | line -> judge line done
  with End_of_file -> ()
