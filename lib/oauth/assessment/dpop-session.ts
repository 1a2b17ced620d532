import { DpopKey, type ProofOptions } from '@/lib/oauth/assessment/dpop-key';
import { type Exchange, findResponseHeader, parseResponseJson } from '@/lib/oauth/assessment/exchange';

/** A client's DPoP key, with the nonces that servers require in its proofs (RFC 9449 sections 8 and 9). */
export class DpopSession {
  readonly #nonces = new Map<string, string>();

  private constructor(readonly key: DpopKey) {}

  static async start(): Promise<DpopSession> {
    return new DpopSession(await DpopKey.generate());
  }

  get hasNonce(): boolean {
    return this.#nonces.size > 0;
  }

  /** @param at address that the request is sent to, by default the address in the proof */
  createProof(options: ProofOptions, at = options.url): Promise<string> {
    return this.key.createProof({ nonce: this.#nonces.get(new URL(at).origin), ...options });
  }

  /** Stores the nonce of an answer. @returns whether the request must be sent again with it */
  recordAnswer(exchange: Exchange): boolean {
    const nonce = findResponseHeader(exchange, 'dpop-nonce');
    if (nonce === null) return false;
    this.#nonces.set(new URL(exchange.request.url).origin, nonce);
    return readDpopError(exchange) === 'use_dpop_nonce';
  }
}

/** Sends a request with a proof. Sends it once more if the server asks for a nonce. */
export async function retryWithNonce<T extends { exchange: Exchange }>(
  session: DpopSession,
  send: () => Promise<T>,
): Promise<T> {
  const first = await send();
  return session.recordAnswer(first.exchange) ? send() : first;
}

/** Returns the error by which a token endpoint or a resource requires a proof of possession, or null. */
export function readDpopError(exchange: Exchange): string | null {
  const { error, error_description: description } = parseResponseJson(exchange);
  const challenge = findResponseHeader(exchange, 'www-authenticate') ?? '';
  const named = /use_dpop_nonce|invalid_dpop_proof/.exec(`${error} ${challenge}`)?.[0];
  if (named !== undefined) return named;
  const isAbout = exchange.response.status >= 400 && typeof error === 'string' && /\bdpop\b/i.test(String(description));
  const isAlone = /^dpop\b/i.test(challenge) && !/\bbearer\b/i.test(challenge);
  return isAbout || isAlone ? 'invalid_dpop_proof' : null;
}
