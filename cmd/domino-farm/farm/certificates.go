package farm

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"time"

	"github.com/nats-io/nats-server/v2/server"
)

// validFor is how long certificates are valid: a farm is made anew sooner.
const validFor = 5 * 365 * 24 * time.Hour

// certificates gives a server a certificate for its name, by a CA of its own, whose key is thrown
// away. Both are made at the first start in a folder. It returns the certificate of the CA.
func certificates(o *server.Options, name, folder string) (ca string, err error) {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return "", err
	}
	file := filepath.Join(folder, "server.pem")
	data, err := os.ReadFile(file)
	if errors.Is(err, os.ErrNotExist) {
		if data, err = newCertificates(name); err == nil {
			err = private(file, data)
		}
	}
	if err != nil {
		return "", fmt.Errorf("certificates: %w", err)
	}
	pair, err := tls.X509KeyPair(data, data)
	if err != nil {
		return "", fmt.Errorf("certificates in %s: %w", file, err)
	}
	leaf, err := x509.ParseCertificate(pair.Certificate[0])
	if err == nil {
		err = leaf.VerifyHostname(name)
	}
	if err != nil {
		return "", fmt.Errorf("certificates in %s: %w; remove it to have others made", file, err)
	}
	o.TLS, o.TLSConfig = true, &tls.Config{Certificates: []tls.Certificate{pair},
		MinVersion: tls.VersionTLS13}
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE",
		Bytes: pair.Certificate[len(pair.Certificate)-1]})), nil
}

// newCertificates are the certificate and the key of a server, and the certificate of its CA.
func newCertificates(name string) ([]byte, error) {
	authority, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	now := time.Now()
	root := &x509.Certificate{SerialNumber: big.NewInt(1), NotBefore: now.Add(-time.Hour),
		NotAfter: now.Add(validFor), Subject: pkix.Name{CommonName: "domino farm"}, IsCA: true,
		KeyUsage: x509.KeyUsageCertSign, BasicConstraintsValid: true}
	leaf := &x509.Certificate{SerialNumber: big.NewInt(2), NotBefore: root.NotBefore,
		NotAfter: root.NotAfter, Subject: pkix.Name{CommonName: name},
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{
			x509.ExtKeyUsageServerAuth}}
	if ip := net.ParseIP(name); ip != nil {
		leaf.IPAddresses = []net.IP{ip}
	} else {
		leaf.DNSNames = []string{name}
	}
	signed, err := x509.CreateCertificate(rand.Reader, root, root, &authority.PublicKey, authority)
	if err != nil {
		return nil, err
	}
	served, err := x509.CreateCertificate(rand.Reader, leaf, root, &key.PublicKey, authority)
	if err != nil {
		return nil, err
	}
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return nil, err
	}
	var text []byte
	for _, b := range []pem.Block{{Type: "PRIVATE KEY", Bytes: secret},
		{Type: "CERTIFICATE", Bytes: served}, {Type: "CERTIFICATE", Bytes: signed}} {
		text = append(text, pem.EncodeToMemory(&b)...)
	}
	return text, nil
}
