import { type Check, CheckBatchSchema, CheckSchema, MAX_CHECKS, MAX_PATH } from '@/lib/contract/check';
import { isUserId } from '@/lib/contract/fields/identifier';
import { isUuid } from '@/lib/contract/fields/ids';
import { MAX_COST } from '@/lib/contract/fields/max-cost';
import { SETTLE_WITHIN } from '@/lib/contract/fields/named-limit';
import { parsePath } from '@/lib/enforcement/built-in-paths';
import type { Facts } from '@/lib/enforcement/plan';
import { parseInput } from '@/lib/http/input';
import { parseAddress } from '@/lib/limiter/address';
import { ENDPOINT_CLASSES } from '@/lib/limiter/meter';

/** Reads the facts in the body of a check. @throws ApiError invalid_request */
export function readCheck(body: unknown, requestId: string): Facts {
  return readPlainCheck(body, requestId) ?? convertCheckToFacts(parseInput(CheckSchema, body, 'body'), requestId);
}

/** Reads the facts in the body of a batch. @throws ApiError invalid_request if one of its checks is not valid */
export function readChecks(body: unknown, requestId: string): Facts[] {
  if (Array.isArray(body) && body.length <= MAX_CHECKS) {
    const all: Facts[] = [];
    for (const check of body) {
      const facts = readPlainCheck(check, requestId);
      if (facts === null) break;
      all.push(facts);
    }
    if (all.length === body.length) return all;
  }
  return parseInput(CheckBatchSchema, body, 'body').map((check) => convertCheckToFacts(check, requestId));
}

/** Converts a check about a request that another server serves to facts. */
export function convertCheckToFacts(check: Check, requestId: string): Facts {
  const facts: Facts = {
    method: check.method ?? null,
    path: check.path === undefined ? null : parsePath(check.path),
    address: check.ip === undefined ? undefined : parseAddress(check.ip),
    requestId,
  };
  if (check.class !== undefined) facts.class = check.class;
  if (check.user_id !== undefined) facts.userId = check.user_id;
  if (check.client_id !== undefined) facts.client = { id: check.client_id, type: check.client_type ?? 'public' };
  if (check.cost !== undefined) facts.cost = check.cost;
  if (check.refundable === true) facts.refundable = true;
  if (check.limits !== undefined) {
    facts.limits = check.limits.map(({ name, subject = null, cost = 1 }) => ({ name, subject, cost }));
    if (check.class === undefined && check.path === undefined) facts.class = null;
    if (check.settle === true) facts.settleWithin = check.settle_within ?? SETTLE_WITHIN;
  }
  if (check.preflight === true) facts.preflight = true;
  if (check.api_key === undefined) return facts;
  if (isUuid(check.api_key)) facts.apiKeyId = check.api_key.toLowerCase();
  else facts.apiKey = check.api_key;
  return facts;
}

/** Fields that a plain check may have. */
type Plain = Readonly<
  Partial<Record<'class' | 'method' | 'path' | 'ip' | 'user_id' | 'api_key' | 'cost' | 'refundable', unknown>>
>;

/**
 * Reads the facts of a common check, at a tenth of the cost of the schema. Returns null for any other value, valid or
 * not, and leaves it to the schema. The schema accepts every check that is accepted here, with the same facts.
 */
function readPlainCheck(body: unknown, requestId: string): Facts | null {
  if (typeof body !== 'object' || body === null) return null;
  const check: Plain = body;
  const { class: named, method, path, ip, user_id: userId, api_key: apiKey, cost, refundable } = check;
  let members = 0;
  const facts: Facts = { method: null, path: null, address: undefined, requestId };
  if (named !== undefined) {
    const endpointClass = ENDPOINT_CLASSES.find((name) => name === named);
    if (endpointClass === undefined) return null;
    facts.class = endpointClass;
    members += 1;
  } else if (method === undefined || path === undefined) return null;
  if (method !== undefined) {
    if (typeof method !== 'string' || !/^[A-Z]{1,32}$/.test(method)) return null;
    facts.method = method;
    members += 1;
  }
  if (path !== undefined) {
    if (typeof path !== 'string' || path.length > MAX_PATH || path.charCodeAt(0) !== 0x2f) return null;
    facts.path = parsePath(path);
    members += 1;
  }
  const described = members;
  if (ip !== undefined) {
    if (typeof ip !== 'string') return null;
    facts.address = parseAddress(ip);
    if (facts.address === null) return null;
    members += 1;
  }
  if (userId !== undefined) {
    if (typeof userId !== 'string' || !isUserId(userId)) return null;
    facts.userId = userId;
    members += 1;
  }
  if (apiKey !== undefined) {
    if (typeof apiKey !== 'string' || !/^[\x21-\x7e]{1,512}$/.test(apiKey)) return null;
    if (isUuid(apiKey)) facts.apiKeyId = apiKey.toLowerCase();
    else facts.apiKey = apiKey;
    members += 1;
  }
  if (members === described) return null;
  if (cost !== undefined) {
    if (typeof cost !== 'number' || !Number.isInteger(cost) || cost < 1 || cost > MAX_COST) return null;
    facts.cost = cost;
    members += 1;
  }
  if (refundable !== undefined) {
    if (typeof refundable !== 'boolean') return null;
    if (refundable) facts.refundable = true;
    members += 1;
  }
  // An additional field is either not allowed, or belongs to an OAuth client. The schema decides.
  return Object.keys(body).length === members ? facts : null;
}
