import { type Comparison, compareTokens } from '@/lib/oauth/assessment/comparison';
import type { Probe } from '@/lib/oauth/assessment/probe';
import { isConfidential } from '@/lib/oauth/assessment/target';
import { CannotProbe } from '@/lib/oauth/assessment/verdict';
import { redeemRefusably } from '@/lib/oauth/controls/repeat-fault';

/** Rotates the refresh token of a public client. @throws CannotProbe not_applicable if the server does not rotate it */
export async function rotateToken(probe: Probe): Promise<{ old: string; newest: string }> {
  const { refreshToken: old } = await probe.runCodeFlowWithRefresh();
  const first = await probe.refresh('Refresh', old);
  if (first.kind === 'refused') throw new CannotProbe('inconclusive', 'The refresh token does not work at all.');
  const newest = first.tokens.refreshToken;
  if (newest === null || newest === old) {
    throw new CannotProbe('not_applicable', 'Refresh tokens do not rotate here: see refresh-rotation.');
  }
  return { old, newest };
}

/** Rotates a refresh token twice, and uses the first one again. A server may remember only the last one. */
export async function replayTokenBeforeLast(probe: Probe): Promise<Comparison> {
  const { old, newest } = await rotateToken(probe);
  const next = await probe.refresh('Refresh', newest);
  if (next.kind === 'refused') throw new CannotProbe('inconclusive', 'The second refresh did not work.');
  const replay = () => probe.refresh('Refresh with the token before the last', old);
  return compareTokens(await redeemRefusably(probe, replay));
}

/** Uses a refresh token of the native client twice. @throws CannotProbe */
export async function replayTokenOfNativeClient(probe: Probe): Promise<Comparison | null> {
  const { nativeClient: client } = probe.target;
  if (client === null || isConfidential(client)) return null;
  const { refreshToken } = await probe.runCodeFlowWithRefresh({}, { client });
  const first = await probe.refresh('Refresh as the native client', refreshToken, {}, { client });
  if (first.kind === 'refused') return null;
  return compareTokens(await probe.refresh('Refresh again as the native client', refreshToken, {}, { client }));
}

/** Uses a refresh token again that was rotated early in the assessment. A server may forget used ones. */
export async function replayEarlyToken(probe: Probe): Promise<Comparison | null> {
  const { old } = (await probe.getReservedRotation()) ?? {};
  if (old === undefined) return null;
  const replay = () => probe.refresh('Refresh with a token that was rotated long before', old);
  return compareTokens(await redeemRefusably(probe, replay));
}
