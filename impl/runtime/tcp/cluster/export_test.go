package cluster

// OnAnswer has a test told of every answer of a life, by its kind.
func (c *Config) OnAnswer(heard func(kind string)) { c.heard = heard }

// Places is how procs are spread over hosts.
var Places = spreadOver
