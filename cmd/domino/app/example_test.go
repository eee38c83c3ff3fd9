package app

import (
	"fmt"
	"os"

	"github.com/domino-check/domino/impl/protocol/example/paxos"
)

// The whole main of a command for one protocol; here with the arguments of a user.
func ExampleMain() {
	os.Args = []string{"mine", "show", "decides-commit"}
	fmt.Println("exit code", Main(paxos.Protocol))
	// Output:
	// property decides-commit
	//   in some run somebody decides to commit
	//
	//   kind    sometimes
	//   source  guard
	//   of      the house
	//   on      Decisions with this one in it (Decide)
	// exit code 0
}
