package gauge

import (
	"os"
	"runtime"
	"strings"
)

// Computer says which computer something was measured on.
type Computer struct {
	Host   string `json:"host"`
	CPU    string `json:"cpu"` // its model
	Cores  int    `json:"cores"`
	System string `json:"system"`
}

// This is the computer that the program runs on. Of a host or a processor that the system does not
// name it says so little as it knows.
func This() Computer {
	c := Computer{CPU: runtime.GOARCH, Cores: runtime.NumCPU(), System: runtime.GOOS}
	c.Host, _ = os.Hostname()
	if text, err := os.ReadFile("/proc/cpuinfo"); err == nil {
		if name := model(string(text)); name != "" {
			c.CPU = name
		}
	}
	return c
}

// model is the first processor of a list as Linux has it; "" if it names none.
func model(text string) string {
	for line := range strings.Lines(text) {
		if key, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(key) == "model name" {
			return strings.Join(strings.Fields(value), " ")
		}
	}
	return ""
}
