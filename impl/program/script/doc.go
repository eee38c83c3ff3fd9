// Package script has the programs that ranks run: the text form in which scenarios write them, and
// named shapes (ring, stencil and so on) that are generated for any number of ranks.
//
// Text form: one line a rank, "name: operation; operation; ...", with the operations that
// Operations lists. Groups of ranks with a spanning tree are lines "group NAME
// [sum|xor|max|concat]: parent > child child; parent > child".
package script
