package simulate

// RunIn is Run with procs in so many blocks, or event after event.
func (j *Job) RunIn(blocks int) (*Outcome, error) { return j.run(blocks) }

// HeaderCost is for tests.
var HeaderCost = headerCost

// GiveUpAfter ends the run when so many checkpoints were asked for while no program went on.
func (j *Job) GiveUpAfter(checkpoints int) { j.vain = checkpoints }
