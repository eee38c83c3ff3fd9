package netpipe

import (
	"reflect"
	"slices"
	"testing"

	"github.com/domino-check/domino/impl/core"
)

// TestLog: what a program has in a buffer of the node is in the log without a copy, the same buffer
// again and again as long as the program does not write to it, and as it was when it was sent if it
// does. Bytes of the program's own are copied. Without a log, one buffer serves all.
func TestLog(t *testing.T) {
	for _, c := range []struct {
		name         string
		sent, logged int // different buffers of 50 sends; without a log, few
	}{{"hydee-2", 1, 1}, {"hydee-2+write", 50, 50}, {"hydee-2+copy", 1, 50},
		{"none+write", 0, 0}} {
		for _, size := range []int{100, 20_000} {
			p := newPair(t, c.name, false, size, 1000)
			sent := map[*byte]bool{}
			for range 50 {
				p.trip(t)
				sent[&p.ranks[0].send.Payload.Data[0]] = true
			}
			if n := len(sent); c.logged > 0 && n != c.sent || c.logged == 0 && n > 4 {
				t.Errorf("%s, %d bytes: 50 sends have used %d buffers", c.name, size, n)
			}
			log := logged(t, p, size)
			seen := map[*byte]bool{}
			for i, data := range log {
				seen[&data[0]] = true
				if number := byte(i + 1); c.name == "hydee-2+write" && (data[0] != number ||
					slices.ContainsFunc(data[1:], func(b byte) bool { return b != 0 })) {
					t.Fatalf("%s, %d bytes: message %d begins with % x in the log", c.name, size,
						i+1, data[:8])
				}
			}
			if c.logged > 0 && (len(log) != 50 || len(seen) != c.logged) {
				t.Errorf("%s, %d bytes: %d messages in %d buffers are in the log, want 50 in %d",
					c.name, size, len(log), len(seen), c.logged)
			}
			if kept := p.nodes[0].Counts().Logged; kept != uint64(len(log)*size) {
				t.Errorf("%s: %d bytes logged", c.name, kept)
			}
			p.nodes[0].Release()
			if n := p.pools[0].InUse(); n > 0 {
				t.Errorf("%s, %d bytes: %d buffers in use after the release", c.name, size, n)
			}
			p.close()
		}
	}
}

// logged are the payloads of so many bytes in the state of rank 0, which is its log.
func logged(t *testing.T, p *pair, size int) (list [][]byte) {
	t.Helper()
	var look func(v reflect.Value)
	look = func(v reflect.Value) {
		if data, ok := reflect.TypeAssert[core.Payload](v); ok {
			if len(data.Data) == size {
				list = append(list, data.Data)
			}
			return
		}
		switch v.Kind() {
		case reflect.Pointer, reflect.Interface:
			if !v.IsNil() {
				look(v.Elem())
			}
		case reflect.Slice:
			for i := range v.Len() {
				look(v.Index(i))
			}
		case reflect.Struct:
			for i := range v.NumField() {
				if v.Type().Field(i).IsExported() {
					look(v.Field(i))
				}
			}
		}
	}
	for _, part := range p.ranks[0].State() {
		look(reflect.ValueOf(part))
	}
	return list
}
