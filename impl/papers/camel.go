package papers

// camel is [CAMEL].
func camel() Paper {
	return Paper{Name: "camel", Key: "CAMEL"}
}
