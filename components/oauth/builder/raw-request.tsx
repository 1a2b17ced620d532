'use client';

import { Copy } from 'lucide-react';
import { toast } from 'sonner';
import { useBuilder } from '@/components/oauth/builder/use-builder';
import { useLab } from '@/components/oauth/lab-context';
import { SafeText } from '@/components/oauth/safe-text';
import { Button } from '@/components/ui/button';
import { Segmented } from '@/components/ui/segmented';
import { toRawRequest } from '@/lib/oauth/builder/builder-request';
import { asCurl, asFetch, asHttp } from '@/lib/oauth/builder/request-text';

async function copy(text: string, what: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    toast.success(`Copied as ${what}`);
  } catch {
    toast.error('The browser did not allow copying.');
  }
}

/** The request as it is really sent, and ways to take it along. */
export function RawRequest() {
  const { state, dispatch, request } = useBuilder();
  const { issuer } = useLab();
  const raw = toRawRequest(request);
  return (
    <div className="flex min-w-0 flex-col gap-2">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <h3 className="text-sm font-medium">What is sent</h3>
        {state.tab === 'data' ? null : (
          <Segmented
            label="Body as"
            value={state.encoding}
            onChange={(encoding) => dispatch({ type: 'change', part: { encoding } })}
            options={[
              { value: 'form', label: 'Form' },
              { value: 'json', label: 'JSON' },
            ]}
          />
        )}
      </div>
      <SafeText label="The request as it is sent" text={asHttp(raw, issuer)} className="max-h-80" />
      <div className="flex flex-wrap gap-1.5">
        <Button variant="outline" size="sm" onClick={() => void copy(asCurl(raw, issuer), 'curl')}>
          <Copy aria-hidden /> curl
        </Button>
        <Button variant="outline" size="sm" onClick={() => void copy(asFetch(raw, issuer), 'fetch')}>
          <Copy aria-hidden /> fetch
        </Button>
      </div>
    </div>
  );
}
