package scenarios_test

import (
	"fmt"
	"strings"

	"github.com/domino-check/domino/scenarios"
)

// A file is read, changed by a key as on the command line, and says within what an answer holds. An
// error has the line.
func ExampleParse() {
	text := "Two ranks\n-- scenario --\nprotocol: hydee\nclusters: a | b\nfailures: 1\n" +
		"-- program --\na: send b\nb: recv a\n"
	s, err := scenarios.Parse("two.txtar", []byte(text))
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := s.Set("network", "unordered"); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(s.Name, "of", s.Protocol, "expects", s.Expect, "within", s.Within())
	_, err = scenarios.Parse("two.txtar", []byte("Two ranks\n-- scenario --\nfailure: 1\n"))
	fmt.Println(strings.SplitAfter(err.Error(), "?")[0]) // and which keys there are
	// Output:
	// two of hydee expects holds within 1 failure, network unordered
	// two.txtar:3: failure: unknown key, did you mean "failures"?
}
