package simulate

import (
	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/program"
	"github.com/domino-check/domino/impl/runtime/emulate"
)

// Images of a declared size travel in messages where a rank gets its image by message
// (promise.Fetches): to a logger, a protector or a vault, which keeps it on the disk or in the
// memory of its node, and back. The rank copies it out of its memory, and into it again.

// chunk is how many bytes of an image leave before another message may, of a machine that does not
// say: 64 KiB, as much as a system puts into one segment for a card.
const chunk = 64 << 10

// carries reports whether images of a declared size travel in messages.
func (j *Job) carries() bool { return j.Image > 0 && j.Setup.Fetches }

// inside is how many images a message carries, and the bytes that they have.
func inside(m core.Message) (images int, bytes int64) {
	if f, framed := m.(core.Framed); framed {
		if _, fixed := f.AppendHeader(nil); fixed {
			return 0, 0
		}
	}
	return program.ImageBytes(core.Encode(m))
}

// images is what a message has beside its bytes.
func (m *meter) images(_ *emulate.Run, from, to core.Proc, message core.Message) emulate.Images {
	n, bytes := inside(message)
	if n == 0 {
		return emulate.Images{}
	}
	size := int64(n) * m.job.Image
	m.out.Images += n
	m.out.Carried += size
	i := emulate.Images{More: size - bytes}
	if m.job.FreeBytes {
		i.More = 0
	}
	if ranks := m.job.Setup.Layout.Ranks; int(from) >= ranks {
		i.Read = size
	}
	if ranks := m.job.Setup.Layout.Ranks; int(to) >= ranks {
		i.Written = size
	}
	return i
}

// loaded is how many bytes of images a rank copies in a step, out of its memory or into it.
func (m *meter) loaded(p core.Proc, in *core.Input, effects []core.Effect) (bytes int64) {
	if int(p) >= m.job.Setup.Layout.Ranks {
		return 0
	}
	size := func(message core.Message) int64 {
		n, _ := inside(message)
		return int64(n) * m.job.Image
	}
	if in.Kind == core.Received {
		bytes += size(in.Message)
	}
	for i := range effects {
		if effects[i].Kind != core.SendMessage {
			continue
		}
		if n := size(effects[i].Message); n > 0 {
			bytes += n
			m.making(p, bytes)
		}
	}
	return bytes
}
