package campaign

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/domino-check/domino/checker/shard"
)

// Headers are all campaigns that the engine knows, the oldest first. One that can not be read is
// left out: it is of another version.
func Headers(ctx context.Context, e shard.Engine) ([]Header, error) {
	list, err := e.List(ctx, "campaign.")
	if err != nil {
		return nil, fmt.Errorf("list campaigns: %w", err)
	}
	var all []Header
	for _, entry := range list {
		var h Header
		if Decode(entry.Value, &h) == nil {
			all = append(all, h)
		}
	}
	slices.SortFunc(all, func(a, b Header) int {
		return cmp.Or(a.Began.Compare(b.Began), cmp.Compare(a.ID, b.ID))
	})
	return all, nil
}

// Answered is how many jobs of a campaign have an answer, those that were given up, too; further
// answers to one count for nothing. An error is one of the engine.
func Answered(ctx context.Context, e shard.Engine, id string) (int, error) {
	list, err := e.List(ctx, "result."+id+".")
	if err != nil {
		return 0, fmt.Errorf("list answers of campaign %s: %w", id, err)
	}
	jobs := map[string]bool{}
	for _, entry := range list {
		jobs[numbers(entry.Key)] = true
	}
	return len(jobs), nil
}

// numbers are the stage and the number of the job whose answer has the key.
func numbers(key string) string {
	job := key[strings.LastIndexByte(key, '.')+1:]
	for _, mark := range []string{againMark, otherMark, tryMark} {
		job, _, _ = strings.Cut(job, mark)
	}
	return job
}

// Members are the workers that live, by name.
func Members(ctx context.Context, e shard.Engine) ([]Member, error) {
	list, err := members(ctx, e)
	if err != nil {
		return nil, fmt.Errorf("list workers: %w", err)
	}
	return list, nil
}

// Cancel stops a campaign: workers drop its jobs within two seconds, its coordinator ends. The
// answers stay, so that it can be resumed.
func Cancel(ctx context.Context, e shard.Engine, id string) error {
	h, revision, err := Read(ctx, e, id)
	if err != nil {
		return err
	}
	if h.State != Running {
		return fmt.Errorf("campaign %s is %s already", id, h.State)
	}
	h.State = Cancelled
	if _, err = e.Update(ctx, "campaign."+id, encode(h), revision); err != nil {
		return fmt.Errorf("cancel campaign %s: %w", id, err)
	}
	return e.Purge(ctx, id)
}

// Forget removes a campaign with its answers, and by rest what else it keeps, before its name goes.
// One that is coordinated is not forgotten.
func Forget(ctx context.Context, e shard.Engine, id string, rest func(Header) error) error {
	h, revision, err := Read(ctx, e, id)
	if err != nil {
		return err
	}
	switch _, err := e.Get(ctx, "lease.campaign."+id); {
	case err == nil:
		return fmt.Errorf("campaign %s has a coordinator: cancel it first", id)
	case !errors.Is(err, shard.ErrMissing):
		return fmt.Errorf("forget campaign %s: %w", id, err)
	}
	err = errors.Join(e.Purge(ctx, id), e.Forget(ctx, "result", id), e.Forget(ctx, "returned", id),
		rest(h))
	if err != nil {
		return fmt.Errorf("forget campaign %s: %w", id, err)
	}
	return e.Delete(ctx, "campaign."+id, revision)
}
