import type { HelpRequest } from '@/components/links/help-target';
import type { LimitedIdentity } from '@/components/links/target';
import type { LoggedDecision } from '@/lib/contract/decisions';
import { type ClientType, ClientTypeSchema } from '@/lib/contract/fields/enumerations';
import { MOST_LIMITS } from '@/lib/contract/fields/named-limit';
import type { EndpointClass } from '@/lib/limiter/meter';

/** Question for `explainDecision`: its body without a secret. */
export interface ExplainQuestion {
  class?: EndpointClass;
  method?: string;
  path?: string;
  ip?: string;
  user_id?: string;
  api_key_id?: string;
  client_id?: string;
  client_type?: ClientType;
  limits?: { name: string; subject: string }[];
}

/** Returns the base address of a network that counts as one: `2001:db8::/64` becomes `2001:db8::`. */
const extractBaseAddress = (identifier: string) => identifier.replace(/\/\d+$/, '');

/** Converts the caller into a field of a question. @param limits names of the limits that are asked about for a subject */
function buildCallerQuestion({ type, identifier }: LimitedIdentity, limits: readonly string[]): ExplainQuestion {
  if (type === 'subject')
    return { limits: limits.slice(0, MOST_LIMITS).map((name) => ({ name, subject: identifier })) };
  if (type === 'ip') return { ip: extractBaseAddress(identifier) };
  if (type === 'user_id') return { user_id: identifier };
  return type === 'api_key' ? { api_key_id: identifier } : { client_id: identifier };
}

/** Returns the OAuth client that refused. The record names it only as the identifier. */
function findClient({ subject, identifier, api_key_id, source, source_id }: LoggedDecision): ExplainQuestion {
  if (subject !== 'client' || identifier === null || api_key_id !== null) return {};
  const type = source === 'client' ? ClientTypeSchema.safeParse(source_id).data : undefined;
  return { client_id: identifier, ...(type ? { client_type: type } : {}) };
}

/**
 * Rebuilds the request of a decision. If method and path are available, the class is omitted, so that the explanation
 * names the route rule.
 */
export function rebuildRequest(decision: LoggedDecision): ExplainQuestion {
  const { method, path, class: endpointClass, ip, user_id, api_key_id, identifier, limit_name: name } = decision;
  const limited = name !== null && identifier !== null ? [{ name, subject: identifier }] : null;
  return {
    ...(method !== null && path !== null ? { method, path } : endpointClass === null ? {} : { class: endpointClass }),
    ...(limited === null ? {} : { limits: limited }),
    ...(ip === null ? {} : { ip }),
    ...(user_id === null ? {} : { user_id }),
    ...(api_key_id === null ? {} : { api_key_id }),
    ...findClient(decision),
  };
}

/**
 * Builds the question about a caller: the request of the decision or, without one, the next request in a class, or the
 * next check of a subject against named limits.
 */
export function buildQuestion(
  request: HelpRequest,
  decision: LoggedDecision | undefined,
  otherwise: EndpointClass,
  limits: readonly string[] = [],
): ExplainQuestion {
  const question = buildCallerQuestion(request, limits);
  if (decision === undefined) return request.type === 'subject' ? question : { ...question, class: otherwise };
  // The request's address replaces the counted network.
  return { ...question, ...rebuildRequest(decision) };
}
