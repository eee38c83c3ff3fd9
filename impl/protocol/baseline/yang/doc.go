// Package yang is logging over groups that is causal inside and pessimistic at the border.
package yang
