import { findClient, type LabClient } from '@/lib/oauth/lab/clients';
import { type Parameters, readBody, readQuery } from '@/lib/oauth/lab/parameters';
import { refuse, type Violations } from '@/lib/oauth/lab/respond';
import type { Lab, LabHandler } from '@/lib/oauth/lab/services';
import { sameSecret } from '@/lib/oauth/lab/tickets';

/** A request that a client sends itself, without a browser. */
interface ClientRequest {
  request: Request;
  parameters: Parameters;
  /** Null where it is not known. */
  client: LabClient | null;
  violations: Violations;
}

/** An endpoint that reads a body and authenticates the client that sends it. */
export function clientEndpoint(answer: (asked: ClientRequest, lab: Lab) => Promise<Response>): LabHandler {
  return async (request, lab, violations) => {
    const parameters = await readBody(request, violations);
    if (parameters === null) return refuse(violations.refusing);
    const client = authenticateClient(request, parameters, violations, lab);
    return answer({ request, parameters, client, violations }, lab);
  };
}

const CREDENTIAL = /^(?:client_secret|client_assertion|code|code_verifier|refresh_token|token|password)$/;

/**
 * Client authentication at the token, revocation, introspection and pushed request endpoints: `client_secret_basic`,
 * `client_secret_post`, or none for a public client (RFC 6749 sections 2.3.1 and 3.2.1).
 */
function authenticateClient(
  request: Request,
  parameters: Parameters,
  violations: Violations,
  lab: Lab,
): LabClient | null {
  const invalidClient = (description: string) => violations.note(null, description, 'invalid_client');
  const query = readQuery(request);
  if (query.entries.some(([name]) => CREDENTIAL.test(name))) {
    violations.note('credentials-in-uri', 'Credentials and codes belong in the body, not in the URL.');
  }
  const header = request.headers.get('authorization');
  const basic = header === null ? null : readBasic(header);
  if (basic === 'malformed') {
    invalidClient('The Authorization header is not valid Basic authentication.');
    return null;
  }
  if (parameters.get('client_assertion') !== undefined) invalidClient('Client assertions are not supported.');
  const posted = parameters.get('client_secret');
  if (basic !== null && posted !== undefined) {
    violations.note(null, 'The request uses more than one client authentication method.');
  }
  const named = [basic?.id, ...parameters.all('client_id'), ...query.all('client_id')];
  if (new Set(named.filter((id) => id !== undefined)).size > 1) {
    violations.note('client-id-mixup', 'The request names more than one client.');
  }
  const id = basic?.id ?? parameters.get('client_id');
  const client = findClient(lab.origin, id);
  if (client === null) {
    invalidClient(id === undefined ? 'client_id is missing.' : 'No client has this client_id.');
    return null;
  }
  const secret = basic?.secret ?? posted;
  if (client.secret === null) {
    if (secret !== undefined && secret !== '') invalidClient('A public client has no secret.');
  } else if (secret === undefined || !sameSecret(secret, client.secret)) {
    const description = secret === undefined ? 'The client must authenticate.' : 'The client secret is wrong.';
    violations.note('client-authentication', description, 'invalid_client');
  }
  return client;
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
