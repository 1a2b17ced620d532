import { capitalize } from '@/lib/capitalize';
import type { AuthorizationOutcome } from '@/lib/oauth/assessment/outcomes';
import type { Probe } from '@/lib/oauth/assessment/probe';
import type { Fields } from '@/lib/oauth/assessment/requests';
import { ignoreUndecided } from '@/lib/oauth/assessment/verdict';
import { authorizeRefusably } from '@/lib/oauth/controls/repeat-fault';

/** Ways to send an authorization request other than a redirect, and what a valid one is called. */
const WAYS = { byPost: 'A valid request by POST', pushed: 'A valid request, pushed' } as const;

/** Sends a request by POST, or pushed, that must be refused. Returns null if the server does not take a valid one so. */
export async function askInWay(
  probe: Probe,
  way: keyof typeof WAYS,
  label: string,
  fields: Fields,
): Promise<AuthorizationOutcome | null> {
  if (probe.target.capabilities.visit !== undefined || (await probe.isPushRequired())) return null;
  const options = { [way]: true };
  const ask = () => probe.authorize(WAYS[way], {}, options).catch(ignoreUndecided);
  const valid = await probe.runOnce(WAYS[way], ask);
  return valid?.kind === 'granted'
    ? authorizeRefusably(probe, () => probe.authorize(capitalize(label), fields, options))
    : null;
}
