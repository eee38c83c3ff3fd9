package papers

// radic is [RADIC].
func radic() Paper {
	return Paper{Name: "radic", Key: "RADIC"}
}
