import { buildBasicHeader } from '@/lib/oauth/assessment/client-credentials';
import type { Probe } from '@/lib/oauth/assessment/probe';
import { isConfidential } from '@/lib/oauth/assessment/target';
import type { TokenAttempt } from '@/lib/oauth/controls/patterns';

/** Finds a confidential client other than the main one. */
export const findOtherConfidentialClient = (probe: Probe) =>
  probe.listClients().find((client) => client !== probe.target.client && isConfidential(client));

/**
 * Lists attempts as the other clients. Some servers bind nothing between two public clients, or look only at a client id
 * in the body, which a request with Basic leaves out.
 */
export function attemptAsOthers(probe: Probe): Record<string, TokenAttempt> {
  const { nativeClient } = probe.target;
  const other = probe.requireOtherClient();
  const secret = other.authentication.method === 'post' ? other.authentication.secret : null;
  return {
    'another client': { client: other },
    ...(secret === null
      ? {}
      : {
          'another client by Basic': {
            client: other,
            credentials: { fields: {}, headers: { authorization: buildBasicHeader(other.id, secret) } },
          },
        }),
    ...(nativeClient === null ? {} : { 'a third client': { client: nativeClient } }),
  };
}
