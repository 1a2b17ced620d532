import { randomUUID } from 'node:crypto';
import { type Actor, SYSTEM } from '@/lib/auth/actor';
import { authorize } from '@/lib/auth/authorize';
import { readSession, type SessionMember } from '@/lib/auth/session';
import type { RoleAccess } from '@/lib/contract/operation';
import type { ForeseenChange } from '@/lib/contract/preview';
import type { Statement } from '@/lib/db/database';
import { clientAddress, isForwarded, peerAddress, peerIsTrusted } from '@/lib/http/client-address';
import { requestOrigin } from '@/lib/http/request-origin';
import type { Services } from '@/lib/operation/services';
import type { Millis } from '@/lib/units';

/** What an operation knows beside its input. */
export interface Context {
  services: Services;
  actor: Actor;
  requestId: string;
  /** The client's address in canonical form, null when it is not known. */
  address: string | null;
  /** When the request is handled, by the wall clock. */
  now: Millis;
  facts: RequestFacts;
  /** Why a change is made, from the query; null where the caller gives no reason, or gives it in the body. */
  reason: string | null;
  /** The change that the request makes: `seq` of its audit record, null before there is one. */
  readonly changed: { seq: number | null };
  /** Set while the answer is kept under an `Idempotency-Key`. */
  once?: Once;
  /** Set where nothing is changed: takes what would be. */
  preview?: ForeseenChange[];
}

/** Header values as they were sent, null when absent. */
function headerFacts(headers: Headers) {
  return {
    accept: headers.get('accept'),
    ifMatch: headers.get('if-match'),
    ifNoneMatch: headers.get('if-none-match'),
    lastEventId: headers.get('last-event-id'),
    apiKey: headers.get('x-api-key'),
    authorization: headers.get('authorization'),
    idempotencyKey: headers.get('idempotency-key'),
  };
}

/** What operations need of the request beside their input. */
interface RequestFacts extends ReturnType<typeof headerFacts> {
  target: string;
  /** The origin under which the caller reached Sluice. */
  origin: string;
  /** The address at the other end of the socket, null when it is not known. */
  peer: string | null;
  peerTrusted: boolean;
  /** Whether the request says that it was forwarded for somebody else than the peer. */
  forwarded: boolean;
  /** Aborted when the caller goes away. */
  signal: AbortSignal;
  session(): Promise<SessionMember | null>;
  /** Whether the caller's credentials still open what they opened when the request came. */
  stillAllowed(): Promise<boolean>;
}

/**
 * Makes a change and its kept answer one transaction (`lib/operation/idempotency.ts`): `lib/admin/change.ts` calls
 * `before` ahead of each attempt and writes the statements of `keep` with the change.
 */
export interface Once {
  /** Throws what `withIdempotency` turns into the answer when an equal request was answered meanwhile. */
  before(): Promise<void>;
  /** The statements that keep the answer to the result of a change. */
  keep(result: unknown): Promise<Statement[]>;
}

const NO_REQUEST: RequestFacts = {
  ...headerFacts(new Headers()),
  target: '/',
  origin: 'http://localhost',
  ...{ peer: null, peerTrusted: false, forwarded: false },
  signal: new AbortController().signal,
  session: () => Promise.resolve(null),
  stillAllowed: () => Promise.resolve(true),
};

/** The context of a change that Sluice makes by itself. */
export function systemContext(services: Services): Context {
  const origin = { requestId: randomUUID(), address: null, now: services.clock(), facts: NO_REQUEST };
  return { services, actor: SYSTEM, ...origin, reason: null, changed: { seq: null } };
}

/** The context of a request. @throws what `authorize` throws */
export async function requestContext(
  services: Services,
  request: Request,
  access: RoleAccess,
  requestId: string,
  duringSetUp = false,
): Promise<Context> {
  const { headers } = request;
  const now = services.clock();
  const address = clientAddress(headers, services.config)?.text ?? null;
  const actor = await authorize(access, request, services, { now, address }, duringSetUp);
  const { pathname, search } = new URL(request.url);
  const facts: RequestFacts = {
    ...headerFacts(headers),
    target: pathname + search,
    origin: requestOrigin(request, services.config),
    peer: peerAddress(headers, services.config)?.text ?? null,
    peerTrusted: peerIsTrusted(headers, services.config),
    forwarded: isForwarded(headers, services.config),
    signal: request.signal,
    session: () => readSession(headers.get('cookie'), services),
    stillAllowed: () =>
      authorize(access, request, services, { now: services.clock(), address }, duringSetUp).then(
        () => true,
        () => false,
      ),
  };
  return { services, actor, requestId, address, now, facts, reason: null, changed: { seq: null } };
}

/** Thrown in place of a change that is only previewed: nothing that follows a change may run. */
export class Previewed extends Error {
  override readonly name = 'Previewed';

  /** @param result of the operation, had it changed anything */
  constructor(readonly result: unknown) {
    super('Only a preview was asked for.');
  }
}
