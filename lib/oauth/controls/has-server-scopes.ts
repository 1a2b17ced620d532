import type { Probe } from '@/lib/oauth/assessment/probe';
import { readScope } from '@/lib/oauth/controls/token-parts';

/** Returns whether the server has scopes: its metadata lists them, or the tokens of a valid request name one. */
export async function hasServerScopes(probe: Probe): Promise<boolean> {
  const { scopes_supported: listed } = await probe.fetchServerMetadata();
  if (Array.isArray(listed) && listed.some((scope) => scope !== 'openid')) return true;
  const { scope, accessToken } = await probe.runCodeFlow();
  return scope !== null || readScope(accessToken) !== null;
}
