package papers

// errmgr is [ErrMgr].
func errmgr() Paper {
	return Paper{Name: "errmgr", Key: "ErrMgr"}
}
