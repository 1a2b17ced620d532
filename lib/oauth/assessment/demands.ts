import { DpopSession, dpopErrorOf } from '@/lib/oauth/assessment/dpop-session';
import type { Exchange } from '@/lib/oauth/assessment/exchange';

/** What a server turned out to demand of every flow, beyond the client's own credentials. */
export class Demands {
  /** Tokens are bound to a key (RFC 9449); null where nobody asked for a proof. */
  dpop: DpopSession | null = null;
  /** Authorization requests are pushed (RFC 9126), though the metadata does not require it. */
  pushes = false;
  /** Whom client assertions are for, where it is not the issuer. */
  assertionAudience: string | null = null;

  /** @returns whether the request is to be sent again: with a proof, or with another nonce in it */
  async learn(exchange: Exchange): Promise<boolean> {
    if (this.dpop !== null) return this.dpop.learn(exchange);
    if (dpopErrorOf(exchange) === null) return false;
    this.dpop = await DpopSession.start();
    this.dpop.learn(exchange);
    return true;
  }
}
