import { escapeInvisibleCharacters } from '@/lib/oauth/escape-invisible';
import { formatHtmlReport } from '@/lib/oauth/report/html';
import { formatJUnitReport } from '@/lib/oauth/report/junit';
import { formatMarkdownReport } from '@/lib/oauth/report/markdown';
import type { Report } from '@/lib/oauth/report/report';
import { formatSarifReport } from '@/lib/oauth/report/sarif';

/** A report format: its writer, its media type, and its file extension. */
interface ReportFormat {
  write: (report: Report) => string;
  type: string;
  extension: string;
}

/** Writes a report in which the invisible characters of the assessed server are escaped. */
const wrapWithEscaping =
  (write: ReportFormat['write']): ReportFormat['write'] =>
  (report) =>
    write(mapTexts(report, (text) => escapeInvisibleCharacters(text.replaceAll('\r\n', '\n'))));

/** Copies a JSON value and changes its strings. */
function mapTexts<T>(value: T, change: (text: string) => string): T {
  return JSON.parse(JSON.stringify(value), (_, member) => (typeof member === 'string' ? change(member) : member));
}

/** Formats of a report, in addition to JSON. */
export const FORMATS = {
  markdown: { write: wrapWithEscaping(formatMarkdownReport), type: 'text/markdown; charset=utf-8', extension: 'md' },
  html: { write: wrapWithEscaping(formatHtmlReport), type: 'text/html; charset=utf-8', extension: 'html' },
  sarif: { write: wrapWithEscaping(formatSarifReport), type: 'application/sarif+json', extension: 'sarif' },
  junit: { write: wrapWithEscaping(formatJUnitReport), type: 'application/xml; charset=utf-8', extension: 'xml' },
} as const satisfies Record<string, ReportFormat>;
