package emulate

import "github.com/domino-check/domino/impl/core"

// copied is a message as its addressee gets it, since its sender may use it again, and its bytes
// where messages travel by their headers (Config.Wire).
func (r *Run) copied(from core.Proc, m core.Message) (again core.Message, bytes int64) {
	if !r.config.Wire {
		return r.cloned(m), 0
	}
	f, framed := m.(core.Framed)
	if framed {
		var fixed bool
		if r.header, fixed = f.AppendHeader(r.header[:0]); fixed {
			return r.parsed(from, f.Content().Data)
		}
	}
	again = r.cloned(m)
	return again, int64(len(core.Encode(m)))
}

// cloned is a copy of a message that stays valid.
func (r *Run) cloned(m core.Message) core.Message {
	if lazy, ok := m.(core.Lazy); ok {
		lazy.Complete()
	}
	again := r.setup.NewMessage()
	core.CloneMessage(m, again)
	return again
}

// parsed is the message of the header that has just been written.
func (r *Run) parsed(from core.Proc, data []byte) (core.Message, int64) {
	var m core.Framed
	if n := len(r.pool); n > 0 {
		m, r.pool = r.pool[n-1], r.pool[:n-1]
	} else {
		m = r.setup.NewMessage().(core.Framed)
	}
	if err := m.ParseHeader(r.header, from); err != nil {
		panic("its own header is not understood: " + err.Error())
	}
	m.Content().Data = data
	return m, int64(len(r.header) + len(data))
}

// recycle takes back a message that was valid during one step.
func (r *Run) recycle(m core.Message) {
	if f, ok := m.(core.Framed); ok && r.config.Wire {
		r.pool = append(r.pool, f)
	}
}
