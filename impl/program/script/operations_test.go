package script_test

import (
	"strings"
	"testing"

	"github.com/domino-check/domino/impl/program/script"
)

// TestOperations reads every operation of the table, in its longest and in its shortest form: none
// is listed that can not be written.
func TestOperations(t *testing.T) {
	names := strings.NewReplacer("[", "", "]", "", "FROM|*", "b", "TO", "b", "LABEL", "x",
		"NB", "9B", "OPERATION", "send b", " N", " 2", " G", " g")
	for _, o := range script.Operations() {
		short, _, _ := strings.Cut(o.Form, " [")
		for _, form := range []string{o.Form, short} {
			op := names.Replace(form)
			before, after := "", ""
			switch {
			case strings.HasPrefix(op, "end"):
				before = "loop 2; output; "
			case strings.HasPrefix(op, "loop"):
				after = "; output; end"
			case strings.HasPrefix(op, "wait"):
				before = "post b; "
			case strings.HasPrefix(op, "reply"):
				before = "recv b; "
			case strings.HasPrefix(op, "onerror"):
				before = "try send b; "
			case op == "cancel":
				before = "try send b; onerror "
			}
			text := "a: " + before + op + after + "\nb: \ngroup g: a > b\n"
			if _, err := script.Read(text, 1); err != nil {
				t.Errorf("%s, written as %q: %v", o.Form, op, err)
			}
		}
		if o.Doc == "" {
			t.Errorf("%s says nothing", o.Form)
		}
	}
}
