import type { AssessmentReport } from '@/lib/contract/assessments';
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

/** The formats of a report besides JSON. */
export const FORMATS = {
  markdown: { write: toMarkdown, type: 'text/markdown; charset=utf-8', extension: 'md' },
  html: { write: toHtml, type: 'text/html; charset=utf-8', extension: 'html' },
  sarif: { write: toSarif, type: 'application/sarif+json', extension: 'sarif' },
  junit: { write: toJUnit, type: 'application/xml; charset=utf-8', extension: 'xml' },
} as const satisfies Record<string, ReportFormat>;
