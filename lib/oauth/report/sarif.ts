import { createHash } from 'node:crypto';
import type { Severity } from '@/lib/oauth/controls/control';
import { findDecidingExchange, type Report, type ReportFinding } from '@/lib/oauth/report/report';
import { findSourceUrl } from '@/lib/oauth/report/sources';

const LEVELS: Record<Severity, 'error' | 'warning' | 'note'> = {
  critical: 'error',
  high: 'error',
  medium: 'warning',
  low: 'note',
  info: 'note',
};
/** Scores by which code-scanning tools sort (CVSS bands). */
const SCORES: Record<Severity, string> = { critical: '9.5', high: '8.0', medium: '5.5', low: '2.5', info: '0.5' };
/** Baseline states of a failure (SARIF section 3.27.24). */
const BASELINE = { new: 'new', same: 'unchanged', fixed: 'absent', unknown: 'updated' } as const;

/**
 * Writes a report as SARIF 2.1.0 (OASIS), with a rule and a result for each failed control. Code hosts show every result
 * as an alert, and close one that is missing, so what passed or is undecided is left out.
 */
export function formatSarifReport(report: Report): string {
  const { id, target, build, started_at, duration_ms, state, summary, baseline } = report;
  const findings = report.findings.filter(({ verdict }) => verdict === 'failed');
  const log = {
    $schema: 'https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: { driver: { name: 'Sluice', version: build, rules: findings.map(buildRule) } },
        automationDetails: { id: `sluice/${target}/${id}`, guid: id },
        ...(baseline === undefined ? {} : { baselineGuid: baseline.id }),
        invocations: [
          {
            executionSuccessful: state === 'finished',
            startTimeUtc: started_at,
            endTimeUtc: new Date(Date.parse(started_at) + duration_ms).toISOString(),
          },
        ],
        properties: { ...summary },
        results: findings.map((finding, ruleIndex) => buildResult(finding, ruleIndex, target)),
      },
    ],
  };
  return JSON.stringify(log, null, 2);
}

function buildRule({
  control,
  title,
  wrong,
  severity,
  area,
  source,
  protects_from,
  remedy,
  remedy_in = {},
}: ReportFinding) {
  const products = Object.entries(remedy_in).map(([product, instruction]) => `In ${product}: ${instruction}`);
  const helpUri = source.flatMap((section) => findSourceUrl(section) ?? []).at(0);
  return {
    id: control,
    shortDescription: { text: title },
    fullDescription: { text: `${wrong}. ${protects_from}` },
    help: { text: [remedy, ...products, `Source: ${source.join(', ')}`].join('\n') },
    ...(helpUri === undefined ? {} : { helpUri }),
    defaultConfiguration: { level: LEVELS[severity] },
    properties: { 'security-severity': SCORES[severity], tags: ['security', 'oauth', area] },
  };
}

function buildResult(finding: ReportFinding, ruleIndex: number, target: string) {
  const { control, cause = control, reason, severity, accepted, change } = finding;
  const exchange = findDecidingExchange(finding);
  return {
    ruleId: control,
    ruleIndex,
    kind: 'fail',
    level: LEVELS[severity],
    message: { text: cause === control ? reason : `${reason} The same cause as ${cause}.` },
    locations: [
      {
        physicalLocation: {
          artifactLocation: { uri: formatRelativePath(exchange?.request.url ?? target) },
          region: { startLine: 1 },
        },
      },
    ],
    partialFingerprints: {
      'control/v1': `${target} ${control}`,
      primaryLocationLineHash: `${createHash('sha256').update(`${target} ${control}`).digest('hex').slice(0, 16)}:1`,
    },
    properties: { cause },
    ...(change === undefined ? {} : { baselineState: BASELINE[change] }),
    ...(accepted === undefined
      ? {}
      : { suppressions: [{ kind: 'external', status: 'accepted', justification: accepted.reason }] }),
    ...(exchange === undefined
      ? {}
      : {
          webRequest: {
            method: exchange.request.method,
            target: exchange.request.url,
            headers: Object.fromEntries(exchange.request.headers),
            body: { text: exchange.request.body },
          },
          webResponse: {
            statusCode: exchange.response.status,
            headers: Object.fromEntries(exchange.response.headers),
            body: { text: exchange.response.body },
          },
        }),
  };
}

/**
 * Names an address as a path. Code hosts look for results in files of a repository, and refuse addresses with a scheme.
 */
function formatRelativePath(address: string): string {
  if (!URL.canParse(address)) return encodeURIComponent(address) || 'target';
  const { host, pathname } = new URL(address);
  return `${encodeURIComponent(host || 'target')}${pathname.startsWith('/') ? pathname : '/'}`;
}
