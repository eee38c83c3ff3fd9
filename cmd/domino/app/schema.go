package app

// schema is the version of what --json prints: each object, of answers and of progress, says it. A
// field may be added without a new one; one that goes or means something else makes a new one.
const schema = 1

// versioned begins each answer as JSON.
type versioned struct {
	Schema int    `json:"schema"`
	Domino string `json:"domino"` // the build that answers, as domino version says it
}

// current is the version of today.
var current = versioned{schema, thisBuild().String()}
