import { visibleText } from '@/lib/oauth/builder/visible-text';
import { toHtml } from '@/lib/oauth/report/html';
import { toJUnit } from '@/lib/oauth/report/junit';
import { toMarkdown } from '@/lib/oauth/report/markdown';
import type { Report } from '@/lib/oauth/report/report';
import { toSarif } from '@/lib/oauth/report/sarif';

/** A report format: its writer, its media type, and its file extension. */
interface ReportFormat {
  write: (report: Report) => string;
  type: string;
  extension: string;
}

/** Writes a report in which the invisible characters of the assessed server are escaped. */
const visibly =
  (write: ReportFormat['write']): ReportFormat['write'] =>
  (report) =>
    write(mapTexts(report, (text) => visibleText(text.replaceAll('\r\n', '\n'))));

/** Copies a JSON value and changes its strings. */
function mapTexts<T>(value: T, change: (text: string) => string): T {
  return JSON.parse(JSON.stringify(value), (_, member) => (typeof member === 'string' ? change(member) : member));
}

/** Formats of a report, in addition to JSON. */
export const FORMATS = {
  markdown: { write: visibly(toMarkdown), type: 'text/markdown; charset=utf-8', extension: 'md' },
  html: { write: visibly(toHtml), type: 'text/html; charset=utf-8', extension: 'html' },
  sarif: { write: visibly(toSarif), type: 'application/sarif+json', extension: 'sarif' },
  junit: { write: visibly(toJUnit), type: 'application/xml; charset=utf-8', extension: 'xml' },
} as const satisfies Record<string, ReportFormat>;
