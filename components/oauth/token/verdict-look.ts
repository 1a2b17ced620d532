import { CircleCheck, CircleHelp, CircleMinus, CircleX, TriangleAlert } from 'lucide-react';
import type { VerdictKind } from '@/lib/oauth/assessment/verdict';

/** Icon, colour and name of each judgement. Recommendations look milder. */
export const VERDICT_LOOKS = {
  failed: { icon: CircleX, colour: 'text-destructive-text', name: 'Failed' },
  advice: { icon: TriangleAlert, colour: 'text-warning-text', name: 'Advice' },
  inconclusive: { icon: CircleHelp, colour: 'text-muted-foreground', name: 'Undecided' },
  passed: { icon: CircleCheck, colour: 'text-success-text', name: 'Passed' },
  not_applicable: { icon: CircleMinus, colour: 'text-muted-foreground', name: 'Not applicable' },
} as const satisfies Record<VerdictKind | 'advice', unknown>;
