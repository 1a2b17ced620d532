import { type Comparison, compareTokens } from '@/lib/oauth/assessment/comparison';
import {
  CannotProbe,
  createFailed,
  createInconclusive,
  createLesserFailure,
  createPassed,
  ignoreUndecided,
} from '@/lib/oauth/assessment/verdict';
import { type Control, defineControl } from '@/lib/oauth/controls/control';
import { describeGuessing, judgeGuessing, measureGuessing } from '@/lib/oauth/controls/guessing-space';
import { judgeRefusals } from '@/lib/oauth/controls/judge-refusals';
import { createBroaderControlError } from '@/lib/oauth/controls/patterns';
import {
  compareDeclined,
  compareParallelPolls,
  comparePoll,
  comparePolls,
  listNearCodes,
  requireLookup,
  sampleDeviceCodes,
} from '@/lib/oauth/controls/token/device-polls';
import { isSafe } from '@/lib/oauth/controls/transport/tls';

/** Bits of nine digits, the weaker example of RFC 8628 section 6.1, rounded down. */
const USER_CODE_BITS = 29;
/** Time in which a person who is asked agrees, in seconds. */
const MARGIN = 30;
/** Errors of a device code that waits for an answer. */
const PENDING: ReadonlySet<string | null> = new Set(['authorization_pending', 'slow_down']);

