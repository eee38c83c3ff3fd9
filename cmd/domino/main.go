// Command domino checks rollback-recovery protocols: it explores their real implementation under
// every interleaving and failure in scope, shows the smallest run that breaks one, or says exactly
// how far it looked.
package main

import (
	"os"
	"runtime/debug"

	"github.com/domino-check/domino/cmd/domino/app"
	"github.com/domino-check/domino/impl/protocol/all"
)

func main() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(200) // the states of a large search are not in the heap
	}
	os.Exit(app.Main(all.Protocols()...))
}
