// Command resend is domino for one protocol: list, check, errata, fuzz, run, cluster and the rest.
package main

import (
	"os"

	"example.com/resend"
	"github.com/domino-check/domino/cmd/domino/app"
)

func main() { os.Exit(app.Main(resend.Protocol)) }
