package farm

import (
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"time"

	"github.com/nats-io/nats-server/v2/server"
)

// Bounds of a server: a stranger can hold some connections for authIn, and no more.
const (
	authIn         = 2 // seconds
	maxConnections = 4096
	maxPayload     = 8 << 20
	readyIn        = 20 * time.Second
)

// options are those of every server of ours: no monitoring, no other protocol, no signals.
func options(folder string) *server.Options {
	return &server.Options{ServerName: "domino", JetStream: true,
		StoreDir: filepath.Join(folder, "jetstream"), NoLog: true, NoSigs: true,
		MaxPayload: maxPayload, MaxPending: 8 * maxPayload, MaxConn: maxConnections,
		MaxControlLine: 4096, MaxSubs: 1 << 16, AuthTimeout: authIn, TLSTimeout: authIn,
		NoSystemAccount: true}
}

// start runs a server until stop is called. One folder has one server at a time.
func start(o *server.Options, folder string) (s *server.Server, stop func(), err error) {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, nil, fmt.Errorf("start the engine: %w", err)
	}
	unlock, err := lock(filepath.Join(folder, "lock"))
	if err != nil {
		return nil, nil, fmt.Errorf("start the engine in %s: %w", folder, err)
	}
	s, err = server.NewServer(o)
	if err != nil {
		unlock()
		return nil, nil, fmt.Errorf("start the engine in %s: %w", folder, err)
	}
	go s.Start()
	if !s.ReadyForConnections(readyIn) || !s.JetStreamEnabled() {
		s.Shutdown()
		unlock()
		return nil, nil, fmt.Errorf("start the engine in %s: it is not ready after %v", folder,
			readyIn)
	}
	return s, func() {
		s.Shutdown()
		s.WaitForShutdown()
		unlock()
	}, nil
}

// errTaken says that a folder has a server.
var errTaken = errors.New("another process has this folder: want another one, or wait")

// isLoopback reports whether only this machine can reach an address.
func isLoopback(address string) bool {
	name, _, err := net.SplitHostPort(address)
	if err != nil {
		return false
	}
	ip := net.ParseIP(name)
	return name == "localhost" || ip != nil && ip.IsLoopback()
}
