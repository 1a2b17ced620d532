import type { VERDICTS } from '@/lib/contract/assessment-events';

/** Colours by verdict. */
export const VERDICT_LOOKS = {
  passed: 'success',
  failed: 'destructive',
  not_applicable: 'outline',
  inconclusive: 'warning',
} as const satisfies Record<(typeof VERDICTS)[number], string>;
