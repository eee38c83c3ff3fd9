package app

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestCertify asks for the class of scenarios, files and generated programs: the two runs are
// shown, exit code 3 says that a protocol or --needs wants more.
func TestCertify(t *testing.T) {
	file := filepath.Join(t.TempDir(), "programs.txt")
	if err := os.WriteFile(file, []byte("b: send c m1; recv c\nc: post b; send b m2\n"),
		0o644); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		args []string
		code int
		want []string
	}{
		{[]string{"s1"}, 0, []string{"s1: deterministic\n",
			"protocol hydee needs send-deterministic: it fits"}},
		{[]string{"s6"}, 3, []string{"s6: none\n", "the program is not send-deterministic: ",
			"\n    one run: step a send x to b; ", "\n    another: ",
			"protocol hydee needs send-deterministic: refused, out of model"}},
		{[]string{"wildcard"}, 0, []string{"wildcard: send-deterministic\n",
			"the program is not deterministic: reception 1 of c is u in one run and v in another"}},
		{[]string{"ring", "3"}, 0, []string{"ring 3: deterministic\n"}},
		{[]string{"master-worker 3", "--needs", "send-deterministic"}, 3,
			[]string{"master-worker 3: piecewise\n", "--needs says send-deterministic: refused"}},
		{[]string{file}, 0, []string{": none\n",
			"the program is not piecewise deterministic: after the same 0 receptions c receives"}},
		{[]string{file, "--max-states", "3"}, 2, nil},
		{[]string{"nosuch"}, 4, nil},
		{[]string{"ring 3", "--needs", "much"}, 4, nil},
		{[]string{"paxos-deaf"}, 4, nil},
		{nil, 4, nil},
	}
	for _, tt := range tests {
		code, out, errors := domino(t.Context(), append([]string{"certify"}, tt.args...)...)
		if code != tt.code || code == 4 && errors == "" {
			t.Errorf("%v: exit %d, want %d: %s%s", tt.args, code, tt.code, out, errors)
		}
		for _, want := range tt.want {
			if !strings.Contains(out, want) {
				t.Errorf("%v: no %q in\n%s", tt.args, want, out)
			}
		}
	}
	_, text, _ := domino(t.Context(), "certify", "s6", "--json")
	var a certified
	if err := json.Unmarshal([]byte(text), &a); err != nil || a.Class != "none" || a.Fits ||
		len(a.Lacks) != 3 || len(a.Lacks[1].First) == 0 || len(a.Lacks[1].Other) == 0 {
		t.Errorf("%v: %s", err, text)
	}
	if code, out, _ := domino(t.Context(), "check", "s6", "--save="); code != 0 ||
		!strings.Contains(out, "one run: ") || !strings.Contains(out, "another: ") {
		t.Errorf("check refuses without both runs: exit %d\n%s", code, out)
	}
}
