import { useFormContext, useWatch } from 'react-hook-form';
import type { CandidateRuleSet } from '@/components/candidates/use-candidates';
import { PreviewNote } from '@/components/form/preview-note';
import { SaveBar } from '@/components/limits/save-bar';
import { omitDefaults } from '@/components/route-rules/omit-defaults';
import { nameRuleField, type RuleValues } from '@/components/route-rules/route-rule-values';
import { RuleDifferences } from '@/components/route-rules/rule-differences';
import { useDialog } from '@/components/shell/dialogs';
import { loadOnDemand } from '@/components/shell/load-on-demand';
import { RoleButton } from '@/components/shell/role-button';
import { type RouteRules, RouteRulesSchema, replaceRouteRules } from '@/lib/contract/route-rules';

const CandidateRulesDialog = loadOnDemand(() => import('@/components/candidates/candidate-rules-dialog'));

interface UnsavedRulesProps {
  saved: RouteRules;
  /** The current candidate rules, or null. */
  candidate: CandidateRuleSet | null;
  onDiscard: () => void;
}

/**
 * Shows the unsaved changes and the traffic they would affect. They can be saved, discarded, or tried as a candidate.
 */
export default function UnsavedRules({ saved, candidate, onDiscard }: UnsavedRulesProps) {
  const { getValues, trigger } = useFormContext<RuleValues>();
  const open = useDialog();
  const rules = useWatch<RuleValues, 'rules'>({ name: 'rules' });
  const body = omitDefaults(rules);
  const tryRules = async () => {
    if (!(await trigger('rules'))) return;
    open((onClose) => (
      <CandidateRulesDialog
        live={saved}
        rules={body}
        reason={getValues('reason')}
        candidate={candidate}
        onStarted={onDiscard}
        onClose={onClose}
      />
    ));
  };
  return (
    <SaveBar
      onDiscard={onDiscard}
      nameField={nameRuleField}
      reasonExample="Exports are costly, agreed with the team"
      instead={
        <RoleButton needs="owner" variant="outline" className="max-sm:w-full" onClick={() => void tryRules()}>
          Try as candidate…
        </RoleButton>
      }
    >
      <RuleDifferences label="Unsaved changes" before={saved} after={rules} none="The rules are as saved." />
      <PreviewNote contract={replaceRouteRules} input={RouteRulesSchema.safeParse(body).success ? { body } : null} />
    </SaveBar>
  );
}
