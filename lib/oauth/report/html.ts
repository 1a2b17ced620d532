import { escapeMarkup as text } from '@/lib/oauth/report/escape-markup';
import {
  type Catalogue,
  type DescribedFinding,
  decidingExchange,
  describeFindings,
  isAccepted,
  type Report,
} from '@/lib/oauth/report/report';
import { sourceUrl } from '@/lib/oauth/report/sources';
import { stateOfThreat, THREATS } from '@/lib/oauth/report/threats';

const STYLE = `:root{color-scheme:light dark;--line:#d4d4d8;--soft:#f4f4f5;--text:#18181b;--dim:#52525b;--page:#fff;--bad:#b91c1c;--good:#15803d;--open:#a16207}
@media(prefers-color-scheme:dark){:root{--line:#3f3f46;--soft:#27272a;--text:#f4f4f5;--dim:#a1a1aa;--page:#18181b;--bad:#f87171;--good:#4ade80;--open:#facc15}}
*{box-sizing:border-box}body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:0 auto;padding:2rem 1.25rem;color:var(--text);background:var(--page)}
h1{font-size:1.6rem;margin:0}h2{font-size:1.2rem;margin:2.5rem 0 .75rem}h3{font-size:1rem;margin:0}p{margin:.4rem 0}
.dim{color:var(--dim)}.grade{font-size:3rem;font-weight:700;line-height:1}.head{display:flex;gap:1.5rem;align-items:center;margin:1.25rem 0;flex-wrap:wrap}
article{border:1px solid var(--line);border-radius:.5rem;padding:1rem;margin:.75rem 0;break-inside:avoid}
.failed{color:var(--bad)}.passed,.mitigated{color:var(--good)}.inconclusive,.partly{color:var(--open)}.open{color:var(--bad)}
pre{background:var(--soft);padding:.75rem;border-radius:.375rem;overflow-x:auto;font-size:.8rem;white-space:pre-wrap;overflow-wrap:anywhere}
code{overflow-wrap:anywhere}table{border-collapse:collapse;width:100%}td,th{text-align:left;vertical-align:top;border-bottom:1px solid var(--line);padding:.35rem .75rem .35rem 0}
a{color:inherit}@media print{body{padding:0;max-width:none}details{display:block}}`;

const TITLES = {
  failed: 'Failed',
  inconclusive: 'Undecided',
  passed: 'Passed',
  not_applicable: 'Not applicable',
} as const;
type Verdict = keyof typeof TITLES;

/** A report as one HTML page that needs nothing else: no script, no font, no image; it prints well. */
export function toHtml(report: Report, catalogue: Catalogue, now: Date): string {
  const findings = describeFindings(report, catalogue);
  const { summary } = report;
  const counts = (Object.keys(TITLES) as Verdict[]).map((verdict) => {
    return `<span class="${verdict}"><strong>${summary[verdict]}</strong> ${TITLES[verdict].toLowerCase()}</span>`;
  });
  const failed = findings.filter((finding) => finding.verdict === 'failed');
  const rest = (['inconclusive', 'passed', 'not_applicable'] as const).map((verdict) =>
    table(
      TITLES[verdict],
      findings.filter((finding) => finding.verdict === verdict),
    ),
  );
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'"><title>${text(report.name)}</title><style>${STYLE}</style></head>
<body>
<h1>${text(report.name)}</h1>
<p class="dim">${text(report.target)} · ${text(report.started_at)} · ${text(report.started_by)} · Sluice ${text(report.build)}</p>
<div class="head"><span class="grade" aria-label="Grade">${summary.grade ?? '–'}</span><p>${counts.join(' · ')}</p></div>
${failed.length === 0 ? '' : `<h2>Failed (${failed.length})</h2>\n${failed.map((finding) => article(finding, now)).join('\n')}`}
${rest.join('')}
${threats(report)}
</body>
</html>
`;
}

function article(finding: DescribedFinding, now: Date): string {
  const { control, description, reason, accepted, change } = finding;
  const { remedy } = description;
  const exchange = decidingExchange(finding);
  const products = Object.entries(remedy.in ?? {}).map(
    ([product, how]) => `<li>In ${text(product)}: ${text(how)}</li>`,
  );
  const shown =
    exchange === undefined
      ? ''
      : `<details open><summary>The exchange that shows it</summary><pre>${text(`${exchange.request.method} ${exchange.request.url}\n${exchange.request.body}`.trim())}</pre><pre>${text(`${exchange.response.status}\n${exchange.response.headers.map(([name, value]) => `${name}: ${value}`).join('\n')}\n\n${exchange.response.body.slice(0, 4_000)}`.trim())}</pre></details>`;
  const acceptance =
    accepted === undefined
      ? ''
      : `<p><strong>${isAccepted(finding, now) ? 'Accepted' : 'Was accepted'}</strong> by ${text(accepted.by)}${accepted.until === null ? '' : ` until ${text(accepted.until)}`}: ${text(accepted.reason)}</p>`;
  return `<article id="${text(control)}"><h3>${text(description.title)}</h3>
<p class="dim"><code>${text(control)}</code> · ${description.severity}${change === 'new' ? ' · new' : ''} · ${description.source.map(link).join(', ')}</p>
<p class="failed">${text(reason)}</p>${acceptance}
<p><strong>What an attacker gains.</strong> ${text(description.protectsFrom)}</p>
<p><strong>What to change.</strong> ${text(remedy.change)}</p>${products.length === 0 ? '' : `<ul>${products.join('')}</ul>`}
${shown}</article>`;
}

function table(title: string, findings: readonly DescribedFinding[]): string {
  if (findings.length === 0) return '';
  const rows = findings.map(
    ({ control, description, reason }) =>
      `<tr><td>${text(description.title)}<br><code class="dim">${text(control)}</code></td><td>${text(description.severity)}</td><td>${text(reason)}</td></tr>`,
  );
  return `<h2>${title} (${findings.length})</h2>\n<table><thead><tr><th>Control</th><th>Severity</th><th>Reason</th></tr></thead><tbody>${rows.join('\n')}</tbody></table>\n`;
}

function threats(report: Report): string {
  const verdicts = new Map(report.findings.map((finding) => [finding.control, finding.verdict]));
  const rows = THREATS.map((threat) => {
    const state = stateOfThreat(threat, verdicts);
    return `<tr><td>${link(threat.source)}</td><td>${text(threat.title)}</td><td class="${state}">${state}</td></tr>`;
  });
  return `<h2>Threats</h2>\n<table><thead><tr><th>Source</th><th>Threat</th><th>State</th></tr></thead><tbody>${rows.join('\n')}</tbody></table>`;
}

function link(source: string): string {
  const url = sourceUrl(source);
  return url === undefined ? text(source) : `<a href="${text(url)}" rel="noreferrer">${text(source)}</a>`;
}
