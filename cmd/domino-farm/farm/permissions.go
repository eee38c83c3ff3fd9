package farm

import (
	"time"

	"github.com/nats-io/nats-server/v2/server"
)

// inboxOf is where the answers to somebody go; others can not listen there.
func inboxOf(role string) string { return "_INBOX_" + role }

// permissionsOf are those of a role. An operator may do all but what belongs to the inbox of
// workers; a worker takes jobs, puts answers, and says that it lives. It makes no consumers, and so
// watches nothing: the server would send what one delivers wherever its maker says, e.g. as jobs.
func permissionsOf(role string) *server.Permissions {
	if role == asOperator {
		return &server.Permissions{
			Publish: &server.SubjectPermission{Allow: []string{"domino.>", "$JS.>",
				inboxOf(asWorker) + ".>"}},
			Subscribe: &server.SubjectPermission{Allow: []string{"domino.bus.>",
				inboxOf(asOperator) + ".>"}},
		}
	}
	streams := []string{jobsStream, resultsStream, statesStream, leasesStream}
	publish := []string{
		"$JS.API.CONSUMER.INFO." + jobsStream + ".*",
		"$JS.API.CONSUMER.MSG.NEXT." + jobsStream + ".*",
		"$JS.ACK." + jobsStream + ".>",
		"domino.result.>", "domino.lease.worker.>", "domino.lease.search.>",
		"domino.state.returned.>", "domino.state.search.>",
		"domino.bus.progress.>", "domino.bus.search.>",
	}
	for _, s := range streams {
		publish = append(publish, "$JS.API.STREAM.INFO."+s)
		if s != jobsStream {
			publish = append(publish, "$JS.API.DIRECT.GET."+s+".>")
		}
	}
	return &server.Permissions{
		Publish: &server.SubjectPermission{Allow: publish},
		Subscribe: &server.SubjectPermission{Allow: []string{"domino.bus.search.>",
			inboxOf(asWorker) + ".>"}},
		Response: &server.ResponsePermission{MaxMsgs: 1, Expires: time.Minute},
	}
}
