import { Segmented } from '@/components/ui/segmented';
import type { OverriddenType } from '@/lib/contract/fields/enumerations';

const LABELS: Record<OverriddenType, string> = { ip: 'IP address or range', user_id: 'User', subject: 'Subject' };

interface KindChoiceProps<Kind extends OverriddenType> {
  kinds: readonly Kind[];
  value: Kind;
  disabled?: boolean;
  onChange: (kind: Kind) => void;
}

/** Chooses the kind of an identifier: an address, a user, or the subject of a named limit. */
export function KindChoice<Kind extends OverriddenType>({ kinds, ...choice }: KindChoiceProps<Kind>) {
  return (
    <Segmented
      {...choice}
      label="Kind of identifier"
      className="w-full"
      options={kinds.map((value) => ({ value, label: LABELS[value] }))}
    />
  );
}
