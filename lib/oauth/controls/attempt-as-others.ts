import type { Probe } from '@/lib/oauth/assessment/probe';
import { isConfidential } from '@/lib/oauth/assessment/target';
import type { TokenAttempt } from '@/lib/oauth/controls/patterns';

/** Finds a confidential client other than the main one. */
export const findOtherConfidentialClient = (probe: Probe) =>
  probe.listClients().find((client) => client !== probe.target.client && isConfidential(client));

/** Lists attempts as the other clients. Some servers bind nothing between two public clients. */
export function attemptAsOthers(probe: Probe): Record<string, TokenAttempt> {
  const { nativeClient } = probe.target;
  return {
    'another client': { client: probe.requireOtherClient() },
    ...(nativeClient === null ? {} : { 'a third client': { client: nativeClient } }),
  };
}
