import { CopyButton } from '@/components/format/copy-button';
import { Alert } from '@/components/ui/alert';
import { isPrivateHost, removeHostBrackets } from '@/lib/http/allowed-targets';

/** Notes that a typed URL is private, and how to allow it. Renders nothing for other texts. */
export function PrivateTargetNote({ url }: { url: string }) {
  const typed = /^https?:\/\//i.test(url) && URL.canParse(url) ? new URL(url).hostname : '';
  if (typed === '' || !isPrivateHost(typed)) return null;
  const host = removeHostBrackets(typed);
  const line = `SLUICE_ASSESS_ALLOW=${host}`;
  return (
    <Alert variant="warning" title={`${host} is private`}>
      <p>Sluice sends to private hosts only if this variable names them. Set it on every instance, and restart:</p>
      <p className="mt-1.5 flex items-center gap-1">
        <code className="min-w-0 font-mono text-xs break-all">{line}</code>
        <CopyButton value={line} label="Copy the variable" />
      </p>
      <p className="mt-1.5">If it has a value already, add the host after a comma.</p>
    </Alert>
  );
}
