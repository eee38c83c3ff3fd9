package world

// Without leaves out a condition on steps that are taken first.
func (w *World) Without(r Rule) { w.eager.without = r }

// Rule is one of the conditions.
type Rule = rule

// Those that toys alone do not need.
const (
	RestlessRule   = restlessRule
	CheckpointRule = checkpointRule
	OlderRule      = olderRule
	NewestRule     = newestRule
	BeginRule      = beginRule
	HidesRule      = hidesRule
	DependRule     = dependRule
)
