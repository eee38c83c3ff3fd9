package world

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/proofs/certificate"
)

// namer gives what a world has numbered the numbers of a certificate: by its content, so that no
// number of the world matters. Who asks for the content of a thing has found all that it refers to
// first. One goroutine uses it.
type namer struct {
	*World
	messages, histories, locals, inboxes, envs map[uint32]uint32
	// by word, by number of the world: that of the certificate, plus 1; 0 = not met. To look each
	// word of each state up in a map takes longer than the search.
	words   [][]uint32
	content content
}

// content says which number the content of a thing has.
type content struct {
	message, history func(certificate.Text) (uint32, error)
	local            func(certificate.Local) (uint32, error)
	inbox            func(certificate.Inbox) (uint32, error)
	env              func(certificate.Env) (uint32, error)
	budgets          func(certificate.Budgets) (uint32, error)
	memory           func(certificate.Memory) (uint32, error)
	configuration    func(core.Proc, certificate.Configuration) (uint32, error)
}

func newNamer(w *World, c content) *namer {
	n := &namer{World: w, content: c, messages: map[uint32]uint32{},
		histories: map[uint32]uint32{}, locals: map[uint32]uint32{},
		inboxes: map[uint32]uint32{}, envs: map[uint32]uint32{},
		words: make([][]uint32, w.Words())}
	return n
}

// once is what is known of a number, or found out now.
func once(known map[uint32]uint32, number uint32, find func() (uint32, error)) (uint32, error) {
	if there, ok := known[number]; ok {
		return there, nil
	}
	found, err := find()
	if err == nil {
		known[number] = found
	}
	return found, err
}

// word is the number of a word of a state.
func (n *namer) word(word int, number uint32) (uint32, error) {
	if list := n.words[word]; int(number) < len(list) && list[number] > 0 {
		return list[number] - 1, nil
	}
	found, err := n.find(word, number)
	if err == nil {
		keep(&n.words[word], number, found+1)
	}
	return found, err
}

// find is word, of one that was not met.
func (n *namer) find(word int, number uint32) (uint32, error) {
	switch {
	case word == budgetWord:
		return n.content.budgets(n.budgetsOf(number))
	case word < n.procWords():
		return n.configurationOf(core.Proc(word-1), number)
	}
	return n.content.memory(n.memoryOf(number))
}

// keep writes into a list that is as long as it needs to be.
func keep(list *[]uint32, at, value uint32) {
	if n := int(at) + 1 - len(*list); n > 0 {
		*list = append(*list, make([]uint32, n)...)
	}
	(*list)[at] = value
}

func (n *namer) budgetsOf(number uint32) certificate.Budgets {
	b := n.budgetList.list.at(number)
	left := func(of uint32, what budget) uint8 { return uint8(of >> what & 15) }
	return certificate.Budgets{Failures: left(b.faults, failures),
		Checkpoints: left(b.faults, checkpoints), Losses: left(b.faults, losses),
		Duplicates: left(b.faults, duplicates), Suspicions: left(b.faults, suspicions),
		Torn: left(b.faults, torn), Vanishing: left(b.harms, vanishing),
		Spoiling: left(b.harms, spoiling), Refusing: left(b.harms, refusing), Over: b.over}
}

func (n *namer) memoryOf(number uint32) (m certificate.Memory) {
	for i, k := range *n.monitors.memories.at(number) {
		m = append(m, (*n.monitors.each[i].at(k)).AppendKey(nil))
	}
	return m
}

func (n *namer) configurationOf(p core.Proc, number uint32) (uint32, error) {
	c := n.configurations[p].list.at(number)
	var f certificate.Configuration
	var err error
	if c.local != deadLocal {
		if f.Local, err = n.local(c.local); err != nil {
			return 0, err
		}
		f.Local++
	}
	if f.Env, err = n.env(c.env); err != nil {
		return 0, err
	}
	if f.Inbox, err = n.inbox(c.inbox); err != nil {
		return 0, err
	}
	found, err := n.content.configuration(p, f)
	if err != nil {
		err = fmt.Errorf("%s: %w", n.layout.Name(p), err)
	}
	return found, err
}

func (n *namer) local(number uint32) (uint32, error) {
	return once(n.locals, number, func() (uint32, error) {
		l := n.World.locals.at(number)
		c := certificate.Local{Proc: l.proc, Incarnation: l.inc, Round: l.round,
			Evaluated: l.evaluated, State: l.content}
		if l.holding != nil {
			c.Holding = core.Encode(l.holding)
		}
		return n.content.local(c)
	})
}

func (n *namer) inbox(number inboxNumber) (uint32, error) {
	return once(n.inboxes, uint32(number), func() (uint32, error) {
		box := certificate.Inbox{}
		for _, c := range n.World.inboxes.at(number).channels {
			ch := certificate.Channel{From: c.from, Incarnation: c.inc}
			for _, k := range c.messages {
				m, err := n.message(n.packets.at(k).message)
				if err != nil {
					return 0, err
				}
				ch.Messages = append(ch.Messages, m)
			}
			if !n.Model.KeepsOrder() {
				slices.Sort(ch.Messages)
			}
			box = append(box, ch)
		}
		return n.content.inbox(box)
	})
}

func (n *namer) message(number messageNumber) (uint32, error) {
	return once(n.messages, uint32(number), func() (uint32, error) {
		return n.content.message(core.Encode(n.World.messages.at(number).value))
	})
}

