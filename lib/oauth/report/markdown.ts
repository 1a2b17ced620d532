import {
  type Catalogue,
  type DescribedFinding,
  decidingExchange,
  describeFindings,
  type Report,
} from '@/lib/oauth/report/report';
import { sourceUrl } from '@/lib/oauth/report/sources';

const TITLES = {
  failed: 'Failed',
  inconclusive: 'Undecided',
  passed: 'Passed',
  not_applicable: 'Not applicable',
} as const;

/** A report as Markdown (CommonMark with tables): failures with what to change, the rest as lists. */
export function toMarkdown(report: Report, catalogue: Catalogue): string {
  const { summary } = report;
  const findings = describeFindings(report, catalogue);
  const failed = findings.filter((finding) => finding.verdict === 'failed');
  const others = (['inconclusive', 'passed', 'not_applicable'] as const).map((verdict) => {
    const rows = findings.filter((finding) => finding.verdict === verdict);
    return rows.length === 0 ? '' : `## ${TITLES[verdict]} (${rows.length})\n\n${rows.map(listItem).join('\n')}\n`;
  });
  return [
    `# ${plain(report.name)}\n`,
    `Grade **${summary.grade ?? 'none'}**: ${summary.failed} failed, ${summary.passed} passed, ${summary.inconclusive} undecided, ${summary.not_applicable} not applicable.\n`,
    `Target: ${code(report.target)}. Assessed ${report.started_at} by ${plain(report.started_by)} with Sluice ${report.build}.\n`,
    failed.length === 0 ? '' : `## Failed (${failed.length})\n\n${failed.map(failure).join('\n')}`,
    ...others,
  ]
    .filter((part) => part !== '')
    .join('\n');
}

function failure(finding: DescribedFinding): string {
  const { control, description, reason, accepted, change } = finding;
  const exchange = decidingExchange(finding);
  const { remedy } = description;
  const products = Object.entries(remedy.in ?? {}).map(([product, how]) => `- In ${product}: ${plain(how)}`);
  const sources = description.source.map((source) => {
    const url = sourceUrl(source);
    return url === undefined ? source : `[${source}](${url})`;
  });
  return [
    `### ${plain(description.title)}\n`,
    `${code(control)}, ${description.severity}${change === 'new' ? ', **new**' : ''}. ${plain(reason)}\n`,
    `**What an attacker gains.** ${plain(description.protectsFrom)}\n`,
    `**What to change.** ${plain(remedy.change)}\n`,
    ...(products.length === 0 ? [] : [`${products.join('\n')}\n`]),
    `**Source.** ${sources.join(', ')}\n`,
    ...(accepted === undefined
      ? []
      : [
          `**Accepted** by ${plain(accepted.by)}${accepted.until === null ? '' : ` until ${accepted.until}`}: ${plain(accepted.reason)}\n`,
        ]),
    ...(exchange === undefined
      ? []
      : [
          fenced(`${exchange.request.method} ${exchange.request.url}\n${exchange.request.body}`),
          fenced(`${exchange.response.status}\n${exchange.response.body}`),
        ]),
  ].join('\n');
}

const listItem = ({ control, description, reason }: DescribedFinding): string =>
  `- ${code(control)} ${plain(description.title)} (${description.severity}): ${plain(reason)}`;

/** Text that Markdown shows as it is. */
const plain = (text: string): string => text.replace(/\s+/g, ' ').replace(/[\\`*_[\]<>|#~&]/g, (found) => `\\${found}`);

/** Text as code, with more backticks around it than it holds. */
function code(text: string): string {
  const ticks = '`'.repeat(longestRun(text) + 1);
  const inner = text.replace(/\s+/g, ' ');
  return /^`|`$/.test(inner) ? `${ticks} ${inner} ${ticks}` : ticks + inner + ticks;
}

function fenced(text: string): string {
  const fence = '`'.repeat(Math.max(3, longestRun(text) + 1));
  return `${fence}http\n${text.trimEnd().slice(0, 4_000)}\n${fence}\n`;
}

const longestRun = (text: string): number => Math.max(0, ...(text.match(/`+/g) ?? []).map((run) => run.length));
