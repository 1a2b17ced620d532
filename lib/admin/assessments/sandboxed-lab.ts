import { ApiError } from '@/lib/http/api-error';
import { createLabTarget } from '@/lib/oauth/assessment/lab-target';
import type { AssessmentTarget } from '@/lib/oauth/assessment/target';
import { type ControlSwitch, enableControlsExcept, type FapiRequirement } from '@/lib/oauth/lab/controls';
import type { Context } from '@/lib/operation/context';

/**
 * Creates a sandbox of the lab for one request. It stores nothing and consumes no rate limit.
 * @throws ApiError not_found if `SLUICE_LAB=off`
 */
export function createSandboxedLab(
  context: Context,
  off: readonly ControlSwitch[],
  requirements: readonly FapiRequirement[] = [],
): AssessmentTarget {
  const { clock, randomBytes: random, config } = context.services;
  if (!config.SLUICE_LAB) throw new ApiError('not_found', 'The OAuth lab is switched off here.');
  const { origin } = context.facts;
  const controls = enableControlsExcept(...off);
  return createLabTarget({ origin, controls, requirements, startAt: context.now, clock, random });
}
