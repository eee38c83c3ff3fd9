package farm

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/nats-io/nats.go"

	"github.com/domino-check/domino/checker/shard"
)

// refusal is the header of an answer that is an error.
const refusal = "Domino-Error"

// mostWords bounds the text of such an error.
const mostWords = 1 << 10

// Request is that of shard.Bus.
func (e *engine) Request(ctx context.Context, subject string, data []byte) ([]byte, error) {
	if len(data) > shard.MaxRequest {
		return nil, fmt.Errorf("request to %s: %w", subject, shard.ErrTooLarge)
	}
	if err := shard.CheckKey(subject); err != nil {
		return nil, err
	}
	if _, ok := ctx.Deadline(); !ok {
		var cancel context.CancelFunc
		ctx, cancel = within(ctx)
		defer cancel()
	}
	m, err := e.conn.RequestWithContext(ctx, "domino.bus."+subject, data)
	switch {
	case errors.Is(err, nats.ErrNoResponders):
		return nil, fmt.Errorf("request to %s: %w", subject, shard.ErrNobody)
	case err != nil:
		return nil, fmt.Errorf("request to %s: %w", subject, err)
	case m.Header.Get(refusal) != "":
		return nil, fmt.Errorf("request to %s: %s", subject, m.Header.Get(refusal))
	}
	return m.Data, nil
}

// Serve is that of shard.Bus.
func (e *engine) Serve(subject string, answer func([]byte) ([]byte, error)) (func(), error) {
	if err := shard.CheckKey(subject); err != nil {
		return nil, err
	}
	s, err := e.conn.Subscribe("domino.bus."+subject, func(m *nats.Msg) {
		data, err := answer(m.Data)
		reply := &nats.Msg{Data: data}
		if err != nil {
			text := err.Error()
			text = strings.ReplaceAll(text[:min(len(text), mostWords)], "\n", " ")
			reply = &nats.Msg{Header: nats.Header{refusal: {text}}}
		}
		_ = m.RespondMsg(reply) // who has asked may have gone
	})
	if err != nil {
		return nil, fmt.Errorf("serve %s: %w", subject, err)
	}
	stop := func() { _ = s.Unsubscribe() } // the connection may be gone
	return stop, e.conn.FlushTimeout(answerIn)
}
