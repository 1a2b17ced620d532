import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CommandContext } from '@/cli/context';
import { buildCall } from '@/cli/operation/build-call';
import { listFields } from '@/cli/operation/fields';
import { FORMS } from '@/cli/operation/forms';
import { buildOperationCommands } from '@/cli/operation/operation-commands';
import { buildProgram } from '@/cli/program';
import { limit } from '@/client/adapters/fetch';
import type { WebRequest } from '@/client/adapters/limit-handler';
import type { WebLimitOptions } from '@/client/adapters/limit-request';
import type { Check } from '@/client/api';
import type { CheckAnswer } from '@/client/check-answer';
import { Sluice } from '@/client/sluice';
import { setCandidate } from '@/lib/admin/candidates/set';
import { createLimit } from '@/lib/admin/named-limits/create';
import { updateLimit } from '@/lib/admin/named-limits/update';
import { putOverride } from '@/lib/admin/overrides/add';
import { replaceRouteRules } from '@/lib/admin/route-rules/replace';
import { CONTRACTS } from '@/lib/contract/contracts';
import { buildManifest } from '@/lib/openapi/manifest';
import type { Operation } from '@/lib/operation/operation';
import { call } from '@/tests/fixtures/call';
import { decisionServer } from '@/tests/fixtures/decision-server';
import { TEST_ADMIN_TOKEN, type TestServices, testServices } from '@/tests/fixtures/services';

const PAGE = readFileSync('docs/limit-anything.md', 'utf8');
const { operations } = buildManifest(CONTRACTS, '1.0.0');
const IMPLEMENTED: Readonly<Record<string, Operation>> = {
  'limits create': createLimit,
  'limits update': updateLimit,
  'overrides set': putOverride,
  'candidates set': setCandidate,
};

/** Blocks of code of a part of the page: their language, the word after it, and their text. */
const blocksOf = (text: string) =>
  [...text.matchAll(/^```(\w+) ?([\w-]*)\n([\s\S]*?)^```/gm)].map(([, language, word, code = '']) => {
    return { language, word: word ?? '', code };
  });

let place: TestServices;
let server: Awaited<ReturnType<typeof decisionServer>>;
let sluice: Sluice;
beforeAll(async () => {
  place = await testServices();
  server = await decisionServer(place.services);
  sluice = new Sluice({ url: server.url, token: TEST_ADMIN_TOKEN, timeout: 60_000, onUnreachable: 'throw' });
});
afterAll(async () => {
  await server.stop();
  place[Symbol.dispose]();
});

/** Runs commands as the command line does, without a process and a socket. */
async function runCommands(code: string): Promise<void> {
  const program = buildProgram(buildOperationCommands(operations), '1.0.0', async ({ name }, input) => {
    const operation = operations.find(({ command }) => command === name);
    const implemented = IMPLEMENTED[name];
    if (operation === undefined || implemented === undefined) throw new Error(`There is no ${name} here.`);
    const context = { env: {}, now: () => place.services.clock() } as unknown as CommandContext;
    const { params, body } = await buildCall(context, operation, listFields(operation), FORMS[name] ?? {}, input);
    const answer = await call(place.services, implemented, { body, ...(params && { params }) });
    expect([answer.status, answer.text]).toEqual([expect.toSatisfy((status) => status < 300), answer.text]);
  });
  for (const line of code.trim().split('\n')) {
    const words = [...line.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map((found) => found.slice(1).join(''));
    expect(words.splice(0, 2)).toEqual(['npx', 'sluice']);
    await program.parseAsync(words, { from: 'user' });
  }
}

/** Runs code of the page. Returns the answers to its checks. */
async function runCode(code: string): Promise<CheckAnswer[]> {
  const answers: CheckAnswer[] = [];
  const keep = async (answer: Promise<CheckAnswer>) => {
    answers.push(await answer);
    return answer;
  };
  const watched = {
    check: (check: Check) => keep(sluice.check(check)),
    async reserve(check: Check) {
      const reservation = await sluice.reserve(check);
      answers.push(reservation.answer);
      return reservation;
    },
  };
  // What the application of the example has.
  const app = {
    use(_path: string, limited: ReturnType<typeof limit<WebRequest>>) {
      const url = 'http://app.test/login';
      const request = { method: 'POST', url, headers: new Headers(), body: { email: 'a@example.com' } };
      return limited(() => new Response('ok'))(request);
    },
  };
  const limitAnd = (_: unknown, options: WebLimitOptions<WebRequest>) => limit<WebRequest>(watched, options);
  const names = ['sluice', 'app', 'limit', 'runExport'];
  const run = new Function(...names, `return (async () => { ${code.replace(/^app\./m, 'await app.')} })()`);
  await run(watched, app, limitAnd, async () => undefined);
  return answers;
}

describe('the page about named limits', () => {
  const sections = PAGE.split(/^##+ /m).map((text) => [text.split('\n')[0] ?? '', text] as const);
  const others = ['Unkey', 'Upstash Ratelimit', 'express-rate-limit', 'rate-limiter-flexible', 'Envoy ratelimit'];

  it.each(sections.filter(([, text]) => text.includes('npx sluice limits create')))('%s', async (name, text) => {
    const blocks = blocksOf(text);
    for (const { language, code } of blocks) if (language === 'sh') await runCommands(code);
    const examples = blocks.filter(({ language, word }) => language === 'js' && /^\d*$/.test(word));
    expect(examples.length).toBeGreaterThan(0);
    for (const { code, word } of examples) {
      // The number of times that the limit admits the example at once.
      const times = Number(word);
      const answers: CheckAnswer[] = [];
      for (let count = 0; count <= times; count += 1) answers.push(...(await runCode(code)));
      const allowed = answers.map((answer) => answer.allowed);
      expect(allowed).toEqual(answers.map((_, index) => times === 0 || index < times));
      expect(answers.length).toBeGreaterThan(times);
    }
    expect(others.includes(name) ? examples.map(({ word }) => Number(word)) : []).not.toContain(0);
  });

  it('migrates from each of the others', () => {
    for (const name of others) {
      const [, text = ''] = sections.find(([title]) => title === name) ?? [];
      expect(blocksOf(text).map(({ language }) => language)).toEqual([expect.stringMatching(/js|yaml/), 'sh', 'js']);
    }
  });

  it('has route rules that are accepted', async () => {
    const rules = blocksOf(PAGE).filter(({ language }) => language === 'json');
    expect(rules).toHaveLength(1);
    const { status } = await call(place.services, replaceRouteRules, { body: JSON.parse(rules[0]?.code ?? '') });
    expect(status).toBe(200);
  });
});
