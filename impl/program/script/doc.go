// Package script has the programs that ranks run: the text form in which scenarios write them, and
// named shapes (ring, stencil and so on) that are generated for any number of ranks.
//
// Text form: one line a rank, "name: operation; operation; ...". The operations are
//
//	send TO [LABEL] [NB]   reply [LABEL] [NB]  (to the source of the last receive; of N bytes, 8 unless told)
//	recv FROM [ordered]    post FROM [ordered] (FROM is a rank or *; ordered: the state depends on the order of deliveries)
//	wait                   checkpoint          output
//	loop N                 end
//
// Groups of ranks with a spanning tree are lines "group NAME [sum|xor|max|concat]: parent > child
// child; parent > child". On them:
//
//	multicast G [LABEL]    (root: send to all others)   contribute G [LABEL]   (to the next reduction)
//	recv G                 (a member: the next multicast; the root: the next result)
//	broadcast G   reduce G   allreduce G   barrier G     (written by every member, as in MPI)
package script
