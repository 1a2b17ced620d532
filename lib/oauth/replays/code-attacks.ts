import { type Replay, succeeded } from '@/lib/oauth/replays/stage';

const WITHOUT_PKCE = { code_challenge: null, code_challenge_method: null };
const OTHER_SERVER = 'https://attackers-server.example';
const NO_CODE = { kind: 'not_played', reason: 'The server gave no code.' } as const;

/** Attacks on the authorization code and on the request for it. */
export const CODE_ATTACKS = {
  codeInterception: {
    id: 'code-interception',
    title: 'Code interception',
    story: 'Another application on the device receives the code in place of the client, and redeems it.',
    source: ['RFC 7636 1', 'RFC 9700 4.5'],
    defences: ['require-pkce', 'pkce-verified'],
    async play(stage) {
      const given =
        (await stage.authorize('client', 'Asks for a code without PKCE', WITHOUT_PKCE)) ??
        (await stage.authorize('client', 'Asks for a code with PKCE'));
      if (given === null) return NO_CODE;
      stage.narrate('victim', 'attacker', 'The code reaches an application of the attacker');
      const tokens = await stage.tokens('attacker', 'Redeems the code without knowing a verifier', (probe) =>
        probe.redeem('Redeem the stolen code', given, { code_verifier: null }),
      );
      if (tokens === null) return stage.blocked('The code is worthless without the verifier.');
      return (await stage.present('attacker', "Reads the victim's data", tokens.accessToken))
        ? succeeded("The attacker read the victim's data.")
        : stage.blocked('The token was refused.');
    },
  },
  redirectManipulation: {
    id: 'redirect-manipulation',
    title: 'Redirect manipulation',
    story: "The victim opens a link to the real server whose redirect URI is the attacker's.",
    source: ['RFC 9700 4.1'],
    defences: ['strict-redirect-uri', 'redirect-uri-wildcard', 'redirect-uri-scheme'],
    async play(stage) {
      const registered = stage.probe.target.client.redirectUri;
      const { host, pathname } = new URL(registered);
      const links = {
        'an address of the attacker': 'https://attacker.example/collect',
        'a host that begins like the registered value': `${registered}.attacker.example`,
        'the registered address without TLS': `http://${host}${pathname}`,
      };
      for (const [label, redirect_uri] of Object.entries(links)) {
        stage.narrate('attacker', 'victim', `Sends a link with ${label}`);
        const opens = `Opens the link with ${label}`;
        const given = await stage.authorize('victim', opens, { redirect_uri }, `Redirect to ${label}`);
        if (given === null) continue;
        stage.narrate('victim', 'attacker', "The browser delivers the code to the attacker's address");
        const tokens = await stage.tokens('attacker', 'Redeems the code with a verifier of their own', (probe) =>
          probe.redeem('Redeem the code', given, { redirect_uri }),
        );
        if (tokens !== null) return succeeded(`The code went to ${label}, and was redeemed.`);
      }
      return stage.blocked('The browser is sent to the registered address only.');
    },
  },
  callbackCsrf: {
    id: 'callback-csrf',
    title: 'CSRF on the callback',
    story:
      "The victim's browser is made to finish a flow that the attacker started, and works in the attacker's account.",
    source: ['RFC 9700 4.7', 'RFC 6749 10.12'],
    defences: ['require-state', 'require-pkce'],
    async play(stage) {
      const given = await stage.authorize(
        'attacker',
        'Signs in to the client, which sends neither state nor PKCE, and keeps the code',
        { ...WITHOUT_PKCE, state: null, nonce: null },
        'Neither state nor PKCE',
      );
      if (given === null) return stage.blocked('The server refuses a client without protection.');
      stage.narrate('attacker', 'victim', 'A hidden image points to the callback with the code');
      stage.narrate('victim', 'client', 'Calls the callback; nothing ties it to a session');
      const tokens = await stage.tokens('client', 'Redeems the code', (probe) =>
        probe.redeem('Redeem the code', given, { code_verifier: null }),
      );
      if (tokens === null) return stage.blocked('The code was not redeemed.');
      return succeeded("The victim's session now belongs to the attacker's account.");
    },
  },
  pkceDowngradeAttack: {
    id: 'pkce-downgrade-attack',
    title: 'PKCE downgrade',
    story: 'The attacker removes the challenge from the request, so that the resulting code fits any session.',
    source: ['RFC 9700 4.8'],
    defences: ['require-pkce', 'pkce-downgrade'],
    async play(stage) {
      stage.narrate('client', 'victim', 'Sends the browser to the server, with a challenge');
      stage.narrate('attacker', 'victim', 'Removes the challenge from the request');
      const asks = 'Asks for a code without a challenge';
      const given = await stage.authorize('victim', asks, WITHOUT_PKCE, 'The stripped request');
      if (given === null) return stage.blocked('The server gives no code without a challenge.');
      stage.narrate('attacker', 'client', 'Puts the code into a session of their own');
      const tokens = await stage.tokens('client', 'Redeems the code with the verifier of that session', (probe) =>
        probe.redeem('Redeem with a verifier', { code: given.code, verifier: probe.randomText() }),
      );
      if (tokens === null) return stage.blocked('A code without a challenge is not redeemed with a verifier.');
      return succeeded("The attacker's session now acts as the victim.");
    },
  },
  codeInjection: {
    id: 'code-injection',
    title: 'Code injection',
    story: 'The attacker puts a stolen code into their own session with the real client, which redeems it for them.',
    source: ['RFC 9700 4.5'],
    defences: ['pkce-verified'],
    async play(stage) {
      const { code } = await stage.prepare('victim', 'Gets a code, with the challenge of their session', (probe) =>
        probe.code(),
      );
      stage.narrate('victim', 'attacker', 'The code leaks');
      stage.narrate('attacker', 'client', 'Calls the callback of their own session with the stolen code');
      const tokens = await stage.tokens('client', "Redeems it with the verifier of the attacker's session", (probe) =>
        probe.redeem('Redeem the injected code', { code, verifier: probe.randomText() }),
      );
      if (tokens === null) return stage.blocked('The verifier belongs to another session than the code.');
      return succeeded("The attacker's session now acts as the victim.");
    },
  },
  mixUp: {
    id: 'mix-up',
    title: 'Mix-up',
    story:
      "A client of two servers takes a response for the attacker's, and sends the honest server's code to the attacker.",
    source: ['RFC 9700 4.4', 'RFC 9207 1'],
    defences: ['issuer-in-response'],
    async play(stage) {
      stage.narrate('victim', 'client', `Chooses to sign in with ${OTHER_SERVER}`);
      stage.narrate('attacker', 'victim', 'Redirects the browser to the honest server');
      const given = await stage.authorize('victim', 'Signs in at the honest server');
      if (given === null) return NO_CODE;
      if (given.issuer !== undefined && given.issuer !== OTHER_SERVER) {
        stage.notice('issuer-in-response', 'Sees that the response is from another server than it asked');
        return stage.blocked('The response names its issuer, so the client stops.');
      }
      stage.narrate('client', 'attacker', "Sends code and verifier to the attacker's token endpoint");
      const tokens = await stage.tokens('attacker', 'Redeems the code with the verifier', (probe) =>
        probe.redeem('Redeem what the client disclosed', given),
      );
      return tokens === null
        ? stage.blocked('The code was not redeemed.')
        : succeeded('The attacker acts as the victim.');
    },
  },
} satisfies Record<string, Replay>;
