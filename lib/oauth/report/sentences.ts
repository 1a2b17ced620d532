import type { Report } from '@/lib/oauth/report/report';

/** Describes the grade and the counts in a sentence. */
export function describeGrade({ summary, findings, causes }: Report): string {
  const { grade, failed, passed, inconclusive, not_applicable } = summary;
  const accepted = findings.filter((finding) => finding.accepted !== undefined).length;
  const notes = [
    causes.length === failed ? [] : [`${causes.length} ${causes.length === 1 ? 'cause' : 'causes'}`],
    accepted === 0 ? [] : [`${accepted} of them accepted`],
  ].flat();
  const failures = `${failed} failed${notes.length === 0 ? '' : ` (${notes.join('; ')})`}`;
  const counts = `${failures}, ${passed} passed, ${inconclusive} undecided, ${not_applicable} not applicable.`;
  const undecided = inconclusive === 0 ? '' : ' Undecided controls are not counted as good.';
  return `${grade === null ? 'No grade' : `Grade ${grade}`}: ${counts}${undecided}`;
}

/** Describes the grade of a profile and the counts of its clauses in a sentence. */
export function describeProfile(profile: Omit<Report['profiles'][number], 'clauses' | 'title'>): string {
  const { grade, met, violated, undecided, not_judged } = profile;
  const counts = `${violated} violated, ${met} met, ${undecided} undecided, ${not_judged} not judged.`;
  return `${grade === null ? 'No grade' : `Grade ${grade}`}: ${counts}`;
}

/** Formats a time for people, such as `2026-11-21 10:00 UTC`. */
export const formatReportTime = (timestamp: string): string => `${timestamp.slice(0, 16).replace('T', ' ')} UTC`;

/** Says that an assessment is incomplete. Returns null if it is complete. */
export function describeIncompleteness({ state }: Pick<Report, 'state'>): string | null {
  if (state === 'finished') return null;
  return state === 'running'
    ? 'This assessment is still running: the report is not complete.'
    : 'This assessment was stopped before its end: controls that it did not reach are missing.';
}

/** Summarizes the changes since the baseline. Returns null without a baseline. */
export function describeBaseline(report: Report): string | null {
  const { baseline, target } = report;
  if (baseline === undefined) return null;
  const other = baseline.target === target ? '' : ` of another target, ${baseline.target}`;
  const changes = (['new', 'fixed', 'same', 'unknown'] as const).map(
    (kind) => `${report[kind]?.length ?? 0} ${WORDS[kind]}`,
  );
  return `Compared with "${baseline.name}"${other}, ${formatReportTime(baseline.started_at)}: ${changes.join(', ')}.`;
}

const WORDS = { new: 'new', fixed: 'fixed', same: 'still failed', unknown: 'that cannot be decided any more' } as const;
