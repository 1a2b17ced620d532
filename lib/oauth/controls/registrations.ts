import { type Exchange, parseResponseJson } from '@/lib/oauth/assessment/exchange';
import type { Probe } from '@/lib/oauth/assessment/probe';

/** Builds the request that registers a public client (RFC 7591 section 3.1). */
export const createRegistration = (redirectUris: readonly string[], fields: object = {}): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/json', accept: 'application/json' },
  body: JSON.stringify({
    client_name: 'Sluice assessment',
    redirect_uris: redirectUris,
    token_endpoint_auth_method: 'none',
    grant_types: ['authorization_code'],
    response_types: ['code'],
    ...fields,
  }),
});

/** Deletes the registration in an answer, if the server allows it (RFC 7592 section 2.3). */
export async function unregister(probe: Probe, answer: Exchange): Promise<void> {
  const { registration_client_uri: uri, registration_access_token: token } = parseResponseJson(answer);
  if (typeof uri !== 'string' || typeof token !== 'string') return;
  await probe.send('Remove that client', uri, { method: 'DELETE', headers: { authorization: `Bearer ${token}` } });
}
