import { labTarget } from '@/lib/oauth/assessment/lab-target';
import type { AssessmentTarget } from '@/lib/oauth/assessment/target';
import { type ControlSwitch, controlsWithout } from '@/lib/oauth/lab/controls';
import type { Context } from '@/lib/operation/context';

/** The lab in a sandbox of this request's own: nothing of it is stored, and no rate limit is used up. */
export function sandboxedLab(context: Context, off: readonly ControlSwitch[]): AssessmentTarget {
  const { clock, randomBytes } = context.services;
  return labTarget({
    origin: context.facts.origin,
    controls: controlsWithout(...off),
    startAt: context.now,
    clock,
    random: randomBytes,
  });
}
