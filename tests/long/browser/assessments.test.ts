import { describe, expect, it } from 'vitest';
import { realComplaints } from '../../browser/oauth/lab-page';
import {
  beThePerson,
  fillIn,
  openSignIn,
  part,
  provider,
  registeringProvider,
  reportOpens,
  startAssessor,
} from '../../browser/oauth/server-page';
import { axeFindings } from '../../fixtures/browser';
import { browserSuite, product, QUIET, signedIn } from '../../fixtures/browser-suite';
import { CLIENTS } from '../../fixtures/oidc-server';

browserSuite({ signInAt: QUIET, start: startAssessor });

describe('an assessment of a server that a person signs in at', () => {
  const SCREENS = [
    { width: 1440, height: 900 },
    { width: 390, height: 844 },
  ];

  it('is finished by one sign-in in the window of the server', async () => {
    await using server = await provider();
    const { page: own, context, complaints: heard } = await signedIn({ viewport: SCREENS[0] });
    await fillIn(own, server);
    await own.getByRole('button', { name: 'Start the assessment' }).click();
    await part(own, 'Sign in').waitFor();
    for (const screen of SCREENS) {
      await own.setViewportSize(screen);
      expect(await axeFindings(own)).toEqual([]);
    }
    const window = await openSignIn(own, context);
    const person = await beThePerson(window);
    await reportOpens(own);
    // Once, and perhaps again where a control asks the server to do so.
    expect(person.signIns).toBeGreaterThanOrEqual(1);
    expect(person.signIns).toBeLessThanOrEqual(3);
    await own.getByRole('tab', { name: 'Set-up check' }).click();
    await own.getByText('Everything is OK.').waitFor();
    const [id] = own.url().match(/[0-9a-f-]{36}/) ?? [];
    const stored = await (await product.admin('GET', `/v1/oauth/assessments/${id}`)).text();
    const { summary } = JSON.parse(stored);
    expect(summary.passed).toBeGreaterThan(60);
    expect(summary.inconclusive).toBeLessThanOrEqual(12);
    expect(stored).not.toContain(CLIENTS.secret);
    for (const screen of SCREENS) {
      await own.setViewportSize(screen);
      // Scripts set it again once the width has changed.
      await own.waitForFunction(() => document.documentElement.scrollWidth === document.documentElement.clientWidth);
    }
    expect(realComplaints(heard)).toEqual([]);
  });
});

describe('an assessment from one address', () => {
  it('registers clients, is finished by one sign-in, and removes the clients', async () => {
    const removed: string[] = [];
    await using server = await registeringProvider(removed);
    const { page: own, context, complaints: heard } = await signedIn({ viewport: { width: 1440, height: 900 } });
    await own.goto('/oauth/assessments/new');
    await own.getByText('controls can be decided').waitFor();
    await own.getByLabel('Issuer, MCP server or protected resource').fill(server.issuer);
    await own.getByRole('button', { name: 'Start the assessment' }).click();
    const window = await openSignIn(own, context);
    const person = await beThePerson(window);
    await reportOpens(own);
    expect(person.signIns).toBeLessThanOrEqual(3);
    // The pages of the provider lack headers, and nothing else fails.
    await part(own, 'Result')
      .getByRole('img', { name: /^Grade [AB]$/ })
      .waitFor();
    const [id] = own.url().match(/[0-9a-f-]{36}/) ?? [];
    const report = await (await product.admin('GET', `/v1/oauth/assessments/${id}`)).json();
    expect(report).toMatchObject({ target: server.issuer });
    expect(report.summary.passed).toBeGreaterThanOrEqual(60);
    // Three clients of the assessment, and those of the controls of registration.
    expect(removed.length).toBeGreaterThanOrEqual(3);
    expect(realComplaints(heard)).toEqual([]);
  });
});
