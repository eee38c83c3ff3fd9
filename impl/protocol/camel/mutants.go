package camel

import _ "embed" // of the text

// Mutants are ways to break it, as package checker/mutate reads them.
//
//go:embed mutants.txt
var Mutants string
