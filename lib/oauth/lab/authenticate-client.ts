import { findClient, type LabClient } from '@/lib/oauth/lab/clients';
import { type Parameters, readQuery } from '@/lib/oauth/lab/parameters';
import { sameSecret } from '@/lib/oauth/lab/secret';
import type { LabServices } from '@/lib/oauth/lab/services';
import type { Violation } from '@/lib/oauth/lab/violation';

/** The client that a request is from, as far as it is known, and what is wrong with its credentials. */
export interface ClientReading {
  client: LabClient | null;
  violations: Violation[];
}

const CREDENTIALS = [
  'client_secret',
  'client_assertion',
  'code',
  'code_verifier',
  'refresh_token',
  'token',
  'password',
];

/**
 * Client authentication at the token, revocation, introspection and pushed request endpoints: `client_secret_basic`,
 * `client_secret_post`, or none for a public client (RFC 6749 sections 2.3.1 and 3.2.1).
 */
export function authenticateClient(request: Request, parameters: Parameters, lab: LabServices): ClientReading {
  const violations: Violation[] = [];
  const note = (control: Violation['control'], error: Violation['error'], description: string, status?: number) =>
    violations.push({ control, error, description, status });
  const query = readQuery(request);
  if (CREDENTIALS.some((name) => query.get(name) !== undefined)) {
    note('credentials-in-uri', 'invalid_request', 'Credentials and codes belong in the body, not in the URL.');
  }
  const header = request.headers.get('authorization');
  const basic = header === null ? null : readBasic(header);
  if (basic === 'malformed') {
    note(null, 'invalid_client', 'The Authorization header is not valid Basic authentication.', 401);
    return { client: null, violations };
  }
  if (parameters.get('client_assertion') !== undefined) {
    note(null, 'invalid_client', 'Client assertions are not supported.', 401);
  }
  const posted = parameters.get('client_secret');
  if (basic !== null && posted !== undefined) {
    note(null, 'invalid_request', 'The request uses more than one client authentication method.');
  }
  const ids = new Set(
    [basic?.id, ...parameters.all('client_id'), ...query.all('client_id')].filter((id) => id !== undefined),
  );
  if (ids.size > 1) note('client-id-mixup', 'invalid_request', 'The request names more than one client.');
  const id = basic?.id ?? parameters.get('client_id');
  const client = findClient(lab.origin, id);
  if (client === null) {
    const description = id === undefined ? 'client_id is missing.' : 'No client has this client_id.';
    note(null, 'invalid_client', description, 401);
    return { client, violations };
  }
  const secret = basic?.secret ?? posted;
  if (client.secret === null) {
    if (secret !== undefined && secret !== '') note(null, 'invalid_client', 'A public client has no secret.', 401);
  } else if (secret === undefined || !sameSecret(secret, client.secret)) {
    const description = secret === undefined ? 'The client must authenticate.' : 'The client secret is wrong.';
    note('client-authentication', 'invalid_client', description, 401);
  }
  return { client, violations };
}

/** RFC 7617, with id and secret form-encoded as RFC 6749 section 2.3.1 says. */
function readBasic(header: string): { id: string; secret: string } | 'malformed' {
  const encoded = /^Basic +([A-Za-z0-9+/]+={0,2})$/i.exec(header)?.[1];
  if (encoded === undefined || encoded.length % 4 !== 0) return 'malformed';
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(encoded, 'base64'));
    const colon = text.indexOf(':');
    if (colon < 1) return 'malformed';
    const decode = (part: string) => decodeURIComponent(part.replaceAll('+', ' '));
    return { id: decode(text.slice(0, colon)), secret: decode(text.slice(colon + 1)) };
  } catch {
    return 'malformed';
  }
}