/** Controls for the device authorization grant (RFC 8628). Client authentication is in `device-clients.ts`. */
export const DEVICE_FLOW: readonly Control[] = [
  defineControl({
    id: 'device-code-entropy',
    title: 'Device codes cannot be guessed',
    wrong: 'Device codes can be guessed',
    severity: 'high',
    area: 'token',
    source: ['RFC 8628 5.2', 'RFC 6749 10.10'],
    switchable: false,
    needs: ['client'],
    evidence: 'answer',
    protectsFrom: 'An attacker guesses the code of a device, and gets its tokens as soon as its user agrees.',
    tries: { 'ask for a device code': 'RFC 8628 5.2' },
    async probe(probe) {
      const devices = await sampleDeviceCodes(probe);
      return measureGuessing(
        devices.map(({ deviceCode }) => deviceCode),
        probe.now(),
      );
    },
    rule: judgeGuessing,
  }),
  defineControl({
    id: 'user-code-entropy',
    title: 'User codes cannot be guessed while they live',
    wrong: 'User codes can be guessed while they live',
    severity: 'medium',
    area: 'token',
    source: ['RFC 8628 5.1', 'RFC 8628 6.1'],
    switchable: false,
    needs: ['client'],
    evidence: 'answer',
    protectsFrom: "An attacker guesses a user code, and connects the victim's device to an account of their own.",
    tries: { 'ask for a user code': 'RFC 8628 6.1' },
    async probe(probe) {
      const devices = await sampleDeviceCodes(probe);
      // Separators are for people. They hide that codes are numbers.
      return measureGuessing(
        devices.map(({ userCode }) => userCode.replaceAll(/[^\p{L}\p{N}]/gu, '')),
        probe.now(),
      );
    },
    rule(space) {
      const { distinct, count, bits, pattern } = space;
      const isEnough = distinct === count && pattern === null && bits >= USER_CODE_BITS;
      return (isEnough ? createPassed : createFailed)(`${describeGuessing(space)}.`);
    },
  }),
  defineControl({
    id: 'device-approval',
    title: 'A device gets a token only by its own code, after a person agreed',
    wrong: 'A device gets a token without a person who agreed',
    severity: 'critical',
    area: 'token',
    source: ['RFC 8628 3.5', 'RFC 6749 5.2'],
    switchable: true,
    needs: ['client', 'login'],
    protectsFrom: 'Anyone gets tokens in the name of a user who was never asked.',
    tries: {
      'poll before a person agreed': 'RFC 8628 3.5',
      'an invented device code': 'RFC 8628 5.2',
      'no device code': 'RFC 8628 3.4',
      'the user code as the device code': 'RFC 8628 5.1',
      'a device code without its end': 'RFC 8628 5.2',
      'a device code in another letter case': 'RFC 8628 5.2',
      'poll after a person agreed to another device': 'RFC 8628 3.5',
      'poll after a person declined': 'RFC 8628 3.5',
    },
    async probe(probe) {
      const client = await probe.requireDeviceClient();
      const device = await probe.requestDeviceCode(client);
      const comparisons = new Map<string, Comparison>();
      const early = await probe.pollDevice('Poll before a person agreed', device);
      comparisons.set('poll before a person agreed', compareTokens(early));
      const others = { 'an invented device code': probe.generateRandomText(), 'no device code': null };
      for (const [label, device_code] of Object.entries(others)) {
        const outcome = await probe.pollDevice(`Poll with ${label}`, device, { device_code });
        comparisons.set(label, comparePoll(outcome));
      }
      if ([...comparisons.values()].some(({ kind }) => kind === 'accepted')) return comparisons;
      const waiting = await probe.requestDeviceCode(client);
      const near = await comparePolls(probe, client, listNearCodes);
      const later = await probe.pollDevice('Poll after a person agreed to another device', waiting);
      comparisons.set('poll after a person agreed to another device', comparePoll(later));
      const declined = await compareDeclined(probe, client).catch(ignoreUndecided);
      if (declined !== null) comparisons.set('poll after a person declined', declined);
      return new Map([...comparisons, ...near]);
    },
    rule: judgeRefusals,
  }),
  defineControl({
    id: 'device-consent',
    title: 'The verification address with the code in it asks before it connects a device',
    wrong: 'Opening the verification address connects a device',
    severity: 'high',
    area: 'token',
    source: ['RFC 8628 3.3.1', 'RFC 8628 5.4'],
    switchable: true,
    needs: ['client', 'login'],
    protectsFrom: 'A victim follows a link, and the device of an attacker is connected to their account.',
    tries: { 'open verification_uri_complete': 'RFC 8628 5.4' },
    async probe(probe) {
      const client = await probe.requireDeviceClient();
      const device = await probe.requestDeviceCode(client);
      if (device.completeUri === null)
        throw new CannotProbe('not_applicable', 'The server gives no verification_uri_complete.');
      await probe.openVerification(device.completeUri, device);
      const opened = await probe.pollDevice('Poll after the address was opened', device);
      if (opened.kind === 'issued') {
        const early = await probe.pollDevice('Poll before anything', await probe.requestDeviceCode(client));
        if (early.kind === 'issued') throw createBroaderControlError('device-approval');
        return compareTokens(opened);
      }
      await probe.approveDevice(device);
      // A page that was opened may work only once, so that another device shows that agreeing works.
      const agreed = await probe.pollDevice('Poll after a person agreed', device, {}, { atOnce: true });
      if (agreed.kind !== 'issued') await probe.redeemDevice(await probe.requestApprovedDevice(client));
      return comparePoll(opened);
    },
    rule(compared) {
      if (compared.kind === 'accepted') return createFailed('Opening the address was enough for a token.');
      return compared.kind === 'refused'
        ? createPassed(`After the address was opened there was no token: ${compared.how}.`)
        : createInconclusive(`Undecided: ${compared.why}.`);
    },
  }),
  defineControl({
    id: 'device-code-client-binding',
    title: 'A device code is bound to its client',
    wrong: 'A device code works for another client',
    severity: 'critical',
    area: 'token',
    source: ['RFC 8628 3.4', 'RFC 6749 5.2'],
    switchable: true,
    needs: ['client', 'login', 'second client'],
    protectsFrom: 'A client gets the tokens of a device that the user connected to another.',
    tries: { 'another client': 'RFC 8628 3.4', 'the first client, a device code of the other': 'RFC 8628 3.4' },
    async probe(probe) {
      const [first, second] = await probe.requireDeviceClients();
      if (first === undefined || second === undefined)
        throw new CannotProbe('inconclusive', 'A second client that may use the device grant is needed.');
      const own = await comparePolls(probe, first, () => ({ 'another client': { client: second } }));
      const label = 'the first client, a device code of the other';
      const other = await comparePolls(probe, second, () => ({ [label]: { client: first } }));
      const comparisons = new Map([...own, ...other]);
      await requireLookup(probe, first, comparisons);
      return comparisons;
    },
    rule: judgeRefusals,
  }),
  defineControl({
    id: 'device-code-single-use',
    title: 'A device code works once',
    wrong: 'A device code works twice',
    severity: 'high',
    area: 'token',
    source: ['RFC 8628 3.5', 'RFC 6749 10.5'],
    switchable: true,
    needs: ['client', 'login'],
    cost: 'ends-grant',
    protectsFrom: 'An attacker who finds a used device code in a log gets tokens of its user.',
    tries: {
      'poll again': 'RFC 6749 10.5',
      'poll a third time': 'RFC 6749 10.5',
      'poll in parallel': 'RFC 6749 10.5',
    },
    async probe(probe) {
      const device = await probe.requestApprovedDevice(await probe.requireDeviceClient());
      await probe.redeemDevice(device);
      const comparisons = new Map<string, Comparison>();
      const again = await probe.pollDevice('Poll again', device, {}, { atOnce: true });
      const third = await probe.pollDevice('Poll a third time', device);
      // A server that slows down the second poll has looked at the third.
      if (again.kind === 'issued' || again.error !== 'slow_down') comparisons.set('poll again', comparePoll(again));
      comparisons.set('poll a third time', comparePoll(third));
      await requireLookup(probe, device.client, comparisons);
      if (judgeRefusals(comparisons).kind === 'passed')
        comparisons.set('poll in parallel', await compareParallelPolls(probe, device.client));
      return comparisons;
    },
    rule: judgeRefusals,
  }),
  defineControl({
    id: 'device-code-lifetime',
    title: 'A device code expires when the server says',
    wrong: 'A device code lives longer than the server says',
    severity: 'medium',
    area: 'token',
    source: ['RFC 8628 3.2', 'RFC 8628 3.5'],
    switchable: true,
    needs: ['client', 'login', 'patience'],
    cost: 'waits',
    protectsFrom: 'An attacker has more time to guess a user code, or to get a victim to enter it.',
    tries: { 'poll after its lifetime': 'RFC 8628 3.5' },
    async probe(probe) {
      const { patience, capabilities } = probe.target;
      const { advance } = capabilities;
      const client = await probe.requireDeviceClient();
      const kept = advance === undefined ? await probe.getReservedDevice() : null;
      // A person can agree only while the code lives.
      const isAlive = kept !== null && probe.age() + MARGIN < kept.askedAt + (kept.device.expiresIn ?? 0);
      const { device, askedAt } = isAlive
        ? kept
        : { device: await probe.requestDeviceCode(client), askedAt: probe.age() };
      const { expiresIn } = device;
      if (expiresIn === null) return null;
      // A person agrees only if the assessment can wait for the end.
      const endsAt = Math.ceil(askedAt + expiresIn + 1);
      if (advance === undefined && endsAt > patience)
        throw new CannotProbe(
          'inconclusive',
          `To see it takes ${endsAt} seconds; the assessment may wait ${patience}.`,
        );
      await probe.approveDevice(device);
      if (advance === undefined) await probe.waitUntil(endsAt);
      else probe.advance(expiresIn + 1);
      const outcome = await probe.pollDevice('Poll after its lifetime', device);
      const early = await probe.requestDeviceCode(client);
      if (outcome.kind === 'refused') await probe.redeemDevice(await probe.requestApprovedDevice(client));
      const isExplicit = outcome.kind === 'refused' && outcome.error === 'expired_token';
      const later = isExplicit ? null : await probe.pollDevice('Poll with a device code after another', early);
      const isEnded = later?.kind === 'refused' && !PENDING.has(later.error);
      return { expiresIn, outcome, isEnded };
    },
    rule(seen) {
      if (seen === null) return createLesserFailure('low', 'The answer has no expires_in, which is required.');
      const { expiresIn, outcome, isEnded } = seen;
      if (outcome.kind === 'issued') return createFailed(`After the ${expiresIn} s that it says, it still worked.`);
      if (PENDING.has(outcome.error))
        return createInconclusive('After its lifetime it still waits for an answer, although a person agreed.');
      const compared = compareTokens(outcome);
      if (compared.kind !== 'refused') return createInconclusive('Undecided: the answer to the poll names no error.');
      return isEnded
        ? createInconclusive('Another device code ends an earlier one before its time.')
        : createPassed(`After ${expiresIn} s it had expired: ${compared.how}.`);
    },
  }),
  defineControl({
    id: 'device-verification-uri',
    title: 'The verification address uses https and keeps the device code secret',
    wrong: 'The verification address uses http or reveals the device code',
    severity: 'medium',
    area: 'token',
    source: ['RFC 8628 3.3', 'RFC 8628 5.2'],
    switchable: false,
    needs: ['client'],
    evidence: 'answer',
    protectsFrom: 'Someone on the network reads the session of the user, or the code that gets the tokens.',
    tries: { 'read verification_uri': 'RFC 8628 3.3', 'read verification_uri_complete': 'RFC 8628 3.3.1' },
    async probe(probe) {
      const device = await probe.requestDeviceCode(await probe.requireDeviceClient());
      const { verificationUri, completeUri, deviceCode } = device;
      return { addresses: [verificationUri, ...(completeUri === null ? [] : [completeUri])], deviceCode };
    },
    rule({ addresses, deviceCode }) {
      if (!addresses.every(isSafe)) return createFailed('The address does not use https.');
      return addresses.some((address) => address.includes(deviceCode))
        ? createFailed('The address contains the device code.')
        : createPassed('It uses https, or http on a loopback address, and contains no device code.');
    },
  }),
];
