import { type BuilderResponse, listControls } from '@/components/oauth/builder/builder-state';
import { StatusBadge } from '@/components/oauth/exchange-list';
import { Badge } from '@/components/ui/badge';

/** Red if the lab accepted what it should refuse, or if the lab did not answer. */
export function AnswerStatus({ answer }: { answer: BuilderResponse }) {
  if (answer.kind === 'fault') return <Badge variant="destructive">no response</Badge>;
  const { waived } = listControls(answer);
  const refused = answer.status >= 500 ? 'destructive' : 'warning';
  const tone = answer.status >= 400 ? refused : waived.length > 0 ? 'destructive' : 'success';
  return <StatusBadge status={answer.status} tone={tone} />;
}
