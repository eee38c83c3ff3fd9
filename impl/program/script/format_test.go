package script_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/domino-check/domino/impl/program/script"
)

// TestFormat writes programs as text and reads them back: every operation, ranks without
// operations, and all named shapes. The text of programs that are already written in this form does
// not change.
func TestFormat(t *testing.T) {
	texts := []string{
		"a: send b x; send b; send b 64B; send b x 9B; reply; reply again; reply again 8B; recv " +
			"b; recv *; recv b ordered; recv * ordered\n" +
			"b: post a; post *; post a ordered; post * ordered; wait; checkpoint; output; loop " +
			"3; loop 2; output; pick 2; end; end; pick 64\nc:\n",
		"a: try send b x; try recv * ordered; onerror send b y 9B; onerror try recv b; ack; post " +
			"b; try wait; onerror cancel; try reply\nb:\n",
	}
	shapes, _ := script.Shapes()
	for _, s := range shapes {
		for _, size := range []string{" 3", " 4 2"} {
			text, err := script.Generate(s + size)
			if err != nil {
				t.Fatal(err)
			}
			texts = append(texts, text)
		}
	}
	for _, text := range texts {
		names, programs, err := script.Parse(text, 1)
		if err != nil {
			t.Fatal(err)
		}
		got := script.Format(names, programs)
		if diff := cmp.Diff(text, got); diff != "" {
			t.Errorf("text (-want +got):\n%s", diff)
		}
		namesBack, back, err := script.Parse(got, 1)
		if err != nil || cmp.Diff(names, namesBack) != "" || cmp.Diff(programs, back) != "" {
			t.Errorf("%q is read back as %v %v, %v", got, namesBack, back, err)
		}
	}
}