func (n *namer) env(number uint32) (uint32, error) {
	return once(n.envs, number, func() (uint32, error) {
		e := n.World.envs.at(number)
		c := certificate.Env{Up: e.Up, Incarnation: e.Inc, Store: records(e.Store),
			Writing: records(e.Writing), Pending: e.Pending, Ended: e.Ended, Timers: e.Timers,
			Former: e.Former, Host: e.Host, Kills: e.Kills, Still: e.Still, Takes: e.Takes,
			Back: e.Back}
		for _, v := range e.Watches {
			c.Watches = append(c.Watches, certificate.Watch{About: v.About, Incarnation: v.Inc})
		}
		for _, t := range e.Tickets {
			c.Tickets = append(c.Tickets, certificate.Ticket{By: t.By, Key: t.Key, Value: t.Value})
		}
		if e.Line > 0 {
			line, err := once(n.histories, e.Line-1, func() (uint32, error) {
				return n.content.history(core.Encode(*n.World.histories.at(e.Line - 1)))
			})
			if err != nil {
				return 0, err
			}
			c.Line = line + 1
		}
		return n.content.env(c)
	})
}

func records(list []write) (records []certificate.Record) {
	for _, r := range list {
		records = append(records, certificate.Record{Key: r.Key, Value: r.Value, Torn: r.Torn,
			Gone: r.Gone, Read: r.Read})
	}
	return records
}

// inventory lists the content of what the states of a search consist of.
type inventory struct {
	*namer
	certificate.Tables
}

// newInventory is one of states; they are visited once.
func newInventory(w *World, states func(visit func([]uint32) bool)) *inventory {
	in := &inventory{}
	in.Tables.Procs = make([][]certificate.Configuration, w.procs)
	t := &in.Tables
	in.namer = newNamer(w, content{message: adding(&t.Messages), history: adding(&t.Histories),
		local: adding(&t.Locals), inbox: adding(&t.Inboxes), env: adding(&t.Envs),
		budgets: adding(&t.Budgets), memory: adding(&t.Memories),
		configuration: func(p core.Proc, c certificate.Configuration) (uint32, error) {
			return adding(&t.Procs[p])(c)
		}})
	for state := range states {
		for i, number := range state {
			_, _ = in.word(i, number) // what adds does not fail
		}
	}
	in.sort()
	return in
}

// adding gives each thing the next number.
func adding[T any](list *[]T) func(T) (uint32, error) {
	return func(thing T) (uint32, error) {
		*list = append(*list, thing)
		return uint32(len(*list) - 1), nil
	}
}

// sort brings the tables into order, those first to which others refer.
func (in *inventory) sort() {
	t := &in.Tables
	messages, histories := certificate.Sort(t.Messages), certificate.Sort(t.Histories)
	for _, box := range t.Inboxes {
		for i := range box {
			for j, m := range box[i].Messages {
				box[i].Messages[j] = messages[m]
			}
			if !in.Model.KeepsOrder() {
				slices.Sort(box[i].Messages)
			}
		}
	}
	for i := range t.Envs {
		if e := &t.Envs[i]; e.Line > 0 {
			e.Line = histories[e.Line-1] + 1
		}
	}
	locals, inboxes := certificate.Sort(t.Locals), certificate.Sort(t.Inboxes)
	envs := certificate.Sort(t.Envs)
	for p, list := range t.Procs {
		for i, c := range list {
			if c.Local > 0 {
				c.Local = locals[c.Local-1] + 1
			}
			list[i] = certificate.Configuration{Local: c.Local, Env: envs[c.Env],
				Inbox: inboxes[c.Inbox]}
		}
		in.renumber(procWord(core.Proc(p)), certificate.Sort(list))
	}
	in.renumber(budgetWord, certificate.Sort(t.Budgets))
	if in.monitors.word > 0 {
		in.renumber(in.monitors.word, certificate.Sort(t.Memories))
	}
}

func (in *inventory) renumber(word int, gone []uint32) {
	for number, was := range in.words[word] {
		if was > 0 {
			in.words[word][number] = gone[was-1] + 1
		}
	}
}

// states are those of a search in the numbers of the tables.
func (in *inventory) states(of func(visit func([]uint32) bool)) func(func([]uint32) bool) {
	return func(yield func([]uint32) bool) {
		buf := make([]uint32, len(in.words))
		for state := range of {
			for i, number := range state {
				buf[i] = in.words[i][number] - 1
			}
			if !yield(buf) {
				return
			}
		}
	}
}

// lookup gives each thing the number that a certificate has for it.
func lookup(c *certificate.Certificate) content {
	t := &c.Tables
	procs := make([]func(certificate.Configuration) (uint32, error), len(t.Procs))
	for p := range procs {
		procs[p] = finding("configuration", t.Procs[p])
	}
	return content{message: finding("message", t.Messages),
		history: finding("history", t.Histories), local: finding("local state", t.Locals),
		inbox: finding("inbox", t.Inboxes), env: finding("environment", t.Envs),
		budgets: finding("budget", t.Budgets), memory: finding("memory", t.Memories),
		configuration: func(p core.Proc, f certificate.Configuration) (uint32, error) {
			return procs[p](f)
		}}
}

// finding looks for a thing in a table.
func finding[T certificate.Entry](name string, table []T) func(T) (uint32, error) {
	return func(thing T) (uint32, error) {
		want := thing.Entry()
		i, ok := slices.BinarySearchFunc(table, want, func(t T, want []byte) int {
			return slices.Compare(t.Entry(), want)
		})
		if !ok {
			return 0, fmt.Errorf("it has no such %s", cmp.Or(name, "entry"))
		}
		return uint32(i), nil
	}
}
