import { escapeMarkup } from '@/lib/oauth/report/escape-markup';
import { type CauseWithFindings, groupByCause } from '@/lib/oauth/report/group-by-cause';
import { decidingExchange, type Report, type ReportFinding } from '@/lib/oauth/report/report';
import { baselineSentence, gradeSentence, shownInstant, stateSentence } from '@/lib/oauth/report/sentences';
import { requestText, responseText } from '@/lib/oauth/report/shown-exchange';
import { sourceUrl } from '@/lib/oauth/report/sources';
import { VERDICT_TITLES } from '@/lib/oauth/report/verdict-titles';

/** Longest message, and longest sum of all messages, in characters. GitHub accepts comments of up to 65,536. */
const LONGEST_MESSAGE = 2_000;
const ALL_MESSAGES = 16_000;

/**
 * Writes a report as Markdown (CommonMark with GitHub's tables): failures with their remedies, everything else as
 * lists.
 */
export function toMarkdown(report: Report): string {
  const { name, target, started_at, started_by, build, findings } = report;
  const of = (verdict: ReportFinding['verdict']) => findings.filter((finding) => finding.verdict === verdict);
  const failed = of('failed');
  const others = (['inconclusive', 'passed', 'not_applicable'] as const).map((verdict) =>
    section(`${VERDICT_TITLES[verdict]} (${of(verdict).length})`, of(verdict).map(listItem)),
  );
  const remarks = [stateSentence(report), baselineSentence(report)].flatMap((sentence) => sentence ?? []);
  const checks = report.preflight.map(
    ({ what, ok, text }) => `- ${plain(what)}: ${ok === false ? '**wrong.** ' : ''}${plain(text)}`,
  );
  const threats = report.threats.map(
    ({ source, state, title }) => `| ${link(source)} | ${state === 'open' ? '**open**' : state} | ${plain(title)} |`,
  );
  return [
    `# ${plain(name)}\n`,
    `**${plain(gradeSentence(report))}**\n`,
    `Target: ${code(target)}. Assessed ${shownInstant(started_at)} by ${plain(started_by)} with Sluice ${plain(build)}.\n`,
    ...remarks.map((sentence) => `${plain(sentence)}\n`),
    section(
      `Failed (${failed.length})`,
      groupByCause(failed).map((cause) => failure(cause, Math.min(LONGEST_MESSAGE, ALL_MESSAGES / failed.length / 2))),
    ),
    ...others,
    section('Set-up', checks),
    section('Threats', ['| Source | State | Threat |', '|---|---|---|', ...threats]),
  ]
    .filter((part) => part !== '')
    .join('\n');
}

const section = (title: string, lines: readonly string[]): string =>
  lines.length === 0 ? '' : `## ${title}\n\n${lines.join('\n')}\n`;

function failure({ first: finding, others }: CauseWithFindings<ReportFinding>, longest: number): string {
  const { control, title, severity, source, reason, accepted, change, protects_from, wrong, remedy, remedy_in } =
    finding;
  const exchange = decidingExchange(finding);
  const products = Object.entries(remedy_in ?? {}).map(([product, how]) => `- In ${plain(product)}: ${plain(how)}`);
  const paragraphs = [
    `### ${plain(wrong)}`,
    `${plain(title)} (${code(control)}), ${severity}${change === 'new' ? ', **new**' : ''}. ${plain(reason)}`,
    ...(accepted === undefined
      ? []
      : [
          `**Accepted** by ${plain(accepted.by)}${accepted.until === null ? '' : ` until ${shownInstant(accepted.until)}`}: ${plain(accepted.reason)}`,
        ]),
    `**What an attacker gains.** ${plain(protects_from)}`,
    `**What to change.** ${plain(remedy)}`,
    ...(products.length === 0 ? [] : [products.join('\n')]),
    `**Source.** ${source.map(link).join(', ')}`,
    ...(others.length === 0 ? [] : [`**The same cause.**\n\n${others.map(sameCause).join('\n')}`]),
    ...(exchange === undefined
      ? []
      : [
          `<details><summary>The exchange that shows it: ${escapeMarkup(exchange.label)}</summary>`,
          formatFence(requestText(exchange, longest)),
          formatFence(responseText(exchange, longest)),
          '</details>',
        ]),
  ];
  return `${paragraphs.join('\n\n')}\n`;
}

const sameCause = ({ control, wrong, severity, reason, accepted, change }: ReportFinding): string =>
  `- ${plain(wrong)} (${code(control)}, ${severity}${change === 'new' ? ', **new**' : ''}${accepted === undefined ? '' : ', accepted'}): ${plain(reason)}`;

const listItem = ({ control, title, severity, reason }: ReportFinding): string =>
  `- ${code(control)} ${plain(title)} (${severity}): ${plain(reason)}`;

function link(source: string): string {
  const url = sourceUrl(source);
  return url === undefined ? plain(source) : `[${plain(source)}](${url})`;
}

/** Escapes text, so that Markdown shows it literally: no markup, no mention, no automatic link. */
const plain = (text: string): string =>
  text
    .replace(/\s+/g, ' ')
    .replace(/[\\`*_[\]<>|#~&!]/g, (found) => `\\${found}`)
    .replace(/(?<=\w)(?=:\/\/)|@/g, (found) => `${found}<!-- -->`);

/** Formats text as code. The delimiter has more backticks than the text. */
function code(text: string): string {
  const ticks = '`'.repeat(longestRun(text) + 1);
  const inner = text.replace(/\s+/g, ' ');
  return /^`|`$/.test(inner) ? `${ticks} ${inner} ${ticks}` : ticks + inner + ticks;
}

function formatFence(text: string): string {
  const fence = '`'.repeat(Math.max(3, longestRun(text) + 1));
  return `${fence}http\n${text}\n${fence}`;
}

const longestRun = (text: string): number => Math.max(0, ...(text.match(/`+/g) ?? []).map((run) => run.length));
