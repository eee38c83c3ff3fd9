package certificate

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/domino-check/domino/spec/trace"
)

// list is a table as the file has it.
type list struct {
	name  string
	len   func() int
	entry func(i int) []byte
	// add reads an entry back; the error says what is wrong with it
	add func(entry []byte) error
}

// of is the table of a slice.
func of[T Entry](name string, to *[]T, cut func(*cutter) T, sound func(*T) error) list {
	return list{name: name,
		len:   func() int { return len(*to) },
		entry: func(i int) []byte { return (*to)[i].Entry() },
		add: func(b []byte) error {
			c := cutter{rest: b}
			value := cut(&c)
			if err := c.end(); err != nil {
				return err
			}
			if !bytes.Equal(value.Entry(), b) {
				return errEntry
			}
			if err := sound(&value); err != nil {
				return err
			}
			*to = append(*to, value)
			return nil
		}}
}

// anything is sound of itself.
func anything[T any](*T) error { return nil }

// lists are the tables in the order of the file: each refers to entries of those before only.
func (t *Tables) lists() []list {
	lists := []list{
		of("message", &t.Messages, cutText, anything),
		of("history", &t.Histories, cutText, anything),
		of("local state", &t.Locals, cutLocal, t.soundLocal),
		of("inbox", &t.Inboxes, cutInbox, t.soundInbox),
		of("environment", &t.Envs, cutEnv, t.soundEnv),
		of("budget", &t.Budgets, cutBudgets, anything),
		of("memory", &t.Memories, cutMemory, anything),
	}
	for p := range t.Procs {
		lists = append(lists, of(fmt.Sprintf("configuration of proc %d", p), &t.Procs[p],
			cutConfiguration, func(c *Configuration) error { return t.soundConfiguration(p, c) }))
	}
	return lists
}

// Entry is one of a table.
type Entry interface{ Entry() []byte }

// Sort brings a table into order; it returns where each entry has gone.
func Sort[T Entry](table []T) []uint32 {
	keys, order := make([][]byte, len(table)), make([]int, len(table))
	for i := range table {
		keys[i], order[i] = table[i].Entry(), i
	}
	slices.SortFunc(order, func(i, j int) int { return bytes.Compare(keys[i], keys[j]) })
	unsorted, gone := slices.Clone(table), make([]uint32, len(table))
	for to, from := range order {
		table[to], gone[from] = unsorted[from], uint32(to)
	}
	return gone
}

func (t *Tables) proc(p int) error {
	if p >= len(t.Procs) {
		return fmt.Errorf("there is no proc %d", p)
	}
	return nil
}

func (t *Tables) soundLocal(l *Local) error { return t.proc(int(l.Proc)) }

func (t *Tables) soundInbox(box *Inbox) error {
	for i, c := range *box {
		if err := t.proc(int(c.From)); err != nil {
			return err
		}
		if len(c.Messages) == 0 {
			return fmt.Errorf("channel %d is empty", i)
		}
		if i > 0 {
			if b := (*box)[i-1]; b.From > c.From || b.From == c.From &&
				b.Incarnation >= c.Incarnation {
				return fmt.Errorf("channel %d is not behind the one before", i)
			}
		}
		for _, m := range c.Messages {
			if int(m) >= len(t.Messages) {
				return fmt.Errorf("there is no message %d", m)
			}
		}
	}
	return nil
}

func (t *Tables) soundEnv(e *Env) error {
	if int64(e.Line) > int64(len(t.Histories)) {
		return fmt.Errorf("there is no history %d", e.Line)
	}
	named := slices.Concat(e.Pending, e.Kills, e.Takes)
	if e.Host > 0 {
		named = append(named, trace.Proc(min(e.Host-1, 1<<16-1)))
	}
	for _, w := range e.Watches {
		named = append(named, w.About)
	}
	for _, t := range e.Tickets {
		named = append(named, t.By)
	}
	for _, p := range named {
		if err := t.proc(int(p)); err != nil {
			return err
		}
	}
	return nil
}

func (t *Tables) soundConfiguration(p int, c *Configuration) error {
	switch {
	case int64(c.Local) > int64(len(t.Locals)):
		return fmt.Errorf("there is no local state %d", c.Local)
	case c.Local > 0 && int(t.Locals[c.Local-1].Proc) != p:
		return fmt.Errorf("its local state is one of proc %d", t.Locals[c.Local-1].Proc)
	case int64(c.Env) >= int64(len(t.Envs)):
		return fmt.Errorf("there is no environment %d", c.Env)
	case int64(c.Inbox) >= int64(len(t.Inboxes)):
		return fmt.Errorf("there is no inbox %d", c.Inbox)
	case t.Envs[c.Env].Up != (c.Local > 0):
		return fmt.Errorf("it is up without a local state, or down with one")
	}
	return nil
}
