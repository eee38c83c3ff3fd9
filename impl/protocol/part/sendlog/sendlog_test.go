package sendlog_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/protocol/part/sendlog"
)

// entry is what a small protocol logs.
type entry struct {
	_       struct{} `cbor:",toarray"`
	Date    uint64
	Payload core.Payload
}

func (e *entry) Number() uint64         { return e.Date }
func (e *entry) Content() *core.Payload { return &e.Payload }

type messageLog = sendlog.Log[entry, *entry]

// memory keeps copies and overwrites what it gets back, so that whoever refers to it is found.
type memory struct{ live int }

func (m *memory) Keep(data []byte) []byte {
	m.live++
	return slices.Clone(data)
}

func (m *memory) Copy(data []byte) []byte { return m.Keep(data) }

func (m *memory) Free(data []byte) {
	m.live--
	for i := range data {
		data[i] = '#'
	}
}

// program is a program that uses one buffer for all that it sends.
type program struct {
	log    messageLog
	keeper *sendlog.Keeper
	buffer [1]byte
	date   uint64
}

func (p *program) send(b byte) {
	p.buffer[0] = b
	p.date += 2
	p.log.Append(p.keeper, entry{Date: p.date,
		Payload: core.Payload{ID: core.MsgID{Number: uint32(p.date)}, Data: p.buffer[:]}})
}

func (p *program) text() string {
	var all [][]byte
	for _, e := range p.log {
		all = append(all, e.Payload.Data)
	}
	return string(bytes.Join(all, nil))
}

// TestLoan: the log borrows the bytes of a send until the keeper settles and has its own then.
func TestLoan(t *testing.T) {
	m := &memory{}
	p := &program{keeper: new(sendlog.Keeper)}
	p.keeper.UseMemory(m)
	for _, b := range []byte("abc") {
		p.send(b)
		p.keeper.Settle()
		p.keeper.Settle() // a step that logs nothing
	}
	if p.text() != "abc" || m.live != 3 || !p.keeper.Copies() {
		t.Errorf("%q with %d copies, want abc with 3", p.text(), m.live)
	}
}

// TestForgotten: whoever does not settle sees what the program makes of its buffer, and is told at
// the next send.
func TestForgotten(t *testing.T) {
	m := &memory{}
	p := &program{keeper: new(sendlog.Keeper)}
	p.keeper.UseMemory(m)
	p.send('a')
	p.buffer[0] = 'x'
	if p.text() != "x" || m.live != 0 {
		t.Errorf("%q with %d copies, want the program's byte", p.text(), m.live)
	}
	defer func() {
		if text := fmt.Sprint(recover()); !strings.Contains(text, "one message at most") {
			t.Errorf("a second message before settling: %s", text)
		}
	}()
	p.send('b')
}

// TestNoMemory: in a search nothing is copied and nothing given back.
func TestNoMemory(t *testing.T) {
	p := &program{keeper: new(sendlog.Keeper)}
	p.send('a')
	p.keeper.Settle()
	if &p.log[0].Payload.Data[0] != &p.buffer[0] || p.keeper.Copies() {
		t.Error("the log has bytes of its own")
	}
	p.log.Release(p.keeper)
	if p.buffer[0] != 'a' || p.log != nil {
		t.Errorf("released: %q, %v", p.buffer, p.log)
	}
}

