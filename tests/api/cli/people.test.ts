import { describe, expect, test } from 'vitest';
import { newKey, product, productSuite, someone } from '../../fixtures/product-suite';
import { sluiceAtTerminal } from '../../fixtures/sluice';

productSuite();

const at = (words: readonly string[], options = {}) => sluiceAtTerminal(product.origin, words, options);
/** Without colours and what moves the cursor. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
const plain = (text: string) => text.replace(/\u001b\[[0-9;?]*[A-Za-z]/g, '');

describe('at a terminal', () => {
  test('a change is told in a sentence, with how to take it back, and taking it back works', async () => {
    const { code, screen } = await at([
      'allowlist',
      'add',
      '198.51.100.9/24',
      '--for',
      '1d',
      '--reason',
      'Office move',
    ]);
    expect(code).toBe(0);
    expect(screen).toContain('198.51.100.0/24 bypasses rate limiting until ');
    expect(screen).toMatch(/\(in (1 day|23 hours)\)/);
    const [, undo = ''] = /undo: sluice (audit undo \d+)/.exec(screen) ?? [];
    const undone = await at([...undo.split(' '), '--reason', 'Wrong range']);
    expect(undone.code).toBe(0);
    const entries = await (await product.admin('GET', '/v1/admin/rate-limit/allowlist')).json();
    expect(entries).toEqual([]);
  });

  test('a table fits the terminal, and times are told from now', async () => {
    await newKey({ name: 'A key with a name that is longer than most terminals have room for' });
    for (const columns of [60, 100]) {
      const { screen } = await at(['keys', 'list'], { columns });
      const lines = plain(screen).trimEnd().split('\n');
      expect(lines[0]).toMatch(/^NAME/);
      for (const line of lines) expect(line.length).toBeLessThanOrEqual(columns);
      expect(plain(screen)).toContain('…');
    }
    expect(plain((await at(['keys', 'list'], { columns: 200 })).screen)).toMatch(/seconds? ago|now/);
  });

  test('colours are shown, unless NO_COLOR says otherwise', async () => {
    expect((await at(['keys', 'list'])).screen).toContain('\u001b[');
    expect((await at(['keys', 'list'], { env: { NO_COLOR: '1' } })).screen).not.toContain('\u001b[');
  });

  test('JSON is indented', async () => {
    const { screen } = await at(['service', 'health', '--json']);
    expect(JSON.parse(screen)).toMatchObject({ status: 'ok' });
    expect(screen).toContain('\n  "');
  });

  test('what cannot be undone is asked, and no means no', async () => {
    const key = await newKey();
    const no = await at(['keys', 'rotate', key.id], { typed: 'n' });
    expect(no.code).toBe(130);
    expect(plain(no.screen)).toContain('Replace the secret of this key?');
    const { prefix } = (await (await product.admin('GET', `/v1/admin/api-keys/${key.id}`)).json()) as {
      prefix: string;
    };
    expect(key.secret.startsWith(prefix)).toBe(true);
    const yes = await at(['keys', 'rotate', key.id], { typed: 'y' });
    expect(yes.code).toBe(0);
    expect(plain(yes.screen)).toContain('The secret is shown this once');
  });

  test('a caller is explained', async () => {
    const ip = someone();
    await product.admin('POST', '/v1/check', { class: 'read', ip });
    const inspected = plain((await at(['limits', 'inspect', ip])).screen);
    expect(inspected).toMatch(new RegExp(`ip ${ip}`));
    expect(inspected).toMatch(/read +1 +100/);
    const explained = plain((await at(['limits', 'explain', '--class', 'read', '--ip', ip], { columns: 120 })).screen);
    expect(explained).toContain('Allowed.');
    expect(explained).toContain('class read, cost 1');
  });

  test('wrong usage is said in words, with what was meant', async () => {
    const { code, screen } = await at(['keys', 'lst'], { env: { NO_COLOR: '1' } });
    expect(code).toBe(2);
    expect(screen).toContain("error: unknown command 'lst' (Did you mean list?)");
  });
});
