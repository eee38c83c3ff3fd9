(* Reads one application and one state of the abstract HydEE a line, as numbers, and writes what the
   functions that are extracted from HydEE.v and HydEEPhases.v say. A line is: how many ranks, and
   of each its cluster; how many messages, and of each its sender, number, receiver, phase, depth
   and needs (how many, and these); of each whether it is sent, received and held, as bits 1, 2, 4;
   the counted phases (how many, and these); and failures (how many; of each the clusters that fail
   as bits, and of each message whether it is sent and received after it, as bits 1, 2). What is
   said: 1 if the application satisfies the hypotheses of the theorems, else 0; 1 if its phases are
   those of Algorithm 1; then of each send, release and reception of each message, and of each
   failure: - if it is refused, or the state behind it: messages as above, then the phases that are
   counted, ascending. *)

open Steps

(* Names of messages are of any type; here they are numbers. *)
let name : int -> id = Obj.repr
let number : id -> int = Obj.obj

let judge line =
  let words = ref (List.map int_of_string (String.split_on_char ' ' line)) in
  let next () = match !words with [] -> failwith "short line" | w :: l -> words := l; w in
  let rec times n f = if n = 0 then [] else let x = f () in x :: times (n - 1) f in
  let table f = Array.of_list (times (next ()) f) in
  let clusters = table next in
  let message () =
    let from = next () in let serial = next () in let into = next () in
    let phase = next () in let depth = next () in
    let needs = times (next ()) next in
    (from, serial, into, phase, depth, needs) in
  let m = table message in
  let get f i = f m.(number i) in
  let app = {
    ids = List.init (Array.length m) name;
    same = (fun a b -> number a = number b);
    from = get (fun (f, _, _, _, _, _) -> f);
    to0 = get (fun (_, _, t, _, _, _) -> t);
    cluster = (fun r -> clusters.(r));
    earlier = (fun a b ->
      let f, s, _, _, _, _ = m.(number a) and g, t, _, _, _, _ = m.(number b) in f = g && s < t);
    needs = (fun a b -> get (fun (_, _, _, _, _, n) -> List.mem (number b) n) a);
    phase = get (fun (_, _, _, p, _, _) -> p);
    depth = get (fun (_, _, _, _, d, _) -> d) } in
  let bits () = Array.init (Array.length m) (fun _ -> next ()) in
  let set b k i = b.(number i) land k <> 0 in
  let b = bits () in
  let count = times (next ()) next in
  let st = { sent = set b 1; delivered = set b 2; held = set b 4; count; reported = fun _ -> 1 } in
  let failure () =
    let failed = next () in let s = bits () in
    Rollback ((fun c -> failed land (1 lsl c) <> 0), set s 1, set s 2) in
  let failures = times (next ()) failure in
  let say bit = if bit then "1" else "0" in
  let outcome e =
    if not (allowed app (repaired app) st e) then "-" else
    let t = after app (repaired app) st e in
    let bit f k i = if f i then k else 0 in
    let one i = bit t.sent 1 i + bit t.delivered 2 i + bit t.held 4 i in
    String.concat "," (List.map (fun i -> string_of_int (one i)) app.ids @
      List.map string_of_int (List.sort compare t.count)) in
  let events = List.concat_map (fun i -> [Send i; Release i; Receive i]) app.ids @ failures in
  print_string (String.concat " "
    (say (checked app) :: say (stamped app) :: List.map outcome events));
  print_char '\n'

(* An answer to each line may wait, at most until an empty one asks for all. *)
let () =
  try while true do match input_line stdin with "" -> flush stdout | line -> judge line done
  with End_of_file -> ()
