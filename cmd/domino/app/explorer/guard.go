package explorer

import (
	"crypto/subtle"
	"net"
	"net/http"
	"net/netip"
	"strings"
)

// policy is what the page may load: its own script and style, and nothing else.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; " +
	"img-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"

// mostBody bounds what is read of a request.
const mostBody = 1 << 20

// guard lets through what is asked for by the page of this server.
func guard(token, port string, hosts []string, next http.Handler) http.Handler {
	foreign := http.NewCrossOriginProtection()
	guarded := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cache-Control", "no-store")
		if !ours(r.Host, port, hosts) {
			http.Error(w, "this server is not called "+printable(r.Host)+": use the address that "+
				"domino explore has printed, or give the name with --allow-host",
				http.StatusMisdirectedRequest)
			return
		}
		if err := foreign.Check(r); err != nil {
			http.Error(w, "a page of another site asks: "+err.Error(), http.StatusForbidden)
			return
		}
		if strings.HasPrefix(r.URL.Path, "/api/") && !authorized(r, token) {
			http.Error(w, "no token: open the address that domino explore has printed, with what "+
				"follows the #", http.StatusUnauthorized)
			return
		}
		r.Body = http.MaxBytesReader(w, r.Body, mostBody)
		next.ServeHTTP(w, r)
	})
	return guarded
}

// ours reports whether a host names this server: this machine itself, or a name that was allowed,
// with the port. A name that only looks like an address of this machine does not parse as one.
func ours(host, port string, hosts []string) bool {
	name, p, err := net.SplitHostPort(host)
	if err != nil {
		name, p = host, "80"
	}
	if p != port {
		return false
	}
	for _, allowed := range hosts {
		if strings.EqualFold(name, allowed) {
			return true
		}
	}
	if strings.EqualFold(name, "localhost") {
		return true
	}
	address, err := netip.ParseAddr(name)
	return err == nil && address.IsLoopback()
}

// authorized compares in a time that says nothing of the token.
func authorized(r *http.Request, token string) bool {
	given, found := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	return found && subtle.ConstantTimeCompare([]byte(given), []byte(token)) == 1
}

// printable is a name without what could be taken for something else in an answer.
func printable(name string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' {
			return '?'
		}
		return r
	}, name)
}
