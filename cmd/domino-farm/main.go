// Command domino-farm is domino with an engine: its work can be done on many machines.
package main

import (
	"os"

	"github.com/domino-check/domino/cmd/domino-farm/farm"
	"github.com/domino-check/domino/impl/protocol/all"
)

func main() { os.Exit(farm.Main(all.Protocols()...)) }
