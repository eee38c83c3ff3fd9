//go:build !linux

package cluster

import (
	"errors"
	"time"
)

// killer would kill this process at a time.
type killer struct{}

func newKiller() (killer, error) { return killer{}, errors.ErrUnsupported }

func (killer) now() time.Duration { return 0 }

func (killer) killAt(time.Duration) error { return errors.ErrUnsupported }
