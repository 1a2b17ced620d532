import type { Probe } from '@/lib/oauth/assessment/probe';
import { CannotProbe } from '@/lib/oauth/assessment/verdict';
import { readScope } from '@/lib/oauth/controls/token-parts';
import { UNREGISTERED_SCOPE } from '@/lib/oauth/controls/unregistered-scope';

/** Returns whether the server has scopes: its metadata lists them, or the tokens of a valid request name one. */
export async function hasServerScopes(probe: Probe): Promise<boolean> {
  const { scopes_supported: listed } = await probe.fetchServerMetadata();
  if (Array.isArray(listed) && listed.some((scope) => scope !== 'openid')) return true;
  const { scope, accessToken } = await probe.runCodeFlow();
  return scope !== null || readScope(accessToken) !== null;
}

/**
 * Creates the reason for not judging a control that needs a scope, if none is known. A server names no scope that equals
 * the requested one (RFC 6749 section 5.1), so only an invented scope, granted without a word, shows that it has none.
 */
export async function explainNoScope(probe: Probe, reason: string): Promise<CannotProbe> {
  const isWithout = !(await hasServerScopes(probe)) && (await isInventedScopeIgnored(probe));
  return isWithout
    ? new CannotProbe('not_applicable', 'The server has no scopes: see scope-limits.')
    : new CannotProbe('inconclusive', reason);
}

/** Returns whether the server issues a token for an invented scope, and names no scope then either. */
function isInventedScopeIgnored(probe: Probe): Promise<boolean> {
  return probe.runOnce('ignored scope', async () => {
    const scope = `${probe.target.scope} ${UNREGISTERED_SCOPE}`.trim();
    const outcome = await probe.authorize('Does the server have scopes?', { scope });
    const code = outcome.kind === 'granted' ? outcome.parameters.code : undefined;
    if (outcome.kind !== 'granted' || code === undefined) return false;
    const redeemed = await probe.redeem('Redeem the code for it', { code, verifier: outcome.verifier });
    if (redeemed.kind !== 'issued') return false;
    return redeemed.tokens.scope === null && readScope(redeemed.tokens.accessToken) === null;
  });
}
