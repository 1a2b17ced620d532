import { zodResolver } from '@hookform/resolvers/zod';
import { useForm } from 'react-hook-form';
import { z } from 'zod';
import { AlertFields, NumberOfAlert } from '@/components/alerts/alert-fields';
import { call } from '@/components/api/call';
import { ReasonField, ReasonInput } from '@/components/form/fields/reason-field';
import { TextField } from '@/components/form/fields/text-field';
import { FormDialog } from '@/components/form/form-dialog';
import { type AlertSettings, putAlertSettings } from '@/lib/contract/alerts';
import { formatNumber } from '@/lib/format-number';

const createWholeNumber = (most: number) =>
  z
    .int('Enter a whole number.')
    .min(1, 'At least 1.')
    .max(most, `At most ${formatNumber(most)}.`);
const splitWords = (text: string) => text.split(/[\s,]+/).filter((word) => word !== '');

const SettingsForm = z.object({
  quota_threshold: z.object({
    enabled: z.boolean(),
    percent: z
      .string()
      .refine(
        (text) => splitWords(text).length > 0 && splitWords(text).every((word) => /^[1-9]\d{0,2}%?$/.test(word)),
        'Enter percents, such as 80, 100.',
      ),
  }),
  quota_forecast: z.object({ enabled: z.boolean(), days: createWholeNumber(31) }),
  refusals_burst: z.object({
    enabled: z.boolean(),
    refusals: createWholeNumber(1_000_000_000),
    minutes: createWholeNumber(60),
  }),
  exception_ending: z.object({ enabled: z.boolean(), hours: createWholeNumber(720) }),
  bypass_share: z.object({
    enabled: z.boolean(),
    percent: createWholeNumber(100),
    minutes: createWholeNumber(60),
    requests: createWholeNumber(1_000_000_000),
  }),
  store_down: z.object({ enabled: z.boolean(), seconds: createWholeNumber(3_600) }),
  clock_skew: z.object({ enabled: z.boolean(), seconds: createWholeNumber(3_600) }),
  reason: ReasonInput,
});

interface Props {
  settings: AlertSettings;
  etag: string | null;
  managed: boolean;
  onClose: () => void;
}

/** Dialog that turns alerts on or off and sets their thresholds. */
export default function AlertSettingsDialog({ settings, etag, managed, onClose }: Props) {
  const form = useForm({
    resolver: zodResolver(SettingsForm),
    defaultValues: {
      ...settings,
      quota_threshold: { ...settings.quota_threshold, percent: settings.quota_threshold.percent.join(', ') },
      reason: '',
    },
  });
  const { control } = form;
  return (
    <FormDialog
      form={form}
      title="Change alerts"
      description="Each alert is sent once, and again when it is resolved."
      submitLabel="Save alerts"
      managed={managed ? { kind: 'alerts' } : null}
      send={({ reason, quota_threshold: { enabled, percent }, ...others }) =>
        call(putAlertSettings, {
          ifMatch: etag,
          query: { reason },
          body: {
            ...others,
            quota_threshold: { enabled, percent: splitWords(percent).map((word) => Number.parseInt(word, 10)) },
          },
        })
      }
      changes="alerts"
      done={({ auditSeq }) => ({ title: 'The alerts are saved', auditSeq })}
      onClose={onClose}
    >
      <AlertFields control={control} name="quota_threshold.enabled" label="A key has used much of its quota">
        <TextField control={control} name="quota_threshold.percent" label="Percent of the quota" />
      </AlertFields>
      <AlertFields control={control} name="quota_forecast.enabled" label="A quota runs out soon">
        <NumberOfAlert control={control} name="quota_forecast.days" label="Days ahead" />
      </AlertFields>
      <AlertFields control={control} name="refusals_burst.enabled" label="One caller is refused again and again">
        <NumberOfAlert control={control} name="refusals_burst.refusals" label="Refusals" />
        <NumberOfAlert control={control} name="refusals_burst.minutes" label="Window in minutes" />
      </AlertFields>
      <AlertFields control={control} name="exception_ending.enabled" label="An exception ends">
        <NumberOfAlert control={control} name="exception_ending.hours" label="Hours before" />
      </AlertFields>
      <AlertFields control={control} name="bypass_share.enabled" label="Much of the traffic bypasses the limits">
        <NumberOfAlert control={control} name="bypass_share.percent" label="Percent" />
        <NumberOfAlert control={control} name="bypass_share.minutes" label="Window in minutes" />
        <NumberOfAlert control={control} name="bypass_share.requests" label="Minimum requests" />
      </AlertFields>
      <AlertFields control={control} name="store_down.enabled" label="A store is down">
        <NumberOfAlert control={control} name="store_down.seconds" label="For seconds" />
      </AlertFields>
      <AlertFields control={control} name="clock_skew.enabled" label="A clock is off">
        <NumberOfAlert control={control} name="clock_skew.seconds" label="By seconds" />
      </AlertFields>
      <ReasonField control={control} name="reason" example="On-call asked for earlier warnings" />
    </FormDialog>
  );
}
