import { RotateCcw, ShieldCheck, SlidersHorizontal } from 'lucide-react';
import { ActionButton } from '@/components/help/actions/action-row';
import { DrawerSection } from '@/components/help/drawer-section';
import { RangeExceptions } from '@/components/help/range-exceptions';
import { RefusedInRange } from '@/components/help/refused-in-range';
import { useSubjectActions } from '@/components/identifier/subject-actions';
import { RoleGate } from '@/components/shell/role-gate';

/** Help for a range: its exemptions, the actions for it, and its refused callers. */
export function RangeHelp({ range }: { range: string }) {
  const { reset, override, allowlist } = useSubjectActions();
  const target = { type: 'ip', identifier: range } as const;
  return (
    <>
      <p className="border-l-2 border-l-warning pl-3 text-base leading-snug font-medium">
        A range has no counter. Each of its addresses is counted separately.
      </p>
      <RangeExceptions range={range} />
      <DrawerSection id="help-what-helps" title="What helps all of them">
        <RoleGate needs="operator">
          <ul className="divide-y overflow-hidden rounded-lg border bg-card">
            <ActionButton
              icon={RotateCcw}
              title="Reset their counters…"
              text="Once: every address in the range starts again from zero."
              onClick={() => reset(target)}
            />
            <ActionButton
              icon={SlidersHorizontal}
              title="Override a limit…"
              text="Each address gets this limit in one class. A more specific override wins."
              onClick={() => override(target)}
            />
            <ActionButton
              icon={ShieldCheck}
              title="Allowlist the range…"
              text="No rate limits at all. Only for a network you trust."
              onClick={() => allowlist(target)}
            />
          </ul>
        </RoleGate>
      </DrawerSection>
      <RefusedInRange range={range} />
    </>
  );
}
