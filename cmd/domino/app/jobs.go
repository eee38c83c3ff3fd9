package app

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/domino-check/domino/checker/shard/campaign"
)

// jobKind is one kind of job that a command may have done elsewhere. A job is data: never a command
// line, and never the name of a file.
type jobKind struct {
	name  string
	class string
	loose bool // clocks have a say in what comes of it
	run   func(ctx context.Context, std *streams, data []byte,
		progress func(any)) (answer, aside any, err error)
}

// jobKinds are all of them.
func jobKinds() []jobKind {
	return []jobKind{
		{"check", campaign.Plain, false, performing(checkJob.perform)},
		{"fuzz", campaign.Plain, false, performing(fuzzJob.perform)},
		{"erratum", campaign.Plain, false, performing(erratumJob.perform)},
		{"mutant", campaign.Plain, true, performing(mutateJob.perform)}, // its budget is time
		{"level", campaign.Plain, true, performing(shardJob.perform)},
		{"torture", campaign.Torture, true, performing(tortureJob.perform)},
	}
}

// performing reads the data of a job, strictly, and has it done.
func performing[J any](do func(J, context.Context, *streams, func(any)) (answer, aside any,
	err error)) func(context.Context, *streams, []byte, func(any)) (any, any, error) {
	return func(ctx context.Context, std *streams, data []byte, progress func(any)) (any, any,
		error) {
		var job J
		if err := campaign.Decode(data, &job); err != nil {
			return nil, nil, fmt.Errorf("read a job: %w", err)
		}
		return do(job, ctx, std, progress)
	}
}

// kindOf is the kind with the name.
func kindOf(name string) (k jobKind, ok bool) {
	list := jobKinds()
	i := slices.IndexFunc(list, func(k jobKind) bool { return k.name == name })
	if i < 0 {
		return k, false
	}
	return list[i], true
}

func classOf(kind string) string {
	k, _ := kindOf(kind) // a test holds all that are asked for
	return k.class
}

func isLoose(kind string) bool {
	k, _ := kindOf(kind)
	return k.loose
}

// perform does a job for a worker.
func (std *streams) perform(ctx context.Context, kind string, data []byte,
	progress func(any)) (answer, aside any, err error) {
	k, ok := kindOf(kind)
	if !ok {
		return nil, nil, fmt.Errorf("unknown kind of job %q", kind)
	}
	return k.run(ctx, std, data, progress)
}

// encodeJob writes a job that was made here.
func encodeJob(job any) []byte {
	data, err := json.Marshal(job)
	if err != nil {
		panic(fmt.Sprintf("invariant: a job is data: %v", err))
	}
	return data
}

// quiet is the streams of a job, which prints nothing.
func (std *streams) quiet() streams {
	return streams{Catalogue: std.Catalogue, out: new(strings.Builder), err: new(strings.Builder)}
}
