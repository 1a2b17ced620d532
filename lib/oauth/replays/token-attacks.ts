import { publishedKeys } from '@/lib/oauth/controls/published-keys';
import { confusedTokens } from '@/lib/oauth/controls/resource/forged-tokens';
import { putTogether, takeApart } from '@/lib/oauth/controls/token-parts';
import { type Replay, succeeded } from '@/lib/oauth/replays/stage';

/** Attacks with access and refresh tokens. */
export const TOKEN_ATTACKS = {
  tokenReplay: {
    id: 'token-replay',
    title: 'Token replay at another service',
    story: 'A service that was given a token of its own presents it to this one.',
    source: ['RFC 9700 4.9', 'RFC 9068 4'],
    defences: ['validate-audience'],
    async play(stage) {
      const tokens = await stage.prepare('client', 'Gets a token for another service', (probe) =>
        probe.flow({ resource: 'https://malicious-service.example/' }),
      );
      stage.narrate('client', 'another service', 'Uses the token where it belongs');
      const presents = 'Presents the token that it was given';
      return (await stage.present('another service', presents, tokens.accessToken, 'Replay the token'))
        ? succeeded('The service acted as the victim.')
        : stage.blocked('The token is for another service.');
    },
  },
  algorithmConfusion: {
    id: 'algorithm-confusion',
    title: 'Algorithm confusion',
    story: 'The attacker forges tokens: without a signature, or signed with the public key as if it were a secret.',
    source: ['RFC 8725 2.1', 'RFC 8725 3.1'],
    defences: ['alg-none', 'alg-confusion'],
    async play(stage) {
      const { accessToken } = await stage.prepare('attacker', 'Gets a token of their own', (probe) =>
        probe.workingToken(),
      );
      const { header, claims } = takeApart(accessToken);
      const wanted = { ...claims, sub: 'administrator' };
      const [key] = await stage.prepare('attacker', 'Reads the public keys', publishedKeys);
      const tokens = {
        'without a signature': putTogether({ ...header, alg: 'none' }, wanted, ''),
        'signed with the public key': (await confusedTokens(header, wanted, key)).pem,
      };
      for (const [label, token] of Object.entries(tokens)) {
        if (await stage.present('attacker', `Presents a token ${label}`, token))
          return succeeded(`A token ${label} was accepted: the attacker can be anyone.`);
      }
      return stage.blocked('The server chooses the algorithm, not the token.');
    },
  },
  refreshTokenTheft: {
    id: 'refresh-token-theft',
    title: 'Refresh token theft',
    story: 'A stolen refresh token is used after the client has used it.',
    source: ['RFC 9700 4.14'],
    defences: ['refresh-rotation'],
    async play(stage) {
      const { refreshToken } = await stage.prepare('client', 'Gets a refresh token', (probe) =>
        probe.flowWithRefresh(),
      );
      stage.narrate('client', 'attacker', 'The refresh token is stolen');
      const refresh = (from: 'client' | 'attacker', text: string) =>
        stage.tokens(from, text, (probe) => probe.refresh(text, refreshToken));
      await refresh('client', 'Refreshes, as it does every few minutes');
      const tokens = await refresh('attacker', 'Uses the stolen token');
      if (tokens === null) return stage.blocked('The token was already used, and its family is revoked.');
      return (await stage.present('attacker', "Reads the victim's data", tokens.accessToken))
        ? succeeded('The theft goes unnoticed, for as long as the token lives.')
        : stage.blocked('The token was refused.');
    },
  },
  scopeEscalation: {
    id: 'scope-escalation',
    title: 'Scope escalation',
    story: 'A client asks for more than it was registered for, or uses a token for more than was granted.',
    source: ['RFC 6749 3.3', 'RFC 6750 3.1'],
    defences: ['scope-limits', 'scope-enforced'],
    async play(stage) {
      const { scope, resource } = stage.probe.target;
      const asks = 'Asks for the scope admin, which it does not have';
      const given = await stage.authorize('client', asks, { scope: `${scope} admin` }, 'An unregistered scope');
      if (given !== null) {
        const tokens = await stage.tokens('client', 'Redeems the code', (probe) =>
          probe.redeem('Redeem the code', given),
        );
        if (tokens?.scope?.split(' ').includes('admin'))
          return succeeded('The client has a token for the scope admin.');
      }
      const needed = resource?.scope ?? null;
      const less = needed === null ? '' : stage.probe.scopeWithout(needed);
      if (needed === null || less === '') return stage.blocked('The scope was not granted.');
      const { accessToken } = await stage.prepare('client', `Gets a token without the scope ${needed}`, (probe) =>
        probe.flow({ scope: less }),
      );
      return (await stage.present('client', `Reads what needs the scope ${needed}`, accessToken))
        ? succeeded(`The data was read without the scope ${needed}.`)
        : stage.blocked('The resource server enforces the scope.');
    },
  },
} satisfies Record<string, Replay>;
