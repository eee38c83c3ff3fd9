package farm

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/domino-check/domino/checker/shard"
)

// ensureEvery is how often it is looked whether the consumer of a topic is there still.
const ensureEvery = 10 * time.Second

// mostAtWork is how many jobs of a topic may be at work at a time, in all.
const mostAtWork = 1 << 14

// publishedAtOnce is how many jobs are handed over before the first is acknowledged.
const publishedAtOnce = 256

// Publish is that of shard.Queue.
func (e *engine) Publish(ctx context.Context, jobs ...shard.Job) error {
	for _, j := range jobs {
		if err := j.Check(); err != nil {
			return err
		}
		if err := e.ensure(ctx, j.Topic); err != nil {
			return err
		}
	}
	for len(jobs) > 0 {
		n := min(len(jobs), publishedAtOnce)
		if err := e.publish(ctx, jobs[:n]); err != nil {
			return e.failed(ctx, "publish jobs", err)
		}
		jobs = jobs[n:]
	}
	return nil
}

func (e *engine) publish(ctx context.Context, jobs []shard.Job) error {
	ctx, cancel := within(ctx)
	defer cancel()
	var all []jetstream.PubAckFuture
	for _, j := range jobs {
		m := &nats.Msg{Data: j.Data,
			Subject: "domino.job." + j.Topic + "." + j.Campaign + "." + j.ID}
		future, err := e.js.PublishMsgAsync(m)
		if err != nil {
			return err
		}
		all = append(all, future)
	}
	for _, future := range all {
		select {
		case <-future.Ok():
		case err := <-future.Err():
			if !refused(err, occupied) { // else it is waiting, or at work
				return err
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// ensure makes the consumer of a topic.
func (e *engine) ensure(ctx context.Context, topic string) error {
	e.mu.Lock()
	fresh := time.Since(e.ensured[topic]) < ensureEvery
	e.mu.Unlock()
	if fresh {
		return nil
	}
	short, cancel := within(ctx)
	defer cancel()
	_, err := e.js.CreateOrUpdateConsumer(short, jobsStream, jetstream.ConsumerConfig{
		Durable: topic, FilterSubject: "domino.job." + topic + ".>",
		AckPolicy: jetstream.AckExplicitPolicy,
		AckWait:   shard.RedeliverAfter, MaxDeliver: -1, MaxAckPending: mostAtWork})
	if err != nil {
		return e.failed(ctx, "make the queue of "+topic, err)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.ensured[topic] = time.Now()
	return nil
}

// Next is that of shard.Queue.
func (e *engine) Next(ctx context.Context, topic string) (shard.Delivery, error) {
	for ctx.Err() == nil {
		d, err := e.next(ctx, topic)
		switch {
		case d != nil:
			return d, nil
		case errors.Is(err, jetstream.ErrConsumerNotFound),
			errors.Is(err, jetstream.ErrStreamNotFound),
			errors.Is(err, jetstream.ErrConsumerDeleted):
			select { // nobody has published anything yet
			case <-time.After(300 * time.Millisecond):
			case <-ctx.Done():
			}
		case err != nil && !errors.Is(err, nats.ErrTimeout) && ctx.Err() == nil &&
			!errors.Is(err, context.DeadlineExceeded):
			return nil, fmt.Errorf("next job of %s: %w", topic, err)
		}
	}
	return nil, ctx.Err()
}

// next asks for one job for a while; nil is none.
func (e *engine) next(ctx context.Context, topic string) (shard.Delivery, error) {
	short, cancel := within(ctx)
	defer cancel()
	c, err := e.js.Consumer(short, jobsStream, topic)
	if err != nil {
		return nil, err
	}
	for ctx.Err() == nil {
		long, cancel := context.WithTimeout(ctx, 30*time.Second)
		batch, err := c.Fetch(1, jetstream.FetchContext(long))
		if err != nil {
			cancel()
			return nil, err
		}
		m := <-batch.Messages()
		cancel()
		if m == nil {
			if err := batch.Error(); err != nil && !errors.Is(err, context.DeadlineExceeded) {
				return nil, err
			}
			continue
		}
		d, err := taken(m)
		if err != nil {
			_ = m.Term() // it is no job: nobody can do it
			return nil, err
		}
		return d, nil
	}
	return nil, nil
}

// Purge is that of shard.Queue.
func (e *engine) Purge(ctx context.Context, campaign string) error {
	if err := shard.CheckKey(campaign); err != nil {
		return err
	}
	return e.purge(ctx, jobsStream, "domino.job.*."+campaign+".>")
}

// purge removes the messages of a subject.
func (e *engine) purge(ctx context.Context, stream, subject string) error {
	ctx, cancel := within(ctx)
	defer cancel()
	s, err := e.js.Stream(ctx, stream)
	if err == nil {
		err = s.Purge(ctx, jetstream.WithPurgeSubject(subject))
	}
	return e.failed(ctx, "purge "+subject, err)
}

// delivery is shard.Delivery of a message.
type delivery struct {
	jetstream.Msg
	job     shard.Job
	attempt int
}

// taken is a message as a job.
func taken(m jetstream.Msg) (*delivery, error) {
	words := strings.Split(m.Subject(), ".")
	about, err := m.Metadata()
	if err != nil || len(words) != 5 {
		return nil, fmt.Errorf("message %s is no job: %w", m.Subject(), err)
	}
	return &delivery{m, shard.Job{Topic: words[2], Campaign: words[3], ID: words[4],
		Data: m.Data()}, int(min(about.NumDelivered, 1<<30))}, nil
}

// Job is that of shard.Delivery.
func (d *delivery) Job() shard.Job { return d.job }

// Attempt is that of shard.Delivery.
func (d *delivery) Attempt() int { return d.attempt }

// Working is that of shard.Delivery.
func (d *delivery) Working(context.Context) error { return d.InProgress() }

// Ack is that of shard.Delivery.
func (d *delivery) Ack(ctx context.Context) error {
	ctx, cancel := within(ctx)
	defer cancel()
	if err := d.DoubleAck(ctx); err != nil {
		return fmt.Errorf("acknowledge job %s: %w", d.job, err)
	}
	return nil
}

// Return is that of shard.Delivery.
func (d *delivery) Return(context.Context) error {
	if err := d.Nak(); err != nil {
		return fmt.Errorf("return job %s: %w", d.job, err)
	}
	return nil
}
