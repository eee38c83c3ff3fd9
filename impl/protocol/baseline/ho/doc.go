// Package ho is payload logging between groups without determinants.
package ho
