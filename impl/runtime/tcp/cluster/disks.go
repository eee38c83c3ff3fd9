package cluster

import (
	"encoding/hex"
	"fmt"

	"github.com/domino-check/domino/impl/core"
	"github.com/domino-check/domino/impl/runtime/disk"
)

// journalSuffix is behind the folder of a store in the name of the journal of what is not synced.
const journalSuffix = ".journal"

// openDisk opens the store of the proc.
func (l *life) openDisk() (*disk.Store, error) {
	open, dir := disk.Open, storeDir(l.in.Dir, l.in.Proc, l.in.On)
	if l.in.Spoiled {
		open = disk.OpenSpoiled
	} else if l.in.Forget {
		open = disk.OpenSmall
	}
	if l.files == nil {
		l.files = disk.System{}
		if l.in.Forget && !l.in.Spoiled { // what the environment damages stays so
			f, err := disk.NewForgetful(dir + journalSuffix)
			if err != nil {
				return nil, err
			}
			l.files = f // the journal is open for as long as the process lives
		}
	}
	return open(l.files, dir, l.identity(l.in.Proc))
}

func (l *life) identity(p core.Proc) disk.Identity {
	return disk.Identity{Run: hex.EncodeToString(l.in.Run[:]), Proc: p}
}

// forget takes from the disk of a process that was killed what it has not synced.
func (s *supervisor) forget(p *proc) {
	if !s.c.Forget {
		return
	}
	if err := disk.Forget(storeDir(s.c.Dir, p.id, p.on)+journalSuffix, s.rng.IntN); err != nil {
		s.stop("", fmt.Errorf("cluster: the disk of %s: %w", s.setup.Layout.Name(p.id), err))
	}
}
