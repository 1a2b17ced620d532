import { computeDifferences } from '@/components/audit-log/differences';
import { omitDefaults } from '@/components/route-rules/omit-defaults';
import type { RouteRules } from '@/lib/contract/route-rules';

interface RuleDifferencesProps {
  label: string;
  before: RouteRules;
  after: RouteRules;
  /** Text if nothing differs. */
  none: string;
}

/** Lists the differences between two lists of route rules, one per line. */
export function RuleDifferences({ label, before, after, none }: RuleDifferencesProps) {
  const changes = computeDifferences(omitDefaults(before), omitDefaults(after));
  if (changes.length === 0) return <p className="text-sm text-muted-foreground">{none}</p>;
  return (
    <ul aria-label={label} className="flex max-h-[24vh] flex-col gap-1 overflow-y-auto text-sm">
      {changes.map(({ label: what, before: old, after: now }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two rules may be added alike
        <li key={index} className="break-words">
          <span className="text-muted-foreground">{what}</span> {[old, now].filter(Boolean).join(' → ')}
        </li>
      ))}
    </ul>
  );
}
