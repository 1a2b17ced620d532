import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { blocksOf, DocMachine } from '../fixtures/doc-commands';

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
];

let machine: DocMachine;
beforeAll(async () => {
  machine = new DocMachine();
  await machine.start();
});
afterAll(() => machine?.[Symbol.asyncDispose]());

describe('a page', () => {
  it.each(PAGES)('%s has commands that run as they stand', async (page) => {
    expect(await machine.run(page)).toBeNull();
  });

  it.each(PAGES)('%s hides no command from that', (page) => {
    const unnamed = blocksOf(page).filter(({ language }) => language === '');
    expect(unnamed.map(({ line }) => line)).toEqual([]);
    for (const { line, notRun } of blocksOf(page))
      if (notRun !== null) console.log(`${page}:${line} is not run: ${notRun}`);
  });
});
