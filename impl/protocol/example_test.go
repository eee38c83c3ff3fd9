package protocol_test

import (
	"fmt"

	"github.com/domino-check/domino/impl/protocol"
	"github.com/domino-check/domino/impl/protocol/none"
)

// What makes no sense is named before anything runs, everything at once.
func ExampleList_Validate() {
	list := protocol.List{none.Protocol, none.Protocol}
	fmt.Println(list.Validate())
	_, err := list.Find("non")
	fmt.Println(err)
	// Output:
	// two protocols have the name "none": give one another name
	// unknown protocol "non", did you mean "none"? Known: none, none
}
