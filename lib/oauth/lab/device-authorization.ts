import { LAB_PATHS } from '@/lib/contract/lab-paths';
import { createClientEndpoint } from '@/lib/oauth/lab/authenticate-client';
import { readScope } from '@/lib/oauth/lab/authorization-request';
import { type Grant, issueTokens } from '@/lib/oauth/lab/grant';
import { readResources } from '@/lib/oauth/lab/resources';
import { answerJson, refuse } from '@/lib/oauth/lab/respond';
import type { Lab, LabServices, Ticket } from '@/lib/oauth/lab/services';
import { generateId, hashSecret, issueSecret, readTicket } from '@/lib/oauth/lab/tickets';
import type { RedeemGrant } from '@/lib/oauth/lab/token-request';

/** Lifetime of a device code and its user code, in seconds (RFC 8628 section 3.2). */
const DEVICE_CODE_LIFETIME = 600;
/** Time for which they are stored, in seconds. Until then a device code works if `device-code-lifetime` is off. */
const KEPT = 3_600;
/** Shortest time between two polls, in seconds, and what each early poll adds to it (RFC 8628 section 3.5). */
const INTERVAL = 5;

/** Letters of a user code: no vowels, so that no words appear (RFC 8628 section 6.1). */
const LETTERS = 'BCDFGHJKLMNPQRSTVWXZ';
const USER_CODE_LENGTH = 8;

/** A request of a device that waits for the answer of a person. */
export interface DeviceRequest {
  clientId: string;
  scope: string;
  /** Resources (RFC 8707). Empty means `/api/data`. */
  resources: readonly string[];
}

/** Request behind a device code, with the hash of the user code that a person answers. */
type WaitingDevice = DeviceRequest & { userCode: string };

/** Handles `POST /auth/device_authorization` (RFC 8628 section 3.1). */
export const authorizeDevice = createClientEndpoint(async ({ parameters, client, violations }, lab) => {
  parameters.check(violations);
  const scope = readScope(parameters, client, violations);
  const resources = readResources(parameters, violations, lab.origin);
  if (client === null || violations.refusing.length > 0) return refuse(violations.refusing);
  const deviceRequest: DeviceRequest = { clientId: client.id, scope, resources };
  const userCode = await issueUserCode(deviceRequest, lab);
  const waiting: WaitingDevice = { ...deviceRequest, userCode: hashUserCode(userCode) };
  const address = lab.origin + LAB_PATHS.device;
  return answerJson(200, {
    device_code: await issueSecret(lab, 'device', waiting, KEPT),
    user_code: userCode,
    verification_uri: address,
    verification_uri_complete: `${address}?user_code=${userCode}`,
    expires_in: DEVICE_CODE_LIFETIME,
    interval: INTERVAL,
  });
});

/** Issues a user code such as `WDJB-MJHT`, with about 34 bits. Only its hash is stored. */
async function issueUserCode(payload: DeviceRequest, lab: LabServices): Promise<string> {
  for (;;) {
    const letters = generateLetters(lab);
    const code = `${letters.slice(0, 4)}-${letters.slice(4)}`;
    const createdAt = lab.now();
    const expiresAt = createdAt + KEPT * 1000;
    const ticket = { hash: hashUserCode(code), payload: JSON.stringify(payload), createdAt, expiresAt };
    if (await lab.state.put({ kind: 'user-code', ...ticket })) return code;
  }
}

/** Returns letters of equal probability: bytes above the largest multiple of their number are dropped. */
function generateLetters(lab: LabServices): string {
  let letters = '';
  while (letters.length < USER_CODE_LENGTH) {
    for (const byte of lab.random(16)) if (byte < 240) letters += LETTERS[byte % LETTERS.length];
  }
  return letters.slice(0, USER_CODE_LENGTH);
}

/** Returns the stored form of a user code. People type it in any case, with or without the dash. */
export const hashUserCode = (code: string): string => hashSecret(code.toUpperCase().replaceAll(/[^A-Z]/g, ''));

