import { ChevronDown } from 'lucide-react';
import { useFormContext } from 'react-hook-form';
import { findValueAt } from '@/components/form/draft/changes-between';
import { useSubjectActions } from '@/components/identifier/subject-actions';
import type { PolicyChange } from '@/components/limits/policy-changes';
import type { PolicyValues } from '@/components/limits/policy-form-values';
import { useHasRole } from '@/components/shell/member';
import { RoleButton } from '@/components/shell/role-button';
import { Button } from '@/components/ui/button';
import { DropdownMenuItem, Menu } from '@/components/ui/dropdown-menu';
import { type CandidatePlace, POLICY_PLACES } from '@/lib/contract/fields/candidate';
import { LimitSchema, type Policies } from '@/lib/contract/policies';

interface TriedChange {
  place: CandidatePlace;
  label: string;
}

interface TryChangesProps {
  saved: Policies;
  changes: readonly PolicyChange[];
  /** Discards the form. */
  onDiscard: () => void;
}

/** Tries a changed limit as a candidate, with the typed numbers. Renders nothing if no changed limit can be tried. */
export function TryChanges({ saved, changes, onDiscard }: TryChangesProps) {
  const { getValues, setValue } = useFormContext<PolicyValues>();
  const { tryLimit } = useSubjectActions();
  const mayTry = useHasRole('owner');
  const tried = changes.flatMap(({ path, label }): TriedChange[] => {
    const place = POLICY_PLACES.find((each) => each === path);
    const isValid = LimitSchema.safeParse(findValueAt(getValues(), path)).success;
    return place === undefined || !isValid ? [] : [{ place, label }];
  });
  const start = ({ place }: TriedChange) =>
    tryLimit(place, {
      numbers: LimitSchema.parse(findValueAt(getValues(), place)),
      reason: getValues('reason'),
      // The live limit stays as it is saved.
      onStarted: () => {
        if (changes.length === 1) return onDiscard();
        setValue(place as 'global', LimitSchema.parse(findValueAt(saved, place)), { shouldDirty: true });
      },
    });
  const [first, ...others] = tried;
  if (first === undefined) return null;
  if (others.length === 0 || !mayTry) {
    return (
      <RoleButton needs="owner" variant="outline" onClick={() => start(first)}>
        Try as candidate…
      </RoleButton>
    );
  }
  const trigger = (
    <Button variant="outline">
      Try as candidate <ChevronDown aria-hidden />
    </Button>
  );
  return (
    <Menu trigger={trigger} align="end">
      {tried.map((change) => (
        <DropdownMenuItem key={change.place} onSelect={() => start(change)} label={`${change.label}…`} />
      ))}
    </Menu>
  );
}
