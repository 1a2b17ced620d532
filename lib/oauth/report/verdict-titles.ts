import type { VerdictKind } from '@/lib/oauth/assessment/verdict';

/** What people read for each verdict. Undecided is their word for inconclusive: never counted as good. */
export const VERDICT_TITLES: Readonly<Record<VerdictKind, string>> = {
  failed: 'Failed',
  inconclusive: 'Undecided',
  passed: 'Passed',
  not_applicable: 'Not applicable',
};

/** The order of a report: first what is to be done. */
export const VERDICT_ORDER = [
  'failed',
  'inconclusive',
  'passed',
  'not_applicable',
] as const satisfies readonly VerdictKind[];
