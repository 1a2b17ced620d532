import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  alerts,
  codeIn,
  dashboard,
  MONITORING_FOLDER,
  monitoringFile,
  rowsBelow,
} from '@/tests/fixtures/monitoring-files';
import { product, productSuite } from '@/tests/fixtures/product-suite';
import { PrometheusServer, prometheusIsMissing, promtool } from '@/tests/fixtures/prometheus-server';
import { until } from '@/tests/fixtures/until';

/** What the panels ask, as Grafana asks it for all instances. */
type Panel = { title?: string; targets?: { expr?: unknown }[] };
const expressions = (dashboard.panels as Panel[]).flatMap(({ title = '', targets = [] }) =>
  targets.map(({ expr }) => ({
    title,
    expr: String(expr).replaceAll('$__rate_interval', '5m').replaceAll('$instance', '.*').replaceAll('$job', 'sluice'),
  })),
);

/** The names of metrics in an expression. */
const metricsIn = (expression: string) =>
  expression.match(/\b(?:up|(?:sluice|nodejs|process)_\w+)\b(?=[{[\s)=]|$)/g) ?? [];

// Nothing listens there.
productSuite({ SLUICE_UPSTREAM: 'http://127.0.0.1:9' });

const scrape = async () => (await product.admin('GET', '/metrics')).text();
/** Every metric with its type and labels. */
async function metrics() {
  const text = await scrape();
  return [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name = '', type = '']) => {
    const samples = [...text.matchAll(new RegExp(`^${name}(?:_bucket|_sum|_count)?\\{(.*)\\} `, 'gm'))];
    const labels = samples.flatMap(([, pairs = '']) => [...pairs.matchAll(/(\w+)="/g)].map(([, label]) => label));
    // Without a sample nobody sees the labels.
    const isEmpty = !new RegExp(`^${name}(?:_count)?[ {]`, 'm').test(text);
    return { name, type, labels: isEmpty ? null : [...new Set(labels)].filter((label) => label !== 'le') };
  });
}

beforeAll(async () => {
  const checks = [{ class: 'read', ip: '198.51.100.1' }, ...Array(15).fill({ class: 'auth', ip: '198.51.100.2' })];
  const batch = await product.admin('POST', '/v1/check/batch', checks);
  expect(batch.status).toBe(200);
  expect((await product.admin('POST', '/v1/check', { class: 'write', ip: '198.51.100.1' })).status).toBe(200);
  expect((await fetch(`${product.origin}/somewhere/else`)).status).toBe(503);
  expect((await fetch(`${product.origin}/sign-in`)).status).toBe(200);
  expect((await product.admin('PATCH', '/v1/admin/policies', { tiers: { free: 2_000 } })).status).toBe(200);
});

describe('the metrics', () => {
  it('are those of the page, with their types and labels', async () => {
    const documented = rowsBelow('Metrics').flatMap(([names, type = '', labels]) =>
      codeIn(names).map((name) => ({ name, type, labels: codeIn(labels) })),
    );
    const byName = (a: { name: unknown }, b: { name: unknown }) => String(a.name).localeCompare(String(b.name));
    const served = (await metrics()).map(({ labels, ...metric }) => ({
      ...metric,
      labels: labels ?? documented.find(({ name }) => name === metric.name)?.labels,
    }));
    expect(served.sort(byName)).toEqual(documented.sort(byName));
  });

  it('count a request by its route class, and what did not come from the upstream', async () => {
    // An answer is counted once it has been sent.
    for (const line of [
      /^sluice_http_responses_total\{route="sign_in",method="GET",status="200"\} 1$/m,
      /^sluice_http_responses_total\{route="decision",method="POST",status="200"\} 2$/m,
      /^sluice_http_responses_total\{route="upstream",method="GET",status="503"\} 1$/m,
      /^sluice_http_request_seconds_count\{route="decision"\} 2$/m,
    ])
      await expect.poll(scrape).toMatch(line);
    const text = await scrape();
    expect(text).toMatch(/^sluice_upstream_errors_total 1$/m);
    expect(text).toMatch(/^sluice_part_up\{part="database"\} 1$/m);
    expect(text).toMatch(/^sluice_rules_revision [1-9]/m);
    expect(text).toMatch(/^sluice_database_call_seconds_count\{operation="write"\} [1-9]/m);
    expect(text).toMatch(/^sluice_store_commit_seconds_count [1-9]/m);
    expect(text).toMatch(/^sluice_build_info\{version="[^"]+",database="embedded",counters="embedded"\} 1$/m);
  });

  it('of an event stream leave its duration out', async () => {
    const leave = new AbortController();
    const headers = { Authorization: `Bearer ${await tokenFor('viewer')}`, Accept: 'text/event-stream' };
    const stream = await fetch(`${product.origin}/v1/admin/decisions`, { headers, signal: leave.signal });
    expect(stream.headers.get('content-type')).toContain('text/event-stream');
    leave.abort();
    await until(async () => {
      const text = await scrape();
      const answers = [...text.matchAll(/^sluice_http_responses_total\{route="admin".* (\d+)$/gm)];
      const measured = Number(/^sluice_http_request_seconds_count\{route="admin"\} (\d+)$/m.exec(text)?.[1]);
      return answers.reduce((sum, [, count]) => sum + Number(count), 0) === measured + 1;
    });
  });
});

async function tokenFor(role: string): Promise<string> {
  const created = await product.admin('POST', '/v1/admin/tokens', { name: `a ${role}`, role });
  return ((await created.json()) as { token: string }).token;
}

describe('the dashboard', () => {
  it('asks for metrics that there are', async () => {
    const known = new Set(
      (await metrics()).flatMap(({ name }) => ['', '_bucket', '_sum', '_count'].map((end) => name + end)),
    );
    const asked = [...expressions.map(({ expr }) => expr), ...alerts.map(({ expr }) => expr)];
    const named = new Set(asked.flatMap(metricsIn));
    expect(named.size).toBeGreaterThan(20);
    expect([...named].filter((name) => name !== 'up' && !known.has(name))).toEqual([]);
  });
});

describe.skipIf(prometheusIsMissing('api/monitoring'))('Prometheus', () => {
  let prometheus: PrometheusServer | undefined;
  afterAll(() => prometheus?.stop());

  it('accepts the metrics', async () => {
    // Those of prom-client itself break conventions: gauges that end in _total.
    const ours = (await scrape()).split('\n').filter((line) => /^(?:# (?:HELP|TYPE) )?sluice_/.test(line));
    expect(promtool(['check', 'metrics'], `${ours.join('\n')}\n`)).toEqual({ status: 0, output: '' });
  });

  it('scrapes by the example, with a token in a file, and answers all that the dashboard asks', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'sluice-scrape-'));
    const token = join(directory, 'sluice-token');
    writeFileSync(token, `${await tokenFor('operator')}\n`);
    const configuration = monitoringFile('prometheus.yml')
      .replace('/etc/prometheus/sluice-token', token)
      .replace('/etc/prometheus/sluice-alerts.yml', resolve(MONITORING_FOLDER, 'alerts.yml'))
      .replace('127.0.0.1:3000', `127.0.0.1:${product.port}`)
      .replace('scrape_interval: 15s', 'scrape_interval: 500ms');
    const server = await PrometheusServer.start(configuration);
    prometheus = server;
    await until(async () => Number((await server.query('sum_over_time(up[1m])'))[0]?.value[1]) >= 4);
    const empty: string[] = [];
    for (const { title, expr } of expressions) if ((await server.query(expr)).length === 0) empty.push(title);
    expect(empty).toEqual([]);
    for (const { expr } of alerts) await server.query(expr);
    rmSync(directory, { recursive: true });
  });
});
