package cluster

import "github.com/domino-check/domino/impl/runtime/tcp/launch"

// nobody is a process that nothing is asked of.
type nobody struct{ launch.Process }
