import type { VerdictKind } from '@/lib/oauth/assessment/verdict';

/** Titles of the verdicts for people. Undecided means inconclusive, and never counts as passed. */
export const VERDICT_TITLES: Readonly<Record<VerdictKind, string>> = {
  failed: 'Failed',
  inconclusive: 'Undecided',
  passed: 'Passed',
  not_applicable: 'Not applicable',
};

/** Order of the verdicts in a report, the most urgent first. */
export const VERDICT_ORDER = [
  'failed',
  'inconclusive',
  'passed',
  'not_applicable',
] as const satisfies readonly VerdictKind[];
