import { codeOf, tokensOf, wasGranted, wasIssued } from '@/lib/oauth/replays/outcomes';
import type { Replay } from '@/lib/oauth/replays/replay';
import { succeeded } from '@/lib/oauth/replays/stage';

const ATTACKER = 'https://attackers-server.example';

/** The attack "Mix-up". */
export const mixUp: Replay = {
  id: 'mix-up',
  title: 'Mix-up',
  story:
    "A client of two servers believes that the answer comes from the attacker's, and takes the honest server's code there.",
  source: ['RFC 9700 4.4', 'RFC 9207 1'],
  defences: ['issuer-in-response'],
  async play(stage) {
    stage.tell('victim', 'client', `Chooses to sign in with ${ATTACKER}`);
    stage.tell('attacker', 'victim', 'Sends the browser on to the honest server');
    const authorization = await stage.act(
      'victim',
      'authorization server',
      'Signs in at the honest server',
      (probe) => probe.authorize('The honest server is asked'),
      wasGranted,
    );
    const code = codeOf(authorization);
    if (code === null || authorization.kind !== 'granted')
      return { kind: 'not_played', reason: 'The server gave no code.' };
    const issuer = authorization.parameters.iss;
    if (issuer !== undefined && issuer !== ATTACKER) {
      stage.notice('issuer-in-response', 'Sees that the answer is from another server than it asked');
      return stage.blocked('The answer names its issuer, so the client does not go on.');
    }
    stage.tell('client', 'attacker', "Sends code and verifier to the attacker's token endpoint");
    const { verifier } = authorization;
    const redemption = await stage.act(
      'attacker',
      'authorization server',
      'Redeems the code with the verifier',
      (probe) => probe.redeem('Redeem what the client gave away', { code, verifier }),
      wasIssued,
    );
    return tokensOf(redemption) === null
      ? stage.blocked('The code was not redeemed.')
      : succeeded('The attacker acts as the victim.');
  },
};
