import { DEVICE_GRANT } from '@/lib/contract/lab-paths';
import { type Comparison, compareTokens } from '@/lib/oauth/assessment/comparison';
import type { DeviceAuthorization } from '@/lib/oauth/assessment/device-requests';
import type { TokenOutcome } from '@/lib/oauth/assessment/outcomes';
import type { Probe } from '@/lib/oauth/assessment/probe';
import type { TargetClient } from '@/lib/oauth/assessment/target';
import { CannotProbe } from '@/lib/oauth/assessment/verdict';
import type { Comparisons } from '@/lib/oauth/controls/judge-refusals';
import { cutEnd, swapLetterCase } from '@/lib/oauth/controls/near-values';
import { createBroaderControlError, type TokenAttempt } from '@/lib/oauth/controls/patterns';
import { repeatRace } from '@/lib/oauth/controls/race';

/** Number of device codes whose randomness is measured. */
const SAMPLES = 8;

/** Asks for device codes, once for both controls of their randomness. The first one stays unused until the end. */
export function sampleDeviceCodes(probe: Probe): Promise<DeviceAuthorization[]> {
  return probe.runOnce('device code samples', async () => {
    const { device } = await probe.getReservedDevice();
    const devices = [device];
    while (devices.length < SAMPLES) devices.push(await probe.requestDeviceCode(device.client));
    return devices;
  });
}

/** Races of polls, fewer than those of codes, because a person agrees before each. */
const RACES = 4;

/** Compares parallel polls with one approved device code, of which only one may get tokens. Undecided without a race. */
export async function compareParallelPolls(probe: Probe, client: TargetClient): Promise<Comparison> {
  const race = {
    races: RACES,
    fault: null,
    async start() {
      const { deviceCode } = await probe.requestApprovedDevice(client);
      const fields = { grant_type: DEVICE_GRANT, device_code: deviceCode };
      return () => probe.sendTokenRequest('Poll in parallel', fields, { client });
    },
    countWinners: async (issued: readonly unknown[]) => issued.length,
  };
  try {
    const { winners } = await repeatRace(probe, race);
    return winners > 1 ? { kind: 'accepted' } : { kind: 'refused', how: 'at most one of them got tokens' };
  } catch (error) {
    if (!(error instanceof CannotProbe)) throw error;
    return { kind: 'undecided', why: error.message.replace(/\.$/, '') };
  }
}

/**
 * Throws if a request was accepted that an invented device code passes too: no property of the code matters then.
 * @throws CannotProbe not_applicable
 */
export async function requireLookup(probe: Probe, client: TargetClient, comparisons: Comparisons): Promise<void> {
  if ([...comparisons.values()].every(({ kind }) => kind !== 'accepted')) return;
  const fields = { device_code: probe.generateRandomText() };
  const device = await probe.requestDeviceCode(client);
  const invented = await probe.pollDevice('Poll with an invented device code', device, fields);
  if (invented.kind === 'issued') throw createBroaderControlError('device-approval');
}

/**
 * Compares polls that must be refused, all with one approved device code, which is then redeemed correctly. If a refused
 * attempt ends the code, or the server slows down the next one, each attempt gets a separate code.
 */
export async function comparePolls(
  probe: Probe,
  client: TargetClient,
  attempts: (device: DeviceAuthorization) => Record<string, TokenAttempt>,
): Promise<Map<string, Comparison>> {
  const comparisons = new Map<string, Comparison>();
  const poll = async (label: string, device: DeviceAuthorization, atOnce = false) => {
    const { fields, ...options } = attempts(device)[label] ?? {};
    const outcome = await probe.pollDevice(`Poll with ${label}`, device, fields, { ...options, atOnce });
    comparisons.set(label, comparePoll(outcome));
    return outcome.kind === 'issued';
  };
  let device = await probe.requestApprovedDevice(client);
  const labels = Object.keys(attempts(device));
  for (const label of labels) if (await poll(label, device, true)) device = await probe.requestApprovedDevice(client);
  const own = await probe.pollDevice('Poll after a person agreed', device, {}, { atOnce: true });
  const isOpen = ({ kind }: Comparison) => kind === 'undecided' || (kind === 'refused' && own.kind === 'refused');
  const open = [...comparisons].flatMap(([label, comparison]) => (isOpen(comparison) ? [label] : []));
  if (own.kind === 'refused') await probe.redeemDevice(await probe.requestApprovedDevice(client));
  for (const label of open) await poll(label, await probe.requestApprovedDevice(client));
  return comparisons;
}

/** Lists polls whose device code is almost the right one. */
export function listNearCodes({ deviceCode, userCode }: DeviceAuthorization): Record<string, TokenAttempt> {
  const otherCase = swapLetterCase(deviceCode);
  return {
    'the user code as the device code': { fields: { device_code: userCode } },
    'a device code without its end': { fields: { device_code: cutEnd(deviceCode) } },
    ...(otherCase === deviceCode
      ? {}
      : { 'a device code in another letter case': { fields: { device_code: otherCase } } }),
  };
}

/** Compares the answer to a poll. A server that says `slow_down` to the end has not looked at the device code. */
export function comparePoll(outcome: TokenOutcome): Comparison {
  return outcome.kind === 'refused' && outcome.error === 'slow_down'
    ? { kind: 'undecided', why: 'the server says slow_down' }
    : compareTokens(outcome);
}

/** Compares a poll after a person declined. Null if the verification page has no button for that. */
export async function compareDeclined(probe: Probe, client: TargetClient): Promise<Comparison | null> {
  const device = await probe.requestDeviceCode(client);
  if (!(await probe.declineDevice(device))) return null;
  return comparePoll(await probe.pollDevice('Poll after a person declined', device));
}
