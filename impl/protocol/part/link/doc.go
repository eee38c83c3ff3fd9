// Package link is what a rank keeps about its channels to other ranks: the numbers of messages, by
// which duplicates are known, what has arrived and waits for the program, and what was sent and may
// be needed again. It has the message that carries a payload, too, with a fixed layout for the data
// path.
//
// Definitions: a message has a Number, its place in its channel, from 1. A message has arrived when
// it waits here for the program, and is taken when the program has received it. Messages are taken
// in the order of their numbers without gaps, in whatever order they arrive, so sending one again
// never harms; what must not be mixed are messages of lives that were undone, and the protocol
// tells them apart before they come here.
//
//   - Data (data.go) is a message: number, life, and what protocols add to it: two integers, a
//     vector of them, determinants.
//   - Channels (channels.go) is plain data: Send and Accept, Sources and Take as a core.Layer needs
//     them, Resend and Prune for the log.
//   - Message (message.go) is the union of Data and a protocol's control messages, with the data
//     path.
//
// Model: nothing is assumed of the network. Everything is for the layer of one rank.
package link
