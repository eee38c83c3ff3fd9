package farm

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/domino-check/domino/checker/shard"
)

// The streams, and the subjects in them.
const (
	jobsStream    = "DOMINO_JOBS"    // domino.job.TOPIC.CAMPAIGN.ID
	resultsStream = "DOMINO_RESULTS" // domino.result.CAMPAIGN.JOB
	statesStream  = "DOMINO_STATES"  // domino.state.KEY
	leasesStream  = "DOMINO_LEASES"  // domino.lease.KEY
)

// Codes with which JetStream refuses a message.
const (
	occupied      = 10077 // there is one with the subject
	otherSequence = 10071 // the last one of the subject is another one
	otherToo      = 10164 // the same, of a stream with replicas
)

// answerIn bounds a call whose context has no end of its own.
const answerIn = 5 * time.Second

// engine is shard.Engine over JetStream.
type engine struct {
	conn     *nats.Conn
	js       jetstream.JetStream
	operator bool // may make streams
	blobs    shard.Blobs

	mu      sync.Mutex
	ensured map[string]time.Time // topics, by when their consumer was seen
}

// newEngine uses a connection. Streams are made by an operator.
func newEngine(ctx context.Context, conn *nats.Conn, operator bool,
	blobs shard.Blobs) (*engine, error) {
	js, err := jetstream.New(conn)
	if err != nil {
		return nil, fmt.Errorf("use JetStream: %w", err)
	}
	e := &engine{conn: conn, js: js, operator: operator, blobs: blobs,
		ensured: map[string]time.Time{}}
	if operator {
		return e, e.makeStreams(ctx)
	}
	return e, nil
}

// Blobs is that of shard.Engine.
func (e *engine) Blobs() shard.Blobs { return e.blobs }

// makeStreams makes the streams that are not there.
func (e *engine) makeStreams(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 4*answerIn)
	defer cancel()
	for _, c := range []jetstream.StreamConfig{
		{Name: jobsStream, Subjects: []string{"domino.job.>"},
			Retention: jetstream.WorkQueuePolicy, Discard: jetstream.DiscardNew,
			MaxMsgsPerSubject: 1, DiscardNewPerSubject: true, MaxMsgSize: shard.MaxJob + 8<<10},
		{Name: resultsStream, Subjects: []string{"domino.result.>"}, Discard: jetstream.DiscardNew,
			MaxMsgsPerSubject: 1, DiscardNewPerSubject: true, MaxMsgSize: shard.MaxValue + 8<<10,
			DenyDelete: true, AllowDirect: true},
		{Name: statesStream, Subjects: []string{"domino.state.>"}, MaxMsgsPerSubject: 1,
			MaxMsgSize: shard.MaxValue + 8<<10, AllowDirect: true},
		{Name: leasesStream, Subjects: []string{"domino.lease.>"}, MaxMsgsPerSubject: 1,
			MaxAge: shard.LeaseTime, MaxMsgSize: 64 << 10, AllowDirect: true,
			Duplicates: shard.LeaseTime},
	} {
		if _, err := e.js.CreateOrUpdateStream(ctx, c); err != nil {
			return fmt.Errorf("make stream %s: %w", c.Name, err)
		}
	}
	return nil
}

// within gives a call an end.
func within(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, answerIn)
}

// refused reports whether JetStream refuses a message with one of the codes.
func refused(err error, codes ...jetstream.ErrorCode) bool {
	var refusal *jetstream.APIError
	if !errors.As(err, &refusal) {
		return false
	}
	for _, c := range codes {
		if refusal.ErrorCode == c {
			return true
		}
	}
	return false
}

// failed says which call has failed. Where a stream is gone, it is made again for the next call.
func (e *engine) failed(ctx context.Context, what string, err error) error {
	if err == nil {
		return nil
	}
	if e.operator && ctx.Err() == nil && (errors.Is(err, jetstream.ErrNoStreamResponse) ||
		errors.Is(err, jetstream.ErrStreamNotFound) || errors.Is(err, nats.ErrNoResponders)) {
		e.mu.Lock()
		clear(e.ensured)
		e.mu.Unlock()
		err = errors.Join(err, e.makeStreams(ctx))
	}
	return fmt.Errorf("%s: %w", what, err)
}

// place is the stream and the subject of a key.
func place(key string) (stream, subject string) {
	switch kind, _, _ := strings.Cut(key, "."); kind {
	case shard.Result:
		return resultsStream, "domino." + key
	case shard.Lease:
		return leasesStream, "domino." + key
	}
	return statesStream, "domino.state." + key
}

// keyOf is the key of a subject.
func keyOf(subject string) string {
	key := strings.TrimPrefix(subject, "domino.")
	return strings.TrimPrefix(key, "state.")
}
