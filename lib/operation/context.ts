import { randomUUID } from 'node:crypto';
import { type Actor, SYSTEM } from '@/lib/auth/actor';
import { authorize } from '@/lib/auth/authorize';
import { readSession, type SessionMember } from '@/lib/auth/session';
import type { RoleAccess } from '@/lib/contract/operation';
import type { ForeseenChange } from '@/lib/contract/preview';
import type { Statement } from '@/lib/db/database';
import { readClientAddress } from '@/lib/http/client-address';
import type { HeaderReader } from '@/lib/http/request-head';
import { requestOrigin } from '@/lib/http/request-origin';
import type { Services } from '@/lib/operation/services';
import type { Millis } from '@/lib/units';

/** The environment of an operation, without its input. */
export interface Context {
  services: Services;
  actor: Actor;
  requestId: string;
  /** The client's address in canonical form. Null if it is missing. */
  address: string | null;
  /** Time of the request, by the wall clock. */
  now: Millis;
  facts: RequestFacts;
  /** Reason of the change, from the query. Null if the caller gives none, or gives it in the body. */
  reason: string | null;
  /** The change that the request makes: `seq` is the number of its audit record, or null before there is one. */
  readonly changed: { seq: number | null };
  /** Set while the answer is kept under an `Idempotency-Key`. */
  once?: Once;
  /** Set during a preview. Collects the planned changes. */
  preview?: ForeseenChange[];
}

/** Facts about the request that operations need. */
interface RequestFacts {
  headers: HeaderReader;
  /** `If-Match` of the request. Null for an item of a batch. */
  ifMatch: string | null;
  target: string;
  /** The origin under which the caller reached Sluice. */
  origin: string;
  /** Aborted when the caller disconnects. */
  signal: AbortSignal;
  session(): Promise<SessionMember | null>;
  /** Returns whether the caller's credentials still allow the operation. */
  isStillAllowed(): Promise<boolean>;
}

/**
 * Commits a change and its kept answer in one transaction (`lib/operation/idempotency.ts`). `lib/admin/change.ts` calls
 * `before` ahead of each attempt, and writes the statements of `keep` with the change.
 */
export interface Once {
  /** Throws if an equal request was answered concurrently. `runIdempotently` turns the error into that answer. */
  throwIfAnswered(): Promise<void>;
  /** Returns the statements that keep the answer to a change with this result. */
  keep(result: unknown): Promise<Statement[]>;
}

const NO_REQUEST: RequestFacts = {
  headers: new Headers(),
  ifMatch: null,
  target: '/',
  origin: 'http://localhost',
  signal: new AbortController().signal,
  session: () => Promise.resolve(null),
  isStillAllowed: () => Promise.resolve(true),
};

/** Creates the context of a change that Sluice makes itself. */
export function createSystemContext(services: Services): Context {
  const origin = { requestId: randomUUID(), address: null, now: services.clock(), facts: NO_REQUEST };
  return { services, actor: SYSTEM, ...origin, reason: null, changed: { seq: null } };
}

/** Creates the context of a request. @throws the errors of `authorize` */
export async function createRequestContext(
  services: Services,
  request: Request,
  access: RoleAccess,
  requestId: string,
  duringSetUp = false,
): Promise<Context> {
  const { headers } = request;
  const now = services.clock();
  const address = readClientAddress(headers, services.config)?.text ?? null;
  const actor = await authorize(access, request, services, { now, address }, duringSetUp);
  const { pathname, search } = new URL(request.url);
  const facts: RequestFacts = {
    headers,
    ifMatch: headers.get('if-match'),
    target: pathname + search,
    origin: requestOrigin(request, services.config),
    signal: request.signal,
    session: () => readSession(headers.get('cookie'), services),
    isStillAllowed: () =>
      authorize(access, request, services, { now: services.clock(), address }, duringSetUp).then(
        () => true,
        () => false,
      ),
  };
  return { services, actor, requestId, address, now, facts, reason: null, changed: { seq: null } };
}

/**
 * Thrown in place of a change that is only previewed. An error is what makes an operation skip everything after its
 * change, such as a mail or a new secret, without a check in each operation.
 */
export class Previewed extends Error {
  override readonly name = 'Previewed';

  /** @param result result that the operation would return after the change */
  constructor(readonly result: unknown) {
    super('Only a preview was asked for.');
  }
}
