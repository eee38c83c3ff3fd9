package papers

// hydee is [HydEE].
func hydee() Paper {
	return Paper{Name: "hydee", Key: "HydEE", Claims: []Claim{
		{ID: "fig-1", Where: "Figure 1", Method: Data,
			Says: "the events of the reception of a message by an MPI process"},
		{ID: "fig-2", Where: "Figure 2", Method: Data,
			Says: "the events of sending a message by an MPI process"},
	}}
}
