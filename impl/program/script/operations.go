package script

import "strings"

// Operation is one thing that the program of a rank does, in the text form.
type Operation struct {
	Form string // how it is written; what is in brackets may be left out
	Doc  string // one line
	// on a group of ranks; what CAMEL and the transparent protocol run, and others have expanded
	Group bool
	Error bool // about operations that end in errors, which they do under few protocols only
}

// operations are all of them. FROM and TO are ranks, * is anyone, N a number, G a group.
var operations = []Operation{
	{Form: "send TO [LABEL] [NB]", Doc: "send a message of N bytes, 8 unless told"},
	{Form: "reply [LABEL] [NB]", Doc: "the same to the source of the last receive"},
	{Form: "recv FROM|* [ordered]",
		Doc: "wait for a message; ordered: the state depends on the order of deliveries"},
	{Form: "post FROM|* [ordered]", Doc: "ask for a message, to be waited for later"},
	{Form: "wait", Doc: "wait for the messages of all posts"},
	{Form: "checkpoint", Doc: "ask the protocol for a checkpoint"},
	{Form: "output", Doc: "something leaves the system, and can not be taken back"},
	{Form: "pick N", Doc: "take one of N values, as of a clock or a random number: nothing " +
		"replays it, and what is sent later depends on it"},
	{Form: "loop N", Doc: "repeat what follows, up to end, N times"},
	{Form: "end", Doc: "of a loop"},
	{Form: "try OPERATION", Error: true, Doc: "send, reply, recv, wait or one on a group: see " +
		"the error that it ends in and go on; without it an error stops the rank"},
	{Form: "onerror OPERATION", Error: true, Doc: "do it only if what was last tried has ended " +
		"in an error; not on a group, and no loop"},
	{Form: "ack", Error: true, Doc: "acknowledge the deaths that are known: they end no receive " +
		"from anyone any more"},
	{Form: "cancel", Error: true, Doc: "give up the posts that are open (onerror cancel)"},
	{Form: "multicast G [LABEL]", Doc: "the root sends to all others", Group: true},
	{Form: "contribute G [LABEL]", Doc: "to the next reduction", Group: true},
	{Form: "recv G", Doc: "the next multicast; at the root the next result", Group: true},
	{Form: "broadcast G [LABEL]", Doc: "as in MPI, written by every member", Group: true},
	{Form: "reduce G [LABEL]", Doc: "as in MPI, written by every member", Group: true},
	{Form: "allreduce G [LABEL]", Doc: "as in MPI, written by every member", Group: true},
	{Form: "barrier G", Doc: "as in MPI, written by every member", Group: true},
}

// Operations lists the operations of the text form.
func Operations() []Operation { return append([]Operation(nil), operations...) }

// verbs are the first words of the operations, of those on groups or of the others.
func verbs(groups bool) (list []string) {
	for _, o := range operations {
		verb, _, _ := strings.Cut(o.Form, " ")
		if o.Group == groups && (!groups || verb != "recv") {
			list = append(list, verb)
		}
	}
	return list
}