// TestPrune removes messages from everywhere in the log, each asked about once and in order, and
// gives back the bytes of those alone, unless something else refers to them.
func TestPrune(t *testing.T) {
	for gone := range 1 << 4 {
		for _, shared := range []bool{false, true} {
			m := &memory{}
			p := &program{keeper: new(sendlog.Keeper)}
			p.keeper.UseMemory(m)
			for _, b := range []byte("abcd") {
				p.send(b)
				p.keeper.Settle()
			}
			before, keeper := slices.Clone(p.log), p.keeper
			if shared {
				keeper = nil
			}
			asked, want, given := "", "", ""
			p.log.Prune(keeper, func(e *entry) bool {
				asked += string(e.Payload.Data)
				return gone>>(e.Date/2-1)&1 != 0
			})
			for i, b := range []byte("abcd") {
				if gone>>i&1 == 0 {
					want += string(b)
				} else if !shared {
					b = '#'
				}
				given += string(b)
			}
			held := ""
			for _, e := range before {
				held += string(e.Payload.Data)
			}
			if asked != "abcd" || p.text() != want || held != given {
				t.Errorf("gone %04b shared %v: asked %q, left %q, bytes %q; want %q and %q", gone,
					shared, asked, p.text(), held, want, given)
			}
			for _, e := range p.log[len(p.log):cap(p.log)] {
				if e.Payload.Data != nil {
					t.Errorf("gone %04b: room beyond the end refers to %q", gone, e.Payload.Data)
				}
			}
		}
	}
}

// TestNumbers compares After and Find with a look at every entry, for all logs of up to four of the
// numbers 1 to 6.
func TestNumbers(t *testing.T) {
	logs := 0
	for set := range 1 << 6 {
		var log messageLog
		for n := uint64(1); n <= 6; n++ {
			if set>>(n-1)&1 != 0 {
				log = append(log, entry{Date: n})
			}
		}
		if len(log) > 4 {
			continue
		}
		logs++
		for n := range uint64(8) {
			var after messageLog
			var found *entry
			for i := range log {
				if log[i].Date > n {
					after = append(after, log[i])
				}
				if log[i].Date == n {
					found = &log[i]
				}
			}
			if got := sendlog.After(log, n); !slices.EqualFunc(got, after, func(a, b entry) bool {
				return a.Date == b.Date
			}) {
				t.Errorf("after %d of %v: %v", n, log, got)
			}
			if got := sendlog.Find(log, n); got != found {
				t.Errorf("find %d in %v: %v", n, log, got)
			}
		}
	}
	if logs != 57 {
		t.Errorf("%d logs, want 57", logs)
	}
}

// TestPlainData: a log is encoded as the list of its entries, nil as the empty one.
func TestPlainData(t *testing.T) {
	list := []entry{{Date: 1, Payload: core.Payload{Data: []byte("x")}}, {Date: 5}}
	if diff := cmp.Diff(core.Encode(list), core.Encode(messageLog(list))); diff != "" {
		t.Error(diff)
	}
	if !bytes.Equal(core.Encode(messageLog(nil)), core.Encode([]entry{})) {
		t.Error("nil is not encoded as empty")
	}
	var read messageLog
	if err := core.Decode(core.Encode(list), &read); err != nil || len(read) != 2 ||
		read[1].Date != 5 {
		t.Errorf("read back %v, %v", read, err)
	}
}

// TestNoAllocation: a message that is logged, found and pruned allocates nothing once there is
// room.
func TestNoAllocation(t *testing.T) {
	p := &program{keeper: new(sendlog.Keeper)}
	p.keeper.UseMemory(still{})
	for range 20 {
		p.send('x')
		p.keeper.Settle()
	}
	var out []core.Effect
	if n := testing.AllocsPerRun(100, func() {
		p.send('x')
		p.keeper.Settle()
		if sendlog.Find(p.log, p.date) == nil || len(sendlog.After(p.log, p.date-2)) != 1 {
			t.Fatal("not found")
		}
		upTo := p.log[0].Date
		out = out[:0]
		p.log.Prune(p.keeper, func(e *entry) bool {
			if e.Date > upTo {
				return false
			}
			out = append(out, core.Effect{ID: e.Payload.ID})
			return true
		})
		if len(out) != 1 {
			t.Fatalf("%d pruned", len(out))
		}
	}); n != 0 {
		t.Errorf("%v allocations, want 0", n)
	}
}

// still is a memory that does nothing.
type still struct{}

func (still) Keep(data []byte) []byte { return data }
func (still) Copy(data []byte) []byte { return data }
func (still) Free([]byte)             {}
