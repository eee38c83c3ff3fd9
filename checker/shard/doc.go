// Package shard is what work that is spread over machines stands on: four small interfaces, with an
// implementation in memory, in which a process can crash between any two calls, and one of Blobs in
// a folder. A message system implements them elsewhere; nothing here knows one.
//
//	Queue   jobs: each to one worker at a time, again when that one falls silent
//	Store   small values: created once, compared and set, held for a time, watched
//	Blobs   large values: put once, read whole or in part
//	Bus     a question and its answer, kept nowhere
//
// ErrExists, ErrMissing, ErrConflict and ErrTooLarge say that nothing has happened. After any other
// error of a call that writes, it may have happened or not: whoever writes again must not mind, and
// Publish, Create and Put are made for that.
package shard
