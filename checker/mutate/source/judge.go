package source

// Job is what a process with mutants in it is asked, as one line of JSON: to be one of them, and to
// go through trials until one of them notices.
type Job struct {
	Mutant int `json:"mutant"` // 0 = the original
	// Record says up to which number sites are recorded that trials reach; 0 = none are
	Record int     `json:"record,omitempty"`
	Trials []Trial `json:"trials"`
}

// Trial is one scenario to explore, or random scenarios of a protocol to draw.
type Trial struct {
	Scenario string `json:"scenario,omitempty"` // with its folder, e.g. "hydee/s1"
	// All scenarios of a protocol, in the place of one: what the original is asked.
	All     string  `json:"all,omitempty"`
	Fuzz    string  `json:"fuzz,omitempty"` // protocol
	Seed    uint64  `json:"seed,omitempty"`
	States  int     `json:"states,omitempty"` // at most; 0 = no limit
	Seconds float64 `json:"seconds"`          // at most
}

// Name is that of a trial in answers: "hydee/s1", "fuzz hydee".
func (t *Trial) Name() string {
	if t.Fuzz != "" {
		return "fuzz " + t.Fuzz
	}
	return t.Scenario
}

// Said is one line of a judge: that a trial begins, then what has come of it.
type Said struct {
	Trial string `json:"trial"`
	Begun bool   `json:"begun,omitempty"` // and nothing else
	// Killed says that the mutant is noticed, by a verdict that is not the expected one, or because
	// it can not be asked at all.
	Killed   bool    `json:"killed,omitempty"`
	Property string  `json:"property,omitempty"`
	Why      string  `json:"why,omitempty"`
	Open     bool    `json:"open,omitempty"` // a limit came first, so that there is no answer
	Seconds  float64 `json:"seconds"`
	States   int     `json:"states,omitempty"`
	Runs     int     `json:"runs,omitempty"` // of fuzz
	Protocol string  `json:"protocol,omitempty"`
	Reached  []int   `json:"reached,omitempty"` // sites
}
