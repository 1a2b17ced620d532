import { createServer } from 'node:http';
import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Input } from '@/cli/command';
import { CommandContext } from '@/cli/context';
import { showList } from '@/cli/operation/pages';
import type { Streams } from '@/cli/output/streams';
import { CONTRACTS } from '@/lib/contract/contracts';
import { buildManifest } from '@/lib/openapi/manifest';
import { close, listen } from '../../fixtures/listen';

const TOTAL = 2_345;
const LARGEST_PAGE = 1_000;

/** What was asked of the server: `limit` and `cursor` of each page. */
let asked: string[];
let url: string;
/** A list of numbered keys; the cursor is the number of the next. */
const server = createServer((request, response) => {
  const query = new URL(request.url ?? '', url).searchParams;
  asked.push(`${query.get('limit')} from ${query.get('cursor') ?? 'the start'}`);
  const from = Number(query.get('cursor') ?? 0);
  const to = Math.min(from + Math.min(Number(query.get('limit')), LARGEST_PAGE), TOTAL);
  const next = to < TOTAL ? { link: `</v1/admin/api-keys?limit=1&cursor=${to}>; rel="next"` } : {};
  response.writeHead(200, { 'content-type': 'application/json', ...next });
  response.end(JSON.stringify(Array.from({ length: to - from }, (_, index) => ({ name: `key ${from + index}` }))));
});

beforeEach(async () => {
  asked = [];
  url = `http://127.0.0.1:${await listen(server)}`;
});
afterEach(() => close(server));

const text = (stream: NodeJS.WriteStream) => String((stream as unknown as PassThrough).read() ?? '');

async function list(options: Input['options'], json: boolean): Promise<{ stdout: string; stderr: string }> {
  const [stdin, stdout, stderr] = Array.from({ length: 3 }, () => new PassThrough({ highWaterMark: 2 ** 30 }));
  const streams = { stdin, stdout, stderr } as unknown as Streams;
  const context = new CommandContext(
    { manifest: buildManifest(CONTRACTS, '1.2.3'), streams, env: { SLUICE_TOKEN: 'x' }, now: () => 0 },
    { url, tokenStdin: false, json, yes: false, timeoutMs: 10_000 },
  );
  await showList(context, 'listApiKeys', {}, { arguments: {}, options }, { columns: ['name'] });
  return { stdout: text(streams.stdout), stderr: text(streams.stderr) };
}

describe('a list that has more than a page', () => {
  test('is shown in part, and says so', async () => {
    const { stdout, stderr } = await list({}, false);
    expect(stdout.trimEnd().split('\n')).toHaveLength(1 + 100);
    expect(stderr).toBe('There are more than 100: --all shows all of them.\n');
    expect(asked).toEqual(['100 from the start']);
  });

  test('is asked for in the largest pages, and no further than --limit', async () => {
    const { stdout, stderr } = await list({ limit: '1,500' }, true);
    expect(JSON.parse(stdout)).toHaveLength(1_500);
    expect(stderr).toBe('');
    expect(asked).toEqual(['1000 from the start', '500 from 1000']);
  });

  test.each([true, false])('is whole with --all (JSON: %s)', async (json) => {
    const { stdout, stderr } = await list({ all: true }, json);
    const names = json
      ? JSON.parse(stdout).map(({ name }: { name: string }) => name)
      : stdout.trimEnd().split('\n').slice(1);
    expect(names).toEqual(Array.from({ length: TOTAL }, (_, index) => `key ${index}`));
    expect(stderr).toBe('');
    expect(asked).toEqual(['1000 from the start', '1000 from 1000', '1000 from 2000']);
  });
});
