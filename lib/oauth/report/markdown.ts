import { escapeMarkup } from '@/lib/oauth/report/escape-markup';
import { type CauseWithFindings, groupByCause } from '@/lib/oauth/report/group-by-cause';
import { findDecidingExchange, type Report, type ReportFinding } from '@/lib/oauth/report/report';
import {
  describeBaseline,
  describeGrade,
  describeIncompleteness,
  describeProfile,
  formatReportTime,
} from '@/lib/oauth/report/sentences';
import { formatRequest, formatResponse } from '@/lib/oauth/report/shown-exchange';
import { findSourceUrl } from '@/lib/oauth/report/sources';
import { VERDICT_TITLES } from '@/lib/oauth/report/verdict-titles';

/** Longest message, and longest sum of all messages, in characters. GitHub accepts comments of up to 65,536. */
const LONGEST_MESSAGE = 2_000;
const ALL_MESSAGES = 16_000;

/**
 * Writes a report as Markdown (CommonMark with GitHub's tables): failures with their remedies, everything else as
 * lists.
 */
export function formatMarkdownReport(report: Report): string {
  const { name, target, started_at, started_by, build, findings } = report;
  const filterByVerdict = (verdict: ReportFinding['verdict']) =>
    findings.filter((finding) => finding.verdict === verdict);
  const failed = filterByVerdict('failed');
  const others = (['inconclusive', 'passed', 'not_applicable'] as const).map((verdict) =>
    formatSection(
      `${VERDICT_TITLES[verdict]} (${filterByVerdict(verdict).length})`,
      filterByVerdict(verdict).map(formatListItem),
    ),
  );
  const remarks = [describeIncompleteness(report), describeBaseline(report)].flatMap((sentence) => sentence ?? []);
  const checks = report.preflight.map(
    ({ what, ok, text }) => `- ${escapeMarkdown(what)}: ${ok === false ? '**wrong.** ' : ''}${escapeMarkdown(text)}`,
  );
  const threats = report.threats.map(
    ({ source, state, title }) =>
      `| ${link(source)} | ${state === 'open' ? '**open**' : state} | ${escapeMarkdown(title)} |`,
  );
  return [
    `# ${escapeMarkdown(name)}\n`,
    `**${escapeMarkdown(describeGrade(report))}**\n`,
    `Target: ${formatCode(target)}. Assessed ${formatReportTime(started_at)} by ${escapeMarkdown(started_by)} with Sluice ${escapeMarkdown(build)}.\n`,
    ...remarks.map((sentence) => `${escapeMarkdown(sentence)}\n`),
    formatSection(
      `Failed (${failed.length})`,
      groupByCause(failed).map((cause) =>
        formatFailure(cause, Math.min(LONGEST_MESSAGE, ALL_MESSAGES / failed.length / 2)),
      ),
    ),
    ...others,
    formatSection('Set-up', checks),
    ...report.profiles.map(({ title, clauses, ...profile }) =>
      formatSection(escapeMarkdown(title), [
        `${escapeMarkdown(describeProfile(profile))}\n`,
        '| Clause | State | Requirement |',
        '|---|---|---|',
        ...clauses.map(
          ({ source, state, requirement, reason }) =>
            `| ${link(source)} | ${state === 'violated' ? '**violated**' : state} | ${escapeMarkdown(requirement)} ${escapeMarkdown(reason)} |`,
        ),
      ]),
    ),
    formatSection('Threats', ['| Source | State | Threat |', '|---|---|---|', ...threats]),
  ]
    .filter((part) => part !== '')
    .join('\n');
}

const formatSection = (title: string, lines: readonly string[]): string =>
  lines.length === 0 ? '' : `## ${title}\n\n${lines.join('\n')}\n`;

function formatFailure({ first: finding, others }: CauseWithFindings<ReportFinding>, longest: number): string {
  const { control, title, severity, source, reason, accepted, change, protects_from, wrong, remedy, remedy_in } =
    finding;
  const exchange = findDecidingExchange(finding);
  const products = Object.entries(remedy_in ?? {}).map(
    ([product, instruction]) => `- In ${escapeMarkdown(product)}: ${escapeMarkdown(instruction)}`,
  );
  const paragraphs = [
    `### ${escapeMarkdown(wrong)}`,
    `${escapeMarkdown(title)} (${formatCode(control)}), ${severity}${change === 'new' ? ', **new**' : ''}. ${escapeMarkdown(reason)}`,
    ...(accepted === undefined
      ? []
      : [
          `**Accepted** by ${escapeMarkdown(accepted.by)}${accepted.until === null ? '' : ` until ${formatReportTime(accepted.until)}`}: ${escapeMarkdown(accepted.reason)}`,
        ]),
    `**What an attacker gains.** ${escapeMarkdown(protects_from)}`,
    `**What to change.** ${escapeMarkdown(remedy)}`,
    ...(products.length === 0 ? [] : [products.join('\n')]),
    `**Source.** ${source.map(link).join(', ')}`,
    ...(others.length === 0 ? [] : [`**The same cause.**\n\n${others.map(formatSameCause).join('\n')}`]),
    ...(exchange === undefined
      ? []
      : [
          `<details><summary>The exchange that shows it: ${escapeMarkup(exchange.label)}</summary>`,
          formatFence(formatRequest(exchange, longest)),
          formatFence(formatResponse(exchange, longest)),
          '</details>',
        ]),
  ];
  return `${paragraphs.join('\n\n')}\n`;
}

const formatSameCause = ({ control, wrong, severity, reason, accepted, change }: ReportFinding): string =>
  `- ${escapeMarkdown(wrong)} (${formatCode(control)}, ${severity}${change === 'new' ? ', **new**' : ''}${accepted === undefined ? '' : ', accepted'}): ${escapeMarkdown(reason)}`;

const formatListItem = ({ control, title, severity, reason }: ReportFinding): string =>
  `- ${formatCode(control)} ${escapeMarkdown(title)} (${severity}): ${escapeMarkdown(reason)}`;

function link(source: string): string {
  const url = findSourceUrl(source);
  return url === undefined ? escapeMarkdown(source) : `[${escapeMarkdown(source)}](${url})`;
}

/** Escapes text, so that Markdown shows it literally: no markup, no mention, no automatic link. */
const escapeMarkdown = (text: string): string =>
  text
    .replace(/\s+/g, ' ')
    .replace(/[\\`*_[\]<>|#~&!]/g, (found) => `\\${found}`)
    .replace(/(?<=\w)(?=:\/\/)|@/g, (found) => `${found}<!-- -->`);

/** Formats text as code. The delimiter has more backticks than the text. */
function formatCode(text: string): string {
  const ticks = '`'.repeat(measureLongestRun(text) + 1);
  const inner = text.replace(/\s+/g, ' ');
  return /^`|`$/.test(inner) ? `${ticks} ${inner} ${ticks}` : ticks + inner + ticks;
}

function formatFence(text: string): string {
  const fence = '`'.repeat(Math.max(3, measureLongestRun(text) + 1));
  return `${fence}http\n${text}\n${fence}`;
}

const measureLongestRun = (text: string): number => Math.max(0, ...(text.match(/`+/g) ?? []).map((run) => run.length));
