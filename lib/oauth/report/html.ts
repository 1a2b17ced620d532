import { createHash } from 'node:crypto';
import { escapeMarkup as text } from '@/lib/oauth/report/escape-markup';
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

const STYLE = `:root{color-scheme:light dark;--line:#d4d4d8;--soft:#f4f4f5;--text:#18181b;--dim:#52525b;--page:#fff;--bad:#b91c1c;--good:#15803d;--part:#a16207}
@media(prefers-color-scheme:dark){:root{--line:#3f3f46;--soft:#27272a;--text:#f4f4f5;--dim:#a1a1aa;--page:#18181b;--bad:#f87171;--good:#4ade80;--part:#facc15}}
*{box-sizing:border-box}body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:0 auto;padding:2rem 1.25rem;color:var(--text);background:var(--page)}
h1{font-size:1.6rem;line-height:1.25;margin:0;overflow-wrap:anywhere}h2{font-size:1.2rem;margin:2.5rem 0 .75rem}h3{font-size:1rem;margin:0}p{margin:.4rem 0;overflow-wrap:anywhere}
.dim{color:var(--dim)}.grade{font-size:3rem;font-weight:700;line-height:1}.head{display:flex;gap:1.5rem;align-items:center;margin:1.25rem 0}
article{border:1px solid var(--line);border-radius:.5rem;padding:1rem;margin:.75rem 0;break-inside:avoid}
.failed,.open,.violated,.F{color:var(--bad)}.passed,.mitigated,.met,.A,.B{color:var(--good)}.partly,.undecided,.C,.D{color:var(--part)}.not-judged{color:var(--dim)}li{overflow-wrap:anywhere}
pre{background:var(--soft);padding:.75rem;border-radius:.375rem;font-size:.8rem;white-space:pre-wrap;overflow-wrap:anywhere}
code{overflow-wrap:anywhere}table{border-collapse:collapse;width:100%}td,th{text-align:left;vertical-align:top;border-bottom:1px solid var(--line);padding:.35rem .75rem .35rem 0;overflow-wrap:anywhere}
th:nth-child(2),td:nth-child(2){white-space:nowrap;overflow-wrap:normal}tr{break-inside:avoid}a{color:inherit}
@media print{:root{--line:#d4d4d8;--soft:#f4f4f5;--text:#000;--dim:#444;--page:#fff;--bad:#b91c1c;--good:#15803d;--part:#a16207}body{font-size:11pt;padding:0;max-width:none}article{break-inside:auto}h2,h3{break-after:avoid}}`;

const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64');
/** Content-Security-Policy of the page, wherever it is stored: it may apply its own style, and nothing else. */
const POLICY = `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; base-uri 'none'; form-action 'none'`;

