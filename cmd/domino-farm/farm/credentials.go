package farm

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nkeys"

	"github.com/domino-check/domino/checker/shard/campaign"
	"github.com/domino-check/domino/spec/report/wholefile"
)

// credentials are a file that lets somebody use an engine.
type credentials struct {
	URL      string `json:"url"`
	Role     string `json:"role"`            // operator or worker
	Token    string `json:"token,omitempty"` // on one machine
	Seed     string `json:"seed,omitempty"`  // of an nkey, beyond it
	CA       string `json:"ca,omitempty"`    // whose certificate the server has, as PEM
	Embedded bool   `json:"-"`
}

// The two roles. A worker takes jobs and puts answers; it makes, purges and deletes nothing.
const (
	asOperator = "operator"
	asWorker   = "worker"
)

// maxCredentials bounds the file.
const maxCredentials = 64 << 10

// readCredentials reads a file, which must be of nobody else.
func readCredentials(name string) (c credentials, err error) {
	info, err := os.Stat(name)
	if err != nil {
		return c, fmt.Errorf("credentials: %w", err)
	}
	if info.Mode().Perm()&0o077 != 0 && privateFiles {
		return c, fmt.Errorf("credentials %s: others may read it (%v), want 0600", name,
			info.Mode().Perm())
	}
	if info.Size() > maxCredentials {
		return c, fmt.Errorf("credentials %s: %d bytes are too many", name, info.Size())
	}
	data, err := os.ReadFile(name)
	if err == nil {
		c, err = parseCredentials(data)
	}
	if err != nil {
		return c, fmt.Errorf("credentials %s: %w", name, err)
	}
	return c, nil
}

// parseCredentials reads what is in the file.
func parseCredentials(data []byte) (c credentials, err error) {
	if err := campaign.Decode(data, &c); err != nil {
		return c, err
	}
	switch {
	case c.Role != asOperator && c.Role != asWorker:
		return c, fmt.Errorf("role %q: want %s or %s", c.Role, asOperator, asWorker)
	case (c.Token == "") == (c.Seed == ""):
		return c, errors.New("want a token or a seed")
	case c.Seed != "" && c.CA == "":
		return c, errors.New("a seed needs the certificate of the CA")
	case !strings.HasPrefix(c.URL, "nats://") && !strings.HasPrefix(c.URL, "tls://"):
		return c, fmt.Errorf("URL %q: want nats:// or tls://", c.URL)
	}
	return c, nil
}

// write writes the file for nobody else.
func (c *credentials) write(name string) error {
	data, err := json.MarshalIndent(c, "", "\t")
	if err != nil {
		return err
	}
	f, err := os.OpenFile(name, os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("write credentials: %w", err)
	}
	if err := errors.Join(f.Chmod(0o600), f.Close()); err != nil {
		return fmt.Errorf("write credentials: %w", err)
	}
	return private(name, append(data, '\n'))
}

// private replaces the content of a file that only we may read.
func private(name string, data []byte) error {
	old := name + ".old"
	_ = os.Remove(old) // of a run that was ended here
	if err := os.Rename(name, old); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	f, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	_ = os.Remove(old) // it may not have been there
	return wholefile.SyncFolder(dirOf(name))
}

// user is who a server knows by a name and a token.
func (c *credentials) login() ([]nats.Option, error) {
	var list []nats.Option
	if c.Token != "" {
		list = append(list, nats.UserInfo(c.Role, c.Token))
	}
	if c.CA != "" {
		pool := x509.NewCertPool()
		if !pool.AppendCertsFromPEM([]byte(c.CA)) {
			return nil, errors.New("the certificate of the CA is none")
		}
		list = append(list, nats.Secure(&tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS13}))
	}
	if c.Seed != "" {
		pair, err := nkeys.FromSeed([]byte(c.Seed))
		if err != nil {
			return nil, fmt.Errorf("the seed is none: %w", err)
		}
		public, err := pair.PublicKey()
		if err != nil {
			return nil, fmt.Errorf("the seed is none: %w", err)
		}
		list = append(list, nats.Nkey(public, pair.Sign))
	}
	return list, nil
}
