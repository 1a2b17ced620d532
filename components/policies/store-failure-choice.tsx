import { Segmented } from '@/components/ui/segmented';

interface StoreFailureChoiceProps {
  label: string;
  value: 'closed' | 'local';
  onChange: (value: 'closed' | 'local') => void;
}

/** Chooses and explains the behaviour of a limit while the counter store is down. */
export function StoreFailureChoice({ label, value, onChange }: StoreFailureChoiceProps) {
  return (
    <>
      <Segmented
        label={label}
        value={value}
        onChange={onChange}
        options={[
          { value: 'closed', label: 'Refuse' },
          { value: 'local', label: 'Allow half' },
        ]}
      />
      <span className="min-w-0 flex-1 basis-56 text-xs text-muted-foreground">
        {value === 'closed'
          ? 'Answers 503 while the counter store is down.'
          : 'Each process allows half the limit while the counter store is down.'}
      </span>
    </>
  );
}
