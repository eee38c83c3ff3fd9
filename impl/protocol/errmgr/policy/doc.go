// Package policy holds the decisions of recovery: the policies that a fault, or the prediction of
// one, is offered to, and the stack that asks them one after the other [ErrMgr].
//
// A policy decides and does nothing: it looks at what the head of the job knows (View) and at how
// far the answer to the fault has come (Status), and gives an Order, which the head carries out,
// telling the policy of the outcome (Event). All here are functions of their arguments, so a policy
// of somebody else needs no more than the methods of Policy, see the package example/policy.
//
// The rules of the walk, which Stack keeps whatever a policy answers:
//
//  1. Policies are asked in the order of the stack, each at most once in an episode.
//  2. A claim ends the walk; there is one owner.
//  3. To defer is final in an episode. When the owner fails the walk goes on below it.
//  4. The runtime is repaired before the walk, and that is no claim.
//  5. Abort is below all, and claims.
//  6. A failure before the claim joins the group; one after it opens the next episode, about the
//     union, and the walk begins at the top.
//  7. A stack with a policy that nothing can reach is refused.
//
// The source leaves open how failures overlap, what a policy may answer and in what order (rules 3
// to 7); this is one answer.
package policy
