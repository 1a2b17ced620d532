import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { measureWidth } from '@/cli/output/wrap-text';
import { close, listen } from '@/tests/fixtures/listen';
import { OWNER_EMAIL } from '@/tests/fixtures/product';
import { newKey, product, productSuite, someone } from '../../fixtures/product-suite';
import { sluice, sluiceAtTerminal } from '../../fixtures/sluice';

productSuite();

/** Takes requests and never answers. */
const hanging = createServer();
let silent = '';
beforeAll(async () => {
  silent = `http://127.0.0.1:${await listen(hanging)}`;
});
afterAll(() => close(hanging));

const at = (words: readonly string[], options = {}) => sluiceAtTerminal(product.origin, words, options);
/** What stays on the screen: without colours, what moves the cursor, and lines that were cleared. */
const plain = (text: string) =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
  text.replace(/[^\n]*\u001b\[K/g, '').replace(/\u001b\[[0-9;?]*[A-Za-z]/g, '');

/** Asks until the address is refused. */
const refuse = (ip: string) => {
  const checks = Array.from({ length: 12 }, () => ({ method: 'POST', path: '/auth/token', ip }));
  return product.admin('POST', '/v1/check/batch', checks);
};

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
    for (const columns of [80, 100]) {
      const { screen } = await at(['keys', 'list'], { columns });
      const lines = plain(screen).trimEnd().split('\n');
      expect(lines[0]).toMatch(/^NAME/);
      for (const line of lines) expect(line.length).toBeLessThanOrEqual(columns);
      expect(plain(screen)).toContain('…');
    }
    expect(plain((await at(['keys', 'list'], { columns: 200 })).screen)).toMatch(/seconds? ago|now/);
  });

  test('no list is broken or overflows at 40 and 80 columns, and nothing is lost at 40', async () => {
    const reason = 'The office of a customer that moves house, 新しい事務所 and 🚦 with it';
    const identifier = '2001:db8:ffff:eeee:dddd:cccc:bbbb:aaaa';
    const key = await newKey({ name: 'A key whose name is long', user_id: 'somebody with a long name' });
    const rule = { method: 'POST', path: '/api/somewhere/that/is/far/away/:id/*', class: 'sensitive', cost: 5 };
    for (const [method, path, body] of [
      ['POST', '/v1/admin/rate-limit/allowlist', { type: 'ip', identifier, reason }],
      [
        'PUT',
        '/v1/admin/rate-limit/overrides',
        { type: 'ip', identifier, class: 'sensitive', limit: 1, window_seconds: 60, reason },
      ],
      [
        'POST',
        '/v1/admin/grants',
        { api_key: key.id, requests: 5_000, until: new Date(Date.now() + 86_400_000).toISOString(), reason },
      ],
      ['PUT', '/v1/admin/route-rules', [rule]],
    ] as const)
      expect((await product.admin(method, path, body)).status, path).toBeLessThan(300);
    await refuse(identifier.replace('8', '9'));
    const lists = [
      ...['allowlist list', 'overrides list', 'grants list', 'keys list', 'quota list', 'routes get', 'audit list'],
      ...['members list', 'decisions list', 'decisions callers', `limits inspect ${someone()}`],
    ];
    for (const columns of [40, 80]) {
      const seen = await Promise.all(lists.map((words) => at(words.split(' '), { columns })));
      for (const [index, { code, screen }] of seen.entries()) {
        expect(code, screen).toBe(0);
        for (const line of plain(screen).split('\n'))
          expect(measureWidth(line), `${lists[index]}: ${line}`).toBeLessThanOrEqual(columns);
      }
      if (columns === 40)
        expect(plain(seen[0]?.screen ?? '').replaceAll(/\s/g, '')).toContain(reason.replaceAll(' ', ''));
    }
  });

  test('a secret that is shown once is whole, however narrow the terminal', async () => {
    const file = join(mkdtempSync(join(tmpdir(), 'sluice-rules-')), 'rules.yaml');
    writeFileSync(file, 'version: 1\napi_keys:\n  - {name: A key that a file names at length, tier: free}\n');
    const { code, screen } = await at(['state', 'apply', file, '--yes'], { columns: 40 });
    rmSync(dirname(file), { recursive: true });
    expect([code, plain(screen)]).toEqual([0, expect.stringMatching(/ slk_[\w-]{43}\n/)]);
  });

  test.each([
    ['that is followed', () => product.origin, ['decisions', 'tail', '-n', '1'], 'refused'],
    ['that is waited for', () => silent, ['keys', 'list'], 'Waiting for'],
    ['that asks', () => product.origin, ['members', 'remove', OWNER_EMAIL], 'Remove this member'],
  ])('Ctrl-C ends what %s with 130, and leaves the terminal as it was', async (_, origin, words, after) => {
    await refuse(someone());
    const { code, screen } = await sluiceAtTerminal(origin(), words, { typed: '\u0003', after });
    expect(code).toBe(130);
    // The prompt of the shell begins a line, with a cursor.
    expect(screen).toMatch(/\n$/);
    expect(screen.lastIndexOf('\u001b[?25l')).toBeLessThanOrEqual(screen.lastIndexOf('\u001b[?25h'));
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
    expect(no.code).toBe(1);
    expect(plain(no.screen)).toContain('Replace the secret of this key?');
    expect(plain(no.screen)).toMatch(/^Nothing was changed\.$/m);
    const { prefix } = (await (await product.admin('GET', `/v1/admin/api-keys/${key.id}`)).json()) as {
      prefix: string;
    };
    expect(key.secret.startsWith(prefix)).toBe(true);
    const yes = await at(['keys', 'rotate', key.id], { typed: 'y' });
    expect(yes.code).toBe(0);
    expect(plain(yes.screen)).toContain('The secret is shown this once');
  });

  test('the URL of a webhook is asked for, in words, and is no argument', async () => {
    const chat = ['webhooks', 'create', 'Chat', '--format', 'slack'];
    const url = 'https://hooks.slack.com/services/T0/B0/secret-path';
    const asked = await at(chat, { typed: `${url}\r`, after: 'URL' });
    expect([asked.code, plain(asked.screen)]).toEqual([0, expect.stringContaining('Chat')]);
    const [made] = (await (await product.admin('GET', '/v1/admin/webhooks')).json()) as { name: string; url: string }[];
    expect(made).toMatchObject({ name: 'Chat', url: expect.stringContaining('https://hooks.slack.com') });
    const piped = await sluice(product.origin, chat);
    expect([piped.code, piped.stderr]).toEqual([2, expect.stringContaining('Set SLUICE_WEBHOOK_URL')]);
    const typed = await sluice(product.origin, [...chat, url]);
    expect([typed.code, typed.stderr]).toEqual([2, expect.stringContaining('may hold a secret is no argument')]);
    const inline = await sluice(product.origin, [
      'webhooks',
      'create',
      '--data',
      JSON.stringify({ name: 'Chat', url }),
    ]);
    expect([inline.code, inline.stderr]).toEqual([2, expect.stringContaining('url is or may be a secret')]);
  });

  test('a removal that can be undone for a while says so where nobody can be asked', async () => {
    const { code, stderr } = await sluice(product.origin, ['members', 'remove', OWNER_EMAIL]);
    expect([code, stderr]).toEqual([2, expect.stringContaining('This can be undone for 15 minutes only')]);
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
