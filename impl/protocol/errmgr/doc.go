// Package errmgr is the runtime's side of recovery: composable policies that answer a failure
// (ErrMgr) and stable storage of snapshots (SStore) [ErrMgr].
package errmgr
