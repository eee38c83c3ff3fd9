// Package campaign spreads jobs over workers, and hands their answers over in the order of the
// jobs, whatever becomes of workers, of the coordinator, and of what carries the jobs (package
// shard).
//
// A job is data, and deterministic unless it says otherwise. A worker puts its answer once, and
// only then lets go of the job; who comes second compares. So a worker may be killed at any moment,
// and the coordinator, too: who resumes a campaign makes the same jobs again, takes the answers
// that are there, and publishes the others.
//
//	campaign.ID           Header; changed by compare and set
//	lease.campaign.ID     held by its coordinator
//	lease.worker.NAME     held by each worker: Member
//	result.ID.JOB         Answer; JOB-again is that of an audit, JOB-other one that differs,
//	                      JOB-tryN that of a job that was given up, tried again
//	returned.ID.JOB       how often workers that were told to end gave the job back
//	progress.ID (Bus)     Progress, to the coordinator
//
// A job that has ended as many workers as it may (Options.Deliveries) is answered by the next one
// without doing it: Answer.Spent. When the campaign is resumed it is another job, and tried again.
package campaign
