import type { IncomingHttpHeaders } from 'node:http';
import type { Logger } from 'pino';
import { digestSecret, isConfiguredSecret } from '@/lib/auth/secret-hash';
import { type AdmissionServices, decideAdmission, findProtection } from '@/lib/enforcement/admission';
import { isAuthorizationServer, parsePath } from '@/lib/enforcement/built-in-paths';
import { AllowedOrigins, addCorsFields } from '@/lib/enforcement/cross-origin';
import { type FieldSender, isForwardedField } from '@/lib/enforcement/forwarded-fields';
import { listReadings } from '@/lib/enforcement/path-readings';
import { isCountedAnswer, type Settlements } from '@/lib/enforcement/settlements';
import { convertFault, logFailure } from '@/lib/fault';
import { ApiError, createUpstreamDown, createUpstreamInvalid } from '@/lib/http/api-error';
import { MAX_BODY_BYTES } from '@/lib/http/body-limits';
import { hasTrustedPeer, readClientAddress, readPeerAddress } from '@/lib/http/client-address';
import { type Answer, buildErrorAnswer } from '@/lib/http/error-answer';
import { EXPOSED_HEADERS } from '@/lib/http/exposed-headers';
import { parseConnectionOptions } from '@/lib/http/header-fields';
import { REQUEST_ID_HEADER } from '@/lib/http/request-id';
import { type OriginSettings, requestOrigin } from '@/lib/http/request-origin';
import type { Metrics } from '@/lib/statistics/metrics';
import type { Tracing, UpstreamSpan } from '@/lib/tracing/tracing';
import type { Millis } from '@/lib/units';

/** The head of a request from `server.mjs`: path and query as they were sent, header names in lower case. */
interface UpstreamCall {
  method: string;
  target: string;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  requestId: string;
}

/** Action for a request: send our answer, or proxy it. */
export type UpstreamDecision =
  | { kind: 'answer'; answer: Answer }
  | {
      kind: 'proxy';
      /** Origin of the upstream. */
      origin: string;
      /** Headers of the proxied request, without hop-by-hop fields. The sender adds the framing. */
      headers: Record<string, string>;
      /** Headers of the decision, for the upstream's answer. */
      extra: Record<string, string>;
      /**
       * Logs that the upstream gave no usable answer, and returns ours.
       * @param fault undefined if it switched protocols without a request to do so
       */
      failed: (fault?: unknown) => Answer;
      /** Names of headers in `extra`, for scripts of other origins that may read the upstream's answer. */
      exposed: string;
      /**
       * Must be called with status and header fields of the upstream's answer, or with the status of ours. Never
       * throws.
       */
      answered: (status: number, fields?: IncomingHttpHeaders) => void;
      /** Frees the places that the request holds. Must be called when its connection or its answer has ended. */
      ended: () => void;
      /** Longest time from the end of the request until the answer begins. */
      longestWait: Millis;
      /** Begins the span of a call, if the request is traced. */
      traceCall: (method: string) => UpstreamSpan | null;
    };

/** Functions that `server.mjs` uses to proxy to the upstream. */
export interface UpstreamProxy {
  /** Returns whether a request target belongs to the upstream. */
  takes(target: string): boolean;
  /**
   * Returns the size in bytes of the largest body to read before the decision, because the body may name an OAuth
   * client.
   */
  maxInspectedBody(method: string, target: string): number;
  decide(call: UpstreamCall, body: Uint8Array | null): Promise<UpstreamDecision>;
}

export interface UpstreamSettings extends OriginSettings {
  readonly SLUICE_ADMIN_TOKEN?: string | undefined;
}

interface UpstreamProxyServices extends AdmissionServices {
  readonly config: AdmissionServices['config'] & UpstreamSettings;
  readonly logger: Pick<Logger, 'error' | 'warn' | 'debug'>;
  readonly metrics: Pick<Metrics, 'countUpstreamError'>;
  readonly settlements: Pick<Settlements, 'createId' | 'refund' | 'settle'>;
  readonly tracing: Pick<Tracing, 'startUpstreamSpan'> | undefined;
}

/**
 * Decides requests for the upstream on a server that runs `server.mjs`, which proxies them. Its streams neither
 * truncate a body nor change a path. Without `server.mjs` (on Vercel), `proxy.ts` decides them and rewrites to the
 * upstream.
 */
