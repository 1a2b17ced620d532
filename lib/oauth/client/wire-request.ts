import { ASSERTION_PARAMETER, type PlannedRequest, SIGNED_LATER } from '@/lib/oauth/client/plan-request';

/** A request as sent. */
export interface WireRequest {
  method: 'GET' | 'POST';
  url: string;
  headers: [string, string][];
  /** Empty with GET. */
  body: string;
}

/** Signatures that are made when a request is sent. Until then a placeholder takes their place. */
export interface Signatures {
  assertion?: string;
  proof?: string;
}

/** Assembles a planned request. @throws TypeError if its URL is invalid */
export function buildWireRequest(planned: PlannedRequest, signatures: Signatures = {}): WireRequest {
  const { method, credentials, proof } = planned;
  const { assertion = SIGNED_LATER } = signatures;
  const form = new URLSearchParams(
    planned.parameters.map(([name, value]) => [
      name,
      credentials.kind === 'assertion' && name === ASSERTION_PARAMETER && value === SIGNED_LATER ? assertion : value,
    ]),
  ).toString();
  const url = new URL(planned.url);
  if (method === 'GET' && form !== '') url.search += (url.search === '' ? '?' : '&') + form;
  const isForm = method === 'POST' && planned.body === null;
  return {
    method,
    url: url.href,
    headers: [
      ...planned.headers.map(([name, value]): [string, string] => [name, value]),
      ...(isForm ? [['Content-Type', 'application/x-www-form-urlencoded'] satisfies [string, string]] : []),
      ...buildAuthorizationHeader(credentials),
      ...(proof ? [['DPoP', signatures.proof ?? SIGNED_LATER] satisfies [string, string]] : []),
    ],
    body: isForm ? form : (planned.body ?? ''),
  };
}

function buildAuthorizationHeader(credentials: PlannedRequest['credentials']): [string, string][] {
  if (credentials.kind === 'basic') {
    const pair = `${encodeFormValue(credentials.id)}:${encodeFormValue(credentials.secret)}`;
    return [['Authorization', `Basic ${btoa(pair)}`]];
  }
  if (credentials.kind !== 'token') return [];
  return [['Authorization', `${credentials.scheme} ${credentials.token}`]];
}

/**
 * Form-encodes a text, as Basic authentication of clients requires for both parts (RFC 6749 section 2.3.1). The result
 * is ASCII.
 */
export function encodeFormValue(text: string): string {
  return new URLSearchParams([['', text]]).toString().slice(1);
}

/** Replaces line breaks and NUL, which no header may contain. */
export function formatHeaderValue(text: string): string {
  return text.replace(/[\r\n\0]/g, ' ');
}

/** Formats the request as HTTP/1.1 text (RFC 9112), for display. */
export function formatHttp({ method, url, headers, body }: WireRequest): string {
  const { host, pathname, search } = new URL(url);
  const lines = [`${method} ${pathname}${search} HTTP/1.1`, `Host: ${host}`];
  for (const [name, value] of headers) lines.push(`${name}: ${formatHeaderValue(value)}`);
  return `${lines.join('\n')}\n${body === '' ? '' : `\n${body}`}`;
}
