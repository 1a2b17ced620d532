import { wasAccepted } from '@/lib/oauth/replays/outcomes';
import type { Replay } from '@/lib/oauth/replays/replay';
import { succeeded } from '@/lib/oauth/replays/stage';

/** The attack "Token replay at another service". */
export const tokenReplay: Replay = {
  id: 'token-replay',
  title: 'Token replay at another service',
  story: 'A service that was given a token of its own presents it to this one.',
  source: ['RFC 9700 4.9', 'RFC 9068 4'],
  defences: ['validate-audience'],
  async play(stage) {
    const resource = 'https://malicious-service.example/';
    const tokens = await stage.act(
      'client',
      'authorization server',
      'Gets a token for another service',
      (probe) => probe.flow({ resource }),
      () => true,
    );
    stage.tell('client', 'another service', 'Uses the token where it belongs');
    const { accepted } = await stage.act(
      'another service',
      'resource server',
      'Presents the token that it was given',
      (probe) => probe.presentToken('Replay the token', tokens.accessToken),
      wasAccepted,
    );
    return accepted ? succeeded('The service acted as the victim.') : stage.blocked('The token is for somebody else.');
  },
};
