import type { LimitedIdentity } from '@/components/links/target';
import type { LoggedDecision } from '@/lib/contract/decisions';
import { isUuid } from '@/lib/contract/fields/ids';

/** The caller to help, and the decision that led here. Without one, the newest refusal is explained. */
export interface HelpRequest extends LimitedIdentity {
  decision?: LoggedDecision;
}

/** Returns the caller behind a subject of a limit. Null for the throttle, which concerns no caller. */
export function findIdentity(subject: LoggedDecision['subject'], identifier: string | null): LimitedIdentity | null {
  if (identifier === null || subject === null || subject === 'global') return null;
  if (subject === 'ip') return { type: 'ip', identifier };
  if (subject === 'user') return { type: 'user_id', identifier };
  if (subject === 'limit') return { type: 'subject', identifier };
  return { type: isUuid(identifier) ? 'api_key' : 'client_id', identifier };
}

/** Returns the caller of a decision: the subject that decided it, never the address of a key's caller. */
export function buildHelpRequest(decision: LoggedDecision): HelpRequest | null {
  const subject = findIdentity(decision.subject, decision.identifier);
  if (subject) return { ...subject, decision };
  const { api_key_id, user_id, ip } = decision;
  if (api_key_id) return { type: 'api_key', identifier: api_key_id, decision };
  if (user_id) return { type: 'user_id', identifier: user_id, decision };
  return ip === null ? null : { type: 'ip', identifier: ip, decision };
}
