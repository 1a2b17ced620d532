import { DpopSession, readDpopError } from '@/lib/oauth/assessment/dpop-session';
import type { Exchange } from '@/lib/oauth/assessment/exchange';
import type { Fields } from '@/lib/oauth/assessment/requests';

/**
 * Requirements of a server for every flow, in addition to the client's credentials. They are detected from its answers.
 */
export class Demands {
  /** Key that tokens are bound to (RFC 9449). Null if the server asks for no proof. */
  dpop: DpopSession | null = null;
  /** True if authorization requests must be pushed (RFC 9126) although the metadata does not say so. */
  pushes = false;
  /** Audience of client assertions, if it is not the issuer. */
  assertionAudience: string | null = null;

  /** Fields of every authorization request, for a server that grants `offline_access` only with them, or not at all. */
  fields: Fields = {};

  /** True if public clients send an empty secret. Some servers redeem nothing without one. */
  emptySecret = false;

  /** @returns whether the request must be sent again, with a proof or with another nonce in it */
  async recordAnswer(exchange: Exchange): Promise<boolean> {
    if (this.dpop !== null) return this.dpop.recordAnswer(exchange);
    if (readDpopError(exchange) === null) return false;
    this.dpop = await DpopSession.start();
    this.dpop.recordAnswer(exchange);
    return true;
  }
}
