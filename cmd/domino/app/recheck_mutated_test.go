package app

import (
	"bytes"
	"compress/flate"
	"crypto/sha256"
	"errors"
	"io"
	"math/rand/v2"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/domino-check/domino/checker/effort"
	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/proofs/certificate"
	"github.com/domino-check/domino/proofs/recheck"
	"github.com/domino-check/domino/spec/trace"
)

// forger makes false certificates of a true one.
type forger struct {
	t       *testing.T
	random  *rand.Rand
	subject *recheck.Subject
	file    []byte // the true one
	body    []byte // what is deflated in it
	head    int    // where that begins in the file
	states  [][]uint32
	cert    *certificate.Certificate
}

func newForger(t *testing.T, name string, random *rand.Rand) *forger {
	t.Helper()
	c, w := asked(t, name, "")
	list, _ := allStates(t, w)
	var b bytes.Buffer
	if err := w.WriteCertificate(&b, certificate.Header{Text: c.Subject, MustSee: c.MustSee},
		slices.Values(list), certificate.Room{}); err != nil {
		t.Fatal(err)
	}
	f := &forger{t: t, random: random, subject: subjectOf(&c, w.Facts), file: b.Bytes()}
	f.subject.Machines = &taught{f.subject.Machines, map[string]taughtStep{},
		map[string][]int{}, map[string]*trace.History{}}
	f.head = bytes.IndexByte(f.file, '\n') + 1
	f.head += bytes.IndexByte(f.file[f.head:], '\n') + 1
	body, err := io.ReadAll(flate.NewReader(bytes.NewReader(
		f.file[f.head : len(f.file)-sha256.Size])))
	if err != nil {
		t.Fatal(err)
	}
	f.body = body
	f.cert = f.read(f.file)
	f.states = vectorsOf(f.cert)
	if _, err := recheck.Check(t.Context(), f.subject, f.cert); err != nil {
		t.Fatalf("%s: the true one: %v", name, err)
	}
	return f
}

// taught are machines that know what they have done before: thousands of certificates of a scenario
// differ in little, and what is asked here is not whether machines are deterministic.
type taught struct {
	recheck.Machines
	steps     map[string]taughtStep
	choices   map[string][]int
	histories map[string]*trace.History
}

type taughtStep struct {
	done *recheck.Done
	err  error
}

// of is the key of a state.
func (*taught) of(p trace.Proc, state []byte) string {
	return string(append([]byte{byte(p >> 8), byte(p)}, state...))
}

func (m *taught) Step(l *certificate.Local, in *recheck.Input) (*recheck.Done, error) {
	key := string(core.Encode([]any{l.Proc, l.Incarnation, l.State, int(in.Happening), in.From,
		in.Incarnation, in.Message, in.Procs, in.Records, in.Key, in.Timer, in.Choice}))
	s, ok := m.steps[key]
	if !ok {
		s.done, s.err = m.Machines.Step(l, in)
		m.steps[key] = s
	}
	return s.done, s.err
}

func (m *taught) Choices(p trace.Proc, state []byte) (list []int, err error) {
	key := m.of(p, state)
	list, ok := m.choices[key]
	if !ok {
		if list, err = m.Machines.Choices(p, state); err == nil {
			m.choices[key] = list
		}
	}
	return list, err
}

func (m *taught) History(p trace.Proc, state []byte) (h *trace.History, err error) {
	key := m.of(p, state)
	h, ok := m.histories[key]
	if !ok {
		if h, err = m.Machines.History(p, state); err == nil {
			m.histories[key] = h
		}
	}
	return h, err
}

// vectorsOf are the states of a certificate.
func vectorsOf(cert *certificate.Certificate) (states [][]uint32) {
	for i := range cert.States.Len() {
		state := make([]uint32, cert.States.Words())
		cert.States.At(i, state)
		states = append(states, state)
	}
	return states
}

func (f *forger) read(b []byte) *certificate.Certificate {
	f.t.Helper()
	cert, err := certificate.Read(bytes.NewReader(b), int64(len(b)), 0)
	if err != nil {
		f.t.Fatal(err)
	}
	return cert
}

// flipped has another bit.
func (f *forger) flipped(b []byte, from int) []byte {
	b = slices.Clone(b)
	b[from+f.random.IntN(len(b)-from)] ^= 1 << f.random.IntN(8)
	return b
}

// around is a certificate with another body, and a checksum that is right.
func (f *forger) around(body []byte) []byte {
	var b bytes.Buffer
	b.Write(f.file[:f.head])
	w, err := flate.NewWriter(&b, flate.NoCompression)
	if err != nil {
		f.t.Fatal(err)
	}
	_, _ = w.Write(body) // into memory
	_ = w.Close()
	return summed(b.Bytes())
}

