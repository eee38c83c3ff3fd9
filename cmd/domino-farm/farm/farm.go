// Package farm is domino with an engine: what its commands do may be done by many processes on many
// machines. NATS with JetStream carries it, embedded, or a server that exists (package shard says
// what is needed of it, package campaign what is made of it).
//
//	func main() { os.Exit(farm.Main(append(all.Protocols(), mine.Protocol)...)) }
//
// Who may do what: an operator begins campaigns, and may do all that domino does with them. A
// worker takes jobs and puts answers once; it makes, purges and deletes nothing. It is trusted with
// the answers: --audit notices one that lies about some. A coordinator can use the processors and
// the memory of workers, but run no command there and read no file: a job is data.
package farm

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/spf13/pflag"

	"github.com/domino-check/domino/checker/shard"
	"github.com/domino-check/domino/cmd/domino/app"
	"github.com/domino-check/domino/impl/protocol"
)

// Main is app.Main with this engine.
func Main(protocols ...protocol.Protocol) int { return app.MainWith(Engine{}, protocols...) }

// Engine is app.Engine by NATS.
type Engine struct{}

// embedded is the word for a server in this process.
const embedded = "embed"

// folderOf is where a server keeps what it has, unless told.
var folderOf = filepath.Join(".domino", "farm")

// Flags is that of app.Engine.
func (Engine) Flags(f *pflag.FlagSet) app.Connector {
	var c connector
	f.StringVar(&c.where, "nats", "",
		"have the work done elsewhere, by this engine: embed (here, and resumable), the file of "+
			"credentials that serve has written, or an URL")
	f.StringVar(&c.credentials, "credentials", "", "with an URL: file of credentials")
	f.StringVar(&c.folder, "farm-dir", folderOf, "folder of the engine of --nats embed")
	return &c
}

// Commands is that of app.Engine.
func (Engine) Commands() []app.Command { return []app.Command{serveCommand()} }

// connector goes where the flags say.
type connector struct{ where, credentials, folder string }

// Asked is that of app.Connector.
func (c *connector) Asked() bool { return c.where != "" }

// Connect is that of app.Connector.
func (c *connector) Connect(ctx context.Context, log func(string, ...any)) (*app.Connection,
	error) {
	if c.where == embedded {
		return c.embed(ctx, log)
	}
	known, err := c.known()
	if err != nil {
		return nil, err
	}
	conn, err := dial(ctx, known, log)
	if err != nil {
		return nil, err
	}
	e, err := newEngine(ctx, conn, known.Role == asOperator, nil)
	if err != nil {
		conn.Close()
		return nil, err
	}
	return &app.Connection{Engine: e, Where: known.URL, Close: conn.Close}, nil
}

// known are the credentials that the flags name.
func (c *connector) known() (credentials, error) {
	file := c.credentials
	if file == "" && !strings.Contains(c.where, "://") {
		file = c.where
	}
	if file == "" {
		return credentials{}, fmt.Errorf("--nats %s: want --credentials, too", c.where)
	}
	known, err := readCredentials(file)
	if err != nil {
		return known, err
	}
	if strings.Contains(c.where, "://") {
		known.URL = c.where
	}
	return known, nil
}

// embed starts a server in this process, to which nobody else can connect.
func (c *connector) embed(ctx context.Context, log func(string, ...any)) (*app.Connection, error) {
	o := options(c.folder)
	o.DontListen = true
	s, stop, err := start(o, c.folder)
	if err != nil {
		return nil, err
	}
	conn, err := nats.Connect(s.ClientURL(), nats.InProcessServer(s), nats.Name("domino"),
		nats.MaxReconnects(-1), nats.ErrorHandler(complaint(log)))
	if err != nil {
		stop()
		return nil, fmt.Errorf("connect to the embedded engine: %w", err)
	}
	e, err := newEngine(ctx, conn, true, shard.NewFolder(filepath.Join(c.folder, "blobs")))
	if err != nil {
		conn.Close()
		stop()
		return nil, err
	}
	return &app.Connection{Engine: e, Where: "an engine in this process", Embedded: true,
		Close: func() { conn.Close(); stop() }}, nil
}

// complaint tells of what goes wrong between calls, such as a subject that we may not use.
func complaint(log func(string, ...any)) nats.ErrHandler {
	return func(_ *nats.Conn, _ *nats.Subscription, err error) { log("engine: %v", err) }
}

// connectIn is how long nobody need answer before there is no hope.
const connectIn = 30 * time.Second

// dial connects to a server, and again whenever the connection is lost.
func dial(ctx context.Context, known credentials, log func(string, ...any)) (*nats.Conn, error) {
	login, err := known.login()
	if err != nil {
		return nil, fmt.Errorf("credentials: %w", err)
	}
	login = append(login, nats.Name("domino "+known.Role), nats.MaxReconnects(-1),
		nats.ReconnectWait(500*time.Millisecond), nats.Timeout(answerIn),
		nats.IgnoreAuthErrorAbort(), nats.CustomInboxPrefix(inboxOf(known.Role)),
		nats.ErrorHandler(complaint(log)),
		nats.DisconnectErrHandler(func(_ *nats.Conn, err error) {
			if err != nil {
				log("the engine at %s is gone: %v; trying again", known.URL, err)
			}
		}), nats.ReconnectHandler(func(*nats.Conn) { log("the engine at %s is back", known.URL) }))
	for began := time.Now(); ; {
		conn, err := nats.Connect(known.URL, login...)
		if err == nil {
			return conn, nil
		}
		hopeless := errors.Is(err, nats.ErrAuthorization) || !errors.Is(err, nats.ErrNoServers) &&
			!isNetwork(err)
		if hopeless || time.Since(began) > connectIn {
			return nil, fmt.Errorf("connect to %s as %s: %w", known.URL, known.Role, err)
		}
		log("connect to %s: %v; trying again", known.URL, err)
		select {
		case <-time.After(time.Second):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// isNetwork reports whether an error is one that goes by itself.
func isNetwork(err error) bool {
	return errors.Is(err, nats.ErrTimeout) || errors.Is(err, os.ErrDeadlineExceeded) ||
		strings.Contains(err.Error(), "connection refused")
}

// dirOf is the folder of a file.
func dirOf(name string) string { return filepath.Dir(name) }