export function createUpstreamProxy(
  services: UpstreamProxyServices,
  upstream: string,
  longestWait: Millis,
): UpstreamProxy {
  const { config, logger, metrics, settlements, tracing } = services;
  const allowed = new AllowedOrigins();
  return {
    takes: (target) => findProtection(parsePath(target), true) === 'upstream',
    maxInspectedBody: (method, target) =>
      method !== 'GET' && method !== 'HEAD' && listReadings(parsePath(target)).some(isAuthorizationServer)
        ? MAX_BODY_BYTES
        : 0,
    async decide({ method, target, headers: fields, requestId }, body) {
      const headers = new Headers();
      for (const [name, value] of Object.entries(fields)) {
        for (const line of [value ?? []].flat()) headers.append(name, line);
      }
      const accept = headers.get('accept');
      try {
        const path = parsePath(target);
        // The origin is fixed, because a host that the client claims must not influence the decision.
        const request = new Request(`http://localhost${target}`, {
          method,
          headers,
          ...(body === null ? {} : { body: new Uint8Array(body) }),
        });
        const {
          decision,
          headers: extra,
          response,
        } = await decideAdmission(request, services, requestId, path, allowed);
        if (response !== null) {
          const answer = { headers: Object.fromEntries(response.headers), body: await response.text() };
          return { kind: 'answer', answer: { status: response.status, ...answer } };
        }
        const { charged } = decision;
        const id = charged === undefined ? null : settlements.createId(charged);
        const follow = (settled: Promise<void>) => {
          settled.catch((fault: unknown) => {
            logger.debug({ requestId, err: fault }, 'what a request had taken was not given back');
          });
        };
        return {
          kind: 'proxy',
          origin: upstream,
          headers: Object.fromEntries(buildUpstreamRequest(request, upstream, config, requestId).headers),
          extra: { ...extra, [REQUEST_ID_HEADER]: requestId },
          exposed: EXPOSED_HEADERS.filter((name) => name in extra).join(', '),
          answered: (status, fields = {}) => {
            allowed.recordAnswer(headers.get('origin'), fields);
            if (charged === undefined || id === null || isCountedAnswer(charged, status)) return;
            follow(settlements.refund(id));
          },
          ended: () => {
            if (id !== null && charged?.settleWithin !== undefined) follow(settlements.settle(id, {}));
          },
          longestWait,
          traceCall: (called) => tracing?.startUpstreamSpan(called, upstream) ?? null,
          failed: (fault) => {
            metrics.countUpstreamError();
            logger.warn({ requestId, err: fault }, 'the upstream did not answer');
            const answer = buildErrorAnswer(createUpstreamError(fault, extra), accept, requestId);
            return addCorsFields(answer, request, services.rules.current, allowed);
          },
        };
      } catch (fault) {
        const error = convertFault(fault);
        logFailure(logger, error, { requestId }, 'request failed');
        const answer = buildErrorAnswer(error, accept, requestId);
        return { kind: 'answer', answer: addCorsFields(answer, { headers }, services.rules.current, allowed) };
      }
    },
  };
}

/** Builds the error for an upstream that gave no answer, or one that cannot be read. */
function createUpstreamError(fault: unknown, headers: Record<string, string>): ApiError {
  const code = fault instanceof Error && 'code' in fault ? String(fault.code) : '';
  if (code === 'HPE_HEADER_OVERFLOW')
    return new ApiError(
      'bad_gateway',
      'The answer of the server behind this gateway has over 128 KiB of header fields.',
      {
        headers,
      },
    );
  if (fault === undefined || code.startsWith('HPE_')) return createUpstreamInvalid(headers);
  return createUpstreamDown(headers);
}

/** Framing and target. A client's `Connection` cannot make them hop-by-hop. */
const END_TO_END = new Set(['content-length', 'host', 'transfer-encoding']);

/** A field name (RFC 9110 section 5.6.2). An option of `Connection` need not be one. */
const TOKEN = /^[!#$%&'*+.^_`|~0-9a-z-]+$/;

/**
 * Builds the request to the upstream, with the same path and query at the upstream's origin. It carries the trusted
 * part of the forwarded chain and the request id, but no admin tokens and cookies of Sluice. The sender adds the
 * framing (`Content-Length`, `Transfer-Encoding`).
 */
export function buildUpstreamRequest(
  request: Request,
  upstream: string,
  config: UpstreamSettings,
  requestId: string,
): { url: URL; headers: Headers } {
  const from = new URL(request.url);
  const url = new URL(upstream);
  // Path and query are set separately, because a path like `//other.example` must not become a host.
  url.pathname = from.pathname;
  url.search = from.search;
  // Our fields are set after the client's, so a name in its `Connection` cannot remove ours.
  const isTrusted = hasTrustedPeer(request.headers, config);
  const headers = keepEndToEnd(request.headers, config.VERCEL ? 'vercel' : isTrusted ? 'proxy' : 'client');
  removeAdminToken(headers, config);
  removeSession(headers);
  const peer = readPeerAddress(request.headers, config)?.text ?? readClientAddress(request.headers, config)?.text;
  const chain = isTrusted ? request.headers.get('x-forwarded-for') : null;
  if (peer !== undefined) headers.set('x-forwarded-for', chain === null || chain === peer ? peer : `${chain}, ${peer}`);
  const origin = new URL(requestOrigin(request, config));
  headers.set('x-forwarded-host', origin.host);
  headers.set('x-forwarded-proto', origin.protocol.slice(0, -1));
  headers.set(REQUEST_ID_HEADER, requestId);
  return { url, headers };
}

/** Returns the client's fields for the upstream, without those that its `Connection` names. */
function keepEndToEnd(received: Headers, sender: FieldSender): Headers {
  const headers = new Headers(received);
  for (const name of parseConnectionOptions(received.get('connection'))) {
    if (TOKEN.test(name) && !END_TO_END.has(name)) headers.delete(name);
  }
  for (const name of [...headers.keys()]) {
    if (!isForwardedField(name, sender)) headers.delete(name);
  }
  return headers;
}

/** Removes an admin token from `Authorization`, in any scheme. Credentials of the upstream stay. */
function removeAdminToken(headers: Headers, { SLUICE_ADMIN_TOKEN: bootstrap }: UpstreamSettings): void {
  const words = (headers.get('authorization') ?? '').split(/[\s,]+/);
  const isSluiceSecret = (word: string) =>
    word.startsWith('slt_') || (bootstrap !== undefined && isConfiguredSecret(digestSecret(word), bootstrap));
  if (words.some(isSluiceSecret)) headers.delete('authorization');
}

/** Removes the console's session cookies. With them the upstream could administer Sluice. */
function removeSession(headers: Headers): void {
  const cookie = headers.get('cookie');
  if (cookie === null || !cookie.includes('next-auth.')) return;
  const others = cookie.split(';').filter((part) => !/^\s*(?:__Secure-|__Host-)?next-auth\./.test(part));
  if (others.length === 0) headers.delete('cookie');
  else headers.set('cookie', others.join(';').trim());
}
