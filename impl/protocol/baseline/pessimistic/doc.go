// Package pessimistic is pessimistic message logging.
package pessimistic
