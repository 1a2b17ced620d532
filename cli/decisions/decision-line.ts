import { formatCell } from '@/cli/output/cell';
import type { Paint } from '@/cli/output/colour';
import type { LoggedDecision } from '@/lib/contract/decisions';

const COLOURS: Readonly<Record<LoggedDecision['outcome'], Parameters<Paint>[0]>> = {
  refused: 'red',
  bypassed: 'cyan',
  degraded: 'yellow',
  observed: 'yellow',
};
const EXACTLY = { now: null };

/** Formats a decision on one line: time, outcome, caller, request and reason. */
export function formatDecision(decision: LoggedDecision, paint: Paint): string {
  const { at, outcome, class: endpointClass, subject, identifier, api_key_name: keyName } = decision;
  const {
    method,
    path,
    reason,
    used,
    limit,
    window_seconds: seconds,
    retry_after: wait,
    limit_name: limitName,
  } = decision;
  const formatExactCell = (value: unknown) => formatCell(value, EXACTLY);
  const caller = subject === null ? '' : `${subject} ${formatExactCell(keyName ?? identifier)}`;
  const counted =
    limit === null || used === null ? '' : `${used}/${limit}${seconds === null ? '' : ` in ${seconds} s`}`;
  const many = decision.count > 1 ? `${decision.count} decisions` : '';
  const after = wait === null ? '' : `retry after ${wait} s`;
  return [
    paint('dim', at),
    paint(COLOURS[outcome], outcome.padEnd(8)),
    (endpointClass ?? limitName ?? '-').padEnd(9),
    caller,
    [method, path]
      .filter((part) => part !== null)
      .map(formatExactCell)
      .join(' '),
    paint('dim', [reason, counted, after, many].filter((part) => part !== null && part !== '').join(', ')),
  ]
    .filter((part) => part !== '')
    .join('  ');
}
