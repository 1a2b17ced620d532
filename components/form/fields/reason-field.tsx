import { type FieldValues, useWatch } from 'react-hook-form';
import { z } from 'zod';
import type { FormFieldProps } from '@/components/form/fields/field';
import { TextField } from '@/components/form/fields/text-field';

const MOST = 500;
/** The field shows the remaining characters once fewer than this many are left. */
const NEAR = 50;

const countCharacters = (text: string) => [...text.trim()].length;

/** The value of a `ReasonField`. */
export const ReasonInput = z
  .string()
  .trim()
  .min(1, 'Enter a reason.')
  .refine((text) => countCharacters(text) <= MOST, `At most ${MOST} characters.`);

interface ReasonFieldProps<Values extends FieldValues, Context, Output>
  extends Pick<FormFieldProps<Values, Context, Output>, 'control' | 'name' | 'disabled'> {
  /** Sample reason, shown as a placeholder. */
  example: string;
}

/** Field for the reason of a change, which the audit log stores. Changes to someone's access require one. */
export function ReasonField<Values extends FieldValues, Context, Output>(
  props: ReasonFieldProps<Values, Context, Output>,
) {
  const { control, name, disabled, example } = props;
  const text: unknown = useWatch({ control, name });
  const left = MOST - countCharacters(typeof text === 'string' ? text : '');
  return (
    <TextField
      control={control}
      name={name}
      disabled={disabled}
      label="Reason"
      placeholder={example}
      hint={<span aria-live="polite">{describeCharactersLeft(left) ?? 'Kept in the audit log.'}</span>}
      multiline
    />
  );
}

function describeCharactersLeft(left: number): string | null {
  if (left > NEAR) return null;
  if (left < 0) return `${-left} too many.`;
  return left === 1 ? '1 character left.' : `${left} characters left.`;
}
