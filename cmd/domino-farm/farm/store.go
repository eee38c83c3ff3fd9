package farm

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/domino-check/domino/checker/shard"
)

// grave is the header of a message that says that a key has no value any more.
const grave = "Domino-Gone"

// isGrave reports whether a message says so.
func isGrave(h nats.Header) bool { return h.Get(grave) != "" || h.Get("Nats-Marker-Reason") != "" }

// put publishes a value where the last one has the sequence.
func (e *engine) put(ctx context.Context, key string, m *nats.Msg, last uint64) (uint64, error) {
	short, cancel := within(ctx)
	defer cancel()
	stream, subject := place(key)
	m.Subject = subject
	var options []jetstream.PublishOpt
	if stream != resultsStream { // there the stream itself lets nobody be the second
		options = append(options, jetstream.WithExpectLastSequencePerSubject(last))
	}
	ack, err := e.js.PublishMsg(short, m, options...)
	switch {
	case refused(err, occupied):
		return 0, fmt.Errorf("put %s: %w", key, shard.ErrExists)
	case refused(err, otherSequence, otherToo):
		return 0, fmt.Errorf("put %s: %w", key, shard.ErrConflict)
	case err != nil:
		return 0, e.failed(ctx, "put "+key, err)
	}
	return ack.Sequence, nil
}

// last is the last message of a key, nil for none.
func (e *engine) last(ctx context.Context, key string) (*jetstream.RawStreamMsg, error) {
	if err := shard.CheckKey(key); err != nil {
		return nil, err
	}
	short, cancel := within(ctx)
	defer cancel()
	stream, subject := place(key)
	s, err := e.js.Stream(short, stream)
	if err != nil {
		return nil, e.failed(ctx, "get "+key, err)
	}
	m, err := s.GetLastMsgForSubject(short, subject)
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return nil, nil
	}
	return m, e.failed(ctx, "get "+key, err)
}

// Create is that of shard.Store.
func (e *engine) Create(ctx context.Context, key string, value []byte) (uint64, error) {
	if err := shard.CheckEntry(key, value); err != nil {
		return 0, err
	}
	revision, err := e.put(ctx, key, &nats.Msg{Data: value}, 0)
	if !errors.Is(err, shard.ErrConflict) {
		return revision, err
	}
	m, err := e.last(ctx, key)
	switch {
	case err != nil:
		return 0, err
	case m == nil || isGrave(m.Header):
		var before uint64
		if m != nil {
			before = m.Sequence
		}
		revision, err = e.put(ctx, key, &nats.Msg{Data: value}, before)
		if !errors.Is(err, shard.ErrConflict) {
			return revision, err
		}
	}
	return 0, fmt.Errorf("create %s: %w", key, shard.ErrExists)
}

// Get is that of shard.Store.
func (e *engine) Get(ctx context.Context, key string) (shard.Entry, error) {
	m, err := e.last(ctx, key)
	if err == nil && (m == nil || isGrave(m.Header)) {
		err = fmt.Errorf("get %s: %w", key, shard.ErrMissing)
	}
	if err != nil {
		return shard.Entry{}, err
	}
	return shard.Entry{Key: key, Value: m.Data, Revision: m.Sequence}, nil
}

// Update is that of shard.Store.
func (e *engine) Update(ctx context.Context, key string, value []byte, revision uint64) (uint64,
	error) {
	if err := e.changeable(key, value, revision); err != nil {
		return 0, err
	}
	return e.put(ctx, key, &nats.Msg{Data: value}, revision)
}

// Delete is that of shard.Store.
func (e *engine) Delete(ctx context.Context, key string, revision uint64) error {
	if err := e.changeable(key, nil, revision); err != nil {
		return err
	}
	_, err := e.put(ctx, key, &nats.Msg{Header: nats.Header{grave: {"1"}}}, revision)
	return err
}

// changeable reports a key that no value is put to in the place of another one.
func (e *engine) changeable(key string, value []byte, revision uint64) error {
	if stream, _ := place(key); stream == resultsStream {
		return fmt.Errorf("change %s: a result is not changed", key)
	}
	if revision == 0 {
		return fmt.Errorf("change %s: %w", key, shard.ErrConflict)
	}
	return shard.CheckEntry(key, value)
}

// Watch is that of shard.Store.
func (e *engine) Watch(ctx context.Context, prefix string) iter.Seq2[shard.Entry, error] {
	return func(yield func(shard.Entry, error) bool) {
		if err := shard.CheckPrefix(prefix); err != nil {
			yield(shard.Entry{}, err)
			return
		}
		own, cancel := context.WithCancel(ctx)
		defer cancel()
		stream, subject := place(prefix)
		c, err := e.js.OrderedConsumer(own, stream, jetstream.OrderedConsumerConfig{
			FilterSubjects: []string{subject + ">"},
			DeliverPolicy:  jetstream.DeliverLastPerSubjectPolicy})
		if err != nil {
			yield(shard.Entry{}, e.failed(ctx, "watch "+prefix, err))
			return
		}
		messages, err := c.Messages()
		if err != nil {
			yield(shard.Entry{}, e.failed(ctx, "watch "+prefix, err))
			return
		}
		defer messages.Stop()
		defer context.AfterFunc(own, messages.Stop)()
		for seen := map[string]bool{}; ; {
			m, err := messages.Next()
			if err == nil && isGrave(m.Headers()) && !seen[m.Subject()] {
				continue // it was gone before
			}
			var entry shard.Entry
			if err == nil {
				entry, err = told(m)
				seen[m.Subject()] = true
			}
			if err != nil {
				yield(entry, fmt.Errorf("watch %s: %w", prefix, errors.Join(ctx.Err(), err)))
				return
			}
			if !yield(entry, nil) {
				return
			}
		}
	}
}

// told is a message as an entry.
func told(m jetstream.Msg) (shard.Entry, error) {
	about, err := m.Metadata()
	if err != nil {
		return shard.Entry{}, err
	}
	return shard.Entry{Key: keyOf(m.Subject()), Value: m.Data(), Revision: about.Sequence.Stream,
		Gone: isGrave(m.Headers())}, nil
}

// List is that of shard.Store.
func (e *engine) List(ctx context.Context, prefix string) ([]shard.Entry, error) {
	if err := shard.CheckPrefix(prefix); err != nil {
		return nil, err
	}
	stream, subject := place(prefix)
	short, cancel := within(ctx)
	defer cancel()
	s, err := e.js.Stream(short, stream)
	if err != nil {
		return nil, e.failed(ctx, "list "+prefix, err)
	}
	info, err := s.Info(short, jetstream.WithSubjectFilter(subject+">"))
	if err != nil {
		return nil, e.failed(ctx, "list "+prefix, err)
	}
	var list []shard.Entry
	for _, subject := range slices.Sorted(maps.Keys(info.State.Subjects)) {
		entry, err := e.Get(ctx, keyOf(subject))
		if errors.Is(err, shard.ErrMissing) {
			continue
		}
		if err != nil {
			return nil, err
		}
		list = append(list, entry)
	}
	return list, nil
}

// Forget is that of shard.Store.
func (e *engine) Forget(ctx context.Context, kind, campaign string) error {
	prefix := kind + "." + campaign + "."
	if err := shard.CheckPrefix(prefix); err != nil {
		return err
	}
	stream, subject := place(prefix)
	return e.purge(ctx, stream, subject+">")
}
