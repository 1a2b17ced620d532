import { useEffect, useRef } from 'react';
import { CallError } from '@/components/call';
import { explainError } from '@/components/explain-error';
import { Alert } from '@/components/ui/alert';

/** An error that belongs to no single field. Takes the focus when it appears. */
export function FormFault({ error }: { error: unknown }) {
  const ref = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (error) ref.current?.focus();
  }, [error]);
  if (!error) return null;
  const { title, text } = explainError(error);
  const details = error instanceof CallError ? error.details : [];
  return (
    <div ref={ref} tabIndex={-1} role="alert" className="rounded-md outline-none">
      <Alert variant="destructive" title={title}>
        {text}
        {details.length > 0 ? (
          <ul className="mt-1 list-disc pl-4">
            {details.map((detail) => (
              <li key={`${detail.path} ${detail.message}`}>
                <code className="font-mono text-xs">{detail.path}</code> {detail.message}
              </li>
            ))}
          </ul>
        ) : null}
      </Alert>
    </div>
  );
}
