import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { apacheIsMissing, blocksOf, DocMachine, storesAreMissing } from '../fixtures/doc-commands';

/** The pages whose commands are run, on one machine in this order. A page is added by a line. */
const PAGES = [
  'README.md',
  'docs/deploy-self-host.md',
  'docs/deployment-security.md',
  'docs/sizing.md',
  'docs/troubleshooting.md',
  'docs/lost-password.md',
  'docs/sign-in.md',
  'docs/upgrade.md',
  'docs/deploy-container.md',
  'docs/several-instances.md',
  'docs/monitoring.md',
  'docs/gateways/README.md',
  'docs/gateways/nginx.md',
  'docs/gateways/caddy.md',
  'docs/gateways/haproxy.md',
  'docs/gateways/envoy.md',
  'docs/gateways/traefik.md',
];
/** Those that need other stores as well. */
const WITH_STORES = ['docs/backup.md', 'docs/move-counters.md'];

let machine: DocMachine;
beforeAll(async () => {
  machine = new DocMachine();
  await machine.start();
});
afterAll(() => machine?.[Symbol.asyncDispose]());

const suite = 'a page about stores';
const apache = 'the page about Apache';

describe.skipIf(storesAreMissing(suite))(suite, () => {
  beforeAll(() => machine.startStores());

  it.each(WITH_STORES)('%s has commands that run as they stand', async (page) => {
    expect(await machine.run(page)).toBeNull();
  });
});

describe.skipIf(apacheIsMissing(apache))(apache, () => {
  it('has commands that run as they stand', async () => {
    expect(await machine.run('docs/gateways/apache.md')).toBeNull();
  });
});

describe('a page', () => {
  it.each(PAGES)('%s has commands that run as they stand', async (page) => {
    expect(await machine.run(page)).toBeNull();
  });

  it.each([...PAGES, ...WITH_STORES, 'docs/gateways/apache.md'])('%s hides no command from that', (page) => {
    const unnamed = blocksOf(page).filter(({ language }) => language === '');
    expect(unnamed.map(({ line }) => line)).toEqual([]);
    for (const { line, notRun } of blocksOf(page))
      if (notRun !== null) console.log(`${page}:${line} is not run: ${notRun}`);
  });
});
