package errmgr

import _ "embed" // of the text

// mutants are ways to break it, as package checker/mutate reads them.
//
//go:embed mutants.txt
var mutants string