// summed makes the checksum of a file without one right.
func summed(b []byte) []byte {
	sum := sha256.Sum256(b)
	return append(slices.Clone(b), sum[:]...)
}

// written is a certificate with other tables and states, or why there can be none.
func (f *forger) written(tables *certificate.Tables, states [][]uint32) ([]byte, error) {
	var b bytes.Buffer
	err := certificate.Write(&b, &f.cert.Header, tables, slices.Values(states), certificate.Room{})
	return b.Bytes(), err
}

// mixed is a state of which one word is that of another one.
func (f *forger) mixed() []uint32 {
	state := slices.Clone(f.states[f.random.IntN(len(f.states))])
	word := f.random.IntN(len(state))
	state[word] = f.states[f.random.IntN(len(f.states))][word]
	return state
}

// same reports whether a certificate says what the true one says.
func (f *forger) same(cert *certificate.Certificate) bool {
	return reflect.DeepEqual(cert.Tables, f.cert.Tables) &&
		slices.EqualFunc(vectorsOf(cert), f.states, slices.Equal)
}

// forged is a false certificate, nil when the dice made a true one, and how it was made.
func (f *forger) forged() (b []byte, how string) {
	at := f.random.IntN(len(f.states))
	without := slices.Delete(slices.Clone(f.states), at, at+1)
	mixed := f.mixed()
	_, known := slices.BinarySearchFunc(f.states, mixed, slices.Compare[[]uint32])
	var err error
	switch f.random.IntN(7) {
	case 0:
		return summed(f.flipped(f.file[:len(f.file)-sha256.Size], f.head)), "a bit of the file"
	case 1:
		return f.around(f.flipped(f.body, 0)), "a bit of the body"
	case 2:
		i := f.random.IntN(len(f.body))
		return f.around(slices.Delete(slices.Clone(f.body), i, i+1)), "without a byte"
	case 3:
		how = "without a state"
		b, err = f.written(&f.cert.Tables, without)
	case 4:
		if how = "with a state"; !known {
			b, err = f.written(&f.cert.Tables, append(slices.Clip(f.states), mixed))
		}
	case 5:
		if how = "another state"; !known {
			b, err = f.written(&f.cert.Tables, append(without, mixed))
		}
	case 6:
		how = "another entry"
		cert := f.read(f.file)
		if flipEntry(&cert.Tables, f.random); !f.same(cert) {
			b, err = f.written(&cert.Tables, f.states)
		}
	}
	if err != nil {
		return nil, how
	}
	return b, how
}

// placed matches a refusal that says where: at which state, entry of a table, or part of the file.
var placed = regexp.MustCompile(`(state|message|history|inbox|environment|budget|memory|` +
	`configuration of proc \d+) \d+|number of (entries|states)|its \d+ states|` +
	`behind its (last state|body)|the initial state`)

// TestForgedCertificates forges certificates, with checksums that are right: of a scenario there is
// one that is true, which has every state that is reached, no other, and nothing in its tables that
// no state needs. So any other is refused, with the place, by the reader or by the re-checker, and
// neither panics. A hundred thousand of them take some five minutes of one core:
//
//	DOMINO_TESTS=huge go test ./cmd/domino/app -run TestForgedCertificates -timeout 2h -v
func TestForgedCertificates(t *testing.T) {
	t.Parallel()
	names := strings.Fields("h5 radic-hmpl-zombie-logger")
	n := effort.Of(10, 100)
	if effort.Long() {
		names = strings.Fields("h5 h11-orphan radic-hmpl-zombie-logger koo-toueg-refuses " +
			"koo-toueg-transit causal-s4 causal-unordered pess-forgets sbml-output-behind m31")
	}
	if effort.Huge() {
		n = 10_000
	}
	for i, name := range names {
		f := newForger(t, name, rand.New(rand.NewPCG(uint64(i), 9)))
		refused, unread := map[string]int{}, 0
		for made := 0; made < n; {
			b, how := f.forged()
			if b == nil {
				continue
			}
			cert, err := certificate.Read(bytes.NewReader(b), int64(len(b)), 1<<30)
			switch {
			case err != nil:
				unread++
			case f.same(cert):
				continue // the bit was one of the deflated form
			default:
				_, err = recheck.Check(t.Context(), f.subject, cert)
			}
			made++
			switch {
			case !errors.Is(err, certificate.ErrRefused):
				t.Fatalf("%s, case %d, %s: %v", name, made, how, err)
			case strings.Contains(err.Error(), "refused: panic"):
				t.Errorf("%s, case %d, %s: %v", name, made, how, err)
			case !placed.MatchString(err.Error()):
				t.Errorf("%s, case %d, %s: it does not say where: %v", name, made, how, err)
			}
			refused[how]++
		}
		t.Logf("%s: %d states, %d false, %d of them not well-formed: %v", name, len(f.states), n,
			unread, refused)
	}
}
