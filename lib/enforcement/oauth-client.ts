import type { ClientType } from '@/lib/contract/fields/enumerations';
import { isOAuthPath } from '@/lib/enforcement/protected-paths';
import { subjectName } from '@/lib/enforcement/subject-name';
import { mediaType, readBytes } from '@/lib/http/json-body';
import { findClient } from '@/lib/oauth/lab/clients';

/**
 * The OAuth client that a request to the authorization server names, in HTTP Basic, the query or the body (RFC 6749,
 * sections 2.3.1 and 3.2.1). Where they differ the first is counted; the authorization server refuses such a request.
 * What names no client, or cannot be read, is nobody's.
 */
export async function oauthClient(request: Request, path: string): Promise<{ id: string; type: ClientType } | null> {
  if (!isOAuthPath(path)) return null;
  const id = fromBasic(request) ?? new URL(request.url).searchParams.get('client_id') ?? (await fromBody(request));
  if (id === null || id === '') return null;
  const secret = findClient(new URL(request.url).origin, id)?.secret ?? null;
  return { id: subjectName(id), type: secret === null ? 'public' : 'confidential' };
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
