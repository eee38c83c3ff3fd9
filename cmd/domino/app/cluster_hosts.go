package app

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/domino-check/domino/impl/runtime/tcp/cluster"
)

// hostFlags are the flags that say where processes run and meet.
type hostFlags struct {
	hosts, address, ports, fence string
	lostAfter, lease             time.Duration
}

// register adds them; shared says which folder the hosts must share.
func (o *hostFlags) register(f *pflag.FlagSet, shared string) {
	f.StringVar(&o.hosts, "hosts", "",
		"where the processes run, in blocks: a file with a line 'ADDRESS [LAUNCHER ...]' a host, "+
			"'ADDRESS[=LAUNCHER ...],...', or slurm: the nodes of the allocation; a launcher, "+
			"such as 'ssh node2 /opt/domino', starts domino there with the arguments behind it; "+
			shared+" must be shared by all")
	f.StringVar(&o.address, "address", anyLoopback,
		"where the processes meet, which all hosts must reach; port 0 is any free one (of "+
			"--ports); by default of the loopback, with --hosts slurm of the network of the nodes")
	f.StringVar(&o.ports, "ports", "",
		"FIRST-LAST: listen on these ports only, one a process on each host (default: any free "+
			"ones)")
	f.StringVar(&o.fence, "fence", "",
		"command that switches a host off, whose name is put behind it, and succeeds only then; "+
			"what ran there has failed, and goes on on another host")
	f.DurationVar(&o.lostAfter, "lost-after", 0, "fence a host, too, whose processes give no sign "+
		"of life for so long; 0: only one whose launchers end and whose disks stay locked, or "+
		"that starts nothing any more")
	f.DurationVar(&o.lease, "lease", 0, "instead of --fence: a process behind a launcher is "+
		"killed by its own kernel when it has not been answered for so long, and a host counts "+
		"as off when that has become of all there")
}

// anyLoopback is where processes of this host meet.
const anyLoopback = "127.0.0.1:0"

// hosting is where processes run and meet.
type hosting struct {
	hosts   []cluster.Host
	address string
	ports   cluster.Ports
	fence   []string
	// after so long
	lostAfter time.Duration
	lease     time.Duration
	// a folder that they share, below which the temporary one is; "": that of the system
	shared string
}

// resolve reads the flags; it may have to wait for a file, or for Slurm.
func (o *hostFlags) resolve(ctx context.Context) (hosting, error) {
	return heard(ctx, func() (h hosting, err error) {
		h.address, h.lostAfter, h.lease = o.address, o.lostAfter, o.lease
		if h.fence, err = splitWords(o.fence); err != nil {
			return h, fmt.Errorf("--fence: %w", err)
		}
		if h.ports, err = parsePorts(o.ports); err != nil {
			return h, err
		}
		if o.hosts != slurmHosts {
			h.hosts, err = parseHosts(o.hosts)
			return h, err
		}
		a, err := hereSlurm(ctx)
		if err != nil {
			return h, err
		}
		if h.hosts, err = a.hosts(); err != nil {
			return h, err
		}
		if h.shared = a.variable("SLURM_SUBMIT_DIR"); o.address == anyLoopback {
			h.address, err = facing(h.hosts)
			h.address = net.JoinHostPort(h.address, "0")
		}
		return h, err
	})
}

// parsePorts reads FIRST-LAST, or one port.
func parsePorts(text string) (r cluster.Ports, err error) {
	if text == "" {
		return r, nil
	}
	first, last, several := strings.Cut(text, "-")
	if !several {
		last = first
	}
	var e error
	r.First, err = strconv.Atoi(first)
	r.Last, e = strconv.Atoi(last)
	if err != nil || e != nil || r == (cluster.Ports{}) {
		return r, fmt.Errorf("--ports %s: want FIRST-LAST, such as 20000-20999", text)
	}
	return r, nil
}

// parseHosts reads hosts from a file, one a line, ADDRESS [LAUNCHER ...], or from the text itself,
// ADDRESS[=LAUNCHER ...], separated by commas. A # begins a comment.
func parseHosts(text string) (list []cluster.Host, err error) {
	if text == "" {
		return nil, nil
	}
	var lines []string
	if content, err := smallFile(text); err == nil {
		lines = strings.Split(string(content), "\n")
	} else if strings.ContainsRune(text, os.PathSeparator) && !strings.ContainsAny(text, "=,") {
		return nil, fmt.Errorf("--hosts: %w", err)
	} else {
		for _, entry := range splitOutside(text, ',') {
			address, launcher, _ := strings.Cut(entry, "=")
			lines = append(lines, address+" "+launcher)
		}
	}
	for i, line := range lines {
		words, err := splitWords(line)
		if err != nil {
			return nil, fmt.Errorf("--hosts: host %d: %w", i+1, err)
		}
		if len(words) > 0 {
			list = append(list, cluster.Host{Address: words[0],
				Launcher: words[1:len(words):len(words)]})
			if len(words) == 1 {
				list[len(list)-1].Launcher = nil
			}
		}
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("--hosts %s: no hosts", text)
	}
	return list, nil
}

// splitOutside splits at a separator that is not quoted.
func splitOutside(text string, separator rune) (parts []string) {
	var quote rune
	start := 0
	for i, r := range text {
		switch {
		case quote != 0 && r == quote:
			quote = 0
		case quote == 0 && (r == '\'' || r == '"'):
			quote = r
		case quote == 0 && r == separator:
			parts, start = append(parts, text[start:i]), i+len(string(r))
		}
	}
	return append(parts, text[start:])
}

// splitWords splits a command line at spaces. Single and double quotes keep what is in them as it
// is; nothing is expanded.
func splitWords(line string) (words []string, err error) {
	var word strings.Builder
	var quote rune
	some := false
	end := func() {
		if some {
			words = append(words, word.String())
		}
		word.Reset()
		some = false
	}
	for _, r := range line {
		switch {
		case quote != 0 && r == quote:
			quote = 0
		case quote == 0 && (r == '\'' || r == '"'):
			quote, some = r, true
		case quote == 0 && r == '#' && !some:
			return words, nil
		case quote == 0 && (r == ' ' || r == '\t' || r == '\r'):
			end()
		default:
			word.WriteRune(r)
			some = true
		}
	}
	if end(); quote != 0 {
		return nil, errors.New("a quote is not closed")
	}
	return words, nil
}
