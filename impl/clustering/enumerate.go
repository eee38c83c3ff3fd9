package clustering

// MostEnumerated is up to how many units all partitions are tried: 115,975 of ten.
const MostEnumerated = 10

// Enumerate calls back with every partition that keeps to the rules, each once, until it is
// stopped. The plan is the callee's.
func (p *Problem) Enumerate(stop func() bool, see func(*Plan)) {
	label := make([]int32, p.net.units())
	var place func(v, clusters int32)
	place = func(v, clusters int32) {
		if int(v) == len(label) {
			if plan := p.plan(label); p.Keeps(plan) {
				see(plan)
			}
			return
		}
		for c := int32(0); c <= clusters && !stop(); c++ {
			label[v] = c
			place(v+1, max(clusters, c+1))
		}
	}
	place(0, 0)
}
