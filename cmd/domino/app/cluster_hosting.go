package app

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/domino-check/domino/impl/runtime/disk"
	"github.com/domino-check/domino/impl/runtime/tcp/cluster"
	"github.com/domino-check/domino/spec/report/wholefile"
)

// What the folder of a run keeps for who goes on with it.

// savedHosting is where the processes of a saved run were, for who goes on with it there.
type savedHosting struct {
	Hosts     []savedHost   `json:"hosts,omitempty"`
	Address   string        `json:"address"`
	Ports     cluster.Ports `json:"ports,omitzero"`
	Fence     []string      `json:"fence,omitempty"`
	LostAfter time.Duration `json:"lostAfter,omitempty"`
	Lease     time.Duration `json:"lease,omitempty"`
	Timeout   time.Duration `json:"timeout"`
	States    bool          `json:"states,omitempty"` // evidence of states: the run is to be lifted
	Build     build         `json:"build"`            // of domino that has begun it
}

// savedHost is one of the hosts.
type savedHost struct {
	Name     string   `json:"name,omitempty"`
	Address  string   `json:"address"`
	Slots    int      `json:"slots,omitempty"`
	Launcher []string `json:"launcher,omitempty"`
}

// savedHosting is that of the case.
func (c *clusterCase) savedHosting() *savedHosting {
	h := &savedHosting{Address: c.address, Ports: c.ports, Fence: c.fence, LostAfter: c.lostAfter,
		Lease: c.lease, Timeout: c.timeout, States: c.lifts, Build: thisBuild()}
	for _, k := range c.hosts {
		h.Hosts = append(h.Hosts, savedHost(k))
	}
	return h
}

// hosting is what was saved.
func (h *savedHosting) hosting() hosting {
	k := hosting{address: h.Address, ports: h.Ports, fence: h.Fence, lostAfter: h.LostAfter,
		lease: h.Lease}
	for _, host := range h.Hosts {
		k.hosts = append(k.hosts, cluster.Host(host))
	}
	return k
}

// endsFile has how the ranks have ended in a run without failures.
const endsFile = "ends.json"

// savedEnds is its content.
type savedEnds struct {
	Digests []uint64 `json:"digests"`
	Done    []bool   `json:"done"`
	// from the first step to the last
	Elapsed time.Duration `json:"elapsed"`
}

// saveEnds keeps how a run has ended, for who goes on with another one.
func saveEnds(dir string, r *cluster.Result) error {
	text, err := json.Marshal(savedEnds{r.Digests, r.Done, r.Elapsed})
	if err != nil {
		return err
	}
	return wholefile.Write(filepath.Join(dir, endsFile), text)
}

// readEnds reads it; nil if there is none.
func readEnds(dir string) (*cluster.Result, error) {
	text, err := os.ReadFile(filepath.Join(dir, endsFile))
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	var e savedEnds
	if err == nil {
		err = json.Unmarshal(text, &e)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Join(dir, endsFile), err)
	}
	return &cluster.Result{Complete: true, Digests: e.Digests, Done: e.Done,
		Elapsed: e.Elapsed}, nil
}

// lockFile is held by whoever makes the runs of a folder, or goes on with them.
const lockFile = "lock"

// lockFolder keeps others from the folder of a run.
func lockFolder(dir string) (io.Closer, error) {
	lock, err := disk.System{}.Lock(filepath.Join(dir, lockFile), true, false)
	switch {
	case errors.Is(err, disk.ErrLocked):
		return nil, fmt.Errorf("the run in %s goes on: somebody else holds its lock", dir)
	case errors.Is(err, errors.ErrUnsupported): // no run begins there, which says so itself
		return io.NopCloser(nil), nil
	}
	return lock, err
}
