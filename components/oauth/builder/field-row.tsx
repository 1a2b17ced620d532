'use client';

import { TriangleAlert } from 'lucide-react';
import { type ReactNode, useId } from 'react';
import { Field } from '@/components/form/field';
import type { RequestField } from '@/components/oauth/builder/request-fields';
import { Input } from '@/components/ui/input';
import { visibleText } from '@/lib/oauth/builder/visible-text';

/** One of the builder's warnings, at the field that it concerns. */
export function FieldWarning({ text }: { text: string }) {
  return (
    <p className="mt-1 flex items-start gap-1.5 text-xs text-warning-text">
      <TriangleAlert aria-hidden className="mt-0.5 size-3.5 shrink-0" />
      <span>{text}</span>
    </p>
  );
}

/** A parameter of the request: its name, its value, what it is for, and what to know before sending. */
export function FieldRow({
  field,
  value,
  onChange,
  warning,
  actions,
  readOnly,
}: {
  field: RequestField;
  value: string;
  onChange: (value: string) => void;
  warning?: string;
  /** Buttons that fill it in. */
  actions?: ReactNode;
  readOnly?: boolean;
}) {
  const list = useId();
  // Typing sees what is really there; invisible characters in it are pointed out.
  const invisible = visibleText(value) !== value;
  return (
    <Field
      label={<span className="font-mono text-xs">{field.name}</span>}
      hint={
        <>
          {field.hint}
          {invisible ? ' It holds invisible characters.' : ''}
          {warning ? <FieldWarning text={warning} /> : null}
        </>
      }
    >
      {(ids) => (
        <div className="flex flex-wrap gap-1.5">
          <Input
            {...ids}
            dir="ltr"
            className="min-w-32 flex-1 font-mono text-xs"
            value={value}
            readOnly={readOnly}
            onChange={(event) => onChange(event.target.value)}
            list={field.choices ? list : undefined}
            spellCheck={false}
            autoComplete="off"
            autoCapitalize="off"
          />
          {actions}
          {field.choices ? (
            <datalist id={list}>
              {field.choices.map((choice) => (
                <option key={choice} value={choice} />
              ))}
            </datalist>
          ) : null}
        </div>
      )}
    </Field>
  );
}
