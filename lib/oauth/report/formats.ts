import type { AssessmentReport } from '@/lib/contract/assessments';
import { visibleText } from '@/lib/oauth/builder/visible-text';
import { toHtml } from '@/lib/oauth/report/html';
import { toJUnit } from '@/lib/oauth/report/junit';
import { toMarkdown } from '@/lib/oauth/report/markdown';
import { toSarif } from '@/lib/oauth/report/sarif';

/** How a report is written in a format, its media type, and the end of its file name. */
interface ReportFormat {
  write: (report: AssessmentReport) => string;
  type: string;
  extension: string;
}

/** Writes a report with the invisible characters of the assessed server as escapes. */
const visibly =
  (write: ReportFormat['write']): ReportFormat['write'] =>
  (report) =>
    write(mapTexts(report, (text) => visibleText(text.replaceAll('\r\n', '\n'))));

/** A copy of a JSON value with its strings changed. */
function mapTexts<T>(value: T, change: (text: string) => string): T {
  return JSON.parse(JSON.stringify(value), (_, member) => (typeof member === 'string' ? change(member) : member));
}

/** The formats of a report besides JSON. */
export const FORMATS = {
  markdown: { write: visibly(toMarkdown), type: 'text/markdown; charset=utf-8', extension: 'md' },
  html: { write: visibly(toHtml), type: 'text/html; charset=utf-8', extension: 'html' },
  sarif: { write: visibly(toSarif), type: 'application/sarif+json', extension: 'sarif' },
  junit: { write: visibly(toJUnit), type: 'application/xml; charset=utf-8', extension: 'xml' },
} as const satisfies Record<string, ReportFormat>;
