package report_test

import (
	"encoding/json"
	"testing"

	"github.com/domino-check/domino/spec/report"
)

// TestExact lists documents with what a reader gets that has floating point only.
func TestExact(t *testing.T) {
	for _, tt := range []struct{ document, want string }{
		{`{"a":1,"b":-2.5e3}`, `{"a":1,"b":-2.5e3}`},
		{`9007199254740992`, `9007199254740992`},
		{`[9007199254740993,1]`, `["0020000000000001",1]`},
		{`18446744073709551614`, `"fffffffffffffffe"`},
		{`{"max":18446744073709551615,"n":0}`, `{"max":null,"n":0}`},
		{`-9007199254740993`, `"-9007199254740993"`},
		{`"9007199254740993 \" 9007199254740993"`, `"9007199254740993 \" 9007199254740993"`},
		{`{"9007199254740993":9007199254740993}`, `{"9007199254740993":"0020000000000001"}`},
		{`{"a\\":9007199254740993}`, `{"a\\":"0020000000000001"}`},
	} {
		got := string(report.Exact([]byte(tt.document)))
		if got != tt.want || !json.Valid([]byte(got)) {
			t.Errorf("%s becomes %s, want %s", tt.document, got, tt.want)
		}
	}
}
