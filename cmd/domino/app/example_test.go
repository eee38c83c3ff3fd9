package app

import (
	"fmt"
	"os"

	"github.com/domino-check/domino/impl/protocol/example/paxos"
)

// The whole main of a command for one protocol; here with the arguments of a user.
func ExampleMain() {
	os.Args = []string{"mine", "show", "fifo"}
	fmt.Println("exit code", Main(paxos.Protocol))
	// Output:
	// property fifo
	//   the deliveries of each channel, from a rank or a group, follow the order of its sends
	//
	//   kind    always
	//   source  FIFO channels
	//   of      the house
	//   on      always
	// exit code 0
}
