import type { Probe } from '@/lib/oauth/assessment/probe';
import type { TargetClient } from '@/lib/oauth/assessment/target';

/** Returns whether a code is redeemed with an invented verifier, which fails `pkce-verified`. */
export async function isAnyVerifierAccepted(probe: Probe, client: TargetClient): Promise<boolean> {
  const grant = { ...(await probe.requestCode({}, { client })), verifier: probe.generateRandomText() };
  return (await probe.redeem('Redeem with an invented verifier', grant)).kind === 'issued';
}
