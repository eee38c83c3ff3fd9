package app

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/domino-check/domino/scenarios"
	"github.com/domino-check/domino/spec/fault"
	"github.com/domino-check/domino/spec/report/wholefile"
)

// planFile is the name under which a run is saved.
const planFile = "plan.json"

// savedRun is what it takes to make a run as processes again. What happens then depends on the
// machine, too.
type savedRun struct {
	versioned
	Scenario  string        `json:"scenario"`
	Text      string        `json:"text"` // the scenario itself
	Seed      uint64        `json:"seed"`
	Spread    time.Duration `json:"spread"`
	DiskDelay time.Duration `json:"diskDelay,omitempty"`
	Model     fault.Model   `json:"model"`
	strikes
	Hosting     *savedHosting  `json:"hosting,omitempty"` // of cluster run
	TortureSeed uint64         `json:"tortureSeed,omitempty"`
	Run         int            `json:"run,omitempty"` // of torture
	Report      *clusterReport `json:"report,omitempty"`
}

// saved is the case with its failures.
func (c *clusterCase) saved(k strikes, seed uint64) *savedRun {
	return &savedRun{versioned: as("plan"),
		Scenario: c.scenario.Name, Text: string(scenarios.Format(c.scenario)),
		Seed: seed, Spread: c.spread, DiskDelay: c.diskDelay, Model: c.resolved.Model, strikes: k}
}

// save writes the run into a folder.
func (r *savedRun) save(dir string) error {
	text, err := json.MarshalIndent(r, "", " ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	return wholefile.Write(filepath.Join(dir, planFile), append(text, '\n'))
}

// readPlan reads a saved run. If the user has named a scenario, it must be the same.
func readPlan(name string, named *scenarios.Scenario) (*savedRun, *scenarios.Scenario, error) {
	text, err := smallFile(name)
	if err != nil {
		return nil, nil, err
	}
	var r savedRun
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&r); err != nil || r.Text == "" {
		if errors.Is(err, io.EOF) {
			err = errors.New("it is empty")
		} else if err == nil {
			err = errors.New("it has no scenario")
		}
		return nil, nil,
			fmt.Errorf("%s is no plan: %w; want a %s that this version of domino has written", name,
				err, planFile)
	}
	if named != nil && !bytes.Equal(scenarios.Format(named), []byte(r.Text)) {
		return nil, nil,
			fmt.Errorf(
				"%s is a plan for scenario %s as it was then, not for this %s: name no "+
					"scenario to "+
					"run that one", name, r.Scenario, named.Name)
	}
	s, err := scenarios.Parse(r.Scenario+".txtar", []byte(r.Text))
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", name, err)
	}
	return &r, s, nil
}
