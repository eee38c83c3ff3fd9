package netpipe

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// checkCongestion reports a congestion control that the system does not know or does not allow. The
// mesh would go on with another one, and nobody would see that the figures are of that.
func checkCongestion(name string) (err error) {
	if name == "" {
		return nil
	}
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("netpipe: %w", err)
	}
	defer func() { err = errors.Join(err, unix.Close(fd)) }()
	if err := unix.SetsockoptString(fd, unix.IPPROTO_TCP, unix.TCP_CONGESTION, name); err != nil {
		// "" where the system does not say
		known, _ := os.ReadFile("/proc/sys/net/ipv4/tcp_available_congestion_control")
		return fmt.Errorf("congestion control %q: %w; there are %s", name, err,
			strings.TrimSpace(string(known)))
	}
	return nil
}
