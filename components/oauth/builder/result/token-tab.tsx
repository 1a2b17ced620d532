import { ExternalLink, KeyRound } from 'lucide-react';
import { useState } from 'react';
import { EmptyState } from '@/components/list/empty-state';
import { readText, selectFlow } from '@/components/oauth/builder/builder-state';
import { TokenView } from '@/components/oauth/builder/result/token-view';
import { useBuilder } from '@/components/oauth/builder/use-builder';
import { Button } from '@/components/ui/button';
import { Link } from '@/components/ui/link';
import { Segmented } from '@/components/ui/segmented';

const LABELS = { access_token: 'Access token', id_token: 'ID token' };

/** Shows the tokens of the flow: the issued ones, or the one that is presented instead. */
export default function TokenTab() {
  const { state, request } = useBuilder();
  const [chosen, setChosen] = useState<keyof typeof LABELS>('access_token');
  const presented = state.tab === 'data' ? request.fields.access_token : '';
  const answers = selectFlow(state.history).map(({ answer }) => answer);
  const findIssued = (name: keyof typeof LABELS) => answers.flatMap((answer) => readText(answer, name) ?? []).at(-1);
  const tokens = (['access_token', 'id_token'] as const).flatMap((name) => {
    const token = (name === 'access_token' && presented) || findIssued(name);
    return token ? [{ name, token }] : [];
  });
  const shown = tokens.find(({ name }) => name === chosen) ?? tokens[0];
  if (!shown) {
    return (
      <EmptyState icon={KeyRound} title="No token yet">
        Run the flow: its tokens are decoded and judged here.
      </EmptyState>
    );
  }
  return (
    <section aria-label="Token" className="flex flex-col gap-4">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <Segmented
          label="Which token"
          value={shown.name}
          onChange={setChosen}
          options={tokens.map(({ name }) => ({ value: name, label: LABELS[name] }))}
        />
        <Button asChild variant="outline" size="sm">
          <Link href={`/oauth/token#token=${encodeURIComponent(shown.token)}`} target="_blank">
            Open in the token workbench <ExternalLink aria-label="(opens in a new tab)" />
          </Link>
        </Button>
      </div>
      <TokenView token={shown.token} label={LABELS[shown.name]} />
    </section>
  );
}
