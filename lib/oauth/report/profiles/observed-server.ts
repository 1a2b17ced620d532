import { z } from 'zod';
import type { KeptFindings } from '@/lib/contract/assessment-events';
import { compareTokens } from '@/lib/oauth/assessment/comparison';
import { type Exchange, parseResponseJson } from '@/lib/oauth/assessment/exchange';
import { findRedirect, readParameters, readTokens } from '@/lib/oauth/assessment/outcomes';
import { METADATA_LABEL } from '@/lib/oauth/assessment/server-metadata';

/** Observations about a server from an assessment: its findings and its answers. */
export interface ObservedServer {
  /** Findings by control id. */
  findings: ReadonlyMap<string, ObservedFinding>;
  /** The server's metadata. Null if none was read. */
  metadata: Readonly<Record<string, unknown>> | null;
  /**
   * `token_type` of every issued access token, in lower case. Empty if an answer lacks it. `CERTIFICATE_BOUND` stands for
   * Bearer if the token names a certificate.
   */
  tokenTypes: ReadonlySet<string>;
  /** `expires_in` of every pushed authorization request that was accepted, in seconds. */
  requestLifetimes: readonly number[];
  /** True if an authorization request that was not pushed got a code. */
  hasPlainGrant: boolean;
  /** Outcomes of the requests of decided controls, by request label. Null if the answer does not show it. */
  findOutcome(control: string, label: string): 'accepted' | 'refused' | null;
  /** For each use of a refresh token, whether it returned a new one. Empty if none was used. */
  rotations: readonly boolean[];
  /** Curves of the published keys (`crv`, RFC 7518 section 6.2.1.1). Null if no keys were read. */
  curves: ReadonlySet<string> | null;
  /**
   * Age in seconds at which a code was redeemed, and whether it had expired. Null if no old code was sent, or if the
   * answer does not show it.
   */
  triedCode: { age: number; isExpired: boolean } | null;
}

export type ObservedFinding = Pick<KeptFindings[number], 'control' | 'verdict' | 'severity' | 'exchanges'>;

/** The confirmation method of a token that is bound to a certificate (RFC 8705 section 3.1). */
export const CERTIFICATE_BOUND = 'x5t#S256';

/** Returns whether an answer has a token that names a certificate. */
function isCertificateBound({ tokens = [] }: Exchange): boolean {
  return tokens.some(({ claims }) => {
    const { cnf } = { cnf: null, ...(typeof claims === 'object' ? claims : {}) };
    return typeof cnf === 'object' && cnf !== null && CERTIFICATE_BOUND in cnf;
  });
}

/** Reads what the findings and their exchanges show about a server. */
export function observeServer(findings: readonly ObservedFinding[]): ObservedServer {
  const exchanges = findings.flatMap((finding) => finding.exchanges);
  const answers = exchanges.filter(({ response }) => response.status >= 200 && response.status < 300);
  const metadata = answers.find(({ label }) => label === METADATA_LABEL);
  const endpoint = metadata && parseResponseJson(metadata).authorization_endpoint;
  const byControl = new Map(findings.map((finding) => [finding.control, finding]));
  return {
    findings: byControl,
    metadata: metadata === undefined ? null : parseResponseJson(metadata),
    tokenTypes: new Set(
      answers.flatMap((exchange) => {
        if (readTokens(exchange).kind !== 'issued') return [];
        const { token_type: type } = parseResponseJson(exchange);
        const name = typeof type === 'string' ? type.toLowerCase() : '';
        return [name === 'bearer' && isCertificateBound(exchange) ? CERTIFICATE_BOUND : name];
      }),
    ),
    requestLifetimes: answers.flatMap((exchange) => {
      const { request_uri: uri, expires_in: seconds } = parseResponseJson(exchange);
      return typeof uri === 'string' && typeof seconds === 'number' ? [seconds] : [];
    }),
    rotations: answers.flatMap(readRotation),
    curves: readCurves(answers),
    hasPlainGrant: typeof endpoint === 'string' && exchanges.some((exchange) => isPlainGrant(exchange, endpoint)),
    findOutcome: (control, label) => readOutcome(byControl.get(control), label),
    triedCode: findTriedCode(byControl.get('code-lifetime')),
  };
}

/** Returns whether an answer of the authorization endpoint has a code for a request that was not pushed. */
function isPlainGrant(exchange: Exchange, endpoint: string): boolean {
  const { url, body } = exchange.request;
  if (url.split('?')[0] !== endpoint.split('?')[0]) return false;
  const parameters = { ...Object.fromEntries(new URLSearchParams(body)), ...readParameters(url) };
  if (!('response_type' in parameters) || 'request_uri' in parameters) return false;
  const redirect = findRedirect(exchange);
  return 'code' in (redirect === null ? parseResponseJson(exchange) : readParameters(redirect));
}

/** Returns whether a use of a refresh token returned a new one. Empty for other exchanges. */
function readRotation(exchange: Exchange): [boolean] | [] {
  const { grant_type: grant, refresh_token: sent } = Object.fromEntries(new URLSearchParams(exchange.request.body));
  if (grant !== 'refresh_token' || readTokens(exchange).kind !== 'issued') return [];
  const { refresh_token: received } = parseResponseJson(exchange);
  return [received !== undefined && received !== sent];
}

/** Reads the curves in answers that are key sets (RFC 7517 section 5). */
function readCurves(answers: readonly Exchange[]): Set<string> | null {
  const sets = answers.map((exchange) => parseResponseJson(exchange).keys).filter((keys) => Array.isArray(keys));
  const Curve = z.object({ crv: z.string() });
  const curves = sets.flat().map((key) => Curve.safeParse(key).data?.crv);
  return sets.length === 0 ? null : new Set(curves.filter((name) => name !== undefined));
}

/** Returns the outcome of a token request or a pushed request. Null without a verdict, because a correct request may fail too. */
function readOutcome(finding: ObservedFinding | undefined, label: string): 'accepted' | 'refused' | null {
  if (finding?.verdict !== 'passed' && finding?.verdict !== 'failed') return null;
  const tried = finding.exchanges.findLast((exchange) => exchange.label === label);
  if (tried === undefined) return null;
  if ('request_uri' in parseResponseJson(tried)) return 'accepted';
  const { kind } = compareTokens(readTokens(tried));
  return kind === 'undecided' ? null : kind;
}

/** Finds the last try of an old code. */
function findTriedCode(finding: ObservedFinding | undefined): ObservedServer['triedCode'] {
  const tried = finding?.exchanges.findLast(({ label }) => OLD_CODE.test(label));
  if (finding === undefined || tried === undefined) return null;
  const age = Number(OLD_CODE.exec(tried.label)?.[1]);
  if (readTokens(tried).kind === 'issued') return { age, isExpired: false };
  // Another verdict means that something else than the age may have refused the code.
  return finding.verdict === 'passed' ? { age, isExpired: true } : null;
}

/** Label of the request by which `code-lifetime` redeems an old code. */
const OLD_CODE = /^Redeem the code after (\d+) seconds$/;
