import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { blocksOf, DocMachine } from '../fixtures/doc-commands';
import { isInstalled, partsAreMissing } from '../fixtures/programs';

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
  'docs/gateways/README.md',
  'docs/gateways/nginx.md',
  'docs/gateways/caddy.md',
  'docs/gateways/haproxy.md',
  'docs/gateways/envoy.md',
  'docs/gateways/traefik.md',
];
/** Those that need programs besides curl. */
const WITH_STORES = ['docs/backup.md', 'docs/move-counters.md'];
const WITH_JQ = ['docs/monitoring.md'];
const WITH_APACHE = ['docs/gateways/apache.md'];

let machine: DocMachine;
beforeAll(async () => {
  if (!isInstalled('curl')) return;
  machine = new DocMachine();
  await machine.start();
});
afterAll(() => machine?.[Symbol.asyncDispose]());

const stores = 'a page about stores';
const others = 'a page that needs another program';
const commands = 'a page';

describe.skipIf(partsAreMissing(stores, 'curl', 'redis', 'sqld'))(stores, () => {
  beforeAll(() => machine.startStores());

  it.each(WITH_STORES)('%s has commands that run as they stand', async (page) => {
    expect(await machine.run(page)).toBeNull();
  });
});

describe(others, () => {
  it.skipIf(partsAreMissing(`${others} (jq)`, 'curl', 'jq')).each(WITH_JQ)(
    '%s has commands that run as they stand',
    async (page) => {
      expect(await machine.run(page)).toBeNull();
    },
  );

  it.skipIf(partsAreMissing(`${others} (Apache)`, 'curl', 'apache')).each(WITH_APACHE)(
    '%s has commands that run as they stand',
    async (page) => {
      expect(await machine.run(page)).toBeNull();
    },
  );
});

describe.skipIf(partsAreMissing(commands, 'curl'))(commands, () => {
  it.each(PAGES)('%s has commands that run as they stand', async (page) => {
    expect(await machine.run(page)).toBeNull();
  });
});

describe('every page', () => {
  it.each([...PAGES, ...WITH_STORES, ...WITH_JQ, ...WITH_APACHE])('%s hides no command from that', (page) => {
    const unnamed = blocksOf(page).filter(({ language }) => language === '');
    expect(unnamed.map(({ line }) => line)).toEqual([]);
    for (const { line, notRun } of blocksOf(page))
      if (notRun !== null) console.log(`${page}:${line} is not run: ${notRun}`);
  });
});
