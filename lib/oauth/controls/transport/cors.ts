import { compareTokens } from '@/lib/oauth/assessment/comparison';
import { type Exchange, findResponseHeader } from '@/lib/oauth/assessment/exchange';
import { createFailed, createInconclusive, createPassed, ignoreUndecided } from '@/lib/oauth/assessment/verdict';
import { type Control, defineControl } from '@/lib/oauth/controls/control';
import { redeemRefusably } from '@/lib/oauth/controls/repeat-fault';

/** Controls for cross-origin requests (CORS) to the token endpoint. */
export const CORS: readonly Control[] = [
  defineControl({
    id: 'cors-token-endpoint',
    title: 'CORS allows no foreign origin to send credentials',
    wrong: 'CORS allows foreign origins to send credentials',
    severity: 'low',
    area: 'transport',
    source: ['RFC 9700 2.6'],
    switchable: false,
    needs: [],
    protectsFrom: 'A page that the user visits talks to the token endpoint in their name.',
    tries: {
      'a preflight from a foreign origin': 'RFC 9700 2.6',
      'a POST from a foreign origin': 'RFC 9700 2.6',
      'a POST from an origin that begins like a known one': 'RFC 9700 2.6',
      'a POST from an origin that ends like a known one': 'RFC 9700 2.6',
      'a POST from an origin with a dot replaced': 'RFC 9700 2.6',
      'a POST from a known origin without TLS': 'RFC 9700 2.6',
      'a POST from the origin null': 'RFC 9700 2.6',
      'redeem a code from there': 'RFC 9700 2.6',
    },
    async probe(probe) {
      const client = probe.chooseAnyClient();
      const own = [client.redirectUri, probe.target.issuer].filter((url) => URL.canParse(url));
      const origin = 'https://unregistered.example';
      const preflight = await probe.send(
        'A preflight from a foreign origin',
        await probe.requireEndpoint('token_endpoint'),
        {
          method: 'OPTIONS',
          headers: {
            origin,
            'access-control-request-method': 'POST',
            'access-control-request-headers': 'content-type',
          },
        },
      );
      const answers = [{ origin, exchange: preflight }];
      const hasSession = probe.target.client !== null && probe.target.cookie !== '';
      let answered = true;
      for (const [label, from] of [
        ['A POST from a foreign origin', origin],
        ...own.flatMap(listLookAlikeOrigins),
        ['A POST from the origin null', 'null'],
      ] as const) {
        const invented = { grant_type: 'authorization_code', code: probe.generateRandomText() };
        const posted = await redeemRefusably(probe, () =>
          probe.sendTokenRequest(label, invented, { client, headers: { origin: from } }),
        );
        answers.push({ origin: from, exchange: posted.exchange });
        if (compareTokens(posted).kind === 'undecided') answered = false;
        // Some servers add the headers only to their successes.
        const grant = hasSession ? await probe.requestCode().catch(ignoreUndecided) : null;
        if (grant === null) continue;
        const { exchange } = await probe.redeem('Redeem a code from there', grant, {}, { headers: { origin: from } });
        answers.push({ origin: from, exchange });
      }
      return { answered, answers: answers.map((answer) => ({ ...answer, ...readCors(answer.exchange) })) };
    },
    rule({ answered, answers }) {
      const open = answers.filter(({ credentials, allowed, origin }) => credentials && allowed === origin);
      if (open.length > 0)
        return createFailed(`Any origin may send credentials: ${open.map(({ origin }) => origin).join(', ')}.`);
      if (!answered) return createInconclusive('The token endpoint does not answer like one.');
      return answers.some(({ credentials, allowed }) => credentials && allowed === '*')
        ? createPassed('Browsers send no credentials to an answer that allows every origin by a wildcard.')
        : createPassed('A foreign origin may not send credentials, in a preflight or in a request.');
    },
  }),
];
/** Lists origins that a server takes for a known one if it compares a part of them, each with the label of a request. */
function listLookAlikeOrigins(known: string): [string, string][] {
  const { protocol, hostname, host } = new URL(known);
  const begins: [string, string] = [
    'A POST from an origin that begins like a known one',
    `${protocol}//${hostname}.unregistered.example`,
  ];
  if (/^[\d.]+$|^\[/.test(hostname)) return [begins];
  return [
    begins,
    ['A POST from an origin that ends like a known one', `${protocol}//unregistered-${host}`],
    ...(hostname.includes('.')
      ? [['A POST from an origin with a dot replaced', `${protocol}//${host.replace('.', 'x')}`] as [string, string]]
      : []),
    ...(protocol === 'https:'
      ? [['A POST from a known origin without TLS', `http://${host}`] as [string, string]]
      : []),
  ];
}

const readCors = (exchange: Exchange) => ({
  allowed: findResponseHeader(exchange, 'access-control-allow-origin'),
  credentials: findResponseHeader(exchange, 'access-control-allow-credentials') === 'true',
});
