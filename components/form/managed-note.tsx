import { Alert } from '@/components/ui/alert';

/** Warns before something is changed by hand that a state document sets. */
export function ManagedNote({ managed }: { managed: boolean | undefined }) {
  if (managed !== true) return null;
  return (
    <Alert variant="warning" title="Managed by a state document">
      The next apply of that document overwrites what is changed here. Change it there instead.
    </Alert>
  );
}
