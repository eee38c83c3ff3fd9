package farm

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nkeys"
	"github.com/spf13/pflag"

	"github.com/domino-check/domino/cmd/domino/app"
)

// privateFiles says that the permissions of a file say who may read it.
const privateFiles = runtime.GOOS != "windows"

// serveCommand is the command that runs an engine for others.
func serveCommand() app.Command {
	return app.Command{Name: "serve", Doc: "run an engine for campaigns, until Ctrl-C",
		Takes: "until Ctrl-C", Run: serve, Examples: []string{"serve",
			"serve --listen 10.0.0.1:4222 --dir /scratch/farm"}}
}

// serve runs a server, and writes who may use it.
func serve(ctx context.Context, f *pflag.FlagSet, args []string, out, log io.Writer) (int, error) {
	listen := f.String("listen", "127.0.0.1:0",
		"address; beyond this machine TLS 1.3 and keys are needed, and made")
	folder := f.String("dir", folderOf, "folder for what it keeps, and for the files of "+
		"credentials operator.json and worker.json")
	if err := f.Parse(args); err != nil {
		return 0, err
	}
	if f.NArg() > 0 {
		return 0, fmt.Errorf("want no arguments, got %q", f.Args())
	}
	s, err := startServing(*listen, *folder)
	if err != nil {
		return 0, err
	}
	defer s.stop()
	for _, role := range []string{asOperator, asWorker} {
		fmt.Fprintf(out, "%-9s--nats %s\n", role, filepath.Join(*folder, role+".json"))
	}
	fmt.Fprintf(log, "serving at %s; Ctrl-C ends it\n", s.url)
	<-ctx.Done()
	return 0, nil
}

// serving is a server that runs.
type serving struct {
	url  string
	stop func()
}

// startServing starts a server and writes its credentials.
func startServing(listen, folder string) (*serving, error) {
	name, text, err := net.SplitHostPort(listen)
	port, wrong := strconv.Atoi(text)
	if err = errors.Join(err, wrong); err != nil || port < 0 || port > 65535 || name == "" {
		return nil, fmt.Errorf("--listen %s: want HOST:PORT, e.g. 127.0.0.1:0", listen)
	}
	if ip := net.ParseIP(name); ip != nil && ip.IsUnspecified() {
		return nil, fmt.Errorf("--listen %s: want the address by which workers come, which the "+
			"certificate names", listen)
	}
	o := options(folder)
	o.Host, o.Port = name, port
	if port == 0 {
		o.Port = portOf(name, folder)
	}
	if err := listenable(listen); err != nil { // the server would only not be ready
		return nil, fmt.Errorf("serve at %s: %w", listen, err)
	}
	keys := map[string]*credentials{asOperator: {Role: asOperator}, asWorker: {Role: asWorker}}
	scheme := "nats"
	if isLoopback(listen) {
		for role, c := range keys {
			if old, err := readCredentials(filepath.Join(folder, role+".json")); err == nil {
				c.Token = old.Token // workers of before go on
			}
			if c.Token == "" {
				c.Token = rand.Text()
			}
			o.Users = append(o.Users, &server.User{Username: role, Password: c.Token,
				Permissions: permissionsOf(role)})
		}
	} else {
		scheme = "tls"
		if err := secure(o, keys, name, folder); err != nil {
			return nil, fmt.Errorf("serve at %s: %w", listen, err)
		}
	}
	s, stop, err := start(o, folder)
	if err != nil {
		return nil, err
	}
	address, ok := s.Addr().(*net.TCPAddr)
	if !ok {
		stop()
		return nil, fmt.Errorf("serve at %s: it does not listen", listen)
	}
	url := fmt.Sprintf("%s://%s", scheme, net.JoinHostPort(name, strconv.Itoa(address.Port)))
	for role, c := range keys {
		c.URL = url
		if err := c.write(filepath.Join(folder, role+".json")); err != nil {
			stop()
			return nil, err
		}
	}
	return &serving{url, stop}, nil
}

// listenable reports an address at which this machine can not listen: it has none of that name, or
// somebody else has the port.
func listenable(address string) error {
	l, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	return l.Close()
}

// portOf is a port where any will do: that of the start before, if nobody has it, so that workers
// find the server again.
func portOf(name, folder string) int {
	old, err := readCredentials(filepath.Join(folder, asWorker+".json"))
	if err != nil {
		return server.RANDOM_PORT
	}
	_, address, _ := strings.Cut(old.URL, "://")
	before, text, err := net.SplitHostPort(address)
	port, wrong := strconv.Atoi(text)
	if errors.Join(err, wrong) != nil || before != name {
		return server.RANDOM_PORT
	}
	if listenable(address) != nil {
		return server.RANDOM_PORT
	}
	return port
}

// secure adds TLS and keys to a server. Those of an earlier start are used again.
func secure(o *server.Options, keys map[string]*credentials, name, folder string) error {
	ca, err := certificates(o, name, folder)
	if err != nil {
		return err
	}
	for role, c := range keys {
		old, err := readCredentials(filepath.Join(folder, role+".json"))
		if err == nil && old.Seed != "" {
			c.Seed = old.Seed
		} else if c.Seed, err = newSeed(); err != nil {
			return err
		}
		pair, err := nkeys.FromSeed([]byte(c.Seed))
		if err != nil {
			return err
		}
		public, err := pair.PublicKey()
		if err != nil {
			return err
		}
		c.CA = ca
		o.Nkeys = append(o.Nkeys, &server.NkeyUser{Nkey: public, Permissions: permissionsOf(role)})
	}
	return nil
}

// newSeed is a new secret.
func newSeed() (string, error) {
	pair, err := nkeys.CreateUser()
	if err != nil {
		return "", err
	}
	seed, err := pair.Seed()
	return string(seed), err
}
