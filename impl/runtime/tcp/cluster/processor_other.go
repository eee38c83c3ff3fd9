//go:build !unix

package cluster

import "time"

// processor is not known here.
func processor() time.Duration { return 0 }
