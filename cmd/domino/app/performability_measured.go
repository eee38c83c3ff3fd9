package app

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/domino-check/domino/impl/performability"
	"github.com/domino-check/domino/impl/runtime/tcp/perf"
)

// measuredRows is the part of a perfAnswer that says what was measured.
type measuredRows struct {
	versioned
	Cores int        `json:"cores"`
	Rows  []perf.Row `json:"rows"`
}

// measuredLogging is what cluster perf --json has measured of a kernel with and without logging, as
// a program whose loggers are to be mapped. Rates are those without logging. What a message costs
// is all CPU that logging adds, by the messages: what falls to loggers is less.
func measuredLogging(file, kernel, protocol string) (l performability.Logging, note string,
	err error) {
	text, err := smallFile(file)
	if err != nil {
		return l, "", err
	}
	var a measuredRows
	if err := json.Unmarshal(text, &a); err != nil {
		return l, "", fmt.Errorf("%s:%d: no answer of %s: %w", file, jsonLine(text, err),
			called("domino cluster perf --json"), err)
	}
	if a.Schema != formatName("perf") {
		return l, "", fmt.Errorf("%s is no answer of %s, of this version of domino", file,
			called("domino cluster perf --json"))
	}
	with, err := measuredRow(file, &a, kernel, protocol)
	if err != nil {
		return l, "", err
	}
	without, err := measuredRow(file, &a, with.Kernel, "none")
	if err != nil {
		return l, "", err
	}
	seconds, ranks := without.Millis/1000, float64(without.Ranks)
	messages, payload := min(with.Sends, with.Logs), min(with.Payload, with.Logged)
	switch {
	case with.Unsized:
		return l, "", fmt.Errorf("%s: not all that %s logs of %s has a known size", file,
			with.Protocol, with.Kernel)
	case !(messages > 0) || !(seconds > 0) || !(ranks > 0) || !(without.Worked > 0):
		return l, "", fmt.Errorf("%s: %s has logged nothing of %s, or took no time", file,
			with.Protocol, with.Kernel)
	}
	added := max(with.Worked-without.Worked, 0) / 1000
	l = performability.Logging{Ranks: without.Ranks, Messages: messages / ranks / seconds,
		Bytes: payload / ranks / seconds, PerMessage: added / messages,
		Utilisation: min(1, without.Worked/1000/ranks/seconds)}
	note = fmt.Sprintf("measured: %s under %s, %d ranks and their loggers on %d cores; all CPU "+
		"that logging adds counts as that of loggers, so they are busy for less", with.Kernel,
		with.Protocol, with.Ranks, a.Cores)
	if a.Cores < without.Ranks {
		note += "; ranks without a core of their own also waited for one, so they compute for " +
			"more of the time than this (--utilisation)"
	}
	return l, note, nil
}

// measuredRow is the one row of a protocol, of the kernel that begins so; the error names what else
// there is.
func measuredRow(file string, a *measuredRows, kernel, protocol string) (*perf.Row, error) {
	var found []*perf.Row
	var others []string
	for i := range a.Rows {
		r := &a.Rows[i]
		chosen := r.Protocol == protocol || protocol == "" && r.Protocol != "none"
		if chosen && (r.Kernel == kernel || kernel == "" || strings.HasPrefix(r.Kernel,
			kernel+" ")) {
			found = append(found, r)
		}
		if other := r.Protocol + " of " + r.Kernel; !slices.Contains(others, other) {
			others = append(others, other)
		}
	}
	if len(found) != 1 {
		of := "any kernel"
		if kernel != "" {
			of = fmt.Sprintf("kernel %q", kernel)
		}
		return nil, fmt.Errorf("%s has %d rows for %s of %s: name one by --logging and --kernel, "+
			"of: %s", file, len(found), cmp.Or(protocol, "logging"), of, strings.Join(others, ", "))
	}
	if r := found[0]; r.Wrong != "" || r.Unfinished != "" {
		return nil, fmt.Errorf("%s: the runs of %s under %s are not to be trusted: %s", file,
			r.Kernel, r.Protocol, r.Wrong+r.Unfinished)
	}
	return found[0], nil
}

// jsonLine is the line of an error in a text of JSON, from 1.
func jsonLine(text []byte, err error) int {
	at := int64(len(text))
	var syntax *json.SyntaxError
	var typed *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		at = syntax.Offset
	case errors.As(err, &typed):
		at = typed.Offset
	}
	return 1 + bytes.Count(bytes.TrimRight(text[:min(at, int64(len(text)))], "\n"), []byte("\n"))
}
