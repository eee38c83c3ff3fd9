package campaign

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"
)

// State is that of a campaign.
type State string

// The states of a campaign. Only an open one is worked at; a cancelled one can be resumed.
const (
	Running   State = "open"
	Cancelled State = "cancelled"
	Done      State = "done"
)

// Header is what everybody may know of a campaign.
type Header struct {
	ID      string    `json:"id"`
	Build   string    `json:"build"`   // hash of the program that may take part
	Command []string  `json:"command"` // the arguments with which it was begun
	Folder  string    `json:"folder"`  // where
	Began   time.Time `json:"began"`
	State   State     `json:"state"`
	// jobs that are answered, those that were given up, too; kept at its end, before see Answered
	Taken int `json:"taken"`
}

// Member is what a worker says of itself.
type Member struct {
	Name    string   `json:"name"`
	Host    string   `json:"host"`
	Build   string   `json:"build"`
	Slots   int      `json:"slots"`
	Classes []string `json:"classes"`
	Done    int      `json:"done"` // jobs
}

// Job is what a worker gets.
type Job struct {
	Kind       string          `json:"kind"`
	Deliveries int             `json:"deliveries"`      // workers that it may end
	Loose      bool            `json:"loose,omitempty"` // it is not deterministic
	Data       json.RawMessage `json:"data"`
}

// Answer is what a worker puts.
type Answer struct {
	Job string `json:"job"` // digest of its kind and data
	// what came of it: the same each time
	Data json.RawMessage `json:"data,omitempty"`
	// what may differ: times, memory
	Aside  json.RawMessage `json:"aside,omitempty"`
	Failed string          `json:"failed,omitempty"` // error that it ended in
	Spent  int             `json:"spent,omitempty"`  // workers that it has ended: it was not done
	Worker string          `json:"worker"`
}

// same reports whether two answers to one job are one, as far as they must be.
func (a *Answer) same(b *Answer) bool {
	return bytes.Equal(a.Data, b.Data) && a.Failed == b.Failed
}

// Progress is what a worker tells the coordinator about a job that it is at.
type Progress struct {
	Worker string          `json:"worker"`
	Job    string          `json:"job"`
	Data   json.RawMessage `json:"data,omitempty"`
}

// digest names what a job is about.
func digest(kind string, data []byte) string {
	sum := sha256.Sum256(slices.Concat([]byte(kind), []byte{0}, data))
	return hex.EncodeToString(sum[:])
}

// Decode reads one JSON value, and nothing that the program does not know: what another build has
// written is not half understood.
func Decode(data []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("more than one JSON value")
	}
	return nil
}

// encode writes what we have made ourselves.
func encode(v any) []byte {
	data, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("invariant: %T can be written as JSON: %v", v, err))
	}
	return data
}

// topic is who takes the jobs of a build and a class.
func topic(build, class string) string { return build[:min(len(build), 16)] + "-" + class }
