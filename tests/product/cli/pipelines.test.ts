import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { type OidcServer, oidcServer } from '@/tests/fixtures/oidc-server';
import { ADMIN_TOKEN } from '@/tests/fixtures/product';
import { product, productSuite } from '@/tests/fixtures/product-suite';
import { readChanges } from '@/tests/fixtures/read-changes';

productSuite();

const Steps = z.array(z.looseObject({ name: z.string().optional(), run: z.string().optional() }));
const Action = z.looseObject({ jobs: z.record(z.string(), z.looseObject({ steps: Steps })) });
const Scripted = z.looseObject({ script: z.array(z.string()) });

const read = (name: string): unknown => parse(readFileSync(join('docs', 'automation', name), 'utf8'));
const action = Action.parse(read('github-action.yml'));
const pipeline = z.looseObject({ plan: Scripted, assess: Scripted, apply: Scripted }).parse(read('gitlab-ci.yml'));

/** The commands of a step; what it installs or comments needs their own machines. */
const stepOf = (job: string, name: string): string =>
  action.jobs[job]?.steps.find((step) => step.name === name)?.run ?? '';

let folder = '';
let server: OidcServer;
beforeAll(async () => {
  server = await oidcServer({ consent: 'ask' });
  folder = mkdtempSync(join(tmpdir(), 'sluice-pipeline-'));
  symlinkSync(resolve('bin', 'sluice.mjs'), join(folder, 'sluice'));
  writeFileSync(join(folder, 'assess.yaml'), `issuer: ${server.issuer}\nallow: [127.0.0.1]\n`);
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

/** Runs commands as the service does; answers the exit code. */
function run(commands: string, options: readonly string[]): Promise<{ code: number | null; output: string }> {
  const env = {
    PATH: `${folder}:${process.env.PATH}`,
    HOME: folder,
    SLUICE_URL: product.origin,
    SLUICE_TOKEN: ADMIN_TOKEN,
    GITHUB_SHA: '1f3870be',
    GITHUB_STEP_SUMMARY: join(folder, 'summary.md'),
    CI_COMMIT_SHA: '274ad478',
  };
  return new Promise((done) => {
    const child = spawn('bash', [...options, '-c', commands], {
      cwd: folder,
      env: env as unknown as NodeJS.ProcessEnv,
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (output += String(data)));
    child.stdin.end();
    child.once('close', (code) => done({ code, output }));
  });
}
const atGitHub = (job: string, name: string) => run(stepOf(job, name), ['-e']);
const atGitLab = ({ script }: { script: string[] }) => run(script.join('\n'), ['-eo', 'pipefail']);

const rules = (identifier: string) =>
  `version: 1\nallowlist:\n  - {type: ip, identifier: ${identifier}, reason: Office}\n`;
const allowlist = async () =>
  ((await (await product.admin('GET', '/v1/admin/rate-limit/allowlist')).json()) as { identifier: string }[]).map(
    ({ identifier }) => identifier,
  );
const newestReason = async () => (await readChanges(product))[0]?.reason;

describe('the GitHub Action', () => {
  test('shows a plan that changes something, does not fail for it, and applies it after the merge', async () => {
    writeFileSync(join(folder, 'sluice.yaml'), rules('198.51.100.0/24'));
    expect(await atGitHub('plan', 'Plan')).toEqual({ code: 0, output: '' });
    expect(readFileSync(join(folder, 'summary.md'), 'utf8')).toContain('198.51.100.0/24');
    expect(await allowlist()).toEqual([]);
    expect((await atGitHub('apply', 'Apply')).code).toBe(0);
    expect(await allowlist()).toEqual(['198.51.100.0/24']);
    expect(await newestReason()).toBe('Commit 1f3870be');
  });

  test('fails for a file that is wrong', async () => {
    writeFileSync(join(folder, 'sluice.yaml'), rules('no-address'));
    expect((await atGitHub('plan', 'Plan')).code).toBe(1);
  });

  test('writes findings for code scanning', async () => {
    expect((await atGitHub('assess', 'Assess')).code).toBe(0);
    const { runs } = JSON.parse(readFileSync(join(folder, 'oauth.sarif'), 'utf8')) as {
      runs: { tool: { driver: { name: string } }; results: { kind: string }[] }[];
    };
    expect(runs[0]?.tool.driver.name).toBe('Sluice');
    expect(runs[0]?.results.filter(({ kind }) => kind !== 'fail')).toEqual([]);
  });
});

describe('the GitLab jobs', () => {
  test('plan with the exit code that is allowed, assess into a test report, and apply', async () => {
    writeFileSync(join(folder, 'sluice.yaml'), rules('192.0.2.0/24'));
    expect((await atGitLab(pipeline.plan)).code).toBe(4);
    expect(readFileSync(join(folder, 'plan.txt'), 'utf8')).toContain('192.0.2.0/24');
    expect((await atGitLab(pipeline.assess)).code).toBe(0);
    expect(readFileSync(join(folder, 'oauth.xml'), 'utf8')).toMatch(/^<\?xml/);
    expect((await atGitLab(pipeline.apply)).code).toBe(0);
    expect(await newestReason()).toBe('Commit 274ad478');
    expect((await atGitLab(pipeline.plan)).code).toBe(0);
  });
});
