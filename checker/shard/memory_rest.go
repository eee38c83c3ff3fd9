package shard

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// errUnanswered is what remains of a question whose server has crashed over it.
var errUnanswered = errors.New("no answer: it may have been heard")

// service is who answers a subject in the memory.
type service struct {
	turn    chan struct{} // one question after the other; a channel, as synctest sees who waits
	process *Process
	answer  func([]byte) ([]byte, error)
}

// Serve is that of Bus. Who serves a subject takes it from who did before.
func (p *Process) Serve(subject string, answer func([]byte) ([]byte, error)) (func(), error) {
	s := &service{turn: make(chan struct{}, 1), process: p, answer: answer}
	err := CheckKey(subject)
	if err == nil {
		err = p.call(context.Background(), "serve", func() error {
			p.served[subject] = s
			return nil
		})
	}
	return func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		if p.served[subject] == s {
			delete(p.served, subject)
		}
	}, err
}

// Request is that of Bus.
func (p *Process) Request(ctx context.Context, subject string, data []byte) ([]byte, error) {
	if len(data) > MaxRequest {
		return nil, fmt.Errorf("request to %s: %w", subject, ErrTooLarge)
	}
	var answer []byte
	err := p.call(ctx, "request", func() error {
		s := p.served[subject]
		if s == nil {
			return fmt.Errorf("%s: %w", subject, ErrNobody)
		}
		p.mu.Unlock()
		defer p.mu.Lock()
		select {
		case s.turn <- struct{}{}:
		case <-ctx.Done():
			return ctx.Err()
		}
		defer func() { <-s.turn }()
		if s.process.crashed() {
			return errUnanswered
		}
		got, err := s.answer(bytes.Clone(data))
		if s.process.crashed() {
			return errUnanswered
		}
		answer = bytes.Clone(got)
		return err
	})
	if err != nil {
		return nil, err
	}
	return answer, nil
}

// Blobs are those of all processes.
func (p *Process) Blobs() Blobs { return memoryBlobs{p} }

// memoryBlobs are large values in the memory.
type memoryBlobs struct{ p *Process }

// Put is that of Blobs.
func (b memoryBlobs) Put(ctx context.Context, name string, data []byte) error {
	if err := CheckName(name); err != nil {
		return err
	}
	return b.p.call(ctx, "blobs.put", func() error {
		if old, ok := b.p.blobs[name]; ok && !bytes.Equal(old, data) {
			return fmt.Errorf("blob %s: %w, with other content", name, ErrExists)
		}
		b.p.blobs[name] = append([]byte{}, data...)
		return nil
	})
}

// Get is that of Blobs.
func (b memoryBlobs) Get(ctx context.Context, name string) (data []byte, err error) {
	err = b.p.call(ctx, "blobs.get", func() error {
		old, ok := b.p.blobs[name]
		if !ok {
			return fmt.Errorf("blob %s: %w", name, ErrMissing)
		}
		data = slices.Clone(old)
		return nil
	})
	return data, err
}

// Range is that of Blobs.
func (b memoryBlobs) Range(ctx context.Context, name string, offset, length int64) (data []byte,
	err error) {
	err = b.p.call(ctx, "blobs.range", func() error {
		old, ok := b.p.blobs[name]
		size := int64(len(old))
		switch {
		case !ok:
			return fmt.Errorf("blob %s: %w", name, ErrMissing)
		case offset < 0 || length < 0 || offset > size || length > size-offset:
			return fmt.Errorf("blob %s: want %d bytes from %d, it has %d", name, length, offset,
				size)
		}
		data = slices.Clone(old[offset : offset+length])
		return nil
	})
	return data, err
}

// List is that of Blobs.
func (b memoryBlobs) List(ctx context.Context, folder string) (list []string, err error) {
	err = b.p.call(ctx, "blobs.list", func() error {
		for _, name := range slices.Sorted(maps.Keys(b.p.blobs)) {
			if strings.HasPrefix(name, folder+"/") {
				list = append(list, name)
			}
		}
		return nil
	})
	return list, err
}

// Forget is that of Blobs.
func (b memoryBlobs) Forget(ctx context.Context, folder string) error {
	return b.p.call(ctx, "blobs.forget", func() error {
		maps.DeleteFunc(b.p.blobs, func(name string, _ []byte) bool {
			return strings.HasPrefix(name, folder+"/")
		})
		return nil
	})
}
