import { Field } from '@/components/form/field';
import { Input } from '@/components/ui/input';

interface ExpectationFieldsProps {
  issuer: string;
  audience: string;
  onIssuer: (issuer: string) => void;
  onAudience: (audience: string) => void;
}

/** Whom the reader of a token expects it from, and who they are. */
export function ExpectationFields({ issuer, audience, onIssuer, onAudience }: ExpectationFieldsProps) {
  const fields = [
    { label: 'Expected issuer', value: issuer, change: onIssuer },
    { label: 'Expected audience', value: audience, change: onAudience },
  ];
  return (
    <div className="mb-3 grid gap-3 sm:grid-cols-2">
      {fields.map(({ label, value, change }) => (
        <Field key={label} label={label} optional>
          {(ids) => (
            <Input
              {...ids}
              value={value}
              onChange={(event) => change(event.target.value)}
              className="font-mono"
              autoComplete="off"
              spellCheck={false}
            />
          )}
        </Field>
      ))}
    </div>
  );
}
