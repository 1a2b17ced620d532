import type { ReactNode } from 'react';
import { Field } from '@/components/form/field';
import { Textarea } from '@/components/ui/input';
import { isMembers, type Members } from '@/lib/oauth/token/members';
import { lineAndColumn, readJson } from '@/lib/oauth/token/read-json';

/** The JSON object in a text, or what is wrong with it and where. */
export function readMembers(text: string): { members: Members; problem: null } | { members: null; problem: string } {
  const { value, error, duplicates } = readJson(text);
  const [wrong = duplicates[0]] = error === null ? [] : [error];
  if (wrong !== undefined) return { members: null, problem: `${wrong.message} (${lineAndColumn(text, wrong.at)})` };
  return isMembers(value)
    ? { members: value, problem: null }
    : { members: null, problem: 'A JSON object is expected.' };
}

interface JsonEditorProps {
  label: string;
  hint?: ReactNode;
  text: string;
  onChange: (text: string) => void;
}

export function JsonEditor({ label, hint, text, onChange }: JsonEditorProps) {
  return (
    <Field label={label} hint={hint} error={readMembers(text).problem ?? undefined}>
      {(ids) => (
        <Textarea
          {...ids}
          value={text}
          onChange={(event) => onChange(event.target.value)}
          className="max-h-96 font-mono text-xs leading-5"
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
        />
      )}
    </Field>
  );
}
