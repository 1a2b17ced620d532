import { useWatch } from 'react-hook-form';
import { differences } from '@/components/audit-log/differences';
import { PreviewNote } from '@/components/form/preview-note';
import { type RuleValues, withoutDefaults } from '@/components/limits/route-rule-values';
import { type RouteRules, RouteRulesSchema, replaceRouteRules } from '@/lib/contract/route-rules';

/** The unsaved changes, one line each. */
export default function RuleChanges({ saved }: { saved: RouteRules }) {
  const rules = useWatch<RuleValues, 'rules'>({ name: 'rules' });
  const changes = differences(withoutDefaults(saved), withoutDefaults(rules));
  if (changes.length === 0) return <p className="text-sm text-muted-foreground">The rules are as saved.</p>;
  const body = withoutDefaults(rules);
  return (
    <>
      <ul aria-label="Unsaved changes" className="flex max-h-[24vh] flex-col gap-1 overflow-y-auto text-sm">
        {changes.map(({ label, before, after }) => (
          <li key={`${label} ${before} ${after}`} className="break-words">
            <span className="text-muted-foreground">{label}</span> {[before, after].filter(Boolean).join(' → ')}
          </li>
        ))}
      </ul>
      <PreviewNote contract={replaceRouteRules} input={RouteRulesSchema.safeParse(body).success ? { body } : null} />
    </>
  );
}
