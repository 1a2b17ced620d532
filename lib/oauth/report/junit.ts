import { escapeMarkup } from '@/lib/oauth/report/escape-markup';
import { findDecidingExchange, type Report, type ReportFinding } from '@/lib/oauth/report/report';
import { formatRequest, formatResponse } from '@/lib/oauth/report/shown-exchange';

/**
 * Writes a report as JUnit XML, with one test case for each control. Accepted and undecided controls are skipped, with
 * the reason.
 */
export function formatJUnitReport({ target, started_at, duration_ms, findings }: Report): string {
  const failures = findings.filter(({ verdict, accepted }) => verdict === 'failed' && accepted === undefined).length;
  const skipped = findings.filter(({ verdict }) => verdict !== 'passed').length - failures;
  const counts = `tests="${findings.length}" failures="${failures}" errors="0" skipped="${skipped}" time="${duration_ms / 1000}"`;
  const name = escapeMarkup(`OAuth assessment of ${target}`);
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="Sluice" ${counts}>`,
    `  <testsuite name="${name}" timestamp="${started_at}" ${counts}>`,
    ...findings.map((finding) => `    ${formatTestCase(finding)}`),
    '  </testsuite>',
    '</testsuites>',
    '',
  ].join('\n');
}

function formatTestCase(finding: ReportFinding): string {
  const { control, verdict, reason, title, area, severity, accepted } = finding;
  const opening = `<testcase classname="oauth.${escapeMarkup(area)}" name="${escapeMarkup(`${control}: ${title}`)}"`;
  const formatSkipped = (message: string) => `${opening}><skipped message="${escapeMarkup(message)}"/></testcase>`;
  if (verdict === 'passed') return `${opening}/>`;
  if (verdict !== 'failed') return formatSkipped(`${verdict}: ${reason}`);
  if (accepted !== undefined) return formatSkipped(`accepted by ${accepted.by}: ${accepted.reason}`);
  return `${opening}><failure type="${severity}" message="${escapeMarkup(reason)}">${escapeMarkup(formatHelp(finding))}</failure></testcase>`;
}

function formatHelp(finding: ReportFinding): string {
  const { control, cause = control, protects_from, wrong, remedy, remedy_in = {}, source } = finding;
  const exchange = findDecidingExchange(finding);
  return [
    `${wrong}.`,
    ...(cause === control ? [] : [`The same cause as ${cause}.`]),
    `What an attacker gains: ${protects_from}`,
    `What to change: ${remedy}`,
    ...Object.entries(remedy_in).map(([product, instruction]) => `In ${product}: ${instruction}`),
    `Source: ${source.join(', ')}`,
    ...(exchange === undefined ? [] : ['', formatRequest(exchange), '', formatResponse(exchange)]),
  ].join('\n');
}
