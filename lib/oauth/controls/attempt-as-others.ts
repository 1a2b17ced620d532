import type { Probe } from '@/lib/oauth/assessment/probe';
import type { TokenAttempt } from '@/lib/oauth/controls/patterns';

/** Lists attempts as the other clients. Some servers bind nothing between two public clients. */
export function attemptAsOthers(probe: Probe): Record<string, TokenAttempt> {
  const { nativeClient } = probe.target;
  return {
    'another client': { client: probe.requireOtherClient() },
    ...(nativeClient === null ? {} : { 'a third client': { client: nativeClient } }),
  };
}
