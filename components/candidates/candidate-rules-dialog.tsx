import { zodResolver } from '@hookform/resolvers/zod';
import { useForm } from 'react-hook-form';
import { z } from 'zod';
import { call } from '@/components/api/call';
import type { CandidateRuleSet } from '@/components/candidates/use-candidates';
import { buildExpiryChoice, computeExpiry, ExpiryChoice, ExpiryField } from '@/components/form/fields/expiry-field';
import { ReasonField, ReasonInput } from '@/components/form/fields/reason-field';
import { FormDialog } from '@/components/form/form-dialog';
import { RuleDifferences } from '@/components/route-rules/rule-differences';
import { setCandidateRules } from '@/lib/contract/candidates';
import type { RouteRules } from '@/lib/contract/route-rules';

const CandidateRulesForm = z.object({ expiry: ExpiryChoice, reason: ReasonInput });

interface CandidateRulesDialogProps {
  live: RouteRules;
  rules: RouteRules;
  /** The reason typed so far. */
  reason: string;
  /** Candidate rules that the new ones replace. Null if there are none. */
  candidate: CandidateRuleSet | null;
  onStarted: () => void;
  onClose: () => void;
}

/** Sets the edited route rules as the candidate. */
export default function CandidateRulesDialog(props: CandidateRulesDialogProps) {
  const { live, rules, reason, candidate, onStarted, onClose } = props;
  const form = useForm({
    resolver: zodResolver(CandidateRulesForm),
    defaultValues: {
      expiry: candidate === null ? { preset: '7d' as const, custom: '' } : buildExpiryChoice(candidate.ends_at),
      reason: reason || (candidate?.reason ?? ''),
    },
  });
  const { control } = form;
  return (
    <FormDialog
      form={form}
      title={candidate === null ? 'Try route rules' : 'Change the candidate route rules'}
      description={`They count, and refuse no request. Their counters start empty.${candidate === null ? '' : ' They replace the current candidate rules.'}`}
      submitLabel="Try"
      send={({ expiry, reason }) =>
        call(setCandidateRules, { body: { rules, ends_at: computeExpiry(expiry, Date.now()), reason } })
      }
      changes="candidates"
      done={({ auditSeq }) => {
        onStarted();
        return {
          title: 'The route rules are a candidate now',
          description: 'They count from the next request.',
          auditSeq,
        };
      }}
      onClose={onClose}
    >
      <RuleDifferences label="Changes" before={live} after={rules} none="They are the live rules." />
      <ExpiryField control={control} name="expiry" />
      <ReasonField control={control} name="reason" example="Whom would costlier exports refuse?" />
    </FormDialog>
  );
}
