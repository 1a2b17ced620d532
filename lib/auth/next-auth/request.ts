import { parseCookies } from '@/lib/auth/session-cookie';
import { ApiError } from '@/lib/http/api-error';
import { mediaType, readBytes } from '@/lib/http/json-body';

/** What next-auth 4 reads of a request, in the form of its Pages API. */
export interface NextAuthRequest {
  method: string;
  query: Record<string, string | string[]>;
  headers: Record<string, string>;
  cookies: Record<string, string>;
  body: Record<string, string> | undefined;
}

const ERROR_CODE = /^[\w:-]{1,64}$/;

/** @throws ApiError bad_request, invalid_request, payload_too_large, unsupported_media_type */
export async function readForm(request: Request): Promise<Record<string, string>> {
  const bytes = await readBytes(request);
  const text = new TextDecoder('utf-8').decode(bytes);
  if (mediaType(request) === 'application/x-www-form-urlencoded') return Object.fromEntries(new URLSearchParams(text));
  if (mediaType(request) !== 'application/json') {
    throw new ApiError('unsupported_media_type', 'The body must be a form or a JSON object.');
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new ApiError('bad_request', 'The body is not valid JSON.');
  }
  if (typeof value !== 'object' || value === null)
    throw new ApiError('invalid_request', 'The body must be a form or a JSON object.');
  return Object.fromEntries(
    Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}

/** The query without what next-auth would stumble over. */
export function readQuery(request: Request, origin: URL): Record<string, string> {
  const query = Object.fromEntries(new URL(request.url).searchParams);
  delete query.nextauth;
  if (query.callbackUrl !== undefined && !isHttp(query.callbackUrl, origin)) delete query.callbackUrl;
  if (query.error !== undefined && !ERROR_CODE.test(query.error)) query.error = 'Default';
  return query;
}

/** next-auth's own cookies, without an address in them that is none. */
export function readCookies(header: string | null, origin: URL): Record<string, string> {
  const cookies: Record<string, string> = {};
  for (const [name, value] of parseCookies(header)) {
    if (!/^(?:__Secure-|__Host-)?next-auth\./.test(name)) continue;
    const text = decoded(value);
    if (name.endsWith('next-auth.callback-url') && !isHttp(text, origin)) continue;
    cookies[name] = text;
  }
  return cookies;
}

function decoded(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}

function isHttp(url: string, origin: URL): boolean {
  return URL.canParse(url, origin) && ['http:', 'https:'].includes(new URL(url, origin).protocol);
}
