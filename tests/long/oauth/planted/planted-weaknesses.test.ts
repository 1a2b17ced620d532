import { describe, expect, test } from 'vitest';
import { CATALOGUE } from '@/lib/oauth/controls/catalogue';
import { assessServer, idsOf } from '@/tests/fixtures/assess-server';
import { describePlanted, plantedServer } from './planted-server';
import { WEAKNESSES } from './weaknesses';

// A hand-written server has one weakness at a time, which its control must find, and no other.

const isBrief = (id: string) => !/-race$|-entropy$/.test(id);

/** @param entropy the controls of randomness to judge: they send many requests */
async function assessPlanted(weakness: string, opaque: boolean, entropy: readonly string[] = []) {
  await using server = await plantedServer(weakness, { opaque });
  const controls = CATALOGUE.map(({ id }) => id).filter((id) => isBrief(id) || entropy.includes(id));
  return await assessServer(describePlanted(server), { controls });
}

const reasons = ({ findings }: Awaited<ReturnType<typeof assessPlanted>>, kind: string) =>
  findings
    .filter(({ verdict }) => verdict.kind === kind)
    .map(({ control, verdict }) => `${control}: ${verdict.reason}`)
    .join('\n');

describe.each([false, true])('a hand-written server (opaque tokens: %s)', (opaque) => {
  test('without a weakness fails nothing', async () => {
    const seen = await assessPlanted('', opaque, ['code-entropy', 'device-code-entropy', 'user-code-entropy']);
    expect(reasons(seen, 'failed')).toBe('');
    process.stderr.write(`undecided:\n${reasons(seen, 'inconclusive')}\n`);
    expect(idsOf(seen, 'inconclusive').length).toBeLessThanOrEqual(10);
    if (!opaque) expect(idsOf(seen, 'passed')).toContain('validate-audience');
  });
});

describe('a planted weakness', () => {
  test.each(WEAKNESSES)('$weakness', async ({ weakness, found, opaque = false }) => {
    const seen = await assessPlanted(weakness, opaque, found);
    expect(idsOf(seen, 'failed'), reasons(seen, 'failed')).toEqual([...found].sort());
  });
});
