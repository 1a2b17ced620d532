import type { ApiError } from '@/lib/http/api-error';
import { errorAnswer } from '@/lib/http/error-response';

/** What next-auth 4 does to a response, in the form of its Pages API. */
export interface NextAuthResponse {
  status(code: number): NextAuthResponse;
  setHeader(name: string, value: string | string[]): NextAuthResponse;
  getHeader(name: string): string | string[] | undefined;
  json(body: unknown): void;
  send(body: unknown): void;
  end(): void;
}

/** Collects what next-auth answers. */
export class NextAuthAnswer implements NextAuthResponse {
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

  /** Where the answer leads: by redirect, or by the `url` of its JSON. Null when it leads nowhere. */
  target(): string | null {
    const header = this.getHeader('location');
    return typeof header === 'string' ? header : this.#url();
  }

  /** Leads elsewhere. */
  leadTo(url: string): void {
    if (this.getHeader('location') === undefined) this.json({ url });
    else this.setHeader('location', url);
  }

  /**
   * Makes a script's answer the error, with the `url` that next-auth's own client reads beside it; a form without script
   * is still led to its page.
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

  /** What is neither a success nor leads anywhere: next-auth's own refusals, in plain text. */
  get isBareRefusal(): boolean {
    return this.#status >= 400 && this.target() === null;
  }

  response(withoutBody: boolean): Response {
    const headers = new Headers();
    for (const [name, value] of this.#headers)
      for (const one of Array.isArray(value) ? value : [value]) headers.append(name, one);
    return new Response(withoutBody ? null : this.#body, { status: this.#status, headers });
  }

  #url(): string | null {
    if (this.#body === null || !this.#body.startsWith('{')) return null;
    const value: unknown = JSON.parse(this.#body);
    return typeof value === 'object' && value !== null && 'url' in value && typeof value.url === 'string'
      ? value.url
      : null;
  }
}
