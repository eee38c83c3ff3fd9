package volume

import (
	"cmp"

	"github.com/domino-check/domino/impl/papers"
)

// publishedRow is one column of [CAMEL] Table 3: LeanMD, a million particles, 100 iterations.
// Counts are in millions, logs in GB.
type publishedRow struct {
	cores                           string
	messages                        float64
	plainLog, plainDets, plainCarry float64
	awareLog, awareDets, awareCarry float64
}

// publishedTable is what is printed.
func publishedTable() (rows []publishedRow) {
	const paper, scmel, camel = "camel", "SCMEL", "CAMEL"
	messages := papers.Find(paper, "table-3-messages")
	log := papers.Find(paper, "table-3-log")
	determinants := papers.Find(paper, "table-3-determinants")
	carried := papers.Find(paper, "table-3-piggybacked")
	for _, cores := range messages.Rows()[:5] {
		rows = append(rows, publishedRow{cores, messages.Number(cores, "messages"),
			log.Number(cores, scmel), determinants.Number(cores, scmel),
			carried.Number(cores, scmel), log.Number(cores, camel),
			determinants.Number(cores, camel), carried.Number(cores, camel)})
	}
	return rows
}

// publishedSaved is the share of the log of OpenAtom that CAMEL saves, as printed to a part of
// [CAMEL] Figure 6; "-" where the text gives none.
func publishedSaved(figure, cores string) string {
	printed := papers.Find("camel", figure).Printed(cores, "saved")
	if printed == "" {
		return "-"
	}
	return printed + "%"
}

// publishedPart is a share of the log of SCMEL in percent, under a protocol, by the text to [CAMEL]
// Figure 5 for LeanMD, where that of messages from rank to rank is below 1, and to Figure 6 for
// OpenAtom on 4K cores.
func publishedPart(workload, part, protocol string) string {
	if workload == "leanmd" {
		return cmp.Or(papers.Find("camel", "fig-5a").Printed(part, protocol), "0") + "%"
	}
	if part == "point-to-point" {
		protocol = "SCMEL" // the same under both
	}
	return papers.Find("camel", "fig-6a").Printed("4K", part+" of "+protocol) + "%"
}