/** Writes a report as one self-contained HTML page: no script, no font, no image. It prints well. */
export function formatHtmlReport(report: Report): string {
  const { name, target, started_at, started_by, build, summary, findings } = report;
  const filterByVerdict = (verdict: ReportFinding['verdict']) =>
    findings.filter((finding) => finding.verdict === verdict);
  const failed = filterByVerdict('failed');
  const sections = [
    failed.length === 0
      ? ''
      : `<h2>Failed (${failed.length})</h2>\n${groupByCause(failed).map(formatArticle).join('\n')}`,
    ...(['inconclusive', 'passed', 'not_applicable'] as const).map((verdict) =>
      formatTable(VERDICT_TITLES[verdict], filterByVerdict(verdict)),
    ),
    formatPreflight(report),
    ...report.profiles.map(formatProfile),
    formatThreats(report),
  ];
  const remarks = [describeIncompleteness(report), describeBaseline(report)].filter((sentence) => sentence !== null);
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="referrer" content="no-referrer"><meta http-equiv="Content-Security-Policy" content="${POLICY}"><title>${text(name)}</title><style>${STYLE}</style></head>
<body>
<h1>${text(name)}</h1>
<p class="dim">${text(target)} · ${formatReportTime(started_at)} · ${text(started_by)} · Sluice ${text(build)}</p>
<div class="head"><span class="grade ${summary.grade ?? ''}" aria-hidden="true">${summary.grade ?? '–'}</span><p>${text(describeGrade(report))}</p></div>
${remarks.map((sentence) => `<p>${text(sentence)}</p>`).join('\n')}
${sections.filter((section) => section !== '').join('\n')}
</body>
</html>
`;
}

function formatArticle({ first: finding, others }: CauseWithFindings<ReportFinding>): string {
  const { control, title, severity, source, reason, accepted, change, protects_from, wrong, remedy, remedy_in } =
    finding;
  const exchange = findDecidingExchange(finding);
  const products = Object.entries(remedy_in ?? {}).map(
    ([product, instruction]) => `<li>In ${text(product)}: ${text(instruction)}</li>`,
  );
  const acceptance =
    accepted === undefined
      ? ''
      : `\n<p><strong>Accepted</strong> by ${text(accepted.by)}${accepted.until === null ? '' : ` until ${formatReportTime(accepted.until)}`}: ${text(accepted.reason)}</p>`;
  const shown =
    exchange === undefined
      ? ''
      : `\n<p><strong>The exchange that shows it.</strong> ${text(exchange.label)}</p><pre>${text(formatRequest(exchange))}</pre><pre>${text(formatResponse(exchange))}</pre>`;
  return `<article id="${text(control)}"><h3>${text(wrong)}</h3>
<p class="dim">${text(title)} · <code>${text(control)}</code> · ${severity}${change === 'new' ? ' · new' : ''} · ${source.map(link).join(', ')}</p>
<p class="failed">${text(reason)}</p>${acceptance}
<p><strong>What an attacker gains.</strong> ${text(protects_from)}</p>
<p><strong>What to change.</strong> ${text(remedy)}</p>${products.length === 0 ? '' : `<ul>${products.join('')}</ul>`}${shown}${formatSameCause(others)}</article>`;
}

function formatSameCause(findings: readonly ReportFinding[]): string {
  if (findings.length === 0) return '';
  const items = findings.map(
    ({ control, wrong, severity, reason, accepted, change }) =>
      `<article id="${text(control)}"><h4>${text(wrong)}</h4>
<p class="dim"><code>${text(control)}</code> · ${severity}${change === 'new' ? ' · new' : ''}${accepted === undefined ? '' : ' · accepted'}</p>
<p class="failed">${text(reason)}</p></article>`,
  );
  return `\n<p><strong>The same cause.</strong></p>\n${items.join('\n')}`;
}

const COLUMNS = (...names: string[]) =>
  `<thead><tr>${names.map((name) => `<th scope="col">${name}</th>`).join('')}</tr></thead>`;

function formatTable(title: string, findings: readonly ReportFinding[]): string {
  if (findings.length === 0) return '';
  const rows = findings.map(
    ({ control, title: heading, severity, reason }) =>
      `<tr><td>${text(heading)}<br><code class="dim">${text(control)}</code></td><td>${severity}</td><td>${text(reason)}</td></tr>`,
  );
  return `<h2>${title} (${findings.length})</h2>\n<table>${COLUMNS('Control', 'Severity', 'Reason')}<tbody>${rows.join('\n')}</tbody></table>`;
}

function formatPreflight({ preflight: checks }: Report): string {
  if (checks.length === 0) return '';
  const rows = checks.map(
    ({ what, ok, text: explanation }) =>
      `<tr><td>${text(what)}</td><td class="${ok === false ? 'failed' : ok === true ? 'passed' : 'dim'}">${ok === false ? 'wrong' : ok === true ? 'correct' : 'not given'}</td><td>${text(explanation)}</td></tr>`,
  );
  return `<h2>Set-up</h2>\n<table>${COLUMNS('Part', 'State', 'What was seen')}<tbody>${rows.join('\n')}</tbody></table>`;
}

function formatProfile({ title, clauses, ...profile }: Report['profiles'][number]): string {
  const rows = clauses.map(
    ({ source, requirement, state, reason }) =>
      `<tr><td>${link(source)}</td><td class="${state.replace(' ', '-')}">${state}</td><td>${text(requirement)}<br><span class="dim">${text(reason)}</span></td></tr>`,
  );
  return `<h2>${text(title)}</h2>\n<p>${text(describeProfile(profile))}</p>\n<table>${COLUMNS('Clause', 'State', 'Requirement')}<tbody>${rows.join('\n')}</tbody></table>`;
}

function formatThreats({ threats: all }: Report): string {
  const rows = all.map(
    ({ source, title, state }) =>
      `<tr><td>${link(source)}</td><td class="${state.replace(' ', '-')}">${state}</td><td>${text(title)}</td></tr>`,
  );
  return `<h2>Threats</h2>\n<table>${COLUMNS('Source', 'State', 'Threat')}<tbody>${rows.join('\n')}</tbody></table>`;
}

function link(source: string): string {
  const url = findSourceUrl(source);
  return url === undefined
    ? text(source)
    : `<a href="${text(url)}" rel="noreferrer" target="_blank">${text(source)}</a>`;
}
