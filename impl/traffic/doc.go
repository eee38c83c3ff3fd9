// Package traffic holds who sends how much to whom in the whole run of a program: what a clustering
// of its ranks is chosen by. It comes from kernels and other programs by their operations, without
// running them, and from files: CSV and Matrix Market, read line by line.
//
// A graph is sparse: 12 bytes a channel, 8 more where messages are counted. What a rank sends to
// itself is a local copy, left out and said so. A channel may come in several pieces, which are
// added up. Everything is in whole numbers, and equal input gives equal graphs.
package traffic
