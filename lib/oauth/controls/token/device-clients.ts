import { type Comparison, compareTokens } from '@/lib/oauth/assessment/comparison';
import { readDeviceAuthorization } from '@/lib/oauth/assessment/device-requests';
import { readTokens } from '@/lib/oauth/assessment/outcomes';
import { isConfidential } from '@/lib/oauth/assessment/target';
import { CannotProbe, createLesserFailure, ignoreUndecided } from '@/lib/oauth/assessment/verdict';
import { type Control, defineControl } from '@/lib/oauth/controls/control';
import { judgeRefusals } from '@/lib/oauth/controls/judge-refusals';
import { createBroaderControlError } from '@/lib/oauth/controls/patterns';
import { comparePolls } from '@/lib/oauth/controls/token/device-polls';
import { BAD_CREDENTIALS, createBadCredentials, isUnauthenticated } from '@/lib/oauth/controls/token/unauthenticated';

/** Control for the authentication of clients of the device grant (RFC 8628 sections 3.1 and 3.4). */
export const DEVICE_CLIENTS: readonly Control[] = [
  defineControl({
    id: 'device-client-authentication',
    title: 'A confidential client authenticates to ask for a device code and to poll',
    wrong: 'A confidential client need not authenticate to ask for a device code or to poll',
    severity: 'high',
    area: 'token',
    source: ['RFC 8628 3.1', 'RFC 8628 3.4', 'RFC 6749 3.2.1'],
    switchable: false,
    needs: ['confidential client', 'login'],
    protectsFrom: 'Anyone asks users to connect a device in the name of a client whose id they know.',
    tries: { ...BAD_CREDENTIALS, 'no credentials': 'RFC 8628 3.1', 'wrong credentials': 'RFC 8628 3.4' },
    async probe(probe) {
      const clients = await probe.requireDeviceClients();
      const client = clients.find(isConfidential);
      if (client === undefined)
        throw probe.listClients().some(isConfidential)
          ? new CannotProbe('not_applicable', 'No given client that authenticates may use the device grant.')
          : new CannotProbe('inconclusive', 'A confidential client is needed.');
      const bad = Object.entries(await createBadCredentials(probe, client));
      const asked = new Map<string, Comparison>();
      for (const [label, credentials] of bad) {
        const exchange = await probe.sendDeviceRequest(`Ask with ${label}`, client, { credentials });
        const isIssued = readDeviceAuthorization(exchange, client) !== null;
        asked.set(label, isIssued ? { kind: 'accepted' } : compareTokens(readTokens(exchange)));
      }
      const poll = () =>
        comparePolls(probe, client, () =>
          Object.fromEntries(bad.map(([label, credentials]) => [label, { credentials }])),
        );
      // A code that was issued without authentication decides, also if no person can agree to it.
      const isIssued = [...asked.values()].some(({ kind }) => kind === 'accepted');
      const polled = isIssued ? ((await poll().catch(ignoreUndecided)) ?? new Map<string, Comparison>()) : await poll();
      const isAccepted = [...asked.values(), ...polled.values()].some(({ kind }) => kind === 'accepted');
      if (isAccepted && (await isUnauthenticated(probe, client)))
        throw createBroaderControlError('client-authentication');
      return { asked, polled };
    },
    rule({ asked, polled }) {
      const [asking, polling] = [judgeRefusals(asked), judgeRefusals(polled)];
      if (polling.kind === 'failed') return { ...polling, reason: `A poll got tokens. ${polling.reason}` };
      if (asking.kind === 'failed') return createLesserFailure('medium', `A device code was issued. ${asking.reason}`);
      return asking.kind === 'passed' ? polling : asking;
    },
  }),
];