/** Finds a device that waits for an answer. Returns null if its user code is unknown, answered or expired. */
export async function findWaitingDevice(userCodeHash: string, lab: LabServices): Promise<Ticket | null> {
  const ticket = await lab.state.read('user-code', userCodeHash);
  return ticket === null || ticket.usedAt !== null || isExpired(ticket, lab) ? null : ticket;
}

const isExpired = ({ createdAt }: Ticket, lab: LabServices): boolean =>
  createdAt + DEVICE_CODE_LIFETIME * 1000 <= lab.now();

/** Answers of a person to a device. */
export const DEVICE_DECISIONS = ['approve', 'deny'] as const;
export type DeviceDecision = (typeof DEVICE_DECISIONS)[number];

/** Records the answer of a person, once. Returns false if there was one before. */
export function answerDevice({ hash }: Ticket, decision: DeviceDecision, lab: LabServices): Promise<boolean> {
  return lab.state.claim('user-code', hash, lab.now(), decision);
}

/**
 * Handles the device code grant (RFC 8628 sections 3.4 and 3.5). Only a request that is valid in every respect uses the
 * code up.
 */
export const redeemDeviceCode: RedeemGrant = async (request, lab) => {
  const { client, parameters, violations, thumbprint, certificate } = request;
  const secret = parameters.requireValue('device_code', violations);
  const ticket = secret === null ? null : await readTicket(lab, 'device', secret);
  const waiting: WaitingDevice | null = ticket === null ? null : JSON.parse(ticket.payload);
  const answer = waiting === null ? null : await lab.state.read('user-code', waiting.userCode);
  if (ticket === null || waiting === null || answer === null) {
    if (secret !== null) violations.note(null, 'The device code is unknown or expired.', 'invalid_grant');
    return null;
  }
  const { clientId, scope, resources } = waiting;
  const isOwn = clientId === client.id;
  if (!isOwn) {
    violations.note('device-code-client-binding', 'The device code was issued to another client.', 'invalid_grant');
  }
  const hasExpired = isExpired(ticket, lab);
  if (hasExpired) violations.note('device-code-lifetime', 'The device code has expired.', 'expired_token');
  if (answer.usedAt === null) {
    const isWaiting = isOwn && !hasExpired && ticket.usedAt === null;
    const isEarly = isWaiting && (await recordPoll(ticket, lab));
    const error = isEarly ? 'slow_down' : 'authorization_pending';
    violations.note('device-approval', 'The user has not answered yet.', error);
  }
  if (answer.mark === 'deny') violations.note(null, 'The user denied access.', 'access_denied');

  const grantId = generateId(lab);
  const refused = violations.refusing.length > 0;
  const used = refused ? ticket.usedAt !== null : !(await lab.state.claim('device', ticket.hash, lab.now(), grantId));
  if (used) violations.note('device-code-single-use', 'The device code was used before.', 'invalid_grant');
  if (violations.refusing.length > 0) return null;
  const authTime = Math.floor((answer.usedAt ?? lab.now()) / 1000);
  const bound = { thumbprint, certificate };
  const grant: Grant = { grantId, clientId: client.id, scope, nonce: null, resources, ...bound, authTime };
  return issueTokens(grant, lab);
};

/**
 * Records a poll in the mark of the unused device code. Returns whether it came too early. Each early poll makes the
 * interval longer (RFC 8628 section 3.5).
 */
async function recordPoll({ hash, mark }: Ticket, lab: Lab): Promise<boolean> {
  const last: { at: number; interval: number } | null = mark === null ? null : JSON.parse(mark);
  const isEarly = last !== null && lab.now() < last.at + last.interval * 1000;
  const interval = (last?.interval ?? INTERVAL) + (isEarly ? INTERVAL : 0);
  await lab.state.remark('device', hash, JSON.stringify({ at: lab.now(), interval }));
  return isEarly;
}
