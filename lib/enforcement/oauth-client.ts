import { createHash } from 'node:crypto';
import type { ClientType } from '@/lib/contract/fields/enumerations';
import { isAuthorizationServer } from '@/lib/enforcement/canonical-path';
import type { LabIdentity } from '@/lib/enforcement/lab-identity';
import { mediaType, readBytes } from '@/lib/http/json-body';
import { withoutTokens } from '@/lib/logging/without-tokens';

const DIGEST_LENGTH = 16;

/**
 * The OAuth client that a request to the authorization server names, in HTTP Basic, the query or the body (RFC 6749,
 * sections 2.3.1 and 3.2.1). Where they differ the first one counts; the authorization server refuses such a request.
 * Null for a request that names no client, or cannot be read.
 */
export async function oauthClient(
  request: Request,
  path: string,
  lab: Pick<LabIdentity, 'clientType'>,
): Promise<{ id: string; type: ClientType } | null> {
  if (!isAuthorizationServer(path)) return null;
  const { origin, searchParams } = new URL(request.url);
  const id = fromBasic(request) ?? searchParams.get('client_id') ?? (await fromBody(request));
  if (id === null || id === '') return null;
  return { id: safeName(id), type: lab.clientType(origin, id) };
}

/** The name as it may be stored and listed: a digest replaces any credential in it. Different names stay different. */
function safeName(name: string): string {
  const safe = withoutTokens(name);
  return safe === name ? name : safe + createHash('sha256').update(name).digest('base64url').slice(0, DIGEST_LENGTH);
}

function fromBasic(request: Request): string | null {
  const credentials = /^basic +([A-Za-z0-9+/=]+)$/i.exec(request.headers.get('authorization') ?? '')?.[1];
  if (credentials === undefined) return null;
  const name = Buffer.from(credentials, 'base64').toString('utf8').split(':')[0] ?? '';
  try {
    return decodeURIComponent(name.replaceAll('+', ' '));
  } catch {
    return null;
  }
}

async function fromBody(request: Request): Promise<string | null> {
  const type = mediaType(request);
  const isForm = type === 'application/x-www-form-urlencoded';
  if (request.method === 'GET' || request.method === 'HEAD' || !(isForm || type === 'application/json')) return null;
  try {
    const text = new TextDecoder().decode(await readBytes(request.clone()));
    if (isForm) return new URLSearchParams(text).get('client_id');
    const body: unknown = JSON.parse(text);
    if (typeof body !== 'object' || body === null || !('client_id' in body)) return null;
    return typeof body.client_id === 'string' ? body.client_id : null;
  } catch {
    return null;
  }
}
