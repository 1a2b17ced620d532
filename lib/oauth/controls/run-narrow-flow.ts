import { compareAuthorizations } from '@/lib/oauth/assessment/comparison';
import type { Tokens } from '@/lib/oauth/assessment/outcomes';
import type { Probe } from '@/lib/oauth/assessment/probe';
import type { Fields } from '@/lib/oauth/assessment/requests';
import { CannotProbe } from '@/lib/oauth/assessment/verdict';
import { readScope } from '@/lib/oauth/controls/token-parts';

/** Scopes that change the flow itself. */
const OF_THE_FLOW = new Set(['openid', 'offline_access']);

/**
 * Runs a flow that asks for everything but one scope, or for another one that the metadata lists.
 * @throws CannotProbe inconclusive if no other scope is known, or the server grants the scope anyway;
 * not_applicable if it gives no code without the scope
 * @param run runs the flow with these fields
 */
export async function runNarrowFlow<T extends Tokens>(
  probe: Probe,
  without: string,
  run: (fields: Fields) => Promise<T>,
): Promise<T & { narrow: string }> {
  const { scopes_supported: listed } = await probe.fetchServerMetadata();
  const others = Array.isArray(listed) ? listed.map(String).filter((scope) => !OF_THE_FLOW.has(scope)) : [];
  const narrow = probe.omitFromScope(without) || others.find((scope) => scope !== without);
  if (narrow === undefined) throw new CannotProbe('inconclusive', 'No other scope is known.');
  const tokens = await run({ scope: narrow }).catch(async (error) => {
    if (await isRefused(probe, narrow))
      throw new CannotProbe('not_applicable', `The server gives no code without ${without}.`);
    throw error;
  });
  const granted = tokens.scope ?? readScope(tokens.accessToken);
  if (granted?.split(' ').includes(without))
    throw new CannotProbe('inconclusive', `The server grants ${without} although it is not asked for.`);
  return { ...tokens, narrow };
}

/** Returns whether the server refuses a request with this scope, and not another one. */
async function isRefused(probe: Probe, scope: string): Promise<boolean> {
  const good = await probe.requireAccepted();
  return compareAuthorizations(good, await probe.authorize('Ask for this scope only', { scope })).kind === 'refused';
}
