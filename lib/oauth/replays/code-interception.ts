import { codeOf, tokensOf, wasAccepted, wasGranted, wasIssued } from '@/lib/oauth/replays/outcomes';
import type { Replay } from '@/lib/oauth/replays/replay';
import { succeeded } from '@/lib/oauth/replays/stage';

/** The attack "Code interception". */
export const codeInterception: Replay = {
  id: 'code-interception',
  title: 'Code interception',
  story: 'Another application on the device receives the code in place of the client, and redeems it.',
  source: ['RFC 7636 1', 'RFC 9700 4.5'],
  defences: ['require-pkce', 'pkce-verified'],
  async play(stage) {
    const { client } = stage.probe.target;
    const bare = { code_challenge: null, code_challenge_method: null };
    const authorize = (text: string, fields: Record<string, null>) =>
      stage.act('client', 'authorization server', text, (probe) => probe.authorize(text, fields), wasGranted);
    let authorization = await authorize('Asks for a code without PKCE', bare);
    if (authorization.kind === 'refused') authorization = await authorize('Asks for a code with PKCE', {});
    const code = codeOf(authorization);
    if (code === null) return { kind: 'not_played', reason: 'The server gave no code.' };
    stage.tell('victim', 'attacker', 'The code reaches an application of the attacker');
    const redemption = await stage.act(
      'attacker',
      'authorization server',
      'Redeems the code without knowing a verifier',
      (probe) => probe.redeem('Redeem the stolen code', { code, verifier: '' }, { code_verifier: null }, { client }),
      wasIssued,
    );
    const tokens = tokensOf(redemption);
    if (tokens === null) return stage.blocked('The code is worth nothing without the verifier.');
    const use = (text: string) =>
      stage.act(
        'attacker',
        'resource server',
        text,
        (probe) => probe.presentToken(text, tokens.accessToken),
        wasAccepted,
      );
    const { accepted } = await use("Reads the victim's data");
    return accepted ? succeeded("The attacker read the victim's data.") : stage.blocked('The token was refused.');
  },
};
