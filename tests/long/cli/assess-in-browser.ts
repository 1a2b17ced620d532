import { chmodSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { NEXT_PATH } from '@/cli/assess/loopback-page';
import type { AssessmentReport } from '@/lib/contract/assessment-report';
import type { commandLine } from '@/tests/fixtures/command-line';
import { person } from '@/tests/fixtures/oidc-server';
import { until } from '@/tests/fixtures/until';

/** Runs an assessment that a person signs in for, in a browser that comes back to this machine. */
export async function assessInBrowser(
  sluice: Awaited<ReturnType<typeof commandLine>>,
  address: string,
  issuer: string,
  client: string[],
) {
  const read = (name: string) => readFileSync(join(sluice.home, name), 'utf8');
  const browser = join(sluice.home, 'browser');
  rmSync(join(sluice.home, 'opened'), { force: true });
  writeFileSync(
    browser,
    `#!/bin/sh\nprintf %s "$1" > "${sluice.home}/opened.part" && mv "${sluice.home}/opened.part" "${sluice.home}/opened"\n`,
  );
  chmodSync(browser, 0o700);
  const words = ['oauth', 'assess', address, ...client, '--login', 'browser', '--allow', '127.0.0.1', '--json'];
  const running = sluice.start(words, { env: { BROWSER: browser } });
  await until(() => existsSync(join(sluice.home, 'opened')));
  let visits = 0;
  let page = '';
  const { visit } = person(issuer);
  for (let url: string | undefined = read('opened'); url !== undefined; visits += 1) {
    const back = await visit(url);
    // Not back: a page of the server, or the redirect URI as it is registered, without the port that is listened on.
    if (back === null || new URL(back).port === '') running.write('\n');
    else page = await openPage(new URL(back));
    url = await nextVisit(page);
  }
  const { code, stdout, stderr } = await running.ended;
  expect(stderr).toContain(read('opened'));
  return { code, stderr, visits, report: JSON.parse(stdout) as AssessmentReport };
}

/** What a browser does when it is sent to the redirect URI: its page hands in the fragment, which servers do not see. */
async function openPage({ href, hash, origin }: URL): Promise<string> {
  const fragment = { method: 'POST', headers: { 'content-type': 'text/plain' }, body: hash.slice(1) };
  await fetch(href, hash === '' ? {} : fragment);
  return origin;
}

/** Where the page that is open is led to; undefined once it is needed no more. */
async function nextVisit(origin: string): Promise<string | undefined> {
  for (;;) {
    const answer = await fetch(origin + NEXT_PATH).catch(() => null);
    if (answer === null) return undefined;
    const { url, done } = (await answer.json()) as { url?: string; done?: boolean };
    if (url !== undefined || done === true) return url;
  }
}
