import type { ChangeKinds } from '@/lib/admin/change-kind/change-kind';

export const ASSESSMENT_CHANGES: ChangeKinds<'assessment' | 'finding'> = {
  'assessment.start': { reversal: 'It changed nothing that can be undone.' },
  'assessment.remove': { reversal: 'What it removed was deleted for good.' },
  'finding.accept': { reversal: 'Withdraw the acceptance instead.' },
  'finding.withdraw': { reversal: 'Accept the finding again instead.' },
};
