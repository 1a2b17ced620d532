import { escapeMarkup } from '@/lib/oauth/report/escape-markup';
import {
  type Catalogue,
  type DescribedFinding,
  describeFindings,
  isAccepted,
  type Report,
} from '@/lib/oauth/report/report';

/** A report as JUnit XML, a test case for each control: accepted and undecided ones are skipped, with the reason. */
export function toJUnit(report: Report, catalogue: Catalogue, now: Date): string {
  const findings = describeFindings(report, catalogue);
  const failures = findings.filter((finding) => finding.verdict === 'failed' && !isAccepted(finding, now)).length;
  const skipped = findings.filter((finding) => finding.verdict !== 'passed').length - failures;
  const counts = `tests="${findings.length}" failures="${failures}" errors="0" skipped="${skipped}" time="${report.duration_ms / 1000}"`;
  const name = escapeMarkup(`OAuth assessment of ${report.target}`);
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="Sluice" ${counts}>`,
    `  <testsuite name="${name}" timestamp="${report.started_at}" ${counts}>`,
    ...findings.map((finding) => `    ${testCase(finding, now)}`),
    '  </testsuite>',
    '</testsuites>',
    '',
  ].join('\n');
}

function testCase(finding: DescribedFinding, now: Date): string {
  const { control, verdict, reason, description, accepted } = finding;
  const name = escapeMarkup(`${control}: ${description.title}`);
  const opening = `<testcase classname="oauth.${description.area}" name="${name}"`;
  if (verdict === 'passed') return `${opening}/>`;
  const text = escapeMarkup(reason);
  if (verdict !== 'failed') return `${opening}><skipped message="${verdict}: ${text}"/></testcase>`;
  if (isAccepted(finding, now))
    return `${opening}><skipped message="accepted: ${escapeMarkup(accepted?.reason ?? '')}"/></testcase>`;
  const help = escapeMarkup(
    `${description.protectsFrom}\n${description.remedy.change}\n${description.source.join(', ')}`,
  );
  return `${opening}><failure type="${description.severity}" message="${text}">${help}</failure></testcase>`;
}
