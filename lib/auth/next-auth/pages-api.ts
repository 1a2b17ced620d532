import NextAuth, { type AuthOptions } from 'next-auth';
import { parseCookies } from '@/lib/auth/session-cookie';
import { ApiError } from '@/lib/http/api-error';
import { errorAnswer } from '@/lib/http/error-answer.mjs';
import { mediaType, readBytes } from '@/lib/http/json-body';

/** The part of a Next Pages API request that next-auth 4 reads. */
export interface NextAuthRequest {
  method: string;
  query: Record<string, string | string[]>;
  headers: Record<string, string>;
  cookies: Record<string, string>;
  body: Record<string, string> | undefined;
}

/**
 * Calls next-auth 4 with its documented signature of the Pages API, `NextAuth(req, res, options)`. Its App Router
 * signature reads host and cookies from `next/headers`, and would believe any client's `X-Forwarded-Host`.
 */
export async function callNextAuth(request: NextAuthRequest, options: AuthOptions): Promise<NextAuthAnswer> {
  const answer = new NextAuthAnswer();
  await (NextAuth as (...call: unknown[]) => Promise<void>)(request, answer, options);
  return answer;
}

/** The response object of the Pages API, as far as next-auth 4 uses it. */
export class NextAuthAnswer {
  #status = 200;
  #body: string | null = null;
  readonly #headers = new Map<string, string | string[]>([
    ['cache-control', 'no-store'],
    ['x-content-type-options', 'nosniff'],
  ]);

  status(code: number): this {
    this.#status = code;
    return this;
  }

  setHeader(name: string, value: string | string[]): this {
    this.#headers.set(name.toLowerCase(), value);
    return this;
  }

  getHeader(name: string): string | string[] | undefined {
    return this.#headers.get(name.toLowerCase());
  }

  json(body: unknown): void {
    this.setHeader('content-type', 'application/json; charset=utf-8');
    this.#body = JSON.stringify(body);
  }

  send(body: unknown): void {
    if (typeof body === 'string') this.#body = body;
    else if (body !== undefined && body !== null) this.json(body);
  }

  end(): void {}

  addCookie(cookie: string): void {
    this.setHeader('set-cookie', [this.getHeader('set-cookie') ?? [], cookie].flat());
  }

  /** Where the answer redirects, by `Location` or by the `url` of its JSON; null when it does not. */
  target(): string | null {
    const location = this.getHeader('location');
    return typeof location === 'string' ? location : this.#url();
  }

  redirectTo(url: string): void {
    if (this.getHeader('location') === undefined) this.json({ url });
    else this.setHeader('location', url);
  }

  /**
   * Turns an answer to a script into the error, and keeps the `url` that next-auth's client reads; a form without script
   * is still redirected.
   */
  refuse(error: ApiError, accept: string | null, requestId: string): void {
    const url = this.#url();
    if (url === null) {
      const wait = error.headers['Retry-After'];
      if (wait !== undefined) this.setHeader('retry-after', wait);
      return;
    }
    const { status, headers, body } = errorAnswer(error, accept, requestId);
    this.status(status).json({ ...JSON.parse(body ?? '{}'), url });
    for (const [name, value] of Object.entries(headers)) this.setHeader(name, value);
  }

  /** Whether it is one of next-auth's own errors, in plain text. */
  get isPlainError(): boolean {
    return this.#status >= 400 && this.target() === null;
  }

  response(withoutBody: boolean): Response {
    const fields = [...this.#headers].flatMap(([name, values]) => [values].flat().map((value) => [name, value]));
    return new Response(withoutBody ? null : this.#body, {
      status: this.#status,
      headers: fields as [string, string][],
    });
  }

  #url(): string | null {
    if (!this.#body?.startsWith('{')) return null;
    const { url }: { url?: unknown } = JSON.parse(this.#body);
    return typeof url === 'string' ? url : null;
  }
}

const ERROR_CODE = /^[\w:-]{1,64}$/;

/** @throws ApiError bad_request, invalid_request, payload_too_large, unsupported_media_type */
export async function readForm(request: Request): Promise<Record<string, string>> {
  const text = new TextDecoder('utf-8').decode(await readBytes(request));
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

/** The query without values that next-auth fails on. */
export function readQuery(request: Request, origin: URL): Record<string, string> {
  const query = Object.fromEntries(new URL(request.url).searchParams);
  delete query.nextauth;
  if (query.callbackUrl !== undefined && !isHttp(query.callbackUrl, origin)) delete query.callbackUrl;
  if (query.error !== undefined && !ERROR_CODE.test(query.error)) query.error = 'Default';
  return query;
}

/** next-auth's own cookies, without a callback URL that is none. */
export function readCookies(header: string | null, origin: URL): Record<string, string> {
  const own = [...parseCookies(header)].filter(([name]) => /^(?:__Secure-|__Host-)?next-auth\./.test(name));
  return Object.fromEntries(
    own
      .map(([name, value]) => [name, decoded(value)] as const)
      .filter(([name, text]) => !name.endsWith('next-auth.callback-url') || isHttp(text, origin)),
  );
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
