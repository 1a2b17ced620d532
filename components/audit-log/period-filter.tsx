import { useId } from 'react';
import { PERIODS, type Period, type usePeriod } from '@/components/audit-log/period';
import { Input } from '@/components/ui/input';
import { Segmented } from '@/components/ui/segmented';

const LABELS: Record<Period, string> = {
  all: 'Any time',
  today: 'Today',
  '7d': '7 days',
  '30d': '30 days',
  own: 'Dates',
};

/** Selects the listed days: a preset, or two dates, both inclusive. */
export function PeriodFilter({ period }: { period: ReturnType<typeof usePeriod> }) {
  const id = useId();
  return (
    <div className="flex flex-wrap items-center gap-2">
      <Segmented
        label="Time"
        value={period.period}
        onChange={period.setPeriod}
        options={PERIODS.map((value) => ({ value, label: LABELS[value] }))}
        className="max-sm:w-full [&_button]:max-sm:px-1.5"
      />
      {period.period === 'own' ? (
        <span className="flex items-center gap-2 text-sm text-muted-foreground">
          {(['from', 'to'] as const).map((end) => (
            <span key={end} className="flex items-center gap-2">
              <label htmlFor={`${id}-${end}`}>{end === 'from' ? 'From' : 'to'}</label>
              <Input
                id={`${id}-${end}`}
                type="date"
                value={period[end]}
                onChange={(event) => period.setDays({ [end]: event.target.value })}
                className="w-36"
              />
            </span>
          ))}
        </span>
      ) : null}
    </div>
  );
}
