package papers

// hydeeFr is [HydEE-fr].
func hydeeFr() Paper {
	return Paper{Name: "hydee-fr", Key: "HydEE-fr"}
}
