import { tokensOf, wasIssued } from '@/lib/oauth/replays/outcomes';
import type { Replay } from '@/lib/oauth/replays/replay';
import { succeeded } from '@/lib/oauth/replays/stage';

/** The attack "Code injection". */
export const codeInjection: Replay = {
  id: 'code-injection',
  title: 'Code injection',
  story: 'The attacker puts a stolen code into a session of their own with the real client, which redeems it for them.',
  source: ['RFC 9700 4.5'],
  defences: ['pkce-verified'],
  async play(stage) {
    const stolen = await stage.act(
      'victim',
      'authorization server',
      'Gets a code, with the challenge of their session',
      (probe) => probe.code(),
      () => true,
    );
    stage.tell('victim', 'attacker', 'The code leaks');
    stage.tell('attacker', 'client', 'Calls the callback of their own session with the stolen code');
    const redemption = await stage.act(
      'client',
      'authorization server',
      "Redeems it with the verifier of the attacker's session",
      (probe) => probe.redeem('Redeem the injected code', { code: stolen.code, verifier: probe.randomText() }),
      wasIssued,
    );
    if (tokensOf(redemption) === null) return stage.blocked('The verifier is of another session than the code.');
    return succeeded("The attacker's session now acts as the victim.");
  },
};
