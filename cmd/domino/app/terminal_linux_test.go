package app

import (
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"
	"unsafe"
)

// terminal is a terminal of so many columns that nobody sits at, and what comes out of it.
func terminal(t *testing.T, columns uint16) (in, out *os.File) {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Skip("no pseudoterminals here: ", err)
	}
	t.Cleanup(func() { _ = master.Close() })
	control := func(f *os.File, request uintptr, value unsafe.Pointer) {
		t.Helper()
		if _, _, e := syscall.Syscall(syscall.SYS_IOCTL, f.Fd(), request,
			uintptr(value)); e != 0 {
			t.Skip("no pseudoterminals here: ", e)
		}
	}
	var locked, number int32
	control(master, syscall.TIOCSPTLCK, unsafe.Pointer(&locked))
	control(master, syscall.TIOCGPTN, unsafe.Pointer(&number))
	slave, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Skip("no pseudoterminals here: ", err)
	}
	size := [4]uint16{40, columns}
	control(slave, syscall.TIOCSWINSZ, unsafe.Pointer(&size))
	return slave, master
}

// TestTerminal shows a run that breaks a property on a terminal: in colours and as wide as it is,
// unless NO_COLOR is set or the terminal is dumb; on no terminal it stays as it is.
func TestTerminal(t *testing.T) {
	args := []string{"replay", saved(t, "h1", "--variant", "repaired+H1", "--search", "bfs")}
	_, plain, _ := domino(t.Context(), args...)
	for _, tt := range []struct {
		name, variable, value string
		coloured              bool
		columns               int // that the text takes at most
	}{
		{"colours", "TERM", "xterm", true, 60},
		{"no colours", "NO_COLOR", "1", false, 60},
		{"dumb", "TERM", "dumb", false, 100},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Setenv("TERM", "xterm")
			t.Setenv("NO_COLOR", "")
			t.Setenv(tt.variable, tt.value)
			in, out := terminal(t, 60)
			read := make(chan string)
			go func() {
				var b strings.Builder
				part := make([]byte, 4096)
				for {
					n, err := out.Read(part)
					b.Write(part[:n])
					if err != nil { // the other end is closed
						read <- b.String()
						return
					}
				}
			}()
			run(t.Context(), args, streams{Catalogue: catalogue(), out: in,
				err: &strings.Builder{}})
			if err := in.Close(); err != nil {
				t.Fatal(err)
			}
			text := strings.ReplaceAll(<-read, "\r\n", "\n")
			if coloured := strings.Contains(text, "\x1b[1;31mVIOLATED"); coloured != tt.coloured ||
				!coloured && strings.Contains(text, "\x1b") {
				t.Errorf("coloured: %t\n%s", coloured, text)
			}
			widest := 0
			for line := range strings.Lines(text) {
				if !strings.Contains(line, "domino replay") && !strings.Contains(line, "\x1b") {
					widest = max(widest, len([]rune(line))-1)
				}
			}
			if widest > tt.columns || tt.columns == 100 && text != plain {
				t.Errorf("%d columns\n%s", widest, text)
			}
		})
	}
}
