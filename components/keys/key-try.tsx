import { CodeExamples } from '@/components/docs/code-examples';
import { TitledCard } from '@/components/ui/card';

/** Placeholder for the secret, which cannot be shown again. */
const SECRET_PLACEHOLDER = 'YOUR_SECRET';

/** Returns sample requests with a key, for a terminal. */
export function buildKeyExamples(origin: string) {
  return [
    {
      label: 'What is left',
      source: `# Consumes nothing.
curl '${origin}/v1/usage' \\
  -H 'X-API-Key: ${SECRET_PLACEHOLDER}'`,
    },
    {
      label: 'Decide',
      source: `# Counts against the key. YOUR_TOKEN: an admin token of the role gateway or operator.
curl -X POST '${origin}/v1/check' \\
  -H 'Authorization: Bearer YOUR_TOKEN' \\
  -H 'Content-Type: application/json' \\
  -d '{"method":"GET","path":"/orders","api_key":"${SECRET_PLACEHOLDER}"}'`,
    },
    {
      label: 'Through Sluice',
      source: `# Where Sluice is the proxy: any path of your application. Counts against the key.
curl -i '${origin}/api/orders' \\
  -H 'X-API-Key: ${SECRET_PLACEHOLDER}'`,
    },
  ];
}

export function KeyTry() {
  return (
    <TitledCard title="Try it" className="flex flex-col gap-3">
      <CodeExamples samples={buildKeyExamples(window.location.origin)} />
      <p className="text-xs text-muted-foreground">
        Put the secret of the key in place of <code className="font-mono">{SECRET_PLACEHOLDER}</code>. It was shown
        once, when the key was made or rotated.
      </p>
    </TitledCard>
  );
}
