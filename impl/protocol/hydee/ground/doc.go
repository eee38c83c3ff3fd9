// Package ground is what the algorithms of the two papers on HydEE stand on and do not print: the
// coordinated checkpoint inside a cluster, which [HydEE-fr] 5.1 leaves to whichever protocol one
// likes, the queue of messages that have arrived and that the program has not asked for, and the
// records in which the variables of a process are saved. Packages printed and printedfr are the
// algorithms.
//
// What is read into the papers here, to their advantage:
//
//   - The coordinated protocol (impl/protocol/part/snapshot) works: it saves what is on its way
//     inside the cluster, and drops what another life of the cluster has sent.
//   - A process does not receive a message when it arrives but when the program takes it: "In the
//     send-deterministic model, we consider events at the application level" ([HydEE] II-C).
//   - "wait until" keeps a process from sending, not from receiving nor from handling messages: the
//     messages that it waits for have handlers of their own, and [HydEE] III-D speaks of "the first
//     message sent by a process restarting from a checkpoint".
package ground
