// Package ho is payload logging between groups without determinants ([Ho]): coordinated checkpoints
// inside a group, payloads of what leaves it in the volatile logs of senders, and a restarted group
// that is sent again what its image lacks, channel by channel, in no order between channels. It is
// the negative control of the protocols over groups: the same code (package replay), with nothing
// that records an order.
//
// It is right for programs that fix the order of their receptions by themselves: every receive
// names its source, and none is posted. A program that is only as deterministic as its runs are,
// with one order of receptions in all runs without failures, is not enough: where m1 causes m7 by
// way of two other groups a receive from anyone takes m1 first in every run, and after a failure m7
// is in a log at once, while m1 is still to be sent again (HO2; the example of [HydEE], which has
// phases for it). So such programs are refused, with the operation; HO1 and HO2 let them in.
//
// Promises: the failed groups alone go back (Cluster), any number at any time; FIFO channels inside
// groups; no piggyback, no writes but images. Of outputs nothing is promised: they leave at once,
// and come again as the same ones, since the program has one run.
//
// With one group it is coordinated with markers (teams.TestComposition); with groups of one rank
// there is no flat protocol of the catalogue that it would be.
package ho
