import { parseResponseJson } from '@/lib/oauth/assessment/exchange';
import type { Probe } from '@/lib/oauth/assessment/probe';
import { fill } from '@/lib/oauth/assessment/requests';
import type { TargetClient } from '@/lib/oauth/assessment/target';

/** Token to revoke, and its hint (RFC 7009 section 2.1). */
const HINTS = { 'access token': 'access_token', 'refresh token': 'refresh_token' } as const;
export type RevokedKind = keyof typeof HINTS;

/** Revokes a token, with a hint to its kind if the server does not take the request without one. */
export async function revoke(
  probe: Probe,
  kind: RevokedKind,
  token: string,
  { client, as = '', hint }: { client?: TargetClient; as?: string; hint?: string } = {},
) {
  const endpoint = await probe.requireEndpoint('revocation_endpoint', client ?? probe.requireClient());
  const post = async (label: string, more: Record<string, string>) => {
    const { fields, ...options } = await probe.createClientCredentials(client);
    return probe.send(label, endpoint, { method: 'POST', body: fill({ ...fields, token, ...more }) }, options);
  };
  const given = hint === undefined ? '' : ', with a wrong hint';
  let exchange = await post(`Revoke the ${kind}${as}${given}`, hint === undefined ? {} : { token_type_hint: hint });
  if (
    hint === undefined &&
    exchange.response.status === 400 &&
    parseResponseJson(exchange).error !== 'unsupported_token_type'
  )
    exchange = await post(`Revoke the ${kind}${as}, with a hint`, { token_type_hint: HINTS[kind] });
  return { status: exchange.response.status, error: parseResponseJson(exchange).error };
}
