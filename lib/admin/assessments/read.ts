import { readAcceptances } from '@/lib/admin/assessments/acceptances';
import { buildStoredAssessment, findAssessment, parsePreflight, readFindings } from '@/lib/admin/assessments/row';
import { readAssessment as contract } from '@/lib/contract/assessments';
import { createInvalidField } from '@/lib/http/input';
import { isControl } from '@/lib/oauth/report/describe-control';
import { FORMATS } from '@/lib/oauth/report/formats';
import { buildReport, buildReportJson, type Report } from '@/lib/oauth/report/report';
import type { Context } from '@/lib/operation/context';
import { implement, Reply } from '@/lib/operation/operation';

/** Returns the report of an assessment in the requested format, compared with a baseline if the query names one. */
export const readAssessment = implement(contract, async (context, { params, query }) => {
  const { format, exchanges } = query;
  if (exchanges !== 'all' && exchanges !== 'none' && !isControl(exchanges))
    throw createInvalidField('exchanges', 'must be all, none, or the id of a control');
  const report = await readReport(context, params.id, query.baseline);
  if (format === 'json')
    return new Reply(buildReportJson(report, exchanges), {
      headers: { 'Content-Disposition': formatDisposition(report, 'json') },
    });
  const { write, type, extension } = FORMATS[format];
  return new Response(write(report), {
    headers: {
      'Content-Type': type,
      'Content-Disposition': formatDisposition(report, extension),
      'Cache-Control': 'no-store',
      'X-Content-Type-Options': 'nosniff',
    },
  });
});

async function readReport(context: Context, id: string, baselineId?: string): Promise<Report> {
  const { database } = context.services;
  const readWithFindings = async (which: string) => {
    const row = await findAssessment(database, which);
    const findings = await readFindings(database, which);
    return { row, assessment: buildStoredAssessment(row, context.now), findings };
  };
  const { row, ...current } = await readWithFindings(id);
  const baseline = baselineId === undefined ? undefined : await readWithFindings(baselineId);
  return buildReport({
    ...current,
    preflight: parsePreflight(row.preflight),
    accepted: await readAcceptances(database, row.target, context.now),
    ...(baseline === undefined ? {} : { baseline }),
  });
}

/** Names the file under which browsers save a report. They display formats that they support. */
function formatDisposition({ target, started_at }: Report, extension: string): string {
  const host = URL.canParse(target) ? new URL(target).hostname : target;
  return `inline; filename="sluice-${host.replace(/[^\w.-]+/g, '-')}-${started_at.slice(0, 10)}.${extension}"`;
}
