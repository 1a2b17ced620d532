import { decodeProtectedHeader, type JWTPayload } from 'jose';
import type { ProofHeader } from '@/lib/oauth/assessment/dpop-key';
import { DpopSession, retryWithNonce } from '@/lib/oauth/assessment/dpop-session';
import type { Exchange } from '@/lib/oauth/assessment/exchange';
import type { TokenOutcome, Tokens } from '@/lib/oauth/assessment/outcomes';
import type { Probe } from '@/lib/oauth/assessment/probe';
import type { CodeGrant } from '@/lib/oauth/assessment/requests';
import { CannotProbe } from '@/lib/oauth/assessment/verdict';
import { decodeClaims, putTogether } from '@/lib/oauth/controls/token-parts';
import { findUserinfo, presentAtUserinfo } from '@/lib/oauth/controls/userinfo';

/** Statuses by which a resource refuses a token (RFC 6750 section 3.1). */
const REFUSALS: readonly number[] = [400, 401, 403];

const NO_RESOURCE = 'No protected resource is known.';

/** Changes to a proof, at the token endpoint or at the resource. */
export interface ProofChanges {
  claims?: JWTPayload;
  method?: string;
  url?: string;
  header?: ProofHeader;
  /** Changes the signature. */
  isForged?: boolean;
  /** Sends it with `alg` none, and without a signature. */
  isUnsigned?: boolean;
}

/** A client with a separate DPoP key. Every request carries a proof, with the nonce that the server asks for. */
export class DpopClient {
  private constructor(
    private readonly probe: Probe,
    private readonly session: DpopSession,
  ) {}

  /** @throws CannotProbe not_applicable if the server does not offer DPoP */
  static async create(probe: Probe): Promise<DpopClient> {
    const metadata = await probe.fetchServerMetadata();
    if (!Array.isArray(metadata.dpop_signing_alg_values_supported)) {
      throw new CannotProbe('not_applicable', 'The server does not offer DPoP.');
    }
    return new DpopClient(probe, await DpopSession.start());
  }

  get thumbprint(): string {
    return this.session.key.thumbprint;
  }

  /** Whether the server has given a nonce. */
  get hasNonce(): boolean {
    return this.session.hasNonce;
  }

  async buildProof(at: string, method: string, token?: string, changes: ProofChanges = {}): Promise<string> {
    const { url = at, claims, header } = changes;
    const options = {
      url,
      method: changes.method ?? method,
      jti: this.probe.generateRandomText(16),
      now: this.probe.now(),
    };
    const proof = await this.session.createProof({ ...options, token, claims, header }, at);
    if (changes.isUnsigned)
      return putTogether({ ...decodeProtectedHeader(proof), alg: 'none' }, decodeClaims(proof), '');
    return changes.isForged ? `${proof.slice(0, proof.lastIndexOf('.'))}.${this.probe.generateRandomText(64)}` : proof;
  }

  async redeem(label: string, grant: CodeGrant, changes: ProofChanges = {}): Promise<TokenOutcome> {
    const url = await this.probe.requireEndpoint('token_endpoint', grant.client ?? this.probe.requireClient());
    return retryWithNonce(this.session, async () => {
      const dpop = await this.buildProof(url, 'POST', undefined, changes);
      return this.probe.redeem(label, grant, {}, { headers: { dpop } });
    });
  }

  async refresh(label: string, token: string): Promise<TokenOutcome> {
    const url = await this.probe.requireEndpoint('token_endpoint', this.probe.requireClient());
    return retryWithNonce(this.session, async () => {
      const dpop = await this.buildProof(url, 'POST');
      return this.probe.refresh(label, token, {}, { headers: { dpop } });
    });
  }

  /** Requests tokens bound to the key. @throws CannotProbe inconclusive if there are none */
  async requestBoundTokens(code?: CodeGrant): Promise<Tokens> {
    const outcome = await this.redeem('Redeem with a proof', code ?? (await this.probe.requestCode()));
    if (outcome.kind === 'refused') throw new CannotProbe('inconclusive', 'The server did not accept the proof.');
    if (outcome.tokens.type.toLowerCase() !== 'dpop') throw new CannotProbe('inconclusive', 'The token was not bound.');
    return outcome.tokens;
  }

  /** Presents a bound token with a proof. */
  present(place: ProofPlace, label: string, token: string, changes: ProofChanges & { proof?: string } = {}) {
    return retryWithNonce(this.session, async () => {
      const dpop = changes.proof ?? (await this.buildProof(place.url, place.method, token, changes));
      return place.present(label, token, { authorization: `DPoP ${token}`, dpop });
    });
  }

  /**
   * Returns a bound token, and the places that accept it with a proof: the resource, and the UserInfo endpoint. A resource
   * may refuse bound tokens, but must answer as a resource.
   * @throws CannotProbe inconclusive if none accepts it, not_applicable without a resource
   */
  async requireWorkingToken(): Promise<{ token: string; places: [ProofPlace, ...ProofPlace[]] }> {
    const all = await listProofPlaces(this.probe);
    if (all.length === 0) throw new CannotProbe('not_applicable', NO_RESOURCE);
    const { accessToken: token } = await this.requestBoundTokens();
    const places: ProofPlace[] = [];
    for (const place of all) {
      const outcome = await this.present(place, `Use a bound token with its proof${place.at}`, token);
      if (outcome.accepted) places.push(place);
      else if (!REFUSALS.includes(outcome.exchange.response.status)) break;
    }
    const [first, ...others] = places;
    if (first !== undefined) return { token, places: [first, ...others] };
    throw new CannotProbe('inconclusive', 'The resource does not accept a bound token with its proof.');
  }
}

/** A place that may take bound tokens. */
interface ProofPlace {
  url: string;
  method: string;
  /** Its name in labels; empty for the resource. */
  at: string;
  /** Presents a token with these headers, or as a bearer token without any. */
  present(
    label: string,
    token: string,
    headers?: Record<string, string>,
  ): Promise<{ accepted: boolean; exchange: Exchange }>;
}

/** Lists the resource and the UserInfo endpoint, if that is known. None without a resource. */
export async function listProofPlaces(probe: Probe): Promise<ProofPlace[]> {
  const { resource } = probe.target;
  if (resource === null) return [];
  const userinfo = await findUserinfo(probe);
  const ofResource: ProofPlace = {
    ...{ url: resource.url, method: probe.resourceMethod, at: '' },
    present: (label, token, headers) =>
      probe.presentToken(label, token, headers === undefined ? { withoutProof: true } : { headers }),
  };
  const ofUserinfo: ProofPlace = {
    ...{ url: userinfo ?? '', method: 'GET', at: ' at UserInfo' },
    present: (label, token, headers) => presentAtUserinfo(probe, label, userinfo ?? '', token, { headers }),
  };
  return [ofResource, ...(userinfo === null || userinfo === resource.url ? [] : [ofUserinfo])];
}
