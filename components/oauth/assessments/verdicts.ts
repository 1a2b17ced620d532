import type { VERDICTS } from '@/lib/contract/assessments';

type Verdict = (typeof VERDICTS)[number];

/** Undecided is what people call inconclusive: never counted as good. */
export const VERDICT_WORDS: Record<Verdict, string> = {
  passed: 'Passed',
  failed: 'Failed',
  not_applicable: 'Not applicable',
  inconclusive: 'Undecided',
};

/** The worst first, as reports show them. */
export const VERDICT_ORDER = ['failed', 'inconclusive', 'passed', 'not_applicable'] as const satisfies Verdict[];

/** Colours follow the verdict. */
export const VERDICT_LOOKS = {
  passed: 'success',
  failed: 'destructive',
  not_applicable: 'outline',
  inconclusive: 'warning',
} as const satisfies Record<Verdict, string>;
