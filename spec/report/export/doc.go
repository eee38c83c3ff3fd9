// Package export writes a run for the viewers of others: Mermaid, Markdown with it, ShiViz, and the
// trace format of Chrome, which Perfetto reads. It draws what a report.Model says and judges
// nothing. Names and labels may be anything: what means something to a format is escaped.
package export
