// Command domino checks rollback-recovery protocols: it explores their real implementation under
// every interleaving and failure in scope, shows the smallest run that breaks one, or says exactly
// how far it looked.
package main

import (
	"os"

	"github.com/domino-check/domino/cmd/domino/app"
	"github.com/domino-check/domino/impl/protocol/all"
)

func main() { os.Exit(app.Main(all.Protocols()...)) }
