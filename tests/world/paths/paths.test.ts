import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { classify, compileRule } from '@/lib/enforcement/classify';
import { compareStrictness } from '@/lib/enforcement/usual-class';
import { close, listen } from '../../fixtures/listen';
import { APPLICATIONS, type RoutingServer } from './applications';
import { corpus } from './corpus';
import { GATEWAYS, type RoutingGateway, startRoutingGateway } from './gateways';
import { HANDLERS, type HandlerPath, isHandlerPath, RULES } from './handlers';
import { ROWS, readTable } from './page-table';

const CORPUS = corpus();
const applications = new Map<string, RoutingServer>();
const gateways = new Map<string, RoutingGateway>();
/** Answers with the target that it got. */
const echo = createServer((incoming, response) => response.end(`target ${incoming.url}`));

beforeAll(async () => {
  const port = await listen(echo);
  for (const [name, start] of Object.entries(APPLICATIONS)) applications.set(name, await start());
  for (const name of GATEWAYS) gateways.set(name, await startRoutingGateway(name, port));
}, 300_000);
afterAll(async () => {
  for (const { stop } of [...applications.values(), ...gateways.values()]) await stop();
  await close(echo);
});

interface Answered {
  status: number;
  body: string;
  handler: string | undefined;
}

/** Sends a target byte for byte. */
async function send(port: number, target: string): Promise<Answered> {
  const asked = request({ host: '127.0.0.1', port, path: target, agent: false });
  asked.end();
  const [response]: IncomingMessage[] = await once(asked, 'response');
  if (response === undefined) throw new Error('There is no answer.');
  const { statusCode: status = 0, headers } = response;
  const handler = headers['x-handler'];
  return { status, body: await text(response), handler: typeof handler === 'string' ? handler : undefined };
}

/** The handler that a target reaches, or how it is answered. */
async function reached(port: number, target: string): Promise<HandlerPath | number> {
  const { status, body, handler } = await send(port, target);
  // Apache has no document for its handlers. A redirect of Next has its target as its body.
  const found = status === 404 ? handler : status === 200 ? body : undefined;
  return found !== undefined && isHandlerPath(found) ? found : status;
}

/** Sends many targets, a few at a time. */
async function sendAll<T>(targets: readonly string[], one: (target: string) => Promise<T>): Promise<Map<string, T>> {
  const answers = new Map<string, T>();
  const left = [...new Set(targets)];
  await Promise.all(
    Array.from({ length: 8 }, async () => {
      for (let target = left.pop(); target !== undefined; target = left.pop()) answers.set(target, await one(target));
    }),
  );
  return answers;
}

/** What is wrong with how a path is counted whose request reached a handler; null if nothing is. */
function faultOf(path: string, handler: HandlerPath | number): string | null {
  if (typeof handler === 'number') return null;
  const sent = path.replace(/[?].*$/s, '');
  const alone = compileRule({ method: '*', path: handler, class: 'auth' });
  if (classify([alone], 'GET', sent).rule === null) return `${path} reached ${handler}, whose rule no reading matches`;
  const own = HANDLERS.find((each) => each.path === handler)?.class ?? 'auth';
  const counted = classify(RULES, 'GET', sent).class;
  return compareStrictness(counted, own) <= 0
    ? null
    : `${path} reached ${handler} (${own}) and was counted as ${counted}`;
}

function faultsOf(answers: ReadonlyMap<string, HandlerPath | number>): string[] {
  return [...answers].flatMap(([path, handler]) => faultOf(path, handler) ?? []);
}

describe('what reaches a handler is counted by its rule, or by a stricter one', () => {
  it('has a corpus that is large enough', () => {
    expect(CORPUS.length).toBeGreaterThan(600);
  });

  it.each(Object.keys(APPLICATIONS))('in %s', async (name) => {
    const { port = 0 } = applications.get(name) ?? {};
    const answers = await sendAll(CORPUS, (target) => reached(port, target));
    expect(faultsOf(answers)).toEqual([]);
    expect([...answers.values()].filter((handler) => typeof handler === 'string').length).toBeGreaterThan(50);
  });

  it.each(GATEWAYS)('in %s itself', async (name) => {
    const { routes = 0 } = gateways.get(name) ?? {};
    const answers = await sendAll(CORPUS, (target) => reached(routes, target));
    expect(faultsOf(answers)).toEqual([]);
    expect([...answers.values()].filter((handler) => typeof handler === 'string').length).toBeGreaterThan(50);
  });

  it.each(GATEWAYS)('in every application behind %s', async (name) => {
    for (const [way, port] of Object.entries(gateways.get(name)?.forwards ?? {})) {
      const forwarded = await sendAll(
        CORPUS,
        async (target) => /^target (.*)$/s.exec((await send(port, target)).body)?.[1],
      );
      const targets = [...forwarded.values()].flatMap((target) => target ?? []);
      expect(targets.length).toBeGreaterThan(50);
      for (const [application, { port: own }] of applications) {
        const answers = await sendAll(targets, (target) => reached(own, target));
        const faults = [...forwarded].flatMap(([path, target]) => faultOf(path, answers.get(target ?? '') ?? 0) ?? []);
        expect(faults, `${application} behind ${name}, ${way}`).toEqual([]);
      }
    }
  });
});

describe('the page on paths', () => {
  const ports = () => [
    ...[...applications].map(([name, { port }]): [string, number] => [name, port]),
    ...[...gateways].map(([name, { routes }]): [string, number] => [name, routes]),
  ];

  it('says what each server does', async () => {
    const stated = readTable(readFileSync('docs/paths.md', 'utf8'));
    for (const { path, handler } of ROWS) {
      for (const [server, port] of ports()) {
        const found = await reached(port, path);
        const cell = found === handler ? 'yes' : typeof found === 'string' ? `\`${found}\`` : String(found);
        expect.soft(stated.get(path)?.get(server), `${path} in ${server}`).toBe(cell);
      }
    }
  });
});
