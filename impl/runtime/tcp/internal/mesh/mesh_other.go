//go:build !linux

package mesh

import (
	"runtime"
	"time"

	"github.com/domino-check/domino/impl/runtime/tcp/internal/frame"
	"github.com/domino-check/domino/spec/trace"
)

// Mesh does not exist here: New says so.
type Mesh struct{}

// New returns ErrUnsupported.
func New(Config) (*Mesh, error) { return nil, Supported(runtime.GOOS) }

// The rest is never called, because nobody has a Mesh.

// Connected returns nothing.
func (m *Mesh) Connected(trace.Proc) (trace.Incarnation, bool) { return 0, false }

// Send sends nothing.
func (m *Mesh) Send(trace.Proc, frame.Kind, uint8, []byte, []byte) bool { return false }

// Flush does nothing.
func (m *Mesh) Flush() {}

// Queued is 0.
func (m *Mesh) Queued(trace.Proc) int { return 0 }

// MostQueued is 0.
func (m *Mesh) MostQueued() int { return 0 }

// Borrowed is false.
func (m *Mesh) Borrowed() bool { return false }

// Pause does nothing.
func (m *Mesh) Pause(trace.Proc, bool) {}

// Notice returns nothing.
func (m *Mesh) Notice() (Notice, bool) { return Notice{}, false }

// Wake does nothing.
func (m *Mesh) Wake() {}

// Learn does nothing.
func (m *Mesh) Learn([]Address) {}

// Call does nothing.
func (m *Mesh) Call(trace.Proc) {}

// Fence does nothing.
func (m *Mesh) Fence(trace.Proc, trace.Incarnation) {}

// Cut does nothing.
func (m *Mesh) Cut(trace.Proc, trace.Incarnation) {}

// Waiting is nobody.
func (m *Mesh) Waiting() []Waiting { return nil }

// Unsent is 0.
func (m *Mesh) Unsent(trace.Proc) int { return 0 }

// Address is nowhere.
func (m *Mesh) Address(trace.Proc) string { return "" }

// Strangers is 0.
func (m *Mesh) Strangers() int { return 0 }

// Dial does nothing.
func (m *Mesh) Dial([]Address, time.Duration) {}

// Gather returns ErrUnsupported.
func (m *Mesh) Gather([]trace.Proc, time.Duration) error { return ErrUnsupported }

// Next returns Nothing.
func (m *Mesh) Next(*Arrival, time.Duration) What { return Nothing }

// Close does nothing.
func (m *Mesh) Close(time.Duration) {}
