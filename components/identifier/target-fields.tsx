'use client';

import { LocateFixed } from 'lucide-react';
import { useFormContext, useWatch } from 'react-hook-form';
import { z } from 'zod';
import { TextField } from '@/components/form/text-field';
import { wideRangeWarning } from '@/components/identifier/range-width';
import { useClientAddress } from '@/components/shell/client-address';
import { Alert } from '@/components/ui/alert';
import { Button } from '@/components/ui/button';
import { Segmented } from '@/components/ui/segmented';
import { IdentifierTypeSchema } from '@/lib/contract/fields/enumerations';
import { canonicalIdentifier } from '@/lib/contract/fields/identifier';

/** The fields by which a form names whom it concerns. */
export const TargetFields = z
  .object({ type: IdentifierTypeSchema, identifier: z.string().min(1, 'Enter an address or a user id.') })
  .superRefine((value, context) => {
    const text = value.type === 'ip' ? value.identifier.trim() : value.identifier;
    if (text === '' || canonicalIdentifier(value.type, text) !== null) return;
    context.addIssue({
      code: 'custom',
      path: ['identifier'],
      message:
        value.type === 'ip'
          ? 'Enter an IPv4 or IPv6 address, or a range such as 10.0.0.0/24.'
          : 'A user id has 1 to 256 characters and no control characters.',
    });
  });

type WithTarget = z.input<typeof TargetFields>;

/** Asks for an address, a range or a user; warns of wide ranges; fills in the own address. Inside a `FormProvider`. */
export function TargetInputs({ locked }: { locked?: boolean }) {
  const { control, setValue } = useFormContext<WithTarget>();
  const own = useClientAddress();
  const [type, identifier] = useWatch({ control, name: ['type', 'identifier'] });
  const warning = type === 'ip' ? wideRangeWarning(identifier) : null;
  return (
    <>
      <Segmented
        label="Kind of identifier"
        className="w-full"
        value={type}
        disabled={locked}
        onChange={(next) => setValue('type', next, { shouldDirty: true })}
        options={[
          { value: 'ip', label: 'IP address or range' },
          { value: 'user_id', label: 'User' },
        ]}
      />
      <TextField
        control={control}
        name="identifier"
        label={type === 'ip' ? 'Address or range' : 'User id'}
        placeholder={type === 'ip' ? '203.0.113.7, 10.0.0.0/24 or 2001:db8::/48' : 'user_1234'}
        hint={
          type === 'ip'
            ? 'IPv6 addresses are counted by their /64 network.'
            : 'Compared letter by letter, case included.'
        }
        code
        disabled={locked}
        autoComplete="off"
        suffix={
          type === 'ip' && own && !locked ? (
            <Button
              variant="outline"
              onClick={() => setValue('identifier', own, { shouldDirty: true, shouldValidate: true })}
            >
              <LocateFixed aria-hidden /> My address
            </Button>
          ) : null
        }
      />
      <div aria-live="polite" className="empty:hidden">
        {warning ? (
          <Alert variant="warning" title="A wide range">
            {warning} All of them would be concerned.
          </Alert>
        ) : null}
      </div>
    </>
  );
}
