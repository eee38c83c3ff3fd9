package simulate

// RunApart is Run with procs that go on one after the other, or without.
func (j *Job) RunApart(apart bool) (*Outcome, error) { return j.run(apart) }
