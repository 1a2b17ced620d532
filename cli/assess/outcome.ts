import { FAIL_ON, type FailOn } from '@/cli/assess/configuration';
import { EXIT, type ExitCode } from '@/cli/failure';
import type { Report, ReportFinding } from '@/lib/oauth/report/report';

/** Lists the failures that count: this severity or worse, not accepted, and new since the baseline, if there is one. */
export function listCountedFailures(report: Report, failOn: FailOn): ReportFinding[] {
  const severities: readonly string[] = FAIL_ON.slice(0, FAIL_ON.indexOf(failOn) + 1);
  return report.findings.filter(
    ({ verdict, severity, accepted, change }) =>
      verdict === 'failed' &&
      severities.includes(severity) &&
      accepted === undefined &&
      (report.baseline === undefined || change === 'new'),
  );
}

/**
 * Returns the exit code. An assessment without decisions proves nothing: the server was down or blocked every request.
 */
export function chooseExitCode(report: Report, failOn: FailOn | undefined): ExitCode {
  if (report.state === 'stopped') return EXIT.interrupted;
  if (report.summary.passed + report.summary.failed === 0) return EXIT.unreachable;
  return failOn !== undefined && listCountedFailures(report, failOn).length > 0 ? EXIT.findings : EXIT.done;
}
