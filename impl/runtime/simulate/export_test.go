package simulate

// RunIn is Run with procs in so many blocks, or event after event.
func (j *Job) RunIn(blocks int) (*Outcome, error) { return j.run(blocks) }

// HeaderCost is for tests.
var HeaderCost = headerCost
